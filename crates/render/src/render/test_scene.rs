//! The hare under the sun, for tests.

use crate::scene::{Background, DebugView, Frame, Light, LightKind, Lighting, Orbit, SunShadow, clip_hull};
use nalgebra::Vector3;
use rigview_core::crowd::{Crowd, CrowdAnimator, Instance};
use rigview_core::import::{ImportOptions, open};
use rigview_core::math::{Affine, SupportHull};
use rigview_core::model::ClipIndex;
use rigview_core::palette::Rig;
use std::path::Path;

pub(super) fn rig() -> Rig {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/hare.glb");
    let model = open(&file, &ImportOptions::default()).unwrap().model;
    Rig::new(model.clone(), model.default_scene).unwrap()
}

/// A crowd with its light and camera.
pub(super) struct TestScene<'a> {
    rig: &'a Rig,
    animator: CrowdAnimator,
    crowd: Crowd,
    pub(super) hull: SupportHull,
    pub(super) lighting: Lighting,
}

impl<'a> TestScene<'a> {
    /// Instances at these places on the X axis, at the start of a clip; a sun with its shadow, and occlusion.
    pub(super) fn new(rig: &'a Rig, clip: Option<ClipIndex>, places: &[f64]) -> Self {
        let instance = |x: &f64| Instance::new(Affine::from_translation(Vector3::new(*x, 0.0, 0.0)), clip, 0.0);
        let hull = clip_hull(rig, clip);
        let to_light_in_world = Vector3::new(1.0, 2.0, 1.0).normalize();
        let lighting = Lighting {
            lights: vec![Light { kind: LightKind::Directional { to_light_in_world }, intensity_rgb: [2.0; 3] }],
            ambient_occlusion: true,
            sun_shadow: SunShadow::with_catcher(hull.bounds(), to_light_in_world),
            ..Lighting::studio()
        };
        let crowd = Crowd::new(places.iter().map(instance));
        let mut scene = Self { rig, animator: CrowdAnimator::new(rig), crowd, hull, lighting };
        scene.update(0.0);
        scene
    }

    pub(super) fn update(&mut self, clock_secs: f64) {
        self.animator.update(&mut self.crowd, clock_secs);
    }

    pub(super) fn frame(&self, aspect: f64) -> Frame<'_> {
        Frame {
            layout: self.rig.layout(),
            palette: self.animator.palette(),
            detail: None,
            other_crowds: &[],
            camera: Orbit::framing(&self.hull, aspect).camera(self.hull.bounds()),
            lighting: &self.lighting,
            background: Background::Studio,
            debug_view: DebugView::default(),
        }
    }
}
