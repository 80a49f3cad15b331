//! Scales that only tremble.
//!
//! Exporters that take a joint apart from its matrix write rounding errors into the scale of every key. Such a scale says
//! nothing, but as it is it costs a crowd a third of its time and a palette a third of its size.

use super::PaletteLayout;
use super::matrix_format::{distance_to_similarity, scale_and_rotation};
use super::plan::used_joints;
use crate::math::{Aabb, Affine, Transform};
use crate::model::{Clip, Interpolation, Joint, JointIndex, Keys, Model};
use crate::pose::{Cursor, ModelPose, Pose, sample};
use nalgebra::Vector3;

/// How far the numbers of a scale that trembles may stray from their mean, relative to it: a few dozen roundings.
const TREMBLE: f64 = 4e-6;

/// How far all scales together, taken for still, may lead a matrix astray: its 3x3 part relative to its largest number,
/// its translation relative to the extent of the joints.
///
/// With what single precision itself loses on the way it stays within the 2e-6 that crowds promise.
const TOLERANCE: f64 = 1.5e-6;

/// The most moments at which that is measured; of clips with more keys some are passed over.
const MOST_MOMENTS: usize = 512;

/// The most joints that are posed for it, over all moments.
const MOST_JOINTS: usize = 1 << 20;

/// The one number that `values` stand for, if they are above zero and stray from it by rounding errors alone.
///
/// Nothing for values that are even already, each in itself: those need no mending.
pub(super) fn stilled(values: &[Vector3<f32>], interpolation: Interpolation) -> Option<f64> {
    if interpolation == Interpolation::CubicSpline || values.iter().all(is_even) {
        return None;
    }
    let numbers = || values.iter().flat_map(|v| [v.x, v.y, v.z]).map(f64::from);
    let mean = numbers().sum::<f64>() / (3 * values.len()) as f64;
    (mean > 0.0 && numbers().all(|x| (x - mean).abs() <= TREMBLE * mean)).then_some(mean)
}

/// The same for the scale of a joint at rest.
pub(super) fn stilled_rest(scale: Vector3<f64>) -> Vector3<f64> {
    let mean = scale.mean();
    let trembles = mean > 0.0 && scale.iter().all(|x| (x - mean).abs() <= TREMBLE * mean);
    if trembles { Vector3::repeat(mean) } else { scale }
}

/// Whether all that keeps the matrices of `layout` from being similarities is trembling, and too little to be seen: measured
/// in the rest pose and at the keys of every clip. Of very large rigs nothing is taken for trembling.
pub(super) fn only_trembles(model: &Model, layout: &PaletteLayout) -> bool {
    let joints = model.skeleton.len().max(1);
    if joints.saturating_mul(model.clips.len() + 1) > MOST_JOINTS {
        return false;
    }
    let Some(followed) = Followed::new(model, layout) else { return false };
    let mut pose = Pose::rest(&model.skeleton);
    if !followed.stands_still(&mut pose, &[]) {
        return false;
    }
    let moments: usize = model.clips.iter().flat_map(|clip| &clip.timelines).map(|line| line.times_secs.len()).sum();
    let every = moments.div_ceil((MOST_JOINTS / joints).min(MOST_MOMENTS)).max(1);
    let mut cursor = Cursor::default();
    model.clips.iter().all(|clip| {
        let Some(scales) = followed.scales_of(clip) else { return false };
        let times = clip.timelines.iter().flat_map(|timeline| &timeline.times_secs);
        times.step_by(every).all(|&time| {
            sample(&model.skeleton, clip, f64::from(time), &mut cursor, &mut pose);
            followed.stands_still(&mut pose, &scales)
        })
    })
}

/// What the matrices of a layout follow.
struct Followed<'a> {
    model: &'a Model,
    /// For each matrix its joint, `joint_from_mesh`, and how far its mesh reaches.
    matrices: Vec<(JointIndex, Affine, f64)>,
    /// The joints that they follow and all ancestors.
    used: Vec<bool>,
    /// Diagonal of the box around all of these at rest.
    extent: f64,
}

impl<'a> Followed<'a> {
    /// `None` where something at rest does more than tremble.
    fn new(model: &'a Model, layout: &PaletteLayout) -> Option<Self> {
        let joints = model.skeleton.joints();
        let mut matrices = Vec::new();
        for section in &layout.sections {
            let of_section = PaletteLayout::joints_of(model, section);
            matrices.extend(of_section.map(|(joint, joint_from_mesh)| (joint, joint_from_mesh, section.reach)));
        }
        let used = used_joints(model, layout);
        let rests = |joint: &Joint| joint.sheared_rest.is_none() && is_even(&stilled_rest(joint.rest.scale));
        if !joints.iter().zip(&used).all(|(joint, &used)| !used || rests(joint))
            || matrices.iter().any(|(_, map, _)| distance_to_similarity(map) > TOLERANCE)
        {
            return None;
        }
        let mut model_pose = ModelPose::default();
        model_pose.update(&model.skeleton, &Pose::rest(&model.skeleton));
        let mut bounds = Aabb::EMPTY;
        for joint in (0..joints.len()).filter(|&joint| used[joint]) {
            bounds.add(model_pose.model_from_joint(JointIndex(joint as u32)).translation);
        }
        Some(Self { model, matrices, used, extent: bounds.diagonal() })
    }

    /// For each joint the scale that its track in `clip` stands for; nothing where a scale does more than tremble.
    fn scales_of(&self, clip: &Clip) -> Option<Vec<Option<f64>>> {
        let mut scales = vec![None; self.used.len()];
        for track in clip.tracks.iter().filter(|track| self.used[track.joint.get()]) {
            if let Keys::Scale(values) = &track.keys {
                let scale = stilled(values, track.interpolation);
                if scale.is_none() && !values.iter().all(is_even) {
                    return None;
                }
                scales[track.joint.get()] = scale;
            }
        }
        Some(scales)
    }

    /// Whether `pose` comes out the same with stilled scales; these it is left with.
    fn stands_still(&self, pose: &mut Pose, scales: &[Option<f64>]) -> bool {
        let skeleton = &self.model.skeleton;
        let (mut exact, mut still) = (ModelPose::default(), ModelPose::default());
        exact.update(skeleton, pose);
        for (i, Transform { scale, .. }) in pose.parent_from_joint.iter_mut().enumerate() {
            *scale = match scales.get(i) {
                Some(&Some(stilled)) => Vector3::repeat(stilled),
                _ => stilled_rest(*scale),
            };
        }
        still.update(skeleton, pose);
        self.matrices.iter().all(|&(joint, joint_from_mesh, reach)| {
            let [exact, still] = [&exact, &still].map(|pose| *pose.model_from_joint(joint) * joint_from_mesh);
            let (scale, rotation) = scale_and_rotation(&still);
            let linear = (exact.linear - rotation.to_rotation_matrix().matrix() * scale).amax();
            let translation = (exact.translation - still.translation).amax();
            linear * reach <= TOLERANCE * exact.linear.amax() && translation <= TOLERANCE * self.extent
        })
    }
}

fn is_even<T: nalgebra::Scalar>(scale: &Vector3<T>) -> bool {
    scale.x == scale.y && scale.y == scale.z
}
