//! Geometry of shadow maps.

use crate::scene::{Camera, Lens};
use nalgebra::{Matrix4, Vector3};

/// Width and height in texels of the shadow map of a sample.
pub(super) const SIDE: u32 = 1024;

/// Width and height in texels of the shadow map of the shadow catcher, whose shadow is soft.
pub(super) const CATCHER_SIDE: u32 = 128;

/// Width and height in texels of the image of the shadow catcher.
pub(super) const GROUND_SIDE: u32 = 128;

/// Width and height in texels of the shadow map of the sun.
pub(super) const SUN_SIDE: u32 = 2048;

/// Returns the width of the map in meters; with perspective at a distance of one meter.
pub(super) fn width(camera: &Camera) -> f64 {
    match camera.lens {
        Lens::Orthographic { half_size: [half, _] } => 2.0 * half,
        Lens::Perspective { fov_y } => 2.0 * libm::tan(0.5 * fov_y),
    }
}

/// Returns the width of a texel of a map of `side` texels in meters; with perspective at a distance of one meter.
pub(super) fn texel_width(camera: &Camera, side: u32) -> f64 {
    width(camera) / f64::from(side)
}

/// Returns the matrix from the world to homogeneous coordinates and depth, each from 0 to 1.
pub(super) fn shadow_from_world(camera: &Camera) -> Matrix4<f64> {
    let texture_from_ndc = Matrix4::new_translation(&Vector3::repeat(0.5)) * Matrix4::new_scaling(0.5);
    texture_from_ndc * camera.projection_from_world(1.0)
}
