//! Animation sets: the clips and the pose override that the instances of one SIMD batch share.

use crate::math::Transform;
use crate::model::{Clip, ClipIndex, Model};
use crate::pose::PoseOverride;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// The clips and the pose override of some instances.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct AnimationSet {
    /// The clip of each layer; then `None` if the weights leave a remainder to the rest pose.
    pub(super) clips: Vec<Option<ClipIndex>>,
    pub(super) pose_override: Option<PoseOverrideIndex>,
}

/// What the sets of a group have in common. Plans and bounds are those of the group; rotations of pose overrides may differ.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct GroupKey {
    clips: Vec<Option<ClipIndex>>,
    override_values: Vec<u64>,
}

/// Returns the values of a pose override that its group has in common: all but the rotations, as bits.
fn override_values(pose: &PoseOverride) -> impl Iterator<Item = u64> + '_ {
    let joints = pose.joints().iter().flat_map(|(joint, Transform { translation: t, scale: s, .. })| {
        [f64::from(joint.0), t.x, t.y, t.z, s.x, s.y, s.z].map(f64::to_bits)
    });
    joints.chain(pose.morph_weights().iter().flat_map(|(index, weight)| [*index as u64, u64::from(weight.to_bits())]))
}

/// Index of a [`PoseOverride`] of a crowd, which any of its instances may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PoseOverrideIndex(u32);

/// The animation sets and pose overrides of a crowd.
#[derive(Clone, Debug, Default)]
pub(super) struct AnimationSets {
    sets: Vec<AnimationSet>,
    indices: HashMap<AnimationSet, u32>,
    overrides: Vec<PoseOverride>,
    /// Number of sets after the last [`retain`](AnimationSets::retain).
    retained: usize,
}

/// Number of sets that are kept although no instance may use them.
const MAX_UNUSED_SETS: usize = 64;

/// Returns a number that is unique in the process. Never 0.
pub(super) fn next_revision() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl AnimationSets {
    pub(super) fn len(&self) -> usize {
        self.sets.len()
    }

    pub(super) fn get(&self, index: u32) -> &AnimationSet {
        &self.sets[index as usize]
    }

    /// Returns the index of the set of a single clip, which is added if it is new.
    pub(super) fn index_of_clip(&mut self, clip: Option<ClipIndex>) -> u32 {
        match self.sets.last() {
            // Avoids an allocation per instance.
            Some(last) if last.clips == [clip] && last.pose_override.is_none() => self.sets.len() as u32 - 1,
            _ => self.index_of(AnimationSet { clips: vec![clip], pose_override: None }),
        }
    }

    /// Returns the index of a set, which is added if it is new.
    pub(super) fn index_of(&mut self, set: AnimationSet) -> u32 {
        let next = self.sets.len();
        *self.indices.entry(set).or_insert_with_key(|set| {
            self.sets.push(set.clone());
            next as u32
        })
    }

    /// Returns `true` if most sets are newer than the last [`retain`](Self::retain).
    pub(super) fn needs_compaction(&self) -> bool {
        self.len() > 2 * self.retained + MAX_UNUSED_SETS
    }

    /// Removes sets that are not `used`. Returns the new index of each set that is.
    pub(super) fn retain(&mut self, used: &[bool]) -> Vec<u32> {
        let mut next = 0;
        let new_index = |used: &bool| {
            let index = next;
            next += u32::from(*used);
            index
        };
        let new_indices: Vec<u32> = used.iter().map(new_index).collect();
        let mut used = used.iter();
        self.sets.retain(|_| used.next() == Some(&true));
        self.indices = self.sets.iter().cloned().zip(0..).collect();
        self.retained = self.len();
        new_indices
    }

    /// Returns the key of the group of a set.
    pub(super) fn group_key(&self, index: u32) -> GroupKey {
        let override_values = self.override_of(index).into_iter().flat_map(override_values).collect();
        GroupKey { clips: self.get(index).clips.clone(), override_values }
    }

    /// Sets `groups` to the group of each set, by the first set of the group.
    pub(super) fn group(&self, groups: &mut Vec<u32>) {
        groups.clear();
        if self.overrides.is_empty() {
            groups.extend(0..self.len() as u32);
            return;
        }
        let mut first: HashMap<GroupKey, u32> = HashMap::new();
        groups.extend((0..self.len() as u32).map(|index| *first.entry(self.group_key(index)).or_insert(index)));
    }

    /// Returns the clips of a set in `model`.
    ///
    /// # Panics
    /// If a clip does not exist.
    pub(super) fn clips_of<'a>(&self, index: u32, model: &'a Model) -> Vec<Option<&'a Clip>> {
        self.get(index).clips.iter().map(|clip| clip.map(|clip| &model.clips[clip.get()])).collect()
    }

    pub(super) fn override_of(&self, index: u32) -> Option<&PoseOverride> {
        self.get(index).pose_override.map(|index| self.pose_override(index))
    }

    pub(super) fn add_override(&mut self, pose: PoseOverride) -> PoseOverrideIndex {
        self.overrides.push(pose);
        PoseOverrideIndex(self.overrides.len() as u32 - 1)
    }

    /// Replaces a pose override. Returns `true` if more than rotations change, so that groups do, too.
    pub(super) fn update_override(&mut self, index: PoseOverrideIndex, pose: PoseOverride) -> bool {
        let changes_group = !override_values(self.pose_override(index)).eq(override_values(&pose));
        self.overrides[index.0 as usize] = pose;
        changes_group
    }

    pub(super) fn pose_override(&self, index: PoseOverrideIndex) -> &PoseOverride {
        &self.overrides[index.0 as usize]
    }
}
