//! Joints without a role, which follow joints of the same path or of the same unique name.

use super::transfer::Transfer;
use crate::import::Unmatched;
use crate::model::{Clip, JointIndex, KeyValues, Model, TimelineIndex, Track};
use crate::pose::FaceTracks;
use std::collections::{BTreeSet, HashMap};

/// Joints without a role in the source, that follow by name.
pub(super) struct OtherJoints<'a> {
    /// Expressions and gaze of the source.
    face: FaceTracks<'a>,
    /// By joint of the source.
    targets: Vec<Option<JointIndex>>,
    /// Whether the morph weights of both joints have the same count.
    have_same_weights: Vec<bool>,
    pub(super) unmatched: Unmatched,
}

impl<'a> OtherJoints<'a> {
    pub(super) fn new(source: &'a Model, target: &'a Model, transfer: &Transfer) -> Self {
        let is_used: BTreeSet<JointIndex> = transfer.chain.iter().map(|chain| chain.joint).collect();
        // What the poses of mapped joints contain: these joints, and those above.
        let mut is_source = vec![false; source.skeleton.len()];
        for (joint, _) in &transfer.sources {
            is_source[joint.get()] = true;
        }
        for (i, joint) in source.skeleton.joints().iter().enumerate().rev() {
            if let Some(parent) = joint.parent
                && is_source[i]
            {
                is_source[parent.get()] = true;
            }
        }
        let matches = source.skeleton.match_joints(&target.skeleton);
        let is_face = |joint: JointIndex| source.face_driver(joint).is_some();
        let tracks = || source.clips.iter().flat_map(|clip| &clip.tracks).filter(|track| !is_face(track.joint));
        let is_animated: BTreeSet<JointIndex> = tracks().map(|track| track.joint).collect();
        let has_weights = |track: &&Track| matches!(track.keys, KeyValues::Weights(_));
        let has_animated_weights: BTreeSet<JointIndex> =
            tracks().filter(has_weights).map(|track| track.joint).collect();
        let (mut targets, mut have_same_weights, mut unmatched) = (Vec::new(), Vec::new(), Unmatched::default());
        let (mut names, mut morphs) = (BTreeSet::new(), BTreeSet::new());
        for (i, joint) in source.skeleton.joints().iter().enumerate() {
            let found = matches[i].filter(|_| joint.name.is_some() && !is_face(JointIndex(i as u32)));
            let have_same = found
                .is_some_and(|found| target.skeleton.joint(found).morph_weights.len() == joint.morph_weights.len());
            have_same_weights.push(have_same);
            if found.is_some() && !have_same && has_animated_weights.contains(&JointIndex(i as u32)) {
                morphs.extend(joint.name.clone());
            }
            if found.is_none() && !is_source[i] && is_animated.contains(&JointIndex(i as u32)) {
                match &joint.name {
                    Some(name) => drop(names.insert(name.clone())),
                    None => unmatched.unnamed += 1,
                }
            }
            targets.push(
                found
                    .filter(|found| !target.skeleton.joint(*found).has_shear())
                    .filter(|found| !is_source[i] && !is_used.contains(found) || !joint.morph_weights.is_empty()),
            );
        }
        unmatched.joints = names.into_iter().collect();
        unmatched.morphs = morphs.into_iter().collect();
        let sheared =
            transfer.nodes.iter().map(|node| target.skeleton.joint(node.joint)).filter(|joint| joint.has_shear());
        unmatched.sheared = sheared.filter_map(|joint| joint.name.clone()).collect();
        let face = FaceTracks::new(source, target);
        unmatched.set_face(&face);
        Self { face, targets, have_same_weights, unmatched }
    }

    /// Adds the tracks of joints that follow by name, and of the face. Translations are left out, since the lengths of bones differ.
    pub(super) fn add_tracks(&self, clip: &Clip, result: &mut Clip) {
        let is_set: BTreeSet<JointIndex> = result.tracks.iter().map(|track| track.joint).collect();
        let mut timelines = HashMap::new();
        for track in &clip.tracks {
            let Some(joint) = self.targets[track.joint.get()] else { continue };
            let is_kept = match track.keys {
                KeyValues::Weights(_) => self.have_same_weights[track.joint.get()],
                KeyValues::Rotation(_) | KeyValues::Scale(_) => !is_set.contains(&joint),
                KeyValues::Translation(_) => false,
            };
            if is_kept {
                let timeline = *timelines.entry(track.timeline).or_insert_with(|| {
                    result.timelines.push(clip.timelines[track.timeline].clone());
                    TimelineIndex(result.timelines.len() as u32 - 1)
                });
                result.tracks.push(Track { joint, timeline, ..track.clone() });
            }
        }
        self.face.add(clip, result);
    }
}
