//! Plans and bounds that an animator has prepared for a crowd.

use crate::animate::AnimationPlan;
use crate::math::BoundingSphere;
use std::sync::Arc;

/// The values of a crowd's groups, at their first sets.
#[derive(Clone, Debug)]
pub(super) struct GroupValues<T> {
    /// The cache that the values are from, and the crowd's revision then.
    pub(super) source: (u64, u64),
    pub(super) of_sets: Vec<Option<Arc<T>>>,
}

impl<T> Default for GroupValues<T> {
    fn default() -> Self {
        Self { source: (0, 0), of_sets: Vec::new() }
    }
}

impl<T> GroupValues<T> {
    pub(super) fn get(&self, animation_set: u32) -> Option<&T> {
        self.of_sets.get(animation_set as usize)?.as_deref()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.of_sets.iter().flatten().map(|value| &**value)
    }
}

/// The plans of a crowd.
#[derive(Clone, Debug, Default)]
pub(super) struct CrowdPlans {
    pub(super) of_groups: GroupValues<Option<AnimationPlan>>,
    /// For each group of animation sets, at its first set, `true` if its instances use the plan.
    pub(super) is_used: Vec<bool>,
}

impl CrowdPlans {
    /// Returns the plan of a group of animation sets, by its first set; `None` for the double-precision path.
    pub(super) fn plan(&self, animation_set: u32) -> Option<&AnimationPlan> {
        let is_used = self.is_used.get(animation_set as usize).copied().unwrap_or(false);
        self.of_groups.get(animation_set).filter(|_| is_used)?.as_ref()
    }
}

/// Bounds of a group of animation sets in model space.
#[derive(Clone, Debug)]
pub(super) struct GroupBounds {
    pub(super) sphere: BoundingSphere,
    /// For each matrix range, the largest factor by which its matrices scale distances.
    pub(super) range_scales: Vec<f64>,
}

/// Bounding spheres of a crowd's instances over all clip times.
#[derive(Clone, Debug, Default)]
pub(super) struct CrowdBounds {
    /// Revision of the crowd's placements that the spheres belong to.
    pub(super) placements_revision: u64,
    pub(super) of_groups: GroupValues<GroupBounds>,
    /// For each matrix range, the largest factor by which its matrices scale distances in model space.
    pub(super) range_scales: Vec<f64>,
    /// For each group of instances in block order, the sphere in world space.
    pub(super) cluster_spheres: Vec<BoundingSphere>,
}

impl CrowdBounds {
    /// Returns the sphere of a group of animation sets in model space, by its first set.
    pub(super) fn of_group(&self, animation_set: u32) -> &BoundingSphere {
        self.of_groups.get(animation_set).map_or(&BoundingSphere::EMPTY, |bounds| &bounds.sphere)
    }
}
