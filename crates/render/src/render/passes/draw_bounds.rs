//! Places of draws: visibility and distance.

use super::pass_input::GpuCrowd;
use crate::render::gpu_model::GpuDraw;
use crate::scene::{Frame, Lens};
use nalgebra::{Matrix3, Vector3};
use rigview_core::math::{Affine, BoundingSphere, Containment, Frustum};
use rigview_core::palette::{BlockIndex, Palette, PaletteLayout};

/// Returns `true` if no vertex of a rigid draw is in view. Crowds of more than one instance are culled as a whole.
pub(super) fn is_outside(
    frustum: &Frustum,
    &GpuCrowd { model, layout, palette, .. }: &GpuCrowd<'_>,
    draw: &GpuDraw,
) -> bool {
    let primitive = &model.primitives[draw.primitive];
    let bounds = draw.merged.as_ref().map_or(&primitive.bounds, |merged| &merged.bounds);
    if draw.draw.skinned
        || primitive.texels_per_morph_delta > 0
        || palette.total_instance_count() > 1
        || palette.instance_count() == 0
    {
        return false;
    }
    let world_from_offset_mesh = matrix_of_slot(layout, palette, draw, BlockIndex(0), 0);
    let mut sphere = BoundingSphere::from_aabb(bounds).transformed(&world_from_offset_mesh);
    // For rounding to single precision.
    sphere.radius += 1e-5 * (sphere.radius + sphere.center.amax());
    frustum.classify_sphere(&sphere) == Containment::Outside
}

/// Returns a matrix of a draw in one instance's block.
fn matrix_of_slot(layout: &PaletteLayout, palette: &Palette, draw: &GpuDraw, block: BlockIndex, slot: usize) -> Affine {
    let matrix = layout.matrix_ranges[draw.draw.matrix_range].first_matrix as usize + slot;
    let rows = palette.format().read(&palette.block(block)[matrix * palette.format().texels_per_matrix()..]);
    Affine {
        linear: Matrix3::from_fn(|row, column| f64::from(rows[row][column])),
        translation: Vector3::from_fn(|row, _| f64::from(rows[row][3])),
    }
}

/// Returns the distance from the camera to the center of `draw`; for parallel rays its depth.
pub(super) fn view_distance(frame: &Frame<'_>, crowd: &GpuCrowd<'_>, draw: &GpuDraw, block: BlockIndex) -> f64 {
    let world_from_offset_mesh = matrix_of_slot(crowd.layout, crowd.palette, draw, block, draw.sort_point.slot);
    let p = world_from_offset_mesh.transform_point(draw.sort_point.position);
    match frame.camera.lens {
        Lens::Perspective { .. } => (p - frame.camera.eye_in_world()).norm(),
        Lens::Orthographic { .. } => -frame.camera.view_from_world().transform_point(p).z,
    }
}
