//! Transfer of all clips of a rig to another rig.

use super::body::Body;
use super::contacts::{ContactReport, Contacts};
use super::other_joints::OtherJoints;
use super::transfer::Transfer;
use super::{RetargetError, RigMap};
use crate::import::Unmatched;
use crate::model::{Clip, KeyValues, Model};
use crate::pose::{Cursor, ModelPose, Pose, sample};
use crate::util::text::excerpt;

/// Longest time between keys in seconds: the blend of two keys differs between skeletons.
const MAX_KEY_SECS: f64 = 1.0 / 30.0;

/// Largest number of keys of a track.
const MAX_KEYS: usize = 20_000;

/// Largest number of joint poses that a clip is sampled at, which bounds the time for a large skeleton.
const MAX_SAMPLED_JOINTS: usize = 50_000_000;

/// Appends the clips of `source` to `target`, for its proportions and its rest pose.
///
/// Joints with a role in both maps follow the source in model space. The hips carry the motion of the root, scaled by the lengths of
/// the legs. Feet that stand still in the source stand still in the target, and so do hands while the shoulder moves. Other joints follow the joint that
/// [`Skeleton::match_joints`](crate::model::Skeleton::match_joints) finds, relative to their parents, as do morph weights. The result has
/// a key at each key of the source, and at least 30 per second, in linear interpolation. Clips whose keys have more than 20,000 different
/// times, or fewer for skeletons of more than 2,500 joints, are sampled at even steps instead, so that keys of the source are missing.
///
/// ```
/// use rigview_core::import::{ImportOptions, open};
/// use rigview_core::retarget::{RigMap, retarget_clips};
/// use std::path::Path;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets"));
/// let source = open(&folder.join("walk.bvh"), &ImportOptions::default())?;
/// let mut target = open(&folder.join("body.glb"), &ImportOptions::default())?;
/// let source_map = RigMap::detect(&source.model);
/// let target_map = RigMap::detect(&target.model);
/// let retargeted = retarget_clips(&mut target.model, &target_map, &source.model, &source_map)?;
/// assert_eq!(target.model.clips[retargeted.clips.start].name.as_deref(), Some("walk"));
/// assert!(retargeted.contacts[0].max_slide < 0.02);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If a map lacks hips or limbs, if one body is a quadruped and the other is not, or if a key is not finite in single precision.
pub fn retarget_clips(
    target: &mut Model,
    target_map: &RigMap,
    source: &Model,
    source_map: &RigMap,
) -> Result<Retargeted, RetargetError> {
    let (source_body, target_body) =
        (Body::new(source, source_map, "source")?, Body::new(target, target_map, "target")?);
    if source_map.is_quadruped() != target_map.is_quadruped() {
        return Err(RetargetError::OtherBody);
    }
    let transfer = Transfer::new(&source_body, &target_body);
    let others = OtherJoints::new(source, target, &transfer);
    let (mut clips, mut contacts) = (Vec::new(), Vec::new());
    for clip in &source.clips {
        let (mut result, report) = retarget_clip(&transfer, clip);
        others.add_tracks(clip, &mut result);
        if !has_finite_keys(&result) {
            let clip = excerpt(clip.name.as_deref().unwrap_or("without a name"));
            return Err(RetargetError::NotFinite { clip });
        }
        clips.push(result);
        contacts.push(report);
    }
    let (first, unmatched) = (target.clips.len(), others.unmatched);
    target.clips.extend(clips);
    Ok(Retargeted { clips: first..target.clips.len(), contacts, unmatched })
}

/// Result of [`retarget_clips`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Retargeted {
    /// Indices of the new clips in the target.
    pub clips: std::ops::Range<usize>,
    /// The feet and hands of each clip.
    pub contacts: Vec<ContactReport>,
    /// Animated joints of the source that have neither a role nor a joint of the same name in the target.
    pub unmatched: Unmatched,
}

fn has_finite_keys(clip: &Clip) -> bool {
    clip.tracks.iter().all(|track| match &track.keys {
        KeyValues::Translation(keys) | KeyValues::Scale(keys) => keys.iter().flatten().all(|x| x.is_finite()),
        KeyValues::Rotation(keys) => keys.iter().flatten().all(|x| x.is_finite()),
        KeyValues::Weights(keys) => keys.iter().all(|x| x.is_finite()),
    })
}

/// Converts a clip; joints without a role are not animated.
fn retarget_clip(transfer: &Transfer, clip: &Clip) -> (Clip, ContactReport) {
    let skeleton = transfer.source.skeleton;
    let times_secs = key_times(clip, skeleton.len());
    let (mut cursor, mut pose, mut model_pose) = (Cursor::default(), Pose::default(), ModelPose::default());
    let mut samples = Vec::with_capacity(times_secs.len());
    let (mut feet, mut hands) = (Contacts::of_feet(transfer), Contacts::of_hands(transfer));
    for &time in &times_secs {
        sample(skeleton, clip, f64::from(time), &mut cursor, &mut pose);
        model_pose.update(skeleton, &pose);
        samples.push(transfer.sample(&model_pose));
        feet.add(&model_pose);
        hands.add(&model_pose);
    }
    let report = feet.plant(&times_secs, &mut samples).and(hands.plant(&times_secs, &mut samples));
    (transfer.write(clip, times_secs, &samples), report)
}

/// Returns the times of the keys of a clip, with further ones between distant keys; at least one.
fn key_times(clip: &Clip, joint_count: usize) -> Vec<f32> {
    let max_keys = MAX_KEYS.min(MAX_SAMPLED_JOINTS / joint_count.max(1)).max(2);
    let total: usize = clip.timelines.iter().map(|timeline| timeline.times_secs().len()).sum();
    let mut times: Vec<f32> = match total <= 16 * max_keys {
        true => clip.timelines.iter().flat_map(|timeline| timeline.times_secs().iter().copied()).collect(),
        false => Vec::new(),
    };
    times.extend([clip.first_key_secs.min(clip.duration_secs), clip.duration_secs]);
    times.sort_by(f32::total_cmp);
    times.dedup();
    if times.len() > max_keys {
        times = vec![times[0], times[times.len() - 1]];
    }
    let length = f64::from(times[times.len() - 1]) - f64::from(times[0]);
    let max_gap = MAX_KEY_SECS.max(length / (max_keys - times.len() + 1) as f64);
    let mut dense = Vec::new();
    for pair in times.windows(2) {
        let (start, gap) = (f64::from(pair[0]), f64::from(pair[1]) - f64::from(pair[0]));
        // A key of the source may be slightly late.
        let steps = (gap / max_gap - 1e-3).ceil().max(1.0);
        dense.extend((0..steps as usize).map(|step| (start + gap * step as f64 / steps) as f32));
    }
    dense.push(times[times.len() - 1]);
    dense.dedup();
    dense
}
