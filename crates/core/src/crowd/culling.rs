//! Frustum culling of crowd instances with conservative bounding spheres.

use super::animated_bounds::{MeshBounds, animated_bounds, animated_scales};
use super::animation_sets::GroupKey;
use super::block_order::BlockOrder;
use super::instances::Crowd;
use crate::math::{BoundingSphere, Containment, Frustum};
use crate::model::{Clip, ClipIndex};
use crate::palette::Rig;
use nalgebra::Vector3;
use std::collections::HashMap;
use std::sync::Arc;

/// Instances per group: consecutive blocks that are first tested together.
const INSTANCES_PER_GROUP: usize = 64;

/// Margin for rounding to single precision, relative to a sphere's radius and its distance from the world's origin.
const ROUNDING_MARGIN: f64 = 1e-5;

/// Bounds of a group of animation sets in model space.
#[derive(Clone, Debug)]
struct GroupBounds {
    sphere: BoundingSphere,
    /// For each section, the largest factor by which its matrices scale distances.
    section_scales: Vec<f64>,
    is_used: bool,
}

/// Bounding spheres of a crowd's instances over all clip times.
#[derive(Clone, Debug)]
pub(super) struct FrustumCuller {
    mesh_bounds: MeshBounds,
    /// Revisions of the crowd's animation sets and placements that the spheres belong to.
    sets_revision: u64,
    placements_revision: u64,
    /// Bounds of the groups of animation sets.
    bounds: HashMap<Arc<GroupKey>, GroupBounds>,
    /// For each group of animation sets, at its first set, the sphere in model space.
    set_spheres: Vec<BoundingSphere>,
    /// For each section, the largest factor by which its matrices scale distances in model space.
    section_scales: Vec<f64>,
    /// For each group of instances in block order, the sphere in world space.
    group_spheres: Vec<BoundingSphere>,
    /// The visible instances. Kept to reuse its memory.
    visible: BlockOrder,
}

impl FrustumCuller {
    pub(super) fn new(rig: &Rig) -> Self {
        Self {
            mesh_bounds: MeshBounds::new(rig),
            sets_revision: 0,
            placements_revision: 0,
            bounds: HashMap::new(),
            set_spheres: Vec::new(),
            section_scales: Vec::new(),
            group_spheres: Vec::new(),
            visible: BlockOrder::default(),
        }
    }

    /// Restricts posing to the instances that intersect `frustum`. Returns `true` if the visible set changed.
    ///
    /// Needs [`update_bounds`](Self::update_bounds) for this crowd.
    pub(super) fn cull(&mut self, crowd: &mut Crowd, frustum: &Frustum) -> bool {
        let all = crowd.full_order();
        self.visible.clear();
        let mut tested_group = None;
        for run in all.plan_runs() {
            let set_sphere = &self.set_spheres[run.animation_set as usize];
            for block in run.blocks {
                let group = block / INSTANCES_PER_GROUP;
                let containment = match tested_group {
                    Some((tested, containment)) if tested == group => containment,
                    _ => frustum.classify_sphere(&self.group_spheres[group]),
                };
                tested_group = Some((group, containment));
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

    /// Recomputes the spheres if the crowd has changed.
    pub(super) fn update_bounds(&mut self, rig: &Rig, crowd: &Crowd) {
        let has_same_sets = self.sets_revision == crowd.revision();
        self.sets_revision = crowd.revision();
        if !has_same_sets {
            self.update_sets(rig, crowd);
        }
        let placements_revision = crowd.placements_revision();
        if has_same_sets && self.placements_revision == placements_revision {
            return;
        }
        self.placements_revision = placements_revision;
        let all = crowd.full_order();
        self.group_spheres.clear();
        for first in (0..all.len()).step_by(INSTANCES_PER_GROUP) {
            let mut sphere = BoundingSphere::EMPTY;
            for run in all.plan_runs_within(first..all.len().min(first + INSTANCES_PER_GROUP)) {
                for instance in all.instances(run.blocks).iter() {
                    sphere.merge(&in_world(crowd, instance, &self.set_spheres[run.animation_set as usize]));
                }
            }
            self.group_spheres.push(sphere);
        }
    }

    /// Recomputes the bounds of the groups that are new.
    fn update_sets(&mut self, rig: &Rig, crowd: &Crowd) {
        self.section_scales.clear();
        self.section_scales.resize(rig.layout().sections.len(), 0.0);
        self.set_spheres.clear();
        self.set_spheres.resize(crowd.sets.len(), BoundingSphere::EMPTY);
        self.bounds.values_mut().for_each(|bounds| bounds.is_used = false);
        let mesh_bounds = &self.mesh_bounds;
        for run in crowd.full_order().plan_runs() {
            let set = run.animation_set;
            let pose_override = crowd.sets.override_of(set);
            let bounds = self.bounds.entry(Arc::clone(crowd.sets.group_key(set))).or_insert_with(|| {
                let clip_of = |clip: &Option<ClipIndex>| clip.map(|clip| &rig.model().clips[clip.get()]);
                let clips: Vec<Option<&Clip>> = crowd.sets.get(set).clips.iter().map(clip_of).collect();
                GroupBounds {
                    sphere: animated_bounds(rig, mesh_bounds, &clips, pose_override),
                    section_scales: animated_scales(rig, &clips, pose_override),
                    is_used: true,
                }
            });
            bounds.is_used = true;
            self.set_spheres[set as usize] = bounds.sphere;
        }
        self.bounds.retain(|_, bounds| bounds.is_used);
        for bounds in self.bounds.values() {
            for (scale, of_set) in self.section_scales.iter_mut().zip(&bounds.section_scales) {
                *scale = scale.max(*of_set);
            }
        }
    }

    /// Returns for each section the largest factor by which its matrices scale distances in model space.
    pub(super) fn section_scales(&self) -> &[f64] {
        &self.section_scales
    }

    /// Returns the sphere of an instance in world space.
    pub(super) fn bounding_sphere(&self, crowd: &Crowd, instance: usize) -> BoundingSphere {
        in_world(crowd, instance, &self.set_spheres[crowd.group_of(instance) as usize])
    }
}

/// Places the sphere of an animation set and adds the rounding margin. Infinite if the result is not finite.
fn in_world(crowd: &Crowd, instance: usize, in_model: &BoundingSphere) -> BoundingSphere {
    let mut sphere = in_model.transformed(&crowd.placement(instance));
    sphere.radius += ROUNDING_MARGIN * (sphere.radius + sphere.center.amax());
    if !(sphere.radius.is_finite() && sphere.center.amax().is_finite()) {
        return BoundingSphere { center: Vector3::zeros(), radius: f64::INFINITY };
    }
    sphere
}
