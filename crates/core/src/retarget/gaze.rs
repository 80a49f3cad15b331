//! Neck, head and eyes of a mapped rig, which look at a target.

use super::body::Body;
use super::role::{BodyPart, Role, Side};
use super::{RetargetError, RigMap};
use crate::ik::Aim;
use crate::model::Model;
use nalgebra::Vector3;

/// Largest angle by which a head turns with its neck, in radians.
const MAX_HEAD_ANGLE: f64 = 1.2;

/// The part of the angle by which the neck turns.
const NECK_WEIGHT: f64 = 0.5;

/// Angles of the target between which joints turn back to their pose, in radians.
const FADE_CONE: [f64; 2] = [std::f64::consts::FRAC_PI_2, 3.0 * std::f64::consts::FRAC_PI_4];

/// Largest angle by which an eye turns, in radians.
const MAX_EYE_ANGLE: f64 = 0.5;

impl RigMap {
    /// Returns the neck if there is one, the head, and the eyes, as joints that aim: for
    /// [`PoseConstraints::add_aim`](crate::ik::PoseConstraints::add_aim).
    ///
    /// In the reference pose they face the front of the body, [`Model::front`] if that is unknown. The neck turns by half of the angle, and each other joint by what
    /// those above leave. Joints turn back to their pose when the target is behind the body.
    ///
    /// ```
    /// use rigview_core::crowd::Crowd;
    /// use rigview_core::ik::{PoseConstraints, Target};
    /// use rigview_core::import::{ImportOptions, open};
    /// use rigview_core::nalgebra::Vector3;
    /// use rigview_core::retarget::RigMap;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/body.glb"));
    /// let model = open(file, &ImportOptions::default())?.model;
    /// let mut constraints = PoseConstraints::new(&model.skeleton);
    /// for aim in RigMap::detect(&model).gaze(&model)? {
    ///     constraints.add_aim(&model.skeleton, aim);
    /// }
    /// let (mut crowd, target) = (Crowd::single(None), Target { point: Vector3::new(1.0, 1.6, 2.0), weight: 1.0 });
    /// for aim in constraints.aims() {
    ///     crowd.set_common_target(aim, target);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If no joint is a head.
    pub fn gaze(&self, model: &Model) -> Result<Vec<Aim>, RetargetError> {
        let (front, rest) = match Body::new(model, self, "model") {
            Ok(body) => (body.basis * Vector3::z(), body.rest),
            Err(_) => (model.front(), model.skeleton.rest_model_pose()),
        };
        let aim = |role: Role, max_angle: f64, weight: f64| {
            let joint = self.joint(role).filter(|joint| model.skeleton.joint(*joint).parent.is_some())?;
            let forward = rest[joint.get()].linear.try_inverse()? * front;
            let is_finite = forward.iter().all(|x| x.is_finite());
            is_finite.then_some(Aim { joint, forward, max_angle, weight, fade_cone: Some(FADE_CONE) })
        };
        let neck = aim(Role::NECK, MAX_HEAD_ANGLE, NECK_WEIGHT);
        let head = aim(Role::HEAD, MAX_HEAD_ANGLE * (1.0 - neck.map_or(0.0, |neck| neck.weight)), 1.0)
            .ok_or_else(|| RetargetError::MissingRoles { which: "model", roles: Role::HEAD.to_string() })?;
        let eyes = Side::BOTH.into_iter().filter_map(|side| aim(Role::sided(BodyPart::Eye, side), MAX_EYE_ANGLE, 1.0));
        Ok(neck.into_iter().chain([head]).chain(eyes).collect())
    }
}
