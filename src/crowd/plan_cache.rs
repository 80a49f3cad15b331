//! Compiled plans of the animation sets that a crowd uses.

use super::animation_sets::AnimationSets;
use super::instances::Crowd;
use crate::animate::AnimationPlan;
use crate::model::ClipIndex;
use crate::palette::{MatrixFormat, Rig};

/// Maximum magnitude of a palette component. Larger values could overflow single precision.
const MAX_MAGNITUDE: f64 = f32::MAX as f64 / 16.0;

/// Minimum number of instances with a pose override for which a plan is compiled. Fewer use the reference path.
const MIN_OVERRIDDEN_INSTANCES: usize = 8;

/// Maximum number of cached plans. Further animation sets use the reference path.
const MAX_PLANS: usize = 512;

/// Plans by clips and pose override.
#[derive(Clone, Debug, Default)]
pub(super) struct PlanCache {
    plans: Vec<CachedPlan>,
    /// For each animation set of the last prepared crowd, the index of its plan; `None` for the reference path.
    plan_of_set: Vec<Option<usize>>,
    /// Revision of the last prepared crowd.
    crowd_revision: u64,
}

#[derive(Clone, Debug)]
struct CachedPlan {
    key: PlanKey,
    /// `None` if the kernel cannot represent it.
    plan: Option<AnimationPlan>,
    is_used: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct PlanKey {
    clips: Vec<Option<ClipIndex>>,
    /// Revision of the pose override; 0 for none.
    override_revision: u64,
}

impl PlanCache {
    /// Compiles the plans that `crowd` needs and drops those that it does not use.
    pub(super) fn prepare(&mut self, rig: &Rig, crowd: &Crowd) {
        if std::mem::replace(&mut self.crowd_revision, crowd.revision()) == crowd.revision() {
            return;
        }
        self.plans.iter_mut().for_each(|cached| cached.is_used = false);
        self.plan_of_set.clear();
        self.plan_of_set.resize(crowd.sets.len(), None);
        for batch in crowd.full_order().batches() {
            let set = batch.animation_set;
            if let Some(index) = self.find_or_compile(rig, &crowd.sets, set, batch.blocks.len()) {
                self.plans[index].is_used = true;
                let covers = |plan: &AnimationPlan| covers(plan, crowd);
                self.plan_of_set[usize::from(set)] =
                    self.plans[index].plan.as_ref().is_some_and(covers).then_some(index);
            }
        }
        if self.plans.iter().any(|cached| !cached.is_used) {
            self.remove_unused();
        }
    }

    /// Returns the index of the plan of an animation set with `instance_count` instances.
    fn find_or_compile(&mut self, rig: &Rig, sets: &AnimationSets, set: u16, instance_count: usize) -> Option<usize> {
        let revised = sets.override_of(set).filter(|revised| !revised.pose.is_empty());
        // Plans do not support overridden morph weights.
        let is_unsupported = |pose: &crate::pose::PoseOverride| !pose.weights().is_empty();
        if revised.is_some_and(|r| instance_count < MIN_OVERRIDDEN_INSTANCES || is_unsupported(&r.pose)) {
            return None;
        }
        let override_revision = revised.map_or(0, |revised| revised.revision);
        let clips = &sets.get(set).clips;
        let is_same =
            |cached: &CachedPlan| cached.key.override_revision == override_revision && cached.key.clips == *clips;
        if let Some(index) = self.plans.iter().position(is_same) {
            return Some(index);
        }
        if self.plans.len() >= MAX_PLANS {
            return None;
        }
        let plan = AnimationPlan::new(rig, &sets.clips_of(set, rig.model()), revised.map(|revised| &revised.pose));
        let key = PlanKey { clips: clips.clone(), override_revision };
        self.plans.push(CachedPlan { key, plan, is_used: true });
        Some(self.plans.len() - 1)
    }

    fn remove_unused(&mut self) {
        let mut next = 0;
        let new_index = |cached: &CachedPlan| {
            next += usize::from(cached.is_used);
            next.wrapping_sub(1)
        };
        let new_indices: Vec<usize> = self.plans.iter().map(new_index).collect();
        self.plans.retain(|cached| cached.is_used);
        self.plan_of_set.iter_mut().flatten().for_each(|index| *index = new_indices[*index]);
    }

    /// Returns the plan of an animation set; `None` for the reference path.
    pub(super) fn plan(&self, animation_set: u16) -> Option<&AnimationPlan> {
        let index = self.plan_of_set.get(usize::from(animation_set)).copied().flatten()?;
        self.plans[index].plan.as_ref()
    }

    pub(super) fn plans(&self) -> impl Iterator<Item = &AnimationPlan> {
        self.plans.iter().filter_map(|cached| cached.plan.as_ref())
    }
}

/// Returns `true` if the plan can be combined with all placements of the crowd.
fn covers(plan: &AnimationPlan, crowd: &Crowd) -> bool {
    (crowd.data.linear_rows.is_empty() || plan.format == MatrixFormat::Mat3x4)
        && crowd.max_linear_sum * plan.max_magnitude + crowd.max_translation <= MAX_MAGNITUDE
}
