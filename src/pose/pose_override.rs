//! Joints and morph weights as a person has put them.

use super::Pose;
use crate::math::Transform;
use crate::model::JointIndex;

/// `parent_from_joint` of some joints, and some morph weights, whatever any clip says.
///
/// A joint whose node is stored as a matrix with shear ([`Joint::sheared_rest`](crate::model::Joint::sheared_rest)) keeps
/// that, whatever is said here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseOverride {
    /// By joint, each once.
    joints: Vec<(JointIndex, Transform)>,
    /// By place among the skeleton's morph weights, each once.
    weights: Vec<(usize, f32)>,
}

impl PoseOverride {
    /// No joint at all.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a joint.
    pub fn set(&mut self, joint: JointIndex, parent_from_joint: Transform) {
        match self.joints.binary_search_by_key(&joint, |(joint, _)| *joint) {
            Ok(place) => self.joints[place].1 = parent_from_joint,
            Err(place) => self.joints.insert(place, (joint, parent_from_joint)),
        }
    }

    /// Leaves a joint to the clips again; whether it was put.
    pub fn clear(&mut self, joint: JointIndex) -> bool {
        let place = self.joints.binary_search_by_key(&joint, |(joint, _)| *joint);
        place.map(|place| self.joints.remove(place)).is_ok()
    }

    /// How a joint was put.
    pub fn get(&self, joint: JointIndex) -> Option<&Transform> {
        let place = self.joints.binary_search_by_key(&joint, |(joint, _)| *joint).ok()?;
        Some(&self.joints[place].1)
    }

    /// The joints that were put, in hierarchy order.
    pub fn joints(&self) -> &[(JointIndex, Transform)] {
        &self.joints
    }

    /// Puts a morph weight, by its place among the skeleton's.
    pub fn set_weight(&mut self, place: usize, weight: f32) {
        match self.weights.binary_search_by_key(&place, |(place, _)| *place) {
            Ok(at) => self.weights[at].1 = weight,
            Err(at) => self.weights.insert(at, (place, weight)),
        }
    }

    /// Leaves a morph weight to the clips again; whether it was put.
    pub fn clear_weight(&mut self, place: usize) -> bool {
        let at = self.weights.binary_search_by_key(&place, |(place, _)| *place);
        at.map(|at| self.weights.remove(at)).is_ok()
    }

    /// The morph weights that were put, by their places among the skeleton's.
    pub fn weights(&self) -> &[(usize, f32)] {
        &self.weights
    }

    /// Whether nothing was put.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty() && self.weights.is_empty()
    }

    /// Sets the joints and weights of `pose`.
    ///
    /// # Panics
    /// If one of them is not part of the pose's skeleton.
    pub fn apply(&self, pose: &mut Pose) {
        for (joint, parent_from_joint) in &self.joints {
            pose.parent_from_joint[joint.get()] = *parent_from_joint;
        }
        for (place, weight) in &self.weights {
            pose.weights[*place] = *weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joint_is_put_once_and_given_back() {
        let at = |x: f64| Transform { translation: nalgebra::Vector3::x() * x, ..Transform::identity() };
        let mut hand = PoseOverride::new();
        for (joint, x) in [(2, 1.0), (0, 2.0), (2, 3.0)] {
            hand.set(JointIndex(joint), at(x));
        }
        assert_eq!(hand.joints(), [(JointIndex(0), at(2.0)), (JointIndex(2), at(3.0))]);
        let mut pose = Pose { parent_from_joint: vec![at(9.0); 3], weights: Vec::new() };
        assert!(hand.clear(JointIndex(0)) && !hand.clear(JointIndex(1)));
        hand.apply(&mut pose);
        assert_eq!(pose.parent_from_joint, [at(9.0), at(9.0), at(3.0)]);
        assert_eq!((hand.get(JointIndex(2)), hand.get(JointIndex(0))), (Some(&at(3.0)), None));
    }

    #[test]
    fn a_weight_is_put_once_and_given_back() {
        let mut hand = PoseOverride::new();
        for (place, weight) in [(3, 0.5), (1, 1.0), (3, -0.25)] {
            hand.set_weight(place, weight);
        }
        assert_eq!((hand.weights(), hand.is_empty()), (&[(1, 1.0), (3, -0.25)][..], false));
        assert!(hand.clear_weight(1) && !hand.clear_weight(2));
        let mut pose = Pose { parent_from_joint: Vec::new(), weights: vec![9.0; 4] };
        hand.apply(&mut pose);
        assert_eq!(pose.weights, [9.0, 9.0, 9.0, -0.25]);
    }
}
