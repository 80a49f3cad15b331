//! Compiled plans of the animation sets that crowds use.

use super::animation_sets::{AnimationSets, GroupKey, next_revision};
use super::block_order::PlanRun;
use super::instances::Crowd;
use crate::animate::{AnimationPlan, ClipKeys, FoldedRig};
use crate::model::ClipIndex;
use crate::palette::{MatrixFormat, Rig};
use crate::pose::PoseOverride;
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum magnitude of a palette component. Larger values could overflow single precision.
const MAX_MAGNITUDE: f64 = f32::MAX as f64 / 16.0;

/// Minimum number of instances with a pose override for which a plan is compiled. Fewer use the double-precision path.
const MIN_OVERRIDDEN_INSTANCES: usize = 8;

/// Maximum number of cached plans: 24 clips have 552 ordered pairs. Further animation sets use the double-precision path.
const MAX_PLANS: usize = 4096;

/// Number of plans that are kept although no crowd uses them.
const MAX_UNUSED_PLANS: usize = 64;

/// Plans by group of animation sets, and the keys of clips, which plans share.
#[derive(Clone, Debug)]
pub(super) struct PlanCache {
    /// Unique in the process, but for clones.
    id: u64,
    folded: Option<FoldedRig>,
    /// `None` if single precision cannot hold the keys.
    clip_keys: HashMap<Option<ClipIndex>, Option<Arc<ClipKeys>>>,
    /// `None` if the kernel cannot represent the plan.
    plans: HashMap<Arc<GroupKey>, Option<Arc<AnimationPlan>>>,
    /// Number of plans after unused ones were dropped last.
    retained: usize,
}

/// The plans of a crowd.
#[derive(Clone, Debug, Default)]
pub(super) struct CrowdPlans {
    /// The cache that made them, and the revision of the crowd then.
    made_for: (u64, u64),
    /// For each animation set its plan; `None` for the double-precision path.
    of_sets: Vec<Option<Arc<AnimationPlan>>>,
}

impl CrowdPlans {
    /// Returns the plan of an animation set; `None` for the double-precision path.
    pub(super) fn plan(&self, animation_set: u32) -> Option<&AnimationPlan> {
        self.of_sets.get(animation_set as usize)?.as_deref()
    }
}

impl Default for PlanCache {
    fn default() -> Self {
        let (clip_keys, plans) = (HashMap::new(), HashMap::new());
        Self { id: next_revision(), folded: None, clip_keys, plans, retained: 0 }
    }
}

impl PlanCache {
    /// Compiles the plans that `crowd` needs. Plans that no crowd uses are dropped once they are the majority.
    pub(super) fn prepare(&mut self, rig: &Rig, crowd: &mut Crowd) {
        let made_for = (self.id, crowd.revision());
        if crowd.plans.made_for == made_for {
            return;
        }
        let mut of_sets = std::mem::take(&mut crowd.plans.of_sets);
        of_sets.clear();
        of_sets.resize(crowd.sets.len(), None);
        for run in crowd.full_order().plan_runs() {
            let Some(key) = plan_key(&crowd.sets, &run) else { continue };
            if !self.plans.contains_key(key) && !self.compile(rig, crowd, key, run.animation_set) {
                continue;
            }
            let plan = self.plans[key].as_ref().filter(|plan| supports_placements_of(plan, crowd));
            of_sets[run.animation_set as usize] = plan.cloned();
        }
        crowd.plans = CrowdPlans { made_for, of_sets };
    }

    /// Compiles the plan of an animation set. Returns `false` if there are too many.
    fn compile(&mut self, rig: &Rig, crowd: &Crowd, key: &Arc<GroupKey>, animation_set: u32) -> bool {
        if self.plans.len() > 2 * self.retained + MAX_UNUSED_PLANS || self.plans.len() >= MAX_PLANS {
            let is_used = |plan: &Arc<AnimationPlan>| Arc::strong_count(plan) > 1;
            self.plans.retain(|_, plan| plan.as_ref().is_some_and(is_used));
            self.retained = self.plans.len();
        }
        if self.plans.len() >= MAX_PLANS {
            return false;
        }
        let folded = self.folded.get_or_insert_with(|| FoldedRig::new(rig));
        let mut keys_of = |clip: &Option<ClipIndex>| {
            let pack = || ClipKeys::new(rig, folded, clip.map(|clip| &rig.model().clips[clip.get()])).map(Arc::new);
            self.clip_keys.entry(*clip).or_insert_with(pack).clone()
        };
        let clips: Option<Vec<Arc<ClipKeys>>> = key.clips.iter().map(&mut keys_of).collect();
        let pose = crowd.sets.override_of(animation_set).filter(|pose| !pose.is_empty());
        let plan = clips.and_then(|clips| AnimationPlan::new(rig, folded, clips, pose));
        self.plans.insert(Arc::clone(key), plan.map(Arc::new));
        true
    }

    pub(super) fn plans(&self) -> impl Iterator<Item = &AnimationPlan> {
        self.plans.values().filter_map(|plan| plan.as_deref())
    }

    /// Size of the packed keys of all clips that were played.
    pub(super) fn packed_key_bytes(&self) -> usize {
        self.clip_keys.values().flatten().map(|clip| clip.keys.size_bytes()).sum()
    }
}

/// Returns the key of the plan for a run; `None` for the double-precision path.
fn plan_key<'a>(sets: &'a AnimationSets, run: &PlanRun) -> Option<&'a Arc<GroupKey>> {
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
