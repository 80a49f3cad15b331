//! Transfer of all clips of a rig to another rig.

use super::body::Body;
use super::contacts::{ContactReport, Contacts, Planted};
use super::key_times::{KeyTimes, Resampling};
use super::named_joints::NamedJoints;
use super::other_joints::OtherJoints;
use super::reference::{BodyKind, Reference};
use super::same_skeleton::SameSkeleton;
use super::transfer::Transfer;
use super::{RetargetError, RigMap};
use crate::import::Unmatched;
use crate::math::Affine;
use crate::model::{Clip, KeyValues, Model};
use crate::pose::{Cursor, ModelPose, Pose, sample};
use crate::util::text::excerpt;
use nalgebra::{Matrix3, Vector3};

/// Appends the clips of `source` to `target`, for its proportions and its rest pose.
///
/// If the joints that the clips animate have the same names, the same hierarchy and the same bones in both models, up to one scale, the
/// clips are copied, and only translations are scaled. Rest poses do not matter then.
///
/// Bodies of different kinds, or of the kind [`Other`](BodyKind::Other), have no roles in common. If more than half of the animated joints
/// of the source have a joint of the same name in the target, these follow, relative to the rest poses of both.
///
/// Otherwise each body is compared with the other one in its reference pose: the rest pose if it looks like one, else the bind pose of the
/// skin, else a T pose that is built from the bones and the clips. The [`ReferenceSettings`](super::ReferenceSettings) of a map replace
/// that. Joints with a role in both maps follow the source in model space. The hips carry the motion of the root, scaled by the lengths of
/// the legs. Feet that stand still in the source stand still in the target, and so do hands while the shoulder moves. Other joints follow the joint that
/// [`Skeleton::match_joints`](crate::model::Skeleton::match_joints) finds, relative to their parents, as do morph weights. Expressions and
/// gaze of a VRM animation become tracks of the target's expressions and eyes. The result has
/// a key at each key of the source, and at least 30 per second, in linear interpolation; a clip that only has steps keeps them. Clips
/// whose keys have more than 65,536 different times, or fewer for skeletons of more than 760 joints, are sampled at even steps instead, so
/// that keys of the source are missing: see [`Retargeted::resampled`].
///
/// ```
/// use rigview_core::export::glb_with_clips;
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
/// let glb = glb_with_clips(&target.gltf_file, &target.model, retargeted.clips)?;
/// # let written = rigview_core::import::from_bytes(glb, None, &ImportOptions::default())?;
/// # assert_eq!(written.model.clips[0].tracks.len(), target.model.clips[0].tracks.len());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If a map lacks hips or limbs, if the bodies are of different kinds and their joints have different names, or if a key is not finite in single precision.
pub fn retarget_clips(
    target: &mut Model,
    target_map: &RigMap,
    source: &Model,
    source_map: &RigMap,
) -> Result<Retargeted, RetargetError> {
    let first = target.clips.len();
    let bodies = (Body::new(source, source_map, "source"), Body::new(target, target_map, "target"));
    let both = bodies.0.as_ref().ok().zip(bodies.1.as_ref().ok()).map(|(source, target)| [source, target]);
    if let Some(same) = SameSkeleton::find(source, target, [source_map, target_map], both) {
        let both = both.filter(|_| source_map.kind() == target_map.kind());
        let transfer = both.map(|[source, target]| Transfer::new(source, target));
        let contacts = source.clips.iter().map(|clip| {
            let planted = transfer.as_ref().map(|transfer| retarget_clip(transfer, clip).1.map(Planted::of_copy));
            planted.into_iter().flatten().reduce(ContactReport::and).unwrap_or_default()
        });
        let contacts = contacts.collect();
        drop(bodies);
        let unmatched = same.copy(target, source);
        check_keys(&target.clips[first..]).inspect_err(|_| target.clips.truncate(first))?;
        let (clips, target_from_source) = (first..target.clips.len(), scaling(same.size));
        return Ok(Retargeted {
            clips,
            contacts,
            resampled: Vec::new(),
            unmatched,
            references: None,
            target_from_source,
        });
    }
    if source_map.kind() != target_map.kind() || source_map.kind() == BodyKind::Other {
        drop(bodies);
        let named = NamedJoints::find(source, target, [source_map, target_map])?;
        let unmatched = named.copy(target, source);
        check_keys(&target.clips[first..]).inspect_err(|_| target.clips.truncate(first))?;
        let (clips, references) = (first..target.clips.len(), Some(named.references));
        let contacts = clips.clone().map(|_| ContactReport::default()).collect();
        let target_from_source = scaling(named.size);
        return Ok(Retargeted { clips, contacts, resampled: Vec::new(), unmatched, references, target_from_source });
    }
    let (source_body, target_body) = (bodies.0?, bodies.1?);
    // A pose is at most as sure as the joints by which it is measured.
    let reference = |body: &Body<'_>, map: &RigMap| {
        let confidence = body.reference.confidence.min(map.least_confidence());
        Reference { confidence, ..body.reference }
    };
    let references = Some([reference(&source_body, source_map), reference(&target_body, target_map)]);
    let transfer = Transfer::new(&source_body, &target_body);
    let others = OtherJoints::new(source, target, &transfer);
    let (mut clips, mut contacts, mut resampled) = (Vec::new(), Vec::new(), Vec::new());
    for clip in &source.clips {
        let (mut result, planted, resampling) = retarget_clip(&transfer, clip);
        resampled.extend(resampling);
        others.add_tracks(clip, &mut result);
        check_keys(std::slice::from_ref(&result))?;
        let reports = planted.map(|planted| planted.measure(&target.skeleton, &result));
        contacts.push(reports.into_iter().reduce(ContactReport::and).unwrap_or_default());
        clips.push(result);
    }
    let (unmatched, target_from_source) = (others.unmatched, transfer.target_from_source());
    target.clips.extend(clips);
    Ok(Retargeted { clips: first..target.clips.len(), contacts, resampled, unmatched, references, target_from_source })
}

fn scaling(size: f64) -> Affine {
    Affine { linear: Matrix3::identity() * size, translation: Vector3::zeros() }
}

/// Result of [`retarget_clips`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Retargeted {
    /// Indices of the new clips in the target.
    pub clips: std::ops::Range<usize>,
    /// The feet and hands of each clip. Copied clips are not corrected.
    pub contacts: Vec<ContactReport>,
    /// The clips whose keys are not those of the source.
    pub resampled: Vec<Resampling>,
    /// Animated joints of the source that have neither a role nor a joint of the same name in the target.
    pub unmatched: Unmatched,
    /// What is assumed about source and target; `None` if both have the same skeleton, and the clips are copied.
    pub references: Option<[Reference; 2]>,
    /// From model space of the source to that of the target, by rotation, translation and one scale: takes the body of the source to the
    /// place of that of the target. If the bodies are not compared, only the scale is known.
    pub target_from_source: Affine,
}

/// # Errors
/// If a key is not finite.
fn check_keys(clips: &[Clip]) -> Result<(), RetargetError> {
    match clips.iter().find(|clip| !has_finite_keys(clip)) {
        Some(clip) => Err(RetargetError::NotFinite { clip: excerpt(clip.name.as_deref().unwrap_or("without a name")) }),
        None => Ok(()),
    }
}

fn has_finite_keys(clip: &Clip) -> bool {
    clip.tracks.iter().all(|track| match &track.keys {
        KeyValues::Translation(keys) | KeyValues::Scale(keys) => keys.iter().flatten().all(|x| x.is_finite()),
        KeyValues::Rotation(keys) => keys.iter().flatten().all(|x| x.is_finite()),
        KeyValues::Weights(keys) => keys.iter().all(|x| x.is_finite()),
    })
}

/// Converts a clip; joints without a role are not animated.
fn retarget_clip(transfer: &Transfer, clip: &Clip) -> (Clip, [Planted; 2], Option<Resampling>) {
    let skeleton = transfer.source.skeleton;
    let KeyTimes { times_secs, interpolation, resampling } = KeyTimes::new(skeleton, clip);
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
    let planted = [feet.plant(&times_secs, &mut samples), hands.plant(&times_secs, &mut samples)];
    let mut result = transfer.write(clip, times_secs, &samples);
    result.tracks.iter_mut().for_each(|track| track.interpolation = interpolation);
    (result, planted, resampling)
}
