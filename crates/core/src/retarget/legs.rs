//! The legs of a mapped rig, for feet on a ground.

use super::body::ground_under;
use super::rig_map::rest_pose;
use super::role::{Part, Role, Side};
use super::{RetargetError, RigMap};
use crate::ik::{Feet, Leg, Limb};
use crate::model::{JointIndex, Model};
use nalgebra::Vector3;

impl RigMap {
    /// Returns the legs of the rig with its ground at rest, for [`PoseStages::add_feet`](crate::ik::PoseStages::add_feet).
    ///
    /// ```
    /// use rigview_core::ik::{Ground, PoseStages};
    /// use rigview_core::import::{ImportOptions, open};
    /// use rigview_core::retarget::RigMap;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/body.glb"));
    /// let model = open(file, &ImportOptions::default())?.model;
    /// let feet = RigMap::detect(&model).feet(&model)?;
    /// let mut stages = PoseStages::new(&model.skeleton);
    /// stages.add_feet(&model.skeleton, &feet, Ground::slope(20.0).into());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If joints of the legs are missing, or a leg has no length at rest.
    pub fn feet(&self, model: &Model) -> Result<Feet, RetargetError> {
        let rest = rest_pose(&model.skeleton);
        let position = |joint: JointIndex| rest[joint.get()].translation;
        let limbs = [
            [Part::UpperLeg, Part::LowerLeg, Part::Foot, Part::Toes],
            [Part::UpperArm, Part::LowerArm, Part::Hand, Part::Hand],
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
