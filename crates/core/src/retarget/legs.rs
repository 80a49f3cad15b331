//! The limbs of a mapped rig, for feet on a ground and for inverse kinematics.

use super::body::ground_under;
use super::role::{BodyPart, Role, Side};
use super::{RetargetError, RigMap};
use crate::ik::{Feet, Leg, Limb};
use crate::model::{JointIndex, Model, Skeleton};
use nalgebra::Vector3;

impl RigMap {
    /// Returns the limb that ends at a joint: the arm of a hand, the leg of a foot, else two bones that end there and do not branch.
    pub fn limb(&self, skeleton: &Skeleton, end: JointIndex) -> Option<Limb> {
        let arms = [BodyPart::UpperArm, BodyPart::LowerArm, BodyPart::Hand];
        let legs = [BodyPart::UpperLeg, BodyPart::LowerLeg, BodyPart::Foot];
        let limbs = [(arms, -Vector3::z()), (legs, Vector3::z())];
        let mapped = limbs.into_iter().flat_map(|(parts, bend)| Side::BOTH.map(|side| (side, parts, bend)));
        let mapped = mapped.filter_map(|(side, parts, bend)| {
            let [upper, lower, tip] = parts.map(|part| self.joint(Role::sided(part, side)));
            (tip == Some(end)).then_some(([upper?, lower?, end], bend))
        });
        let chain = || {
            let only_child = |joint: JointIndex| {
                let parent = skeleton.joint(joint).parent?;
                let children = skeleton.joints().iter().filter(|other| other.parent == Some(parent)).count();
                (children == 1).then_some(parent)
            };
            let lower = only_child(end)?;
            Some(([only_child(lower)?, lower, end], Vector3::z()))
        };
        let (joints, bend) = { mapped }.next().or_else(chain)?;
        let rest = skeleton.rest_model_pose();
        let length = |a: JointIndex, b: JointIndex| (rest[a.get()].translation - rest[b.get()].translation).norm();
        let has_bones = length(joints[0], joints[1]).min(length(joints[1], end)) > 0.0;
        has_bones.then(|| Limb { body: self.arm_body(skeleton, end, &rest), ..Limb::new(skeleton, joints, bend) })
    }

    /// Returns the legs of the rig with its ground at rest, for [`PoseConstraints::add_feet`](crate::ik::PoseConstraints::add_feet).
    ///
    /// ```
    /// use rigview_core::ik::PoseConstraints;
    /// use rigview_core::import::{ImportOptions, open};
    /// use rigview_core::retarget::RigMap;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/body.glb"));
    /// let model = open(file, &ImportOptions::default())?.model;
    /// let feet = RigMap::detect(&model).feet(&model)?;
    /// let mut constraints = PoseConstraints::new(&model.skeleton);
    /// constraints.add_feet(&model.skeleton, &feet);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If joints of the legs are missing, or a leg has no length at rest.
    pub fn feet(&self, model: &Model) -> Result<Feet, RetargetError> {
        let rest = model.skeleton.rest_model_pose();
        let position = |joint: JointIndex| rest[joint.get()].translation;
        let limbs = [
            [BodyPart::UpperLeg, BodyPart::LowerLeg, BodyPart::Foot, BodyPart::Toes],
            [BodyPart::UpperArm, BodyPart::LowerArm, BodyPart::Hand, BodyPart::Hand],
        ];
        let limbs = &limbs[..if self.is_quadruped() { 2 } else { 1 }];
        let needed = limbs.iter().flat_map(|limb| Side::BOTH.map(|side| limb.map(|part| Role::sided(part, side))));
        let missing = needed.clone().flat_map(|[upper, lower, foot, _]| [upper, lower, foot]);
        // The first joint moves with the body.
        let missing = missing.filter(|role| self.joint(*role).is_none_or(|joint| joint == JointIndex(0)));
        let missing = missing.chain([Role::HIPS].into_iter().filter(|role| self.joint(*role).is_none()));
        let missing: Vec<String> = missing.map(|role| role.to_string()).collect();
        let Some(hips) = self.joint(Role::HIPS).filter(|_| missing.is_empty()) else {
            return Err(RetargetError::MissingRoles { which: "model", roles: missing.join(", ") });
        };
        let (mut legs, mut heights, mut leg_length) = (Vec::new(), Vec::new(), f64::INFINITY);
        for [upper, lower, foot, toes] in needed {
            let (Some(upper), Some(lower), Some(foot)) = (self.joint(upper), self.joint(lower), self.joint(foot))
            else {
                continue;
            };
            let toes = self.joint(toes).unwrap_or(foot);
            let ahead = position(toes) - position(foot);
            let ahead = Vector3::new(ahead.x, 0.0, ahead.z).try_normalize(1e-9).unwrap_or_else(Vector3::z);
            legs.push(Leg { limb: Limb::new(&model.skeleton, [upper, lower, foot], ahead), toes });
            heights.extend([position(foot).y, position(toes).y]);
            let [thigh, shin] = [position(lower) - position(upper), position(foot) - position(lower)];
            leg_length = leg_length.min(thigh.norm() + shin.norm());
        }
        if !(leg_length > 1e-9 && leg_length.is_finite()) {
            return Err(RetargetError::NoLegs { which: "model" });
        }
        let model_ground = ground_under(heights.into_iter(), leg_length);
        Ok(Feet { hips, legs, model_ground, leg_length })
    }
}
