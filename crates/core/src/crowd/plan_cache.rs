//! Compiled plans of the animation sets that a crowd uses.

use super::animation_sets::{AnimationSets, GroupKey};
use super::block_order::PlanRun;
use super::instances::Crowd;
use crate::animate::AnimationPlan;
use crate::palette::{MatrixFormat, Rig};
use crate::pose::PoseOverride;
use std::collections::{HashMap, HashSet};

/// Maximum magnitude of a palette component. Larger values could overflow single precision.
const MAX_MAGNITUDE: f64 = f32::MAX as f64 / 16.0;

/// Minimum number of instances with a pose override for which a plan is compiled. Fewer use the double-precision path.
const MIN_OVERRIDDEN_INSTANCES: usize = 8;

/// Maximum number of cached plans. Further animation sets use the double-precision path.
const MAX_PLANS: usize = 512;

/// Plans by group of animation sets.
#[derive(Clone, Debug, Default)]
pub(super) struct PlanCache {
    plans: Vec<CachedPlan>,
    /// For each animation set of the last prepared crowd, the index of its plan; `None` for the double-precision path.
    plan_of_set: Vec<Option<usize>>,
    /// Revision of the last prepared crowd.
    crowd_revision: u64,
}

#[derive(Clone, Debug)]
struct CachedPlan {
    key: GroupKey,
    /// `None` if the kernel cannot represent it.
    plan: Option<AnimationPlan>,
}

impl PlanCache {
    /// Compiles the plans that `crowd` needs and drops those that it does not use.
    pub(super) fn prepare(&mut self, rig: &Rig, crowd: &Crowd) {
        if std::mem::replace(&mut self.crowd_revision, crowd.revision()) == crowd.revision() {
            return;
        }
        let key = |run: PlanRun| Some((run.animation_set, plan_key(&crowd.sets, &run)?));
        let keys: Vec<(u32, GroupKey)> = crowd.full_order().plan_runs().filter_map(key).collect();
        // Unused plans are dropped first, so that they do not count.
        let used: HashSet<&GroupKey> = keys.iter().map(|(_, key)| key).collect();
        self.plans.retain(|cached| used.contains(&cached.key));
        let mut indices: HashMap<&GroupKey, usize> = HashMap::new();
        let known = self.plans.iter().enumerate().filter_map(|(i, cached)| Some((*used.get(&cached.key)?, i)));
        indices.extend(known);
        self.plan_of_set.clear();
        self.plan_of_set.resize(crowd.sets.len(), None);
        for (set, key) in &keys {
            let index = match indices.get(key) {
                Some(&index) => index,
                None if self.plans.len() >= MAX_PLANS => continue,
                None => {
                    let pose = crowd.sets.override_of(*set).filter(|pose| !pose.is_empty());
                    let plan = AnimationPlan::new(rig, &crowd.sets.clips_of(*set, rig.model()), pose);
                    self.plans.push(CachedPlan { key: key.clone(), plan });
                    indices.insert(key, self.plans.len() - 1);
                    self.plans.len() - 1
                }
            };
            let is_covered = self.plans[index].plan.as_ref().is_some_and(|plan| supports_placements_of(plan, crowd));
            self.plan_of_set[*set as usize] = is_covered.then_some(index);
        }
    }

    /// Returns the plan of an animation set; `None` for the double-precision path.
    pub(super) fn plan(&self, animation_set: u32) -> Option<&AnimationPlan> {
        let index = self.plan_of_set.get(animation_set as usize).copied().flatten()?;
        self.plans[index].plan.as_ref()
    }

    pub(super) fn plans(&self) -> impl Iterator<Item = &AnimationPlan> {
        self.plans.iter().filter_map(|cached| cached.plan.as_ref())
    }
}

/// Returns the key of the plan for a run; `None` for the double-precision path.
fn plan_key(sets: &AnimationSets, run: &PlanRun) -> Option<GroupKey> {
    let pose = sets.override_of(run.animation_set).filter(|pose| !pose.is_empty());
    // Plans do not support overridden morph weights.
    let is_unsupported = |pose: &PoseOverride| !pose.morph_weights().is_empty();
    if pose.is_some_and(|pose| run.blocks.len() < MIN_OVERRIDDEN_INSTANCES || is_unsupported(pose)) {
        return None;
    }
    Some(sets.group_key(run.animation_set))
}

/// Returns `true` if the plan can be combined with all placements of the crowd.
fn supports_placements_of(plan: &AnimationPlan, crowd: &Crowd) -> bool {
    (crowd.data.linear_rows.is_empty() || plan.format == MatrixFormat::Mat3x4)
        && crowd.max_linear_sum * plan.max_magnitude + crowd.max_translation <= MAX_MAGNITUDE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crowd::{CrowdAnimator, Instance};
    use crate::math::Affine;
    use crate::model::{
        Clip, ClipIndex, Joint, JointIndex, Mesh, MeshIndex, MeshNode, Model, Scene, SceneIndex, Skeleton,
    };

    #[test]
    fn plans_that_are_dropped_do_not_count() {
        let joint = Joint {
            name: None,
            node: 0,
            parent: None,
            rest: crate::math::Transform::identity(),
            exact_rest_matrix: None,
            morph_weights: 0..0,
        };
        let mesh_node = MeshNode { joint: JointIndex(0), mesh: MeshIndex(0), skin: None };
        let model = Model {
            skeleton: Skeleton::new(vec![joint], Vec::new()),
            meshes: vec![Mesh::default()],
            scenes: vec![Scene { name: None, mesh_nodes: vec![mesh_node], lights: Vec::new() }],
            clips: vec![Clip::default(); 800],
            ..Model::default()
        };
        let mut animator = CrowdAnimator::new(&Rig::new(model, SceneIndex(0)));
        for clips in [0..400, 400..800] {
            let instance = |clip| Instance::new(Affine::IDENTITY, Some(ClipIndex(clip)), 0.0);
            let mut crowd = Crowd::new(clips.map(instance));
            animator.update(&mut crowd, 0.0);
            assert_eq!(animator.simd_instance_count(&crowd), 400);
        }
    }
}
