//! Targets of the constraints, per instance.

use super::ground::Ground;
use crate::model::InstanceIndex;
use nalgebra::Vector3;
use std::sync::Arc;

/// A constraint of [`PoseConstraints`](super::PoseConstraints).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstraintIndex(pub(super) usize);

/// The target of an instance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// In world space.
    pub point: Vector3<f64>,
    /// From 0, the sampled pose, to 1.
    pub weight: f32,
}

/// The targets of [`PoseConstraints`](super::PoseConstraints) for a number of instances, and the ground of their feet.
///
/// A [`Crowd`](crate::crowd::Crowd) has its own. Without targets and ground, poses stay as they are sampled.
///
/// ```
/// use rigview_core::ik::{Aim, ConstraintTargets, PoseConstraints, Target};
/// use rigview_core::math::Affine;
/// use rigview_core::model::InstanceIndex;
/// use rigview_core::nalgebra::Vector3;
/// use rigview_core::pose::ModelPose;
///
/// # use rigview_core::import::{ImportOptions, open};
/// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
/// # let model = open(file, &ImportOptions::default()).unwrap().model;
/// let head = model.skeleton.find("head").unwrap();
/// let mut constraints = PoseConstraints::new(&model.skeleton);
/// let look = constraints.add_aim(&model.skeleton, Aim::new(head, Vector3::z(), 1.2));
/// let mut targets = ConstraintTargets::default();
/// let instance = InstanceIndex(0);
/// targets.set(look, instance, Target { point: Vector3::new(3.0, 1.0, 4.0), weight: 1.0 });
/// let mut pose = ModelPose::rest(&model.skeleton);
/// constraints.apply(&targets, instance, &Affine::IDENTITY, &mut pose);
/// ```
#[derive(Clone, Debug, Default)]
pub struct ConstraintTargets {
    of_constraints: Vec<Targets>,
    ground: Option<Arc<Ground>>,
}

/// The targets of a constraint.
#[derive(Clone, Debug)]
pub(crate) struct Targets {
    /// Those of the first instances.
    own: Vec<Target>,
    /// That of the others.
    common: Target,
}

/// Targets without an effect.
static NO_TARGETS: Targets =
    Targets { own: Vec::new(), common: Target { point: Vector3::new(0.0, 0.0, 0.0), weight: 0.0 } };

impl Targets {
    #[inline(always)]
    pub(crate) fn get(&self, instance: InstanceIndex) -> &Target {
        self.own.get(instance.get()).unwrap_or(&self.common)
    }
}

impl ConstraintTargets {
    /// Sets the target of an instance.
    pub fn set(&mut self, constraint: ConstraintIndex, instance: InstanceIndex, target: Target) {
        let Targets { own, common } = self.of_mut(constraint);
        if instance.get() >= own.len() {
            own.resize(instance.get() + 1, *common);
        }
        own[instance.get()] = target;
    }

    /// Sets the target of all instances, also of later ones. Returns `true` if one changes.
    pub fn set_all(&mut self, constraint: ConstraintIndex, target: Target) -> bool {
        let Targets { own, common } = self.of_mut(constraint);
        let changes = *common != target || !own.is_empty();
        own.clear();
        *common = target;
        changes
    }

    /// Returns the target of an instance.
    pub fn get(&self, constraint: ConstraintIndex, instance: InstanceIndex) -> Target {
        *self.of(constraint.0).get(instance)
    }

    /// Sets the ground of feet; `None` for feet as in the clips.
    pub fn set_ground(&mut self, ground: Option<Arc<Ground>>) {
        self.ground = ground;
    }

    /// The ground of feet.
    pub fn ground(&self) -> Option<&Arc<Ground>> {
        self.ground.as_ref()
    }

    /// Removes an instance; the last one of `count` takes its place.
    pub(crate) fn swap_remove(&mut self, instance: InstanceIndex, count: usize) {
        for Targets { own, common } in &mut self.of_constraints {
            if own.len() == count {
                own.swap_remove(instance.get());
            } else if let Some(target) = own.get_mut(instance.get()) {
                // The last instance has the common target.
                *target = *common;
            }
        }
    }

    /// Drops the targets of all instances but the first `count`.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.of_constraints.iter_mut().for_each(|targets| targets.own.truncate(count));
    }

    #[inline(always)]
    pub(crate) fn of(&self, constraint: usize) -> &Targets {
        self.of_constraints.get(constraint).unwrap_or(&NO_TARGETS)
    }

    fn of_mut(&mut self, ConstraintIndex(constraint): ConstraintIndex) -> &mut Targets {
        if constraint >= self.of_constraints.len() {
            self.of_constraints.resize(constraint + 1, NO_TARGETS.clone());
        }
        &mut self.of_constraints[constraint]
    }
}
