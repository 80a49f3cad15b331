//! Levels of detail.

use crate::context::GlTestContext;
use nalgebra::Vector3;
use rigview::compare::{ImageMetrics, RgbaImage};
use rigview::crowd::{Crowd, CrowdAnimator, Instance};
use rigview::import::{ImportOptions, open};
use rigview::math::{Aabb, Affine};
use rigview::model::{ClipIndex, InstanceIndex};
use rigview::palette::Rig;
use rigview::render::{GpuModel, ModelLevels, Target};
use rigview::scene::{Background, Camera, DebugView, DetailSelection, Frame, Lighting, SunShadow};
use std::path::Path;

const SIZE: [u32; 2] = [320, 200];

/// A crowd of a shipped model on the GPU.
struct Fixture {
    // Before the context, which is dropped last.
    model: GpuModel,
    context: GlTestContext,
    animator: CrowdAnimator,
    crowd: Crowd,
    /// Diagonal of the model's bounds.
    size: f64,
    lighting: Lighting,
}

impl Fixture {
    fn new(file: &str) -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(file);
        let model = open(&file, &ImportOptions::default()).unwrap().model;
        let rig = Rig::new(model, Default::default()).unwrap();
        let mut animator = CrowdAnimator::new(&rig);
        let mut single = Crowd::single(Some(ClipIndex(0)));
        let size = 2.0 * animator.bounding_sphere(&mut single, InstanceIndex(0)).radius;
        let place =
            |i: i32| Affine::from_translation(Vector3::new(f64::from(i % 5 - 2), 0.0, f64::from(-i / 5)) * size);
        let instance = |i: i32| Instance::new(place(i), Some(ClipIndex(0)), 0.3 * f64::from(i));
        let mut crowd = Crowd::new((0..20).map(instance));
        animator.update(&mut crowd, 0.7);
        let context = GlTestContext::new();
        let mut gpu_model = context.renderer.upload(rig.model(), rig.layout()).unwrap();
        context.renderer.upload_levels(&mut gpu_model, &ModelLevels::new(rig.model(), rig.layout())).unwrap();
        Self { model: gpu_model, context, animator, crowd, size, lighting: Lighting::studio() }
    }

    /// Draws the crowd from `distance` model sizes. Returns the image and the number of drawn vertices.
    fn draw(&mut self, distance: f64, with_detail: bool) -> (RgbaImage, u64) {
        let target = Vector3::new(0.0, 0.3, -1.5) * self.size;
        let eye = target + Vector3::new(0.3, 0.6, 1.0).normalize() * distance * self.size;
        let mut camera = Camera::look_at(eye, target, 0.6);
        (camera.near, camera.far) = (0.1 * self.size, 1e3 * self.size);
        let mut detail = DetailSelection::default();
        detail.update(&mut self.animator, &mut self.crowd, &camera, SIZE);
        let frame = Frame {
            layout: self.animator.rig().layout(),
            palette: self.animator.palette(),
            detail: Some(&detail).filter(|_| with_detail),
            other_crowds: &[],
            camera,
            lighting: &self.lighting,
            background: Background::Studio,
            debug_view: DebugView::default(),
        };
        let mut image = Target::new(self.context.headless.gpu(), SIZE[0], SIZE[1], 4).unwrap();
        self.context.renderer.draw(&[&self.model], &frame, &mut image).unwrap();
        let rgba = image.read_rgba().unwrap();
        (RgbaImage::new(SIZE[0], SIZE[1], rgba), self.context.renderer.statistics().vertices)
    }
}

#[test]
fn images_with_levels_look_like_full_meshes() {
    for file in ["hare.glb", "windmill.glb"] {
        let mut fixture = Fixture::new(file);
        let mut last_vertices = u64::MAX;
        for distance in [3.0, 8.0, 20.0, 60.0] {
            let (full, full_vertices) = fixture.draw(distance, false);
            let (image, vertices) = fixture.draw(distance, true);
            let metrics = ImageMetrics::between(&full, &image).unwrap();
            let text = format!(
                "{file} from {distance} sizes: FLIP {:.4}, 99% {:.3}, {vertices} of {full_vertices} vertices",
                metrics.flip_mean, metrics.flip_p99
            );
            println!("{text}");
            assert!(metrics.flip_mean < 0.012, "{text}");
            assert!(vertices < last_vertices, "{text}");
            last_vertices = vertices;
            let (again, _) = fixture.draw(distance, true);
            assert_eq!(image.rgba(), again.rgba(), "{text}");
        }
        assert!(7 * last_vertices < fixture.draw(60.0, false).1, "{file}");
        let [full, detail] = [false, true].map(|detail| fixture.draw(0.1, detail).1);
        assert!(detail <= full, "{file}");
    }
}

#[test]
fn shadow_map_draws_levels() {
    let mut fixture = Fixture::new("windmill.glb");
    let size = fixture.size;
    let bounds = Aabb { min: Vector3::new(-2.5, 0.0, -3.5) * size, max: Vector3::new(2.5, 1.0, 0.5) * size };
    fixture.lighting.sun_shadow = SunShadow::with_catcher(&bounds, Vector3::new(1.0, 1.5, 0.5));
    let (full, _) = fixture.draw(10.0, false);
    let (image, _) = fixture.draw(10.0, true);
    let flip = ImageMetrics::between(&full, &image).unwrap().flip_mean;
    println!("FLIP with shadows {flip:.4}");
    assert!(flip > 0.0 && flip < 0.012, "{flip}");
}
