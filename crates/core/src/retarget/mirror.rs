//! Mirrored poses of a mapped rig.

use super::RigMap;
use super::directions::rotation_of;
use super::role::{BodyPart, Role, Side};
use crate::math::{Affine, Transform};
use crate::model::{JointIndex, Skeleton};
use crate::pose::Pose;
use nalgebra::{Matrix3, Rotation3, UnitQuaternion};

/// Largest difference of a quaternion, a translation or a scale that counts as none.
const TOLERANCE: f64 = 1e-9;

impl RigMap {
    /// Returns the joints that move if left and right are swapped in `pose`, with their `parent_from_joint`.
    ///
    /// Joints without a role, and those whose other side has no joint, stay. None without two upper arms or legs.
    ///
    /// # Panics
    /// If `pose` is not one of `skeleton`.
    pub fn mirrored(&self, skeleton: &Skeleton, pose: &Pose) -> Vec<(JointIndex, Transform)> {
        let rest = skeleton.rest_model_pose();
        let position = |part: BodyPart, side: Side| Some(rest[self.joint(Role::sided(part, side))?.get()].translation);
        let across = [BodyPart::UpperArm, BodyPart::UpperLeg]
            .into_iter()
            .find_map(|part| (position(part, Side::Left)? - position(part, Side::Right)?).try_normalize(1e-9));
        let Some(across) = across else { return Vec::new() };
        let reflection = Matrix3::identity() - across * across.transpose() * 2.0;
        let mirrored = |role: Role| {
            let (joint, source) = (self.joint(role)?, self.joint(role.mirrored())?);
            let parents = [joint, source].map(|joint| skeleton.joint(joint).parent);
            let [parent, source_parent] =
                parents.map(|parent| parent.map_or(Affine::IDENTITY, |parent| rest[parent.get()]));
            let (rest, source_rest) = (&skeleton.joint(joint).rest, &skeleton.joint(source).rest);
            let from = &pose.parent_from_joint[source.get()];
            // The deviation from the rest pose in model space.
            let (turn, source_turn) = (rotation_of(&parent), rotation_of(&source_parent));
            let rotation = source_turn * from.rotation * source_rest.rotation.inverse() * source_turn.inverse();
            let rotation = reflection * rotation.to_rotation_matrix().into_inner() * reflection;
            let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation));
            let moved = reflection * (source_parent.linear * (from.translation - source_rest.translation));
            let scale = rest.scale.zip_map(&from.scale.component_div(&source_rest.scale), |rest, factor| {
                if factor.is_finite() { rest * factor } else { rest }
            });
            let to = Transform {
                translation: rest.translation + parent.linear.try_inverse()? * moved,
                rotation: turn.inverse() * rotation * turn * rest.rotation,
                scale,
            };
            let present = &pose.parent_from_joint[joint.get()];
            let differs = (to.rotation.angle_to(&present.rotation) > TOLERANCE)
                | ((to.translation - present.translation).norm() > TOLERANCE)
                | ((to.scale - present.scale).norm() > TOLERANCE);
            (differs && !skeleton.joint(joint).has_shear()).then_some((joint, to))
        };
        Role::all().filter_map(mirrored).collect()
    }
}
