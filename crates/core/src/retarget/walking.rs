//! The direction in which a body walks in its clips, with or without travel of the hips.

use crate::math::Affine;
use crate::model::{Clip, JointIndex, Skeleton};
use crate::pose::{Cursor, ModelPose, Pose, sample};
use nalgebra::Vector3;

/// Largest number of clips that are sampled, of times of each, and of joint poses of all.
const MAX_CLIPS: usize = 4;
const MAX_SAMPLES: usize = 90;
const MAX_JOINT_POSES: usize = 1_000_000;

/// Time between samples in seconds.
const STEP_SECS: f64 = 1.0 / 30.0;

/// Smallest speed of the hips over the foot on the ground, in lengths of a leg per second.
const MIN_SPEED: f64 = 0.3;

/// Smallest way of all clips, relative to the length of a leg.
const MIN_WAY: f64 = 0.5;

/// Returns the horizontal direction in which the hips move over the lower foot while that moves relative to them, and its confidence: the
/// length of the whole way relative to the sum of its parts, from 0.5 to 1. `None` if the body does not walk, or in no common direction.
///
/// A body that walks in place has this direction, too. A clip that only walks backward has the opposite one.
pub(super) fn walking_direction(
    skeleton: &Skeleton,
    clips: &[Clip],
    hips: JointIndex,
    feet: &[JointIndex],
    up: Vector3<f64>,
    leg_length: f64,
) -> Option<(Vector3<f64>, f64)> {
    let max_samples = (MAX_JOINT_POSES / MAX_CLIPS / skeleton.len().max(1)).min(MAX_SAMPLES);
    let (mut way, mut sum) = (Vector3::zeros(), 0.0);
    for clip in clips.iter().filter(|clip| !clip.tracks.is_empty()).take(MAX_CLIPS) {
        let (mut cursor, mut pose, mut model_pose) = (Cursor::default(), Pose::default(), ModelPose::default());
        let secs = f64::from(clip.duration_secs - clip.first_key_secs).max(0.0);
        let count = ((secs / STEP_SECS) as usize + 1).min(max_samples);
        let mut before: Option<Vec<Vector3<f64>>> = None;
        for i in 0..count {
            sample(skeleton, clip, f64::from(clip.first_key_secs) + STEP_SECS * i as f64, &mut cursor, &mut pose);
            model_pose.update(skeleton, &pose);
            let at = |joint: &JointIndex| -> Vector3<f64> {
                let Affine { translation, .. } = model_pose.model_from_joint(*joint);
                *translation
            };
            let from_feet: Vec<Vector3<f64>> = feet.iter().map(|foot| at(&hips) - at(foot)).collect();
            let on_ground = (0..feet.len()).max_by(|a, b| from_feet[*a].dot(&up).total_cmp(&from_feet[*b].dot(&up)));
            if let Some((before, foot)) = before.as_ref().zip(on_ground) {
                let step = from_feet[foot] - before[foot];
                let step = step - up * step.dot(&up);
                if step.norm() > MIN_SPEED * STEP_SECS * leg_length {
                    way += step;
                    sum += step.norm();
                }
            }
            before = Some(from_feet);
        }
    }
    let confidence = way.norm() / sum;
    // NaN is no direction.
    let is_walk = sum > MIN_WAY * leg_length && sum.is_finite() && confidence > 0.5;
    is_walk.then(|| (way / way.norm(), confidence))
}
