//! Overridden joints and morph weights.

use super::Pose;
use crate::math::Transform;
use crate::model::{Expression, ExpressionIndex, JointIndex, MaterialChange};

/// Replacements of `parent_from_joint` and morph weights that take precedence over clips.
///
/// Has no effect on joints with shear ([`Joint::has_shear`](crate::model::Joint::has_shear)).
///
/// ```
/// use rigview_core::math::Transform;
/// use rigview_core::model::JointIndex;
/// use rigview_core::pose::{Pose, PoseOverride};
///
/// # use rigview_core::import::{ImportOptions, open};
/// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
/// # let model = open(file, &ImportOptions::default()).unwrap().model;
/// let mut pose = Pose::rest(&model.skeleton);
/// let mut head = PoseOverride::new();
/// head.set(JointIndex(0), Transform::identity());
/// head.apply(&mut pose);
/// assert_eq!(pose.parent_from_joint[0], Transform::identity());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseOverride {
    /// Sorted by joint, without duplicates.
    joints: Vec<(JointIndex, Transform)>,
    /// Sorted by index among the skeleton's morph weights, without duplicates.
    morph_weights: Vec<(usize, f32)>,
    /// Values of expressions above 0, sorted by index. Their weights are among `morph_weights`.
    expressions: Vec<(ExpressionIndex, f32)>,
    /// Changes of materials by the expressions.
    materials: Vec<MaterialChange>,
}

impl PoseOverride {
    /// An empty override.
    pub fn new() -> Self {
        Self::default()
    }

    /// Overrides a joint.
    pub fn set(&mut self, joint: JointIndex, parent_from_joint: Transform) {
        match self.joints.binary_search_by_key(&joint, |(joint, _)| *joint) {
            Ok(index) => self.joints[index].1 = parent_from_joint,
            Err(index) => self.joints.insert(index, (joint, parent_from_joint)),
        }
    }

    /// Removes the override of a joint. Returns `true` if there was one.
    pub fn clear(&mut self, joint: JointIndex) -> bool {
        let index = self.joints.binary_search_by_key(&joint, |(joint, _)| *joint);
        index.map(|index| self.joints.remove(index)).is_ok()
    }

    /// Returns the override of a joint.
    pub fn get(&self, joint: JointIndex) -> Option<&Transform> {
        let index = self.joints.binary_search_by_key(&joint, |(joint, _)| *joint).ok()?;
        Some(&self.joints[index].1)
    }

    /// Overridden joints, in hierarchy order.
    pub fn joints(&self) -> &[(JointIndex, Transform)] {
        &self.joints
    }

    /// Overrides a morph weight, by index into [`Skeleton::rest_morph_weights`](crate::model::Skeleton::rest_morph_weights).
    pub fn set_morph_weight(&mut self, index: usize, weight: f32) {
        match self.morph_weights.binary_search_by_key(&index, |(index, _)| *index) {
            Ok(at) => self.morph_weights[at].1 = weight,
            Err(at) => self.morph_weights.insert(at, (index, weight)),
        }
    }

    /// Removes the override of a morph weight. Returns `true` if there was one.
    pub fn clear_morph_weight(&mut self, index: usize) -> bool {
        let at = self.morph_weights.binary_search_by_key(&index, |(index, _)| *index);
        at.map(|at| self.morph_weights.remove(at)).is_ok()
    }

    /// Overridden morph weights, by index among the skeleton's.
    pub fn morph_weights(&self) -> &[(usize, f32)] {
        &self.morph_weights
    }

    /// Sets the value of the expression `index` of `all`, the expressions of the model; 0 removes it.
    ///
    /// Overrides the morph weights and materials of all expressions with a value, by [`Expression::combined_weights`]. Weights that no such
    /// expression changes any more are not overridden.
    pub fn set_expression(&mut self, all: &[Expression], index: ExpressionIndex, value: f32) {
        let before = Expression::combined_weights(all, &self.expressions);
        self.expressions.retain(|(other, _)| *other != index);
        if value > 0.0 {
            self.expressions.push((index, value.min(1.0)));
            self.expressions.sort_by_key(|(index, _)| *index);
        }
        let after = Expression::combined_weights(all, &self.expressions);
        let is_driven = |index: &usize| {
            [&before, &after].iter().any(|list| list.binary_search_by_key(index, |(index, _)| *index).is_ok())
        };
        self.morph_weights.retain(|(index, _)| !is_driven(index));
        self.morph_weights.extend(after);
        self.morph_weights.sort_by_key(|(index, _)| *index);
        self.materials = Expression::combined_materials(all, &self.expressions);
    }

    /// Changes of materials by the expressions, relative to the materials of the model.
    pub fn materials(&self) -> &[MaterialChange] {
        &self.materials
    }

    /// Values of expressions of the model.
    pub fn expressions(&self) -> &[(ExpressionIndex, f32)] {
        &self.expressions
    }

    /// Overridden morph weights that differ from those of the expressions.
    pub fn direct_morph_weights(&self, all: &[Expression]) -> Vec<(usize, f32)> {
        let driven = Expression::combined_weights(all, &self.expressions);
        let is_driven = |entry: &&(usize, f32)| {
            driven.binary_search_by_key(&entry.0, |(index, _)| *index).is_ok_and(|at| driven[at] == **entry)
        };
        self.morph_weights.iter().filter(|entry| !is_driven(entry)).copied().collect()
    }

    /// Returns `true` if nothing is overridden.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty() && self.morph_weights.is_empty() && self.expressions.is_empty()
    }

    /// Replaces joints and weights of `pose`.
    ///
    /// # Panics
    /// If `pose` lacks an overridden joint or weight.
    pub fn apply(&self, pose: &mut Pose) {
        for (joint, parent_from_joint) in &self.joints {
            pose.parent_from_joint[joint.get()] = *parent_from_joint;
        }
        for (index, weight) in &self.morph_weights {
            pose.morph_weights[*index] = *weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joint_overrides_replace_and_clear() {
        let at = |x: f64| Transform { translation: nalgebra::Vector3::x() * x, ..Transform::identity() };
        let mut pose_override = PoseOverride::new();
        for (joint, x) in [(2, 1.0), (0, 2.0), (2, 3.0)] {
            pose_override.set(JointIndex(joint), at(x));
        }
        assert_eq!(pose_override.joints(), [(JointIndex(0), at(2.0)), (JointIndex(2), at(3.0))]);
        let mut pose = Pose { parent_from_joint: vec![at(9.0); 3], morph_weights: Vec::new() };
        assert!(pose_override.clear(JointIndex(0)) && !pose_override.clear(JointIndex(1)));
        pose_override.apply(&mut pose);
        assert_eq!(pose.parent_from_joint, [at(9.0), at(9.0), at(3.0)]);
        assert_eq!((pose_override.get(JointIndex(2)), pose_override.get(JointIndex(0))), (Some(&at(3.0)), None));
    }

    #[test]
    fn weight_overrides_replace_and_clear() {
        let mut pose_override = PoseOverride::new();
        for (index, weight) in [(3, 0.5), (1, 1.0), (3, -0.25)] {
            pose_override.set_morph_weight(index, weight);
        }
        assert_eq!((pose_override.morph_weights(), pose_override.is_empty()), (&[(1, 1.0), (3, -0.25)][..], false));
        assert!(pose_override.clear_morph_weight(1) && !pose_override.clear_morph_weight(2));
        let mut pose = Pose { parent_from_joint: Vec::new(), morph_weights: vec![9.0; 4] };
        pose_override.apply(&mut pose);
        assert_eq!(pose.morph_weights, [9.0, 9.0, 9.0, -0.25]);
    }

    #[test]
    fn expressions_override_and_release_weights() {
        let expression =
            |weights: &[(usize, f32)]| Expression { morph_weights: weights.to_vec(), ..Expression::default() };
        let all = [expression(&[(1, 1.0), (2, 0.5)]), expression(&[(2, 1.0)])];
        let mut pose_override = PoseOverride::new();
        pose_override.set_morph_weight(0, 0.25);
        pose_override.set_expression(&all, 0.into(), 1.0);
        pose_override.set_expression(&all, 1.into(), 0.5);
        assert_eq!(pose_override.morph_weights(), [(0, 0.25), (1, 1.0), (2, 1.0)]);
        assert_eq!(
            (pose_override.expressions(), pose_override.direct_morph_weights(&all)),
            (&[(ExpressionIndex(0), 1.0), (ExpressionIndex(1), 0.5)][..], vec![(0, 0.25)])
        );
        pose_override.set_morph_weight(2, 0.75);
        assert_eq!(pose_override.direct_morph_weights(&all), [(0, 0.25), (2, 0.75)]);
        pose_override.set_expression(&all, 0.into(), 0.0);
        assert_eq!(pose_override.morph_weights(), [(0, 0.25), (2, 0.5)]);
        pose_override.set_expression(&all, 1.into(), 0.0);
        assert_eq!((pose_override.morph_weights(), pose_override.expressions().len()), (&[(0, 0.25)][..], 0));
    }
}
