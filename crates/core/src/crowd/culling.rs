//! Frustum culling of crowd instances with conservative bounding spheres.

use super::animated_bounds::{ClipRanges, LayerMotion, MeshBounds, SetMotion, animated_bounds, animated_scales};
use super::animation_sets::SetLayer;
use super::block_order::BlockOrder;
use super::group_cache::GroupCache;
use super::instances::Crowd;
use super::prepared::{CrowdBounds, GroupBounds};
use crate::math::{BoundingSphere, Containment, Frustum};
use crate::model::{ClipIndex, InstanceIndex};
use crate::palette::Rig;
use crate::pose::LayerMode;
use nalgebra::Vector3;
use std::collections::HashMap;

/// Instances per cluster: consecutive blocks that are first tested together.
const INSTANCES_PER_CLUSTER: usize = 64;

/// Margin for rounding to single precision, relative to a sphere's radius and its distance from the world's origin.
const ROUNDING_MARGIN: f64 = 1e-5;

/// Bounds of the animation sets of a rig over all clip times.
#[derive(Clone, Debug)]
pub(super) struct FrustumCuller {
    mesh_bounds: MeshBounds,
    clip_ranges: HashMap<ClipIndex, ClipRanges>,
    bounds: GroupCache<GroupBounds>,
    /// The visible instances. Kept to reuse its memory.
    visible: BlockOrder,
}

impl FrustumCuller {
    pub(super) fn new(rig: &Rig) -> Self {
        Self {
            mesh_bounds: MeshBounds::new(rig),
            clip_ranges: HashMap::new(),
            bounds: GroupCache::default(),
            visible: BlockOrder::default(),
        }
    }

    /// Restricts posing to the instances that intersect `frustum`. Returns `true` if the visible set changed.
    ///
    /// Needs [`update_bounds`](Self::update_bounds) for this crowd.
    pub(super) fn cull(&mut self, crowd: &mut Crowd, frustum: &Frustum) -> bool {
        let all = crowd.full_order();
        self.visible.clear();
        let mut tested_cluster = None;
        for run in all.plan_runs() {
            let set_sphere = crowd.bounds.of_group(run.animation_set);
            for block in run.blocks {
                let cluster = block / INSTANCES_PER_CLUSTER;
                let containment = match tested_cluster {
                    Some((tested, containment)) if tested == cluster => containment,
                    _ => frustum.classify_sphere(&crowd.bounds.cluster_spheres[cluster]),
                };
                tested_cluster = Some((cluster, containment));
                let instance = all.instance(block);
                let is_visible = match containment {
                    Containment::Inside => true,
                    Containment::Outside => false,
                    Containment::Intersecting => {
                        frustum.classify_sphere(&in_world(crowd, instance, set_sphere)) != Containment::Outside
                    }
                };
                if is_visible {
                    self.visible.push(instance);
                }
            }
            self.visible.end_plan_run(run.animation_set);
        }
        match self.visible.len() == all.len() {
            true => crowd.clear_visibility(),
            false => crowd.set_visible(&mut self.visible),
        }
    }

    /// Recomputes the spheres of `crowd` if it has changed.
    pub(super) fn update_bounds(&mut self, rig: &Rig, crowd: &mut Crowd) {
        let mut bounds = std::mem::take(&mut crowd.bounds);
        let has_other_sets = self.update_sets(rig, crowd, &mut bounds);
        let placements_revision = crowd.placements_revision();
        if has_other_sets || bounds.placements_revision != placements_revision {
            bounds.placements_revision = placements_revision;
            bounds.cluster_spheres.clear();
            let all = crowd.full_order();
            for first in (0..all.len()).step_by(INSTANCES_PER_CLUSTER) {
                let mut sphere = BoundingSphere::EMPTY;
                for run in all.plan_runs_within(first..all.len().min(first + INSTANCES_PER_CLUSTER)) {
                    for instance in all.instances(run.blocks).iter() {
                        sphere.merge(&in_world(crowd, instance, bounds.of_group(run.animation_set)));
                    }
                }
                bounds.cluster_spheres.push(sphere);
            }
        }
        crowd.bounds = bounds;
    }

    /// Computes the bounds of the groups that are new. Returns `true` if the animation sets have changed.
    fn update_sets(&mut self, rig: &Rig, crowd: &Crowd, bounds: &mut CrowdBounds) -> bool {
        let Self { mesh_bounds, clip_ranges, bounds: cache, .. } = self;
        let model = rig.model();
        let has_changed = cache.update(crowd, &mut bounds.of_groups, |set, _| {
            let layers = &crowd.sets.get(set).layers;
            for clip in layers.iter().filter_map(|layer| layer.clip) {
                clip_ranges.entry(clip).or_insert_with(|| ClipRanges::new(model, &model.clips[clip.get()]));
            }
            let motion_of = |layer: &SetLayer| {
                let (clip, ranges) = layer.clip.map(|clip| (&model.clips[clip.get()], &clip_ranges[&clip]))?;
                Some(LayerMotion { clip, ranges, is_additive: layer.mode == LayerMode::Additive })
            };
            let motion =
                SetMotion { layers: layers.iter().filter_map(motion_of).collect(), is_blended: layers.len() > 1 };
            let pose_override = crowd.sets.override_of(set);
            GroupBounds {
                sphere: animated_bounds(rig, mesh_bounds, &motion, pose_override),
                range_scales: animated_scales(rig, &motion, pose_override),
            }
        });
        if has_changed {
            bounds.range_scales.clear();
            bounds.range_scales.resize(rig.layout().matrix_ranges.len(), 0.0);
            for of_group in bounds.of_groups.iter() {
                for (scale, of_group) in bounds.range_scales.iter_mut().zip(&of_group.range_scales) {
                    *scale = scale.max(*of_group);
                }
            }
        }
        has_changed
    }
}

impl Crowd {
    /// Returns the sphere of an instance in world space. Valid after [`FrustumCuller::update_bounds`].
    pub(super) fn bounding_sphere(&self, instance: InstanceIndex) -> BoundingSphere {
        in_world(self, instance, self.bounds.of_group(self.group_of(instance)))
    }
}

/// Places the sphere of an animation set and adds the margins for rounding and for constraints. Infinite if the result is not finite.
fn in_world(crowd: &Crowd, instance: InstanceIndex, in_model: &BoundingSphere) -> BoundingSphere {
    let mut sphere = in_model.transformed(&crowd.placement(instance));
    sphere.radius += ROUNDING_MARGIN * (sphere.radius + sphere.center.amax()) + crowd.culling_margin();
    if !(sphere.radius.is_finite() && sphere.center.amax().is_finite()) {
        return BoundingSphere { center: Vector3::zeros(), radius: f64::INFINITY };
    }
    sphere
}
