//! Geometry of shadow maps of directional lights.

use crate::scene::{Camera, Lens};
use nalgebra::{Matrix4, Vector3};

/// Width and height of a shadow map in texels.
pub(super) const SIDE: u32 = 1024;

/// Returns the width of the map in meters.
pub(super) fn width(camera: &Camera) -> f64 {
    match camera.lens {
        Lens::Orthographic { half_size: [half, _] } => 2.0 * half,
        Lens::Perspective { .. } => 0.0,
    }
}

/// Returns the width of a texel in meters.
pub(super) fn texel_width(camera: &Camera) -> f64 {
    width(camera) / f64::from(SIDE)
}

/// Returns the matrix from the world to coordinates and depth, each from 0 to 1.
pub(super) fn shadow_from_world(camera: &Camera) -> Matrix4<f64> {
    let texture_from_ndc = Matrix4::new_translation(&Vector3::repeat(0.5)) * Matrix4::new_scaling(0.5);
    texture_from_ndc * camera.projection_from_world(1.0)
}
