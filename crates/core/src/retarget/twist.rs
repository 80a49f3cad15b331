//! Twist joints: joints along the bone of a limb, which take a part of its roll.

use super::body::Body;
use super::directions::rotation_of;
use crate::model::{JointIndex, Skeleton};
use nalgebra::{UnitQuaternion, Vector3};
use std::collections::HashSet;

/// Largest distance of a joint from the line of its bone, relative to the length of the bone.
const MAX_ASIDE: f64 = 0.02;

/// The same for a joint that is named a twist joint.
const MAX_NAMED_ASIDE: f64 = 0.25;

/// Largest number of twist joints of a bone.
const MAX_PER_BONE: usize = 8;

/// A bone of a limb.
pub(super) struct LimbBone {
    /// Node of the bone.
    pub(super) bone: usize,
    /// Node at its end.
    pub(super) tip: usize,
    /// Node whose roll relative to the bone is distributed: that at the end, or that of the body for the first bone of a limb.
    pub(super) roll_node: usize,
}

/// A joint that rolls about a bone. Rotations and directions are relative to the joint of the bone.
pub(super) struct TwistJoint {
    pub(super) joint: JointIndex,
    /// Node of the bone.
    bone: usize,
    /// Node whose roll relative to the bone is distributed, and its rotation at rest.
    roll_node: usize,
    roll_node_rest: UnitQuaternion<f64>,
    /// Direction of the bone.
    axis: Vector3<f64>,
    /// The part of the roll, from 0 to 1.
    part: f64,
    /// Rotation at rest.
    rest: UnitQuaternion<f64>,
}

impl TwistJoint {
    /// Returns the rotation in model space.
    pub(super) fn rotation(&self, rotations: &[UnitQuaternion<f64>]) -> UnitQuaternion<f64> {
        let bone = rotations[self.bone];
        let change = bone.inverse() * rotations[self.roll_node] * self.roll_node_rest.inverse();
        let half = libm::atan2(change.vector().dot(&self.axis), change.w);
        // A rotation of more than 180 degrees is replaced by the one in the opposite direction.
        let half =
            if half.abs() > std::f64::consts::FRAC_PI_2 { half - std::f64::consts::PI.copysign(half) } else { half };
        let axis = nalgebra::Unit::new_unchecked(self.axis);
        bone * UnitQuaternion::from_axis_angle(&axis, 2.0 * half * self.part) * self.rest
    }
}

/// Returns the twist joints of a body: those between the joints of a bone, and those beside that have no role and no other task.
///
/// A first bone with joints in between is a twist joint itself. Joints with a name of the source follow that joint instead.
/// `nodes` are the joints of the nodes.
pub(super) fn twist_joints(
    body: &Body,
    source: &Skeleton,
    nodes: &[JointIndex],
    bones: &[LimbBone],
) -> Vec<TwistJoint> {
    let joints = body.skeleton.joints();
    // The nearest node at or above each joint, and whether a joint has children.
    let (mut owners, mut has_children) = (vec![None; joints.len()], vec![false; joints.len()]);
    nodes.iter().enumerate().for_each(|(node, joint)| owners[joint.get()] = Some(node));
    for (i, joint) in joints.iter().enumerate() {
        if let Some(parent) = joint.parent {
            has_children[parent.get()] = true;
            owners[i] = owners[i].or(owners[parent.get()]);
        }
    }
    let source_names: HashSet<&str> = source.joints().iter().filter_map(|joint| joint.name.as_deref()).collect();
    let position = |joint: JointIndex| body.rest[joint.get()].translation;
    let rotation = |joint: JointIndex| rotation_of(&body.rest[joint.get()]);
    let mut found = Vec::new();
    for &LimbBone { bone, tip, roll_node } in bones {
        let (is_first, start, end) = (roll_node != tip, nodes[bone], nodes[tip]);
        let bone_vector = position(end) - position(start);
        let (length, Some(direction)) = (bone_vector.norm(), bone_vector.try_normalize(1e-9)) else { continue };
        let parent = |joint: &JointIndex| joints[joint.get()].parent;
        let between: HashSet<JointIndex> =
            std::iter::successors(parent(&end), parent).take_while(|joint| *joint > start).collect();
        let bone_rotation = rotation(start).inverse();
        let twist_joint = |joint: JointIndex, place: f64| TwistJoint {
            joint,
            bone,
            roll_node,
            roll_node_rest: bone_rotation * rotation(nodes[roll_node]),
            axis: bone_rotation * direction,
            part: if is_first { 1.0 - place } else { place },
            rest: bone_rotation * rotation(joint),
        };
        let mut of_bone = Vec::new();
        for (i, joint) in joints.iter().enumerate().filter(|(i, _)| owners[*i] == Some(bone) && *i != start.get()) {
            let index = JointIndex(i as u32);
            let from_start = (position(index) - position(start)) / length;
            let place = from_start.dot(&direction);
            let aside = (from_start - direction * place).norm();
            let name = joint.name.as_deref().unwrap_or_default();
            let is_on_line = aside <= MAX_ASIDE && (0.05..=0.95).contains(&place);
            let is_named = is_twist_name(name) && aside <= MAX_NAMED_ASIDE && (-0.1..=1.1).contains(&place);
            let is_free = between.contains(&index) || !has_children[i] && !source_names.contains(name);
            if (is_on_line || is_named) && is_free && !joint.has_shear() && of_bone.len() < MAX_PER_BONE {
                of_bone.push(twist_joint(index, place.clamp(0.0, 1.0)));
            }
        }
        if is_first && of_bone.iter().any(|twist| between.contains(&twist.joint)) {
            of_bone.push(twist_joint(start, 0.0));
        }
        found.extend(of_bone);
    }
    found
}

fn is_twist_name(name: &str) -> bool {
    let name = name.to_lowercase();
    ["twist", "roll"].iter().any(|word| name.contains(word))
}
