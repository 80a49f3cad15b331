//! Compiled plans of the animation sets that crowds use.

use super::animation_sets::SetLayer;
use super::group_cache::GroupCache;
use super::instances::Crowd;
use super::prepared::CrowdPlans;
use crate::animate::{AnimationPlan, ClipKeys, FoldedRig, PlanLayer};
use crate::ik::PoseConstraints;
use crate::model::ClipIndex;
use crate::palette::{MatrixFormat, Rig};
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum magnitude of a palette component. Larger values could overflow single precision.
const MAX_MAGNITUDE: f64 = f32::MAX as f64 / 16.0;

/// Maximum number of plans; 24 clips that fade into each other need 576. Further animation sets use the double-precision path.
const MAX_PLANS: usize = 4096;

/// Plans by group of animation sets, and the keys of clips, which plans share.
#[derive(Clone, Debug, Default)]
pub(super) struct PlanCache {
    folded: Option<FoldedRig>,
    /// `None` if single precision cannot hold the keys.
    clip_keys: HashMap<Option<ClipIndex>, Option<Arc<ClipKeys>>>,
    /// `None` if the kernel cannot represent the plan.
    plans: GroupCache<Option<AnimationPlan>>,
}

impl PlanCache {
    /// Compiles the plans that `crowd` needs.
    pub(super) fn prepare(&mut self, rig: &Rig, constraints: Option<&PoseConstraints>, crowd: &mut Crowd) {
        let CrowdPlans { mut of_groups, mut is_used } = std::mem::take(&mut crowd.plans);
        let Self { folded, clip_keys, plans } = self;
        let compile = |set, plan_count| {
            let pose = crowd.sets.override_of(set).filter(|pose| !pose.is_empty());
            // Plans do not support overridden morph weights.
            if plan_count >= MAX_PLANS || pose.is_some_and(|pose| !pose.morph_weights().is_empty()) {
                return None;
            }
            let folded = folded.get_or_insert_with(|| FoldedRig::new(rig, constraints));
            let model = rig.model();
            let with_keys = |&SetLayer { clip, mode, mask }: &SetLayer| {
                let pack = || ClipKeys::new(rig, folded, clip.map(|clip| &model.clips[clip.get()])).map(Arc::new);
                let clip = clip_keys.entry(clip).or_insert_with(pack).clone()?;
                Some(PlanLayer { clip, mode, mask: mask.map(|mask| model.joint_masks[mask.get()].clone()) })
            };
            let layers: Option<Vec<PlanLayer>> = crowd.sets.get(set).layers.iter().map(with_keys).collect();
            AnimationPlan::new(rig, folded, layers?, pose, constraints)
        };
        if plans.update(crowd, &mut of_groups, compile) {
            is_used.clear();
            is_used.resize(crowd.sets.len(), false);
            for run in crowd.full_order().plan_runs() {
                let plan = of_groups.get(run.animation_set).and_then(Option::as_ref);
                is_used[run.animation_set as usize] = plan.is_some_and(|plan| supports_placements_of(plan, crowd));
            }
        }
        crowd.plans = CrowdPlans { of_groups, is_used };
    }

    pub(super) fn plans(&self) -> impl Iterator<Item = &AnimationPlan> {
        self.plans.values().flatten()
    }

    /// Size of the packed keys of all clips that were played.
    pub(super) fn packed_key_bytes(&self) -> usize {
        self.clip_keys.values().flatten().map(|clip| clip.keys.size_bytes()).sum()
    }
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
    use crate::model::InstanceIndex;
    use crate::model::{
        Clip, ClipIndex, Joint, JointIndex, Mesh, MeshIndex, MeshNode, Model, Scene, SceneIndex, Skeleton,
    };
    use crate::pose::{Layer, Playback};

    #[test]
    fn plans_of_24_clips_in_pairs_are_kept_and_unused_ones_are_dropped() {
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
            clips: vec![Clip::default(); 24],
            ..Model::default()
        };
        let layer = |clip| Layer::new(Some(ClipIndex(clip)), Playback::looping(0.0));
        let pairs = (0..24).flat_map(|a| (0..24).map(move |b| [a, b]));
        let mut crowd = Crowd::new((0..576).map(|_| Instance::new(Affine::IDENTITY, None, 0.0)));
        for (instance, pair) in pairs.enumerate() {
            crowd.set_layers(InstanceIndex(instance as u32), &pair.map(layer));
        }
        let mut animator = CrowdAnimator::new(&Rig::new(model, SceneIndex(0)).unwrap());
        animator.update(&mut crowd, 0.0);
        assert_eq!((animator.simd_instance_count(&crowd), animator.plan_count()), (576, 576));
        // Another crowd of the rig uses the plans of the first one, and changes its clips all the time.
        let mut other = Crowd::new([Instance::new(Affine::IDENTITY, None, 0.0)]);
        for clip in 0..24 {
            other.set_layers(InstanceIndex(0), &[layer(clip), layer(23 - clip)]);
            animator.update(&mut other, 0.0);
        }
        assert_eq!((animator.simd_instance_count(&other), animator.plan_count()), (1, 576));
        drop(crowd);
        for layers in 0..5000 {
            let clips = [layers % 24, layers / 24 % 24, layers / 576];
            other.set_layers(InstanceIndex(0), &clips.map(layer));
            animator.update(&mut other, 0.0);
            assert!(animator.simd_instance_count(&other) == 1 && animator.plan_count() < 1300);
        }
        assert!(animator.plan_count() < 100, "{}", animator.plan_count());
    }
}
