//! Ambient occlusion in screen space.

use crate::context::{GlTestContext, RenderedImage, Shot, linear};
use crate::rigs::{ROOM, Tube, in_white_light, room, rough, wall_form_factor};
use nalgebra::Vector3;
use rigview::model::{AlphaMode, Material, Model, Transmission};
use rigview::palette::MatrixFormat;
use rigview::render::RenderOptions;
use rigview::scene::{Background, Camera, Lighting};

/// The room from the front and from above, so that the wall is in view.
fn oblique(model: &Model, is_orthographic: bool) -> Shot<'_> {
    let eye = Vector3::new(0.0, 10.0, 10.0);
    let mut camera = if is_orthographic {
        Camera::look_at_orthographic(eye, Vector3::new(0.0, 1.0, -1.0), 0.5, &ROOM)
    } else {
        Camera::look_at(eye, Vector3::new(0.0, 1.0, -1.0), 0.5)
    };
    camera.fit_depth(&ROOM);
    Shot { camera, lighting: in_white_light(), size: (192, 192), ..Shot::flat(model) }
        .before(Background::Color([0.0; 3]))
}

fn with_occlusion(shot: Shot<'_>) -> Shot<'_> {
    Shot { lighting: Lighting { ambient_occlusion: true, ..shot.lighting }, ..shot }
}

/// The pixel that shows a point.
fn at_point(image: &RenderedImage, shot: &Shot<'_>, point: Vector3<f64>) -> [u8; 4] {
    let projected = shot.camera.projection_from_world(1.0) * point.push(1.0);
    let side = f64::from(shot.size.0);
    let pixel = |ndc: f64| ((0.5 * ndc + 0.5) * side) as u32;
    image.at(pixel(projected.x / projected.w), pixel(-projected.y / projected.w))
}

/// Light with that which surfaces of the same albedo reflect (Jimenez et al. 2016).
fn interreflected(visibility: f64, albedo: f64) -> f64 {
    let (a, b, c) = (2.0404 * albedo - 0.3324, -4.7951 * albedo + 0.6417, 2.7552 * albedo + 0.6903);
    visibility.max(((visibility * a + b) * visibility + c) * visibility)
}

#[test]
fn floor_before_a_wall_is_darkened_by_the_form_factor() {
    let mut context = GlTestContext::new();
    let model = room(rough(0.5));
    for is_orthographic in [true, false] {
        let open = oblique(&model, is_orthographic);
        let open_image = context.image(&open);
        let shot = with_occlusion(oblique(&model, is_orthographic));
        let image = context.image(&shot);
        for distance in [0.25, 0.5, 1.0, 2.0, 3.0] {
            let point = Vector3::new(0.0, 0.0, distance - 2.0);
            let [found, open] = [&image, &open_image].map(|image| linear(at_point(image, &shot, point)[0]));
            let expected = interreflected(1.0 - wall_form_factor(distance), 0.5);
            let found = found / open;
            assert!((found - expected).abs() < 0.04, "{found} instead of {expected} at {distance} m");
        }
        assert!(image == context.image(&shot), "not deterministic");
    }
}

#[test]
fn convex_surfaces_keep_their_light() {
    let mut context = GlTestContext::new();
    // The floor alone, from all sides.
    let model = room(rough(0.5));
    for eye in [[0.0, 10.0, 10.0], [5.0, 2.0, 8.0], [-3.0, 1.0, 6.0], [0.1, 12.0, 0.0]] {
        let mut shot = oblique(&model, false);
        shot.camera = Camera::look_at(eye.into(), Vector3::new(0.0, 0.0, 0.5), 0.5);
        shot.camera.fit_depth(&ROOM);
        shot.look.hidden_draws = &[false, true];
        let open = context.image(&shot);
        let image = context.image(&with_occlusion(shot));
        let largest = open.rgba.iter().zip(&image.rgba).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(largest <= Some(1), "{largest:?} from {eye:?}");
    }
}

#[test]
fn image_of_one_pixel_keeps_its_light() {
    let mut context = GlTestContext::new();
    let model = room(rough(0.5));
    for size in [(1, 1), (1, 64), (64, 1)] {
        let shot = || Shot { size, ..oblique(&model, false) };
        assert!(context.image(&with_occlusion(shot())) == context.image(&shot()), "{size:?}");
    }
}

#[test]
fn blended_and_transmissive_surfaces_neither_block_light_nor_lose_it() {
    let mut context = GlTestContext::new();
    for material in [
        Material { alpha_mode: AlphaMode::Blend, ..rough(0.5) },
        Material { transmission: Some(Transmission { factor: 1.0 }), ..rough(0.5) },
    ] {
        let model = room(material);
        let open = context.image(&oblique(&model, false));
        assert!(context.image(&with_occlusion(oblique(&model, false))) == open);
    }
}

#[test]
fn row_tiles_do_not_affect_the_image() {
    let model = Tube::default().model();
    let image = |rows_per_tile| {
        let mut context = GlTestContext::with(RenderOptions { rows_per_tile, ..RenderOptions::default() });
        context.image(&with_occlusion(Shot::of_crowd(&model, MatrixFormat::Mat3x4, 3)))
    };
    let expected = image(None);
    // Tiles round the positions of pixels differently.
    let tiled = image(Some(14));
    let differences = tiled.rgba.iter().zip(&expected.rgba).map(|(a, b)| a.abs_diff(*b)).filter(|x| *x > 0);
    let differences: Vec<u8> = differences.collect();
    assert!(differences.len() < 50 && differences.iter().all(|x| *x == 1), "{differences:?}");
    let without = GlTestContext::new().image(&Shot::of_crowd(&model, MatrixFormat::Mat3x4, 3));
    assert!(without != expected, "the crowd has no occlusion");
}
