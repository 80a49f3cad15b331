//! Animation sets: the clips and the pose override that the instances of one SIMD batch share.

use crate::math::Transform;
use crate::model::{ClipIndex, JointIndex, JointMaskIndex};
use crate::pose::{Layer, LayerMode, PoseOverride};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of layers of an instance that need no heap memory.
pub(super) const INLINE_LAYERS: usize = 8;

/// Each layer; then the rest pose if the weights leave a remainder to it.
pub(super) type SetLayers = SmallVec<[SetLayer; INLINE_LAYERS + 1]>;

/// A layer without the playback and weight of an instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct SetLayer {
    pub(super) clip: Option<ClipIndex>,
    pub(super) mode: LayerMode,
    pub(super) mask: Option<JointMaskIndex>,
}

impl From<&Layer> for SetLayer {
    fn from(&Layer { clip, mode, mask, .. }: &Layer) -> Self {
        Self { clip, mode, mask }
    }
}

/// The layers and the pose override of some instances.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct AnimationSet {
    pub(super) layers: SetLayers,
    pub(super) pose_override: Option<PoseOverrideIndex>,
}

/// What the sets of a group have in common. Plans and bounds are those of the group; rotations of pose overrides may differ.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PlanGroupKey {
    layers: SetLayers,
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
    /// The key of the group of each set.
    keys: Vec<Arc<PlanGroupKey>>,
    /// `true` if a pose override has changed since the keys were made.
    has_stale_keys: bool,
    /// The group of each set, by the first set of the group.
    groups: Vec<u32>,
    first_sets: HashMap<Arc<PlanGroupKey>, u32>,
    overrides: Vec<PoseOverride>,
    /// Removed overrides, whose indices are reused.
    free_overrides: Vec<PoseOverrideIndex>,
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

    /// Returns the index of a set, which is added if it is new.
    pub(super) fn index_of(&mut self, set: AnimationSet) -> u32 {
        if let Some(&index) = self.indices.get(&set) {
            return index;
        }
        let index = self.sets.len() as u32;
        self.keys.push(self.key_of(&set));
        self.groups.push(*self.first_sets.entry(Arc::clone(&self.keys[index as usize])).or_insert(index));
        self.sets.push(set.clone());
        self.indices.insert(set, index);
        index
    }

    fn key_of(&self, set: &AnimationSet) -> Arc<PlanGroupKey> {
        let pose_override = set.pose_override.map(|index| self.pose_override(index));
        let override_values = pose_override.into_iter().flat_map(override_values).collect();
        Arc::new(PlanGroupKey { layers: set.layers.clone(), override_values })
    }

    /// Updates keys and groups of all sets after changes of pose overrides, once for all changes.
    pub(super) fn update_keys(&mut self) {
        if std::mem::take(&mut self.has_stale_keys) {
            self.keys = self.sets.iter().map(|set| self.key_of(set)).collect();
            self.regroup();
        }
    }

    /// Groups all sets by their keys.
    fn regroup(&mut self) {
        self.groups.clear();
        self.first_sets.clear();
        for (key, index) in self.keys.iter().zip(0..) {
            self.groups.push(*self.first_sets.entry(Arc::clone(key)).or_insert(index));
        }
    }

    /// Returns `true` if most sets are newer than the last [`retain`](Self::retain).
    pub(super) fn needs_compaction(&self) -> bool {
        self.len() > 2 * self.retained + MAX_UNUSED_SETS
    }

    /// Removes sets that are not `used`, and replaces each `Some` by the new index of the set.
    pub(super) fn retain(&mut self, used: &mut [Option<u32>]) {
        for (new_index, index) in (0..).zip(used.iter_mut().flatten()) {
            *index = new_index;
        }
        let (mut of_sets, mut of_keys) = (used.iter(), used.iter());
        self.sets.retain(|_| of_sets.next().is_some_and(Option::is_some));
        self.keys.retain(|_| of_keys.next().is_some_and(Option::is_some));
        self.indices.clear();
        self.indices.extend(self.sets.iter().cloned().zip(0..));
        self.regroup();
        self.retained = self.len();
    }

    /// Returns the key of the group of a set. Valid after [`update_keys`](Self::update_keys).
    pub(super) fn group_key(&self, index: u32) -> &Arc<PlanGroupKey> {
        &self.keys[index as usize]
    }

    /// The group of each set, by the first set of the group. Valid after [`update_keys`](Self::update_keys).
    pub(super) fn groups(&self) -> &[u32] {
        &self.groups
    }

    pub(super) fn override_of(&self, index: u32) -> Option<&PoseOverride> {
        self.get(index).pose_override.map(|index| self.pose_override(index))
    }

    pub(super) fn add_override(&mut self, pose: PoseOverride) -> PoseOverrideIndex {
        if let Some(index) = self.free_overrides.pop() {
            self.update_override(index, pose);
            return index;
        }
        self.overrides.push(pose);
        PoseOverrideIndex(self.overrides.len() as u32 - 1)
    }

    /// Replaces a pose override. Returns `true` if more than rotations change, so that groups do, too.
    pub(super) fn update_override(&mut self, index: PoseOverrideIndex, pose: PoseOverride) -> bool {
        let changes_group = !override_values(self.pose_override(index)).eq(override_values(&pose));
        self.overrides[index.0 as usize] = pose;
        self.has_stale_keys |= changes_group;
        changes_group
    }

    /// Removes a pose override, which no instance may use.
    pub(super) fn remove_override(&mut self, index: PoseOverrideIndex) {
        self.update_override(index, PoseOverride::new());
        if !self.free_overrides.contains(&index) {
            self.free_overrides.push(index);
        }
    }

    /// Overrides a joint in an existing pose override. Returns `true` if more than the rotation changes.
    pub(super) fn override_joint(&mut self, index: PoseOverrideIndex, joint: JointIndex, transform: Transform) -> bool {
        let pose = &mut self.overrides[index.0 as usize];
        let of_group = |Transform { translation, scale, .. }: Transform| (translation, scale);
        let changes_group = pose.get(joint).copied().map(of_group) != Some(of_group(transform));
        pose.set(joint, transform);
        self.has_stale_keys |= changes_group;
        changes_group
    }

    pub(super) fn pose_override(&self, index: PoseOverrideIndex) -> &PoseOverride {
        &self.overrides[index.0 as usize]
    }
}
