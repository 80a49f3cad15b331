//! Limbs of two bones.

use super::solver::two_bone;
use crate::math::{Affine, Transform};
use crate::model::{JointIndex, Skeleton};
use crate::pose::{ModelPose, Pose};
use nalgebra::{Rotation3, Unit, UnitQuaternion, Vector3};

/// A limb of two bones, such as a leg from the hip by the knee to the ankle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Limb {
    /// The joint of the upper bone.
    pub upper: JointIndex,
    /// The joint of the lower bone.
    pub lower: JointIndex,
    /// The joint at the end.
    pub end: JointIndex,
    /// The direction in which a straight limb bends, as a point in the space of `upper`.
    pub bend: Vector3<f64>,
    /// The body of an arm; `None` for other limbs.
    pub body: Option<ArmBody>,
}

/// The body that an arm hangs on, and the rules of its elbow and shoulder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmBody {
    /// The joint in whose space the other fields are; `None` for model space.
    pub joint: Option<JointIndex>,
    /// The shoulder blade, which turns with the arm.
    pub shoulder: Option<JointIndex>,
    /// A point between both arms.
    pub middle: Vector3<f64>,
    /// Orthogonal directions of the same length: to the side of the arm, up, and to the front of the body.
    pub axes: [Vector3<f64>; 3],
}

/// The directions of a hand and of its elbow from which those of other arms are derived, along [`ArmBody::axes`]. The elbow is below and
/// behind, and the opposite direction of the hand, behind the neck, is the only one without an elbow.
const HAND: [f64; 3] = [0.45, -0.55, 0.7];
const ELBOW: [f64; 3] = [0.4, -0.8, -0.5];

/// The sine of the bend from which on an arm keeps the side to which its elbow points.
const BENT: f64 = 0.3;

/// Smallest distance of an elbow from the middle of the body, relative to that of its shoulder.
const MIN_SIDE: f64 = 0.3;

/// The part of the angle of an arm by which its shoulder blade turns, and the largest angle between that and the rest pose, in radians.
const SHOULDER_PART: f64 = 0.2;
const MAX_SHOULDER_ANGLE: f64 = 0.4;

/// Smallest bend at rest from which the bend direction is derived, relative to the length of the limb.
const MIN_BEND: f64 = 1e-3;

impl Limb {
    /// Derives the bend direction from the rest pose; `bend`, a direction in model space, if the limb is straight at rest.
    ///
    /// # Panics
    /// If `skeleton` lacks a joint.
    pub fn new(skeleton: &Skeleton, [upper, lower, end]: [JointIndex; 3], bend: Vector3<f64>) -> Self {
        let rest = |joint: JointIndex| skeleton.rest_model_from_joint(joint);
        let model_from_upper = rest(upper);
        let (root, middle) = (model_from_upper.translation, rest(lower).translation);
        let (thigh, whole) = (middle - root, rest(end).translation - root);
        let aside = thigh - whole * (thigh.dot(&whole) / whole.norm_squared().max(f64::MIN_POSITIVE));
        let is_bent = aside.norm() > MIN_BEND * thigh.norm();
        let direction = if is_bent { aside } else { bend }.try_normalize(0.0).unwrap_or_default();
        let point = root + direction * thigh.norm();
        let bend = model_from_upper.inverse().map_or_else(Vector3::zeros, |map| map.transform_point(point));
        Self { upper, lower, end, bend, body: None }
    }

    /// Returns the joints that move, with the `parent_from_joint` by which the end is at `target`, in model space, or as near as the bones
    /// permit. [`two_bone`] has the rule of the bend. `None` if a joint has shear, or its parent has no inverse.
    ///
    /// The elbow of an arm points down and back, and stays on its side of the body; the shoulder blade turns with the arm. An arm that is
    /// bent already keeps the angle between its elbow and that direction. `elbow` is the point to which elbow or knee point instead.
    ///
    /// ```
    /// use rigview_core::import::{ImportOptions, open};
    /// use rigview_core::nalgebra::Vector3;
    /// use rigview_core::pose::{ModelPose, Pose};
    /// use rigview_core::retarget::RigMap;
    ///
    /// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/body.glb"));
    /// # let model = open(file, &ImportOptions::default()).unwrap().model;
    /// let map = RigMap::detect(&model);
    /// let foot = map.feet(&model).unwrap().legs[0].limb.end;
    /// let leg = map.limb(&model.skeleton, foot).unwrap();
    /// let (mut pose, mut posed) = (Pose::rest(&model.skeleton), ModelPose::default());
    /// posed.update(&model.skeleton, &pose);
    /// let target = posed.model_from_joint(foot).translation + Vector3::new(0.0, 0.1, 0.1);
    /// for (joint, parent_from_joint) in leg.reach(&model.skeleton, &pose, target, None).unwrap() {
    ///     pose.parent_from_joint[joint.get()] = parent_from_joint;
    /// }
    /// posed.update(&model.skeleton, &pose);
    /// assert!((posed.model_from_joint(foot).translation - target).norm() < 1e-6);
    /// ```
    ///
    /// # Panics
    /// If `skeleton` lacks a joint, or `pose` is that of another one.
    pub fn reach(
        &self,
        skeleton: &Skeleton,
        pose: &Pose,
        target: Vector3<f64>,
        elbow: Option<Vector3<f64>>,
    ) -> Option<Vec<(JointIndex, Transform)>> {
        let mut posed = ModelPose::default();
        posed.update(skeleton, pose);
        let joints = [self.upper, self.lower, self.end];
        let start = joints.map(|joint| posed.model_from_joint(joint).translation);
        let body = self.body.map(|body| PosedBody::new(&body, &posed));
        let mut moved = Vec::new();
        let shoulder = self.body.and_then(|body| body.shoulder).filter(|_| elbow.is_none());
        if let Some((joint, transform)) =
            shoulder.and_then(|joint| Some((joint, turned_shoulder(skeleton, pose, &posed, joint, start[2], target)?)))
        {
            let mut pose = pose.clone();
            pose.parent_from_joint[joint.get()] = transform;
            posed.update(skeleton, &pose);
            moved.push((joint, transform));
        }
        let [root, middle, end] = joints.map(|joint| posed.model_from_joint(joint).translation);
        let bend = posed.model_from_joint(self.upper).transform_point(self.bend) - root;
        let [upper, lower] = two_bone([root, middle, end], target, bend);
        let new_middle = root + upper * (middle - root);
        let new_end = new_middle + lower * (end - middle);
        let direction = match (elbow, &body) {
            (Some(elbow), _) => Some(elbow - root),
            (None, Some(body)) => body.elbow(start, [root, new_middle, new_end]),
            (None, None) => None,
        };
        let swivel =
            direction.map_or(UnitQuaternion::identity(), |to| rotation_about(new_end - root, new_middle - root, to));
        let (upper, lower) = (swivel * upper, swivel * lower);
        // The space of the lower joint's parent turns with the upper bone.
        for (joint, rotation) in [(self.upper, upper), (self.lower, upper.inverse() * lower)] {
            moved.push((joint, turned(skeleton, pose, &posed, joint, rotation)?));
        }
        Some(moved)
    }
}

/// Returns `parent_from_joint` of a joint that turns by a rotation in model space; `None` if it has shear, or its parent has no inverse.
fn turned(
    skeleton: &Skeleton,
    pose: &Pose,
    posed: &ModelPose,
    joint: JointIndex,
    rotation: UnitQuaternion<f64>,
) -> Option<Transform> {
    let parent = skeleton.joint(joint).parent;
    let linear = parent.map_or(Affine::IDENTITY, |parent| *posed.model_from_joint(parent)).linear;
    let in_parent = linear.try_inverse()? * rotation.to_rotation_matrix() * linear;
    let in_parent = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(in_parent));
    let transform = pose.parent_from_joint[joint.get()];
    let is_finite = in_parent.coords.iter().all(|x| x.is_finite()) && !skeleton.joint(joint).has_shear();
    let rotation = UnitQuaternion::new_normalize((in_parent * transform.rotation).into_inner());
    is_finite.then_some(Transform { rotation, ..transform })
}

/// Returns the shoulder blade that follows a hand from `hand` to `target`, within its range.
fn turned_shoulder(
    skeleton: &Skeleton,
    pose: &Pose,
    posed: &ModelPose,
    joint: JointIndex,
    hand: Vector3<f64>,
    target: Vector3<f64>,
) -> Option<Transform> {
    let at = posed.model_from_joint(joint).translation;
    let rotation = UnitQuaternion::rotation_between(&(hand - at), &(target - at))?.powf(SHOULDER_PART);
    let full = turned(skeleton, pose, posed, joint, rotation)?;
    let (rest, start) = (skeleton.joint(joint).rest.rotation, pose.parent_from_joint[joint.get()].rotation);
    let limit = rest.angle_to(&start).max(MAX_SHOULDER_ANGLE);
    let from_rest = rest.inverse() * full.rotation;
    let part = (limit / from_rest.angle()).min(1.0);
    Some(if part < 1.0 { Transform { rotation: rest * from_rest.powf(part), ..full } } else { full })
}

/// An [`ArmBody`] in model space.
struct PosedBody {
    middle: Vector3<f64>,
    /// Normalized.
    axes: [Vector3<f64>; 3],
}

impl PosedBody {
    fn new(body: &ArmBody, posed: &ModelPose) -> Self {
        let model_from_body = body.joint.map_or(Affine::IDENTITY, |joint| *posed.model_from_joint(joint));
        let axis = |axis: Vector3<f64>| model_from_body.transform_vector(axis).try_normalize(0.0).unwrap_or(axis);
        Self { middle: model_from_body.transform_point(body.middle), axes: body.axes.map(axis) }
    }

    fn direction(&self, along_axes: [f64; 3]) -> Vector3<f64> {
        self.axes.iter().zip(along_axes).map(|(axis, x)| axis * x).sum()
    }

    /// Returns the direction of the elbow of an arm whose hand is in the direction `hand`, a unit vector.
    fn natural_elbow(&self, hand: Vector3<f64>) -> Option<Vector3<f64>> {
        let from = self.direction(HAND);
        let elbow = UnitQuaternion::rotation_between(&from, &hand)? * self.direction(ELBOW);
        (elbow - hand * elbow.dot(&hand)).try_normalize(1e-9)
    }

    /// Returns the direction to which the elbow of an arm points that was at `start`; each is shoulder, elbow and hand.
    fn elbow(&self, start: [Vector3<f64>; 3], [root, middle, end]: [Vector3<f64>; 3]) -> Option<Vector3<f64>> {
        let axis = (end - root).try_normalize(1e-9)?;
        let natural = self.natural_elbow(axis)?;
        let along = (middle - root).dot(&axis);
        let center = root + axis * along;
        let radius = ((middle - root).norm_squared() - along * along).max(0.0).sqrt();
        let present = || {
            let axis = (start[2] - start[0]).try_normalize(1e-9)?;
            let elbow = start[1] - start[0];
            let aside = elbow - axis * elbow.dot(&axis);
            let natural = self.natural_elbow(axis)?;
            let angle = axis.dot(&natural.cross(&aside)).atan2(natural.dot(&aside));
            let sine = aside.norm() / elbow.norm();
            (sine > 0.0).then(|| angle * (sine / BENT).min(1.0))
        };
        let angle = present().unwrap_or(0.0);
        let direction = UnitQuaternion::from_axis_angle(&Unit::new_unchecked(axis), angle) * natural;
        // The elbow stays beside the middle of the body, where its circle permits that.
        let side = self.axes[0];
        let [shoulder_side, start_side] = [root, start[1]].map(|point| (point - self.middle).dot(&side));
        let min_side = (MIN_SIDE * shoulder_side.max(0.0)).min(start_side);
        let across = side - axis * side.dot(&axis);
        let (Some(outward), needed) = (across.try_normalize(1e-6), min_side - (center - self.middle).dot(&side)) else {
            return Some(direction);
        };
        let cosine = needed / (radius * across.norm()).max(1e-12);
        if direction.dot(&outward) >= cosine {
            return Some(direction);
        }
        let rest = (direction - outward * direction.dot(&outward)).try_normalize(1e-9).filter(|_| cosine < 1.0);
        Some(rest.map_or(outward, |rest| outward * cosine + rest * (1.0 - cosine * cosine).sqrt()))
    }
}

/// Returns the rotation about `axis` that takes `from` to the side of `to`.
fn rotation_about(axis: Vector3<f64>, from: Vector3<f64>, to: Vector3<f64>) -> UnitQuaternion<f64> {
    let Some(axis) = axis.try_normalize(1e-12) else { return UnitQuaternion::identity() };
    let [from, to] = [from, to].map(|direction| direction - axis * direction.dot(&axis));
    let angle = axis.dot(&from.cross(&to)).atan2(from.dot(&to));
    // A straight limb, and a point on its axis, have no side.
    let has_side = from.norm() > 1e-9 && to.norm() > 1e-9;
    if has_side {
        UnitQuaternion::from_axis_angle(&Unit::new_unchecked(axis), angle)
    } else {
        UnitQuaternion::identity()
    }
}
