//! Drawing frames allocates nothing outside of the driver.

use crate::context::{GlTestContext, Shot, posed};
use crate::rigs::Tube;
use rigview::crowd::{Crowd, Instance};
use rigview::model::{AlphaMode, Clearcoat, Material};
use rigview::palette::MatrixFormat;
use rigview::render::Target;

#[test]
fn running_crowd_frame_allocates_nothing() {
    let plain = Tube::default().material;
    let glass = Material { base_color: [0.2, 0.6, 0.9, 0.5], alpha_mode: AlphaMode::Blend, ..plain.clone() };
    let coat = Clearcoat { factor: 1.0, roughness: 0.1, normal_scale: 1.0 };
    let varnished = Material { clearcoat: Some(coat), ..plain.clone() };
    for (what, material, samples, texel_limit) in [
        ("plain", plain.clone(), 1, None),
        ("plain, smooth, in pages", plain, 4, Some(400)),
        ("glass", glass, 1, None),
        ("varnished", varnished, 1, None),
    ] {
        let model = Tube { material, ..Tube::default() }.model();
        let mut stage = GlTestContext::with_palette_limit(texel_limit);
        let mut shot = Shot::of_crowd(&model, MatrixFormat::Mat3x4, 60);
        let (width, height) = shot.size;
        let mut target = Target::new(stage.headless.gpu(), width, height, samples).unwrap();
        let gpu_model = stage.renderer.upload(&model, &shot.layout).unwrap();
        let place = |i: usize| rigview::math::Affine::from_translation([i as f64 % 8.0, 0.0, i as f64 / 8.0].into());
        let mut crowd = Crowd::new((0..60).map(|i| Instance::new(place(i), None, 0.0)));
        for frame in 0..14 {
            shot.palette = posed(&model, &shot.layout, shot.palette.format(), &mut crowd, 0.0);
            let mut draw = || stage.renderer.draw(&[&gpu_model], &shot.frame(), &mut target).unwrap();
            // The first frames compile shaders and make room.
            if frame < 4 {
                draw();
            } else {
                let counted = allocation_counter::measure(draw);
                assert_eq!(counted.count_total, 0, "{what}, frame {frame}: {counted:?}");
            }
        }
    }
}
