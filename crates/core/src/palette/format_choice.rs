//! Choice of the smallest matrix format that holds all poses of a rig.

use super::layout::PaletteLayout;
use super::matrix_format::MatrixFormat;
use super::scale_noise::scales_are_uniform_within_noise;
use super::similarity::{distance_to_similarity, non_uniformity};
use crate::model::{KeyValues, Model};
use nalgebra::Vector3;

/// Maximum distance of a linear part from a similarity, relative to its scale and to the size of its mesh.
///
/// A quarter of the error bound of a crowd update, 2e-6 of the model's size.
const SIMILARITY_TOLERANCE: f64 = 5e-7;

impl MatrixFormat {
    /// Returns the smallest format that holds every pose of `layout`'s joints, at rest and in each clip.
    ///
    /// [`MatrixFormat::QuatTranslationScale`] requires uniform scale in every key of every drawn joint and its ancestors,
    /// no shear, and inverse bind matrices that are similarities. The summed deviation may reach 5e-7 of the mesh size.
    /// Scales that differ from uniform only by rounding noise are measured at the keys instead, against 1.5e-6.
    pub fn choose(model: &Model, layout: &PaletteLayout) -> Self {
        let non_uniformity = chain_non_uniformity(model);
        let all_similar = layout.matrix_ranges.iter().all(|matrix_range| {
            PaletteLayout::matrices_of(model, matrix_range).all(|(joint, joint_from_offset_mesh)| {
                let of_bind = distance_to_similarity(&joint_from_offset_mesh);
                (non_uniformity[joint.get()] + of_bind) * matrix_range.max_distance_over_diagonal
                    <= SIMILARITY_TOLERANCE
            })
        });
        let is_similar = all_similar || scales_are_uniform_within_noise(model, layout);
        if is_similar { Self::QuatTranslationScale } else { Self::Mat3x4 }
    }
}

/// Returns for each joint the summed relative non-uniformity of its scale and its ancestors' scales.
///
/// Takes the maximum over the rest pose and all keys. Infinite for shear.
fn chain_non_uniformity(model: &Model) -> Vec<f64> {
    let joints = model.skeleton.joints();
    let mut sums: Vec<f64> = joints
        .iter()
        .map(|joint| if joint.has_shear() { f64::INFINITY } else { non_uniformity(joint.rest.scale) })
        .collect();
    for track in model.clips.iter().flat_map(|clip| &clip.tracks) {
        if let KeyValues::Scale(values) = &track.keys {
            // Interpolated and blended scales are uniform only if all keys mirror the same axes.
            let rest = relative_signs(joints[track.joint.get()].rest.scale);
            let same_signs = values.iter().all(|s| match relative_signs(s.cast()) {
                Some(signs) => rest.is_none_or(|rest| rest == signs),
                None => true,
            });
            let max = values.iter().map(|s| non_uniformity(s.cast())).fold(0.0, f64::max);
            let sum = &mut sums[track.joint.get()];
            *sum = sum.max(if same_signs { max } else { f64::INFINITY });
        }
    }
    for i in 0..joints.len() {
        if let Some(parent) = joints[i].parent {
            sums[i] += sums[parent.get()];
        }
    }
    sums
}

/// Returns whether Y and Z differ in sign from X; `None` if an axis is zero.
fn relative_signs(scale: Vector3<f64>) -> Option<[bool; 2]> {
    let [x, y, z] = [scale.x, scale.y, scale.z].map(|s| s < 0.0);
    (scale.abs().min() > 0.0).then_some([x != y, x != z])
}
