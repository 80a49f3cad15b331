//! Rounding noise in scale tracks.
//!
//! Exporters that decompose joint matrices write rounding errors into the scale of every key. Treated as constant, such
//! scales allow the compact matrix format: a third less memory, and a third less time per update.

use super::layout::PaletteLayout;
use super::similarity::{distance_to_similarity, scale_and_rotation};
use crate::math::{Aabb, Affine, Transform};
use crate::model::{Clip, Interpolation, Joint, JointIndex, KeyValues, Model, Timeline};
use crate::pose::{Cursor, ModelPose, Pose, sample};
use nalgebra::Vector3;

/// Maximum deviation of a noisy scale's components from their mean, relative to the mean: a few dozen rounding errors.
const SCALE_NOISE: f64 = 4e-6;

/// Maximum error of a matrix after all its scales are denoised: of the 3x3 part relative to its largest component, of the
/// translation relative to the extent of the joints.
///
/// Leaves room for single-precision rounding within the error bound of a crowd update, 2e-6.
const TOLERANCE: f64 = 1.5e-6;

/// Maximum number of times at which the error is measured. Clips with more keys are measured at every n-th key.
const MAX_SAMPLE_TIMES: usize = 512;

/// Maximum number of joints that are posed over all sample times.
const MAX_SAMPLED_JOINTS: usize = 1 << 20;

/// Returns the mean of `values` if it is positive and they deviate from it only by rounding noise.
///
/// `None` for values that are exactly uniform already.
pub fn denoised_scale(values: &[Vector3<f32>], interpolation: Interpolation) -> Option<f64> {
    if interpolation == Interpolation::CubicSpline || values.iter().all(is_uniform) {
        return None;
    }
    let numbers = || values.iter().flat_map(|v| [v.x, v.y, v.z]).map(f64::from);
    let mean = numbers().sum::<f64>() / (3 * values.len()) as f64;
    (mean > 0.0 && numbers().all(|x| (x - mean).abs() <= SCALE_NOISE * mean)).then_some(mean)
}

/// Returns a rest scale, made uniform if it deviates from its mean only by rounding noise.
pub fn denoised_rest(scale: Vector3<f64>) -> Vector3<f64> {
    let mean = scale.mean();
    let is_noisy = mean > 0.0 && scale.iter().all(|x| (x - mean).abs() <= SCALE_NOISE * mean);
    if is_noisy { Vector3::repeat(mean) } else { scale }
}

/// Returns `true` if denoised scales make all matrices of `layout` similarities within [`TOLERANCE`].
///
/// Measured in the rest pose and at the keys of every clip. Always `false` for very large rigs.
pub(super) fn scales_are_uniform_within_noise(model: &Model, layout: &PaletteLayout) -> bool {
    let joints = model.skeleton.len().max(1);
    if joints.saturating_mul(model.clips.len() + 1) > MAX_SAMPLED_JOINTS {
        return false;
    }
    let Some(matrices) = NoisyMatrices::new(model, layout) else { return false };
    let mut pose = Pose::rest(&model.skeleton);
    if !matrices.denoise(&mut pose, &[]) {
        return false;
    }
    let key_count: usize =
        model.clips.iter().flat_map(|clip| &clip.timelines).map(|line| line.times_secs().len()).sum();
    let step = key_count.div_ceil((MAX_SAMPLED_JOINTS / joints).min(MAX_SAMPLE_TIMES)).max(1);
    let mut cursor = Cursor::default();
    model.clips.iter().all(|clip| {
        let Some(scales) = matrices.denoised_scales(clip) else { return false };
        let times = clip.timelines.iter().flat_map(Timeline::times_secs);
        times.step_by(step).all(|&time| {
            sample(&model.skeleton, clip, f64::from(time), &mut cursor, &mut pose);
            matrices.denoise(&mut pose, &scales)
        })
    })
}

/// The matrices of a layout, whose joints have at most noisy scales.
struct NoisyMatrices<'a> {
    model: &'a Model,
    /// For each matrix its joint, `joint_from_mesh`, and `max_distance_over_diagonal` of its matrix range.
    matrices: Vec<(JointIndex, Affine, f64)>,
    /// Joints of the matrices and their ancestors.
    used: Vec<bool>,
    /// Diagonal of the bounds of the used joints at rest.
    extent: f64,
}

impl<'a> NoisyMatrices<'a> {
    /// Returns `None` if a rest scale or a bind matrix deviates from a similarity by more than noise.
    fn new(model: &'a Model, layout: &PaletteLayout) -> Option<Self> {
        let joints = model.skeleton.joints();
        let mut matrices = Vec::new();
        for matrix_range in &layout.matrix_ranges {
            let of_range = PaletteLayout::matrices_of(model, matrix_range);
            matrices.extend(
                of_range
                    .map(|(joint, joint_from_mesh)| (joint, joint_from_mesh, matrix_range.max_distance_over_diagonal)),
            );
        }
        let used = layout.used_joints(model);
        let is_noise_only = |joint: &Joint| !joint.has_shear() && is_uniform(&denoised_rest(joint.rest.scale));
        if !joints.iter().zip(&used).all(|(joint, &used)| !used || is_noise_only(joint))
            || matrices.iter().any(|(_, transform, _)| distance_to_similarity(transform) > TOLERANCE)
        {
            return None;
        }
        let model_pose = ModelPose::rest(&model.skeleton);
        let mut bounds = Aabb::EMPTY;
        for joint in (0..joints.len()).filter(|&joint| used[joint]) {
            bounds.add(model_pose.model_from_joint(JointIndex(joint as u32)).translation);
        }
        Some(Self { model, matrices, used, extent: bounds.diagonal() })
    }

    /// Returns the denoised scale of each joint's track in `clip`; `None` if a track deviates by more than noise.
    fn denoised_scales(&self, clip: &Clip) -> Option<Vec<Option<f64>>> {
        let mut scales = vec![None; self.used.len()];
        for track in clip.tracks.iter().filter(|track| self.used[track.joint.get()]) {
            if let KeyValues::Scale(values) = &track.keys {
                let scale = denoised_scale(values, track.interpolation);
                if scale.is_none() && !values.iter().all(is_uniform) {
                    return None;
                }
                scales[track.joint.get()] = scale;
            }
        }
        Some(scales)
    }

    /// Denoises the scales of `pose` and returns `true` if its matrices change within [`TOLERANCE`].
    fn denoise(&self, pose: &mut Pose, scales: &[Option<f64>]) -> bool {
        let skeleton = &self.model.skeleton;
        let (mut exact, mut denoised) = (ModelPose::default(), ModelPose::default());
        exact.update(skeleton, pose);
        for (i, Transform { scale, .. }) in pose.parent_from_joint.iter_mut().enumerate() {
            *scale = match scales.get(i) {
                Some(&Some(scale)) => Vector3::repeat(scale),
                _ => denoised_rest(*scale),
            };
        }
        denoised.update(skeleton, pose);
        self.matrices.iter().all(|&(joint, joint_from_mesh, max_distance_over_diagonal)| {
            let [exact, denoised] = [&exact, &denoised].map(|pose| *pose.model_from_joint(joint) * joint_from_mesh);
            let (scale, rotation) = scale_and_rotation(&denoised);
            let linear = (exact.linear - rotation.to_rotation_matrix().matrix() * scale).amax();
            let translation = (exact.translation - denoised.translation).amax();
            linear * max_distance_over_diagonal <= TOLERANCE * exact.linear.amax()
                && translation <= TOLERANCE * self.extent
        })
    }
}

fn is_uniform<T: nalgebra::Scalar>(scale: &Vector3<T>) -> bool {
    scale.x == scale.y && scale.y == scale.z
}
