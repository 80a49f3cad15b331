//! The reference pose of a rig: the pose in which bodies of different rigs are alike, with its up and its facing.
//!
//! The rest pose of a file is one only if it looks like one: symmetric, legs below the hips, feet level. Exporters also write a frame of
//! some clip, or no pose at all: bones along one axis. Then the bind pose of the skin is taken, else a T pose is built. Its starting point
//! is the most upright of the rest pose and the frames of the clips. Each bone is turned into its direction in a T pose, by the smallest
//! rotation; bent elbows and knees determine the rotation about the bones of their limbs. A quadruped has no T pose: its bones are turned into
//! their mean directions while its feet are on the ground.

use super::directions::{level, near_axis, swing, toward};
use super::reference::{Reference, ReferenceSource};
use super::rig::Rig;
use super::role::{BodyPart, Role, Side};
use super::stance::{Stance, legs, trunk};
use super::t_pose::TPose;
use super::walking::walking_direction;
use crate::math::{Affine, any_perpendicular};
use crate::model::{JointIndex, Model};
use crate::pose::{Cursor, ModelPose, Pose, sample};
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use std::cell::OnceCell;

/// Largest number of frames of all clips from which a reference pose is estimated, and of clips.
const MAX_FRAMES: usize = 64;
const MAX_CLIPS: usize = 16;

/// Largest number of joint poses of these frames, which bounds memory and time for a large skeleton.
const MAX_FRAME_JOINTS: usize = 1_000_000;

/// Largest distance of a joint of a rest pose from the mirror image of its counterpart, relative to the length of a leg.
const MAX_ASYMMETRY: f64 = 0.2;

/// Largest difference of the heights of the ankles of a rest pose, relative to the length of a leg.
const MAX_STEP: f64 = 0.1;

/// Angle between the trunk and up, in radians, above which a rest pose is compared with the clips: how much more upright they are at most.
const MAX_LEAN: f64 = 0.14;
const MAX_LEAN_DIFFERENCE: f64 = 0.12;

/// The same above which only an animal stands.
const MAX_BODY_LEAN: f64 = 0.6;

/// Largest angle between the legs of a body that stands in a file with Y up, and down.
const MAX_LEG_ANGLE: f64 = 0.6;

/// Largest distance of the hips from the origin of a rest pose that is not questioned, relative to the length of a leg.
const MAX_DISPLACEMENT: f64 = 0.25;

/// Largest height of the ankles above the ground that is plausible, relative to the length of a leg.
const MAX_ANKLE_HEIGHT: f64 = 0.25;

/// Height of the ankles above the ground if the clips do not show it, relative to the length of a leg.
const ANKLE_HEIGHT: f64 = 0.1;

/// Direction from the ankle to the toes below the horizontal if the clips do not show it, in radians.
const FOOT_SLOPE: f64 = -0.45;

/// `model_from_joint` of every joint.
type JointPoses = Vec<Affine>;

/// An estimated reference pose.
pub(super) struct Estimate {
    pub(super) pose: JointPoses,
    /// Rotation from X to the left, from Y to up and from Z to the front.
    pub(super) basis: UnitQuaternion<f64>,
    pub(super) reference: Reference,
    /// `true` if the pose stands on the ground of the clips. Otherwise, the ground is that of the pose.
    pub(super) stands_on_ground: bool,
}

/// Frames of the clips of a model.
struct Frames {
    poses: Vec<JointPoses>,
    /// The first frame of each clip, as indices.
    first: Vec<usize>,
}

/// Up and front of the space of the clips.
#[derive(Clone, Copy)]
struct World {
    up: Vector3<f64>,
    front: Vector3<f64>,
    confidence: f64,
}

/// Estimates the reference pose of a rig. `is_source` is `true` if its clips are transferred; they define the origin.
pub(super) fn estimate(model: &Model, rig: &Rig<'_>, is_source: bool) -> Estimate {
    Estimator { model, rig, is_source, frames: OnceCell::new() }.estimate()
}

struct Estimator<'a> {
    model: &'a Model,
    rig: &'a Rig<'a>,
    is_source: bool,
    frames: OnceCell<Option<Frames>>,
}

impl Estimator<'_> {
    fn estimate(&self) -> Estimate {
        let settings = self.rig.map.settings();
        let rest = self.model.skeleton.rest_model_pose();
        match settings.rest {
            Some(ReferenceSource::Rest) => self.as_it_is(rest, ReferenceSource::Rest, 1.0),
            Some(ReferenceSource::FirstFrame) => match self.first_frame() {
                Some(pose) => self.as_it_is(pose, ReferenceSource::FirstFrame, 1.0),
                None => self.as_it_is(rest, ReferenceSource::Rest, 0.5),
            },
            Some(ReferenceSource::Built { arms_down }) => self.built(rest, arms_down),
            Some(ReferenceSource::Bind) | None => {
                if let Some(confidence) = self.rest_confidence(&rest) {
                    return self.placed_rest(rest, confidence);
                }
                match self.bind_pose(&rest).filter(|bind| self.rest_confidence(bind).is_some()) {
                    Some(bind) => self.placed_bind(&rest, bind),
                    None => self.built(rest, false),
                }
            }
        }
    }

    /// The pose as in the file; up and facing are those of the settings, else those of the pose.
    fn as_it_is(&self, pose: JointPoses, source: ReferenceSource, confidence: f64) -> Estimate {
        let basis = self.with_settings(self.basis_of(&pose));
        let world = World { up: basis * Vector3::y(), front: basis * Vector3::z(), confidence };
        Estimate { reference: self.reference(source, world), basis, pose, stands_on_ground: false }
    }

    fn reference(&self, source: ReferenceSource, world: World) -> Reference {
        Reference {
            source,
            is_set: self.rig.map.settings().rest == Some(source),
            kind: self.rig.map.kind(),
            up: world.up,
            facing: world.front,
            ground: 0.0,
            sides_are_exchanged: self.rig.map.sides_are_exchanged(),
            from_clips: false,
            confidence: world.confidence as f32,
        }
    }

    /// A rest pose that looks like one. The frames of the clips define its origin, if that is away from the origin of the file.
    fn placed_rest(&self, mut pose: JointPoses, confidence: f64) -> Estimate {
        let settings = self.rig.map.settings();
        let mut basis = self.with_settings(self.basis_of(&pose));
        let (mut confidence, mut up) = (confidence, basis * Vector3::y());
        let hips = pose[self.rig.hips.get()].translation;
        let place = hips - up * hips.dot(&up);
        let is_away = place.norm() > MAX_DISPLACEMENT * self.rig.leg_length;
        let front = basis * Vector3::z();
        let is_turned = front.amax() < 0.985;
        let is_lying = up.y < 0.9 && settings.up.is_none();
        let has_question = is_away || is_lying || is_turned && settings.facing.is_none();
        let frames = self.frames().filter(|_| self.is_source && has_question);
        if let Some(frames) = frames {
            let mean_up = self.mean_up(&frames.poses);
            if is_lying && mean_up.norm() > 0.7 && mean_up.angle(&Vector3::y()) < 0.7 {
                // Either the rest pose lies, or the body of the clips does. Its feet are on the ground of the file.
                match [Vector3::y(), up].map(|axis| self.is_on_ground(&frames.poses, axis)) {
                    [false, true] => confidence *= 0.8,
                    [is_standing, _] => {
                        let turn = swing(up, Vector3::y());
                        turn_pose(&mut pose, turn);
                        let certainty = if is_standing { 0.8 } else { 0.5 };
                        (basis, up, confidence) = (turn * basis, Vector3::y(), confidence * certainty);
                    }
                }
            }
            // The clips begin with a body that faces the front of the file, or that of the rest pose.
            let front = basis * Vector3::z();
            let usual = usual_front(up);
            let first = self.mean_front(frames.first.iter().map(|i| &frames.poses[*i]), up);
            if is_turned && settings.facing.is_none() && first.angle(&usual) < first.angle(&front) {
                let turn = swing(front, usual);
                turn_pose(&mut pose, turn);
                (basis, confidence) = (turn * basis, confidence * 0.8);
            }
            let hips = pose[self.rig.hips.get()].translation;
            let place = hips - up * hips.dot(&up);
            let at = |i: usize| frames.poses[i][self.rig.hips.get()].translation;
            let is_near = |i: &usize| {
                let way = at(*i) - up * at(*i).dot(&up);
                (way - place).norm() < way.norm()
            };
            let is_at_rest = 2 * frames.first.iter().copied().filter(is_near).count() >= frames.first.len();
            if !is_at_rest {
                pose.iter_mut().for_each(|joint| joint.translation -= place);
                confidence *= 0.9;
            }
        }
        let world = World { up, front: basis * Vector3::z(), confidence };
        Estimate { reference: self.reference(ReferenceSource::Rest, world), basis, pose, stands_on_ground: false }
    }

    /// The bind pose of the skin, in the units and at the place of the rest pose.
    fn placed_bind(&self, rest: &JointPoses, mut pose: JointPoses) -> Estimate {
        let frames = self.frames().filter(|_| self.is_source);
        let world = self.world(frames, rest);
        let basis = basis(world.up, world.front);
        let turn = basis * self.basis_of(&pose).inverse();
        turn_pose(&mut pose, turn);
        let slopes = [FOOT_SLOPE; 2];
        let confidence = 0.9 * world.confidence;
        let ground = self.place(&mut pose, rest, frames, world, slopes);
        let mut reference = self.reference(ReferenceSource::Bind, World { confidence, ..world });
        reference.ground = ground;
        Estimate { reference, basis, pose, stands_on_ground: true }
    }

    /// A T pose, or one with the arms at 45 degrees.
    fn built(&self, rest: JointPoses, arms_down: bool) -> Estimate {
        let frames = self.frames();
        let world = self.world(frames, &rest);
        let basis = basis(world.up, world.front);
        let poses = frames.map_or(&[][..], |frames| &frames.poses);
        let neutral = std::iter::once(&rest)
            .chain(poses)
            .map(|pose| (pose, self.rig.distance_from_standing(pose, world.up)))
            .min_by(|a, b| a.1.total_cmp(&b.1));
        let (neutral, distance) = neutral.unwrap_or((&rest, f64::INFINITY));
        let mut pose = neutral.clone();
        let slopes = Side::BOTH.map(|side| {
            let slope = |pose: &JointPoses| self.rig.foot_slope(pose, side, world.up);
            match poses.is_empty() {
                false => self.flat_frame(poses, side, world.up).and_then(slope),
                true => slope(&rest).filter(|slope| (-0.8..0.0).contains(slope)),
            }
            .filter(|slope| (-1.3..0.2).contains(slope))
            .unwrap_or(FOOT_SLOPE)
        });
        match self.rig.map.is_quadruped() {
            true => self.stand(&mut pose, poses, world, basis),
            false => self.straighten(&mut pose, poses, basis, slopes, arms_down),
        }
        let ground = self.place(&mut pose, &rest, frames, world, slopes);
        // A body that never stands upright says less about its shape; without frames, the rest pose is all that is known.
        let certainty = if poses.is_empty() {
            0.6
        } else if distance < 2.0 && !self.rig.map.is_quadruped() {
            0.85
        } else {
            0.7
        };
        let source = ReferenceSource::Built { arms_down };
        let mut reference = self.reference(source, World { confidence: certainty * world.confidence, ..world });
        (reference.ground, reference.from_clips) = (ground, frames.is_some());
        Estimate { reference, basis, pose, stands_on_ground: true }
    }

    /// Returns the directions of left and up of a pose, each along an axis of the model if that is near.
    fn basis_of(&self, pose: &[Affine]) -> UnitQuaternion<f64> {
        // The spine of a standing animal may be level.
        let legs = self.rig.legs(pose);
        let up = if legs.angle(&-Vector3::y()) < MAX_LEG_ANGLE {
            Vector3::y()
        } else if self.rig.map.is_quadruped() {
            Some(near_axis(-legs, Vector3::y())).filter(|up| up.amax() > 0.999).unwrap_or_else(Vector3::y)
        } else {
            near_axis(self.rig.trunk(pose), Vector3::y())
        };
        let left = self.rig.across(pose, BodyPart::UpperLeg) + self.rig.across(pose, BodyPart::UpperArm);
        let left = near_axis(left - up * left.dot(&up), up.cross(&Vector3::z()));
        basis(up, left.cross(&up))
    }

    fn with_settings(&self, of_pose: UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        let settings = self.rig.map.settings();
        let up = settings.up.unwrap_or(of_pose * Vector3::y());
        basis(up, settings.facing.unwrap_or(of_pose * Vector3::z()))
    }

    /// Returns the confidence that a pose is a rest pose; `None` if it does not look like one.
    fn rest_confidence(&self, pose: &[Affine]) -> Option<f64> {
        let basis = self.basis_of(pose);
        let [left, up] = [Vector3::x(), Vector3::y()].map(|axis| basis * axis);
        let length = self.rig.leg_length;
        let middle = self.rig.middle(pose, BodyPart::UpperLeg).unwrap_or(pose[self.rig.hips.get()].translation);
        let mut asymmetry: f64 = 0.0;
        for part in [
            BodyPart::UpperArm,
            BodyPart::LowerArm,
            BodyPart::Hand,
            BodyPart::UpperLeg,
            BodyPart::LowerLeg,
            BodyPart::Foot,
        ] {
            let [Some(of_left), Some(of_right)] = Side::BOTH.map(|side| self.rig.sided(pose, part, side)) else {
                continue;
            };
            let (of_left, of_right) = (of_left - middle, of_right - middle);
            let mirrored = of_right - left * (2.0 * of_right.dot(&left));
            asymmetry = asymmetry.max((of_left - mirrored).norm() / length);
        }
        let end = if self.rig.middle(pose, BodyPart::Foot).is_some() { BodyPart::Foot } else { BodyPart::LowerLeg };
        let [left_leg, right_leg] = Side::BOTH.map(|side| {
            let (top, end) = (self.rig.sided(pose, BodyPart::UpperLeg, side)?, self.rig.sided(pose, end, side)?);
            Some((end - top, end.dot(&up)))
        });
        let ((left_leg, left_height), (right_leg, right_height)) = left_leg.zip(right_leg)?;
        let hang = |leg: Vector3<f64>| leg.dot(&up) < -0.5 * leg.norm();
        let is_level = (left_height - right_height).abs() < MAX_STEP * length;
        if asymmetry > MAX_ASYMMETRY || !is_level || !hang(left_leg) || !hang(right_leg) {
            return None;
        }
        if self.rig.map.is_quadruped() {
            let mean_up = self.frames().map_or(up, |frames| self.mean_up(&frames.poses));
            let stands_otherwise = mean_up.norm() > 0.7 && mean_up.angle(&up) > MAX_LEG_ANGLE;
            if stands_otherwise || !hang(self.rig.front_legs(pose)) {
                return None;
            }
        }
        let lean = self.rig.lean(pose, up);
        let mut confidence = 1.0;
        if lean > MAX_LEAN {
            let least = self.frames().map(|frames| {
                let leans = frames.poses.iter().map(|pose| self.rig.lean(pose, up));
                leans.fold(f64::INFINITY, f64::min)
            });
            match least {
                // A body that is upright in the clips does not lean at rest.
                Some(least) if lean - least > MAX_LEAN_DIFFERENCE => return None,
                None if lean > MAX_BODY_LEAN && asymmetry > MAX_ASYMMETRY / 4.0 => return None,
                None if lean > MAX_BODY_LEAN && self.rig.map.is_quadruped() => return None,
                _ => confidence = if lean > MAX_BODY_LEAN { 0.7 } else { 0.9 },
            }
        }
        // Arms to the sides, or down.
        let is_near_t_or_a = Side::BOTH.iter().all(|side| {
            let ends =
                self.rig.sided(pose, BodyPart::UpperArm, *side).zip(self.rig.sided(pose, BodyPart::LowerArm, *side));
            let arm = ends.and_then(|(a, b)| (b - a).try_normalize(1e-9)).filter(|_| !self.rig.map.is_quadruped());
            let Some(arm) = arm else { return true };
            arm.dot(&up) < 0.4 && arm.cross(&up).dot(&left).abs() < 0.7
        });
        Some(if is_near_t_or_a && asymmetry < MAX_ASYMMETRY / 2.0 { confidence } else { 0.9 * confidence })
    }

    /// Returns the poses of the joints of the skins as their meshes were bound, with the size of the rest pose.
    fn bind_pose(&self, rest: &[Affine]) -> Option<JointPoses> {
        let joints = self.model.skeleton.joints();
        let skin = self.model.skins.iter().max_by_key(|skin| skin.joints.len())?;
        let mut bound: Vec<Option<Affine>> = vec![None; joints.len()];
        for (joint, joint_from_mesh) in skin.joints.iter().zip(skin.joint_from_mesh.iter()) {
            bound[joint.get()] = joint_from_mesh.inverse();
        }
        let ([thigh, knee], of_hips) =
            ([BodyPart::UpperLeg, BodyPart::LowerLeg].map(|part| self.rig.joint(part, Side::Left)), self.rig.hips);
        let (thigh, knee) = thigh.zip(knee)?;
        bound[of_hips.get()]?;
        let length = (bound[thigh.get()]?.translation - bound[knee.get()]?.translation).norm();
        let scale = (rest[thigh.get()].translation - rest[knee.get()].translation).norm() / length;
        if !(scale.is_finite() && scale > 0.0) {
            return None;
        }
        let mut pose: JointPoses = Vec::with_capacity(joints.len());
        for (i, joint) in joints.iter().enumerate() {
            let found = match bound[i] {
                Some(affine) => Affine { translation: affine.translation * scale, linear: affine.linear * scale },
                None => match joint.parent {
                    Some(parent) => pose[parent.get()] * joint.matrix_of(&joint.rest),
                    None => rest[i],
                },
            };
            if !found.is_finite() {
                return None;
            }
            pose.push(found);
        }
        Some(pose)
    }

    fn first_frame(&self) -> Option<JointPoses> {
        let (skeleton, clip) = (&self.model.skeleton, self.model.clips.first()?);
        let (mut pose, mut model_pose) = (Pose::default(), ModelPose::default());
        sample(skeleton, clip, f64::from(clip.first_key_secs), &mut Cursor::default(), &mut pose);
        model_pose.update(skeleton, &pose);
        Some(all_joints(&model_pose, skeleton.len()))
    }

    /// Returns frames at even steps of the clips that move the hips or legs; `None` without one.
    fn frames(&self) -> Option<&Frames> {
        self.frames.get_or_init(|| self.sample_frames()).as_ref()
    }

    fn sample_frames(&self) -> Option<Frames> {
        let skeleton = &self.model.skeleton;
        let max_frames = (MAX_FRAME_JOINTS / skeleton.len().max(1)).clamp(2, MAX_FRAMES);
        let leg = self.rig.joint(BodyPart::UpperLeg, Side::Left);
        let moves_body = |joint: JointIndex| joint <= self.rig.hips || Some(joint) == leg;
        let clips = self.model.clips.iter().filter(|clip| clip.tracks.iter().any(|track| moves_body(track.joint)));
        let clips: Vec<_> = clips.take(MAX_CLIPS.min(max_frames / 2)).collect();
        let count = (max_frames / clips.len().max(1)).max(2);
        let mut frames = Frames { poses: Vec::new(), first: Vec::new() };
        for clip in clips {
            let (mut cursor, mut pose, mut model_pose) = (Cursor::default(), Pose::default(), ModelPose::default());
            frames.first.push(frames.poses.len());
            let (start, end) = (f64::from(clip.first_key_secs), f64::from(clip.duration_secs));
            for i in 0..count {
                let time = start + (end - start).max(0.0) * i as f64 / (count - 1) as f64;
                sample(skeleton, clip, time, &mut cursor, &mut pose);
                model_pose.update(skeleton, &pose);
                frames.poses.push(all_joints(&model_pose, skeleton.len()));
            }
        }
        let is_finite = |pose: &JointPoses| pose.iter().all(Affine::is_finite);
        (!frames.poses.is_empty() && frames.poses.iter().all(is_finite)).then_some(frames)
    }

    /// Returns the mean direction of the trunk and from the feet to the hips, shorter the more these directions differ.
    fn mean_up(&self, poses: &[JointPoses]) -> Vector3<f64> {
        let up = |pose: &JointPoses| {
            let trunk = self.rig.trunk(pose).try_normalize(1e-9).unwrap_or_default();
            // The trunk of a quadruped is level.
            let trunk = if self.rig.map.is_quadruped() {
                -self.rig.legs(pose).try_normalize(1e-9).unwrap_or_default()
            } else {
                trunk
            };
            self.rig.legs(pose).try_normalize(1e-9).map_or(trunk, |legs| (trunk - legs) / 2.0)
        };
        poses.iter().map(up).sum::<Vector3<f64>>() / poses.len().max(1) as f64
    }

    /// Returns the mean of the horizontal directions that the body faces; zero if they cancel out.
    fn mean_front<'b>(&self, poses: impl Iterator<Item = &'b JointPoses>, up: Vector3<f64>) -> Vector3<f64> {
        let front = |pose: &JointPoses| {
            let unit = |part| self.rig.across(pose, part).try_normalize(1e-9).unwrap_or_default();
            let left = unit(BodyPart::UpperLeg) + unit(BodyPart::UpperArm);
            let front = left.cross(&up).try_normalize(1e-9).unwrap_or_default();
            // The trunk of a quadruped is along its front.
            let trunk = self.rig.trunk(pose);
            match self.rig.map.is_quadruped() {
                true => (front + (trunk - up * trunk.dot(&up)).try_normalize(1e-9).unwrap_or_default()) / 2.0,
                false => front,
            }
        };
        poses.map(front).sum()
    }

    /// Returns up and front of the space of the clips: +Y and +Z, or +Z and -Y, unless the frames say otherwise.
    fn world(&self, frames: Option<&Frames>, rest: &JointPoses) -> World {
        let settings = self.rig.map.settings();
        let poses = frames.map_or(std::slice::from_ref(rest), |frames| &frames.poses);
        let mean = self.mean_up(poses);
        let (mut up, mut confidence) = (Vector3::y(), 1.0);
        let is_upright = |axis: Vector3<f64>, angle: f64| mean.norm() > 0.8 && mean.angle(&axis) < angle;
        if let Some(set) = settings.up {
            up = set;
        } else if mean.angle(&Vector3::y()) < 0.9 {
            confidence = if is_upright(up, 0.45) { 1.0 } else { 0.7 };
        } else {
            let axis = near_axis(mean, Vector3::y());
            let heights = poses.iter().flat_map(|pose| {
                Side::BOTH.map(|side| {
                    self.rig.leg_end(side).map_or(f64::INFINITY, |end| pose[end.get()].translation.dot(&axis))
                })
            });
            // A body that lies is level, too; but then its feet are anywhere.
            let stands = heights.fold(f64::INFINITY, f64::min).abs() < 0.35 * self.rig.leg_length;
            // Bones along one axis have no legs below a trunk.
            let has_shape = || self.rig.trunk(rest).angle(&self.rig.legs(rest)).sin() > 0.5;
            let is_known = stands || frames.is_none() && (!self.rig.map.is_quadruped() || has_shape());
            (up, confidence) = if is_upright(axis, 0.5) && is_known { (axis, 0.85) } else { (up, 0.5) };
        }
        let usual = usual_front(up);
        let mut front = usual;
        if let Some(set) = settings.facing {
            front = set;
        } else {
            let first = match frames {
                Some(frames) => self.mean_front(frames.first.iter().map(|i| &frames.poses[*i]), up),
                None => self.mean_front(std::iter::once(rest), up),
            };
            if first.norm() < 1e-6 {
                let walk = self.walking_direction(up);
                (front, confidence) = walk.map_or((usual, confidence * 0.7), |(way, certainty)| {
                    (near_axis(way, usual), confidence * 0.8 * certainty)
                });
            } else if first.angle(&usual) > 1.05 {
                let axis = near_axis(first, usual);
                let mean = self.mean_front(poses.iter(), up);
                let agrees = first.angle(&axis) < 0.55 && mean.angle(&axis) < 1.05 && axis.amax() > 0.999;
                (front, confidence) = match self.walking_direction(up).filter(|_| !agrees) {
                    _ if agrees => (axis, confidence * 0.85),
                    Some((way, certainty)) => (near_axis(way, usual), confidence * 0.8 * certainty),
                    None => (usual, confidence * 0.6),
                };
            }
        }
        World { up, front, confidence }
    }

    /// Returns the direction in which the body walks in its clips, and how sure that is.
    fn walking_direction(&self, up: Vector3<f64>) -> Option<(Vector3<f64>, f64)> {
        let Rig { skeleton, hips, leg_length, .. } = *self.rig;
        let feet: Vec<JointIndex> = Side::BOTH.iter().filter_map(|side| self.rig.leg_end(*side)).collect();
        walking_direction(skeleton, &self.model.clips, hips, &feet, up, leg_length)
    }

    /// Returns the frame in which a foot is on the ground: ankle and toes are low.
    fn flat_frame<'b>(&self, poses: &'b [JointPoses], side: Side, up: Vector3<f64>) -> Option<&'b JointPoses> {
        let foot = self.rig.joint(BodyPart::Foot, side)?;
        let toe = self.rig.toe(side).unwrap_or(foot);
        let height = |pose: &JointPoses| (pose[foot.get()].translation + pose[toe.get()].translation).dot(&up);
        poses.iter().min_by(|a, b| height(a).total_cmp(&height(b)))
    }

    /// Returns `true` if the lowest ankle is about as high above the origin as that of a standing body.
    fn is_on_ground(&self, poses: &[JointPoses], up: Vector3<f64>) -> bool {
        let ends = Side::BOTH.map(|side| self.rig.leg_end(side));
        let heights =
            poses.iter().flat_map(|pose| ends.iter().flatten().map(|end| pose[end.get()].translation.dot(&up)));
        let lowest = heights.fold(f64::INFINITY, f64::min) / self.rig.leg_length;
        (-ANKLE_HEIGHT..MAX_ANKLE_HEIGHT).contains(&lowest)
    }

    /// Puts the hips over the origin, or the trunk of a quadruped, and the ankles to the height that they have on the ground. Returns the height of the ground.
    fn place(
        &self,
        pose: &mut JointPoses,
        rest: &[Affine],
        frames: Option<&Frames>,
        world: World,
        slopes: [f64; 2],
    ) -> f64 {
        let (up, length, hips) = (world.up, self.rig.leg_length, self.rig.hips.get());
        let of_ends = Side::BOTH.map(|side| (side, self.rig.leg_end(side)));
        let height = |pose: &[Affine], joint: JointIndex| pose[joint.get()].translation.dot(&up);
        let lowest = of_ends.iter().filter_map(|(_, end)| Some(height(pose, (*end)?))).fold(f64::INFINITY, f64::min);
        let hips_above = pose[hips].translation.dot(&up) - lowest;
        let on_ground = frames.and_then(|frames| {
            let heights = of_ends
                .iter()
                .filter_map(|(side, end)| Some(height(self.flat_frame(&frames.poses, *side, up)?, (*end)?)));
            heights.min_by(f64::total_cmp)
        });
        // Toes are slightly above the ground.
        let usual = || {
            let foot = Side::BOTH.iter().zip(slopes).filter_map(|(side, slope)| {
                let (foot, toe) = (self.rig.joint(BodyPart::Foot, *side)?, self.rig.toe(*side)?);
                let length = (pose[toe.get()].translation - pose[foot.get()].translation).norm();
                Some(-slope.sin() * length)
            });
            foot.fold(0.0, f64::max).max(ANKLE_HEIGHT * length).min(MAX_ANKLE_HEIGHT * length)
        };
        let at_rest = rest[hips].translation.dot(&up) - hips_above;
        let ankle = match on_ground {
            Some(ankle) => ankle,
            None if (0.0..MAX_ANKLE_HEIGHT * length).contains(&at_rest) => at_rest,
            None => usual(),
        };
        let above = if (0.0..MAX_ANKLE_HEIGHT * length).contains(&ankle) { ankle } else { usual() };
        let rest_hips = rest[hips].translation;
        let place = if self.is_source { Vector3::zeros() } else { rest_hips - up * rest_hips.dot(&up) };
        // The origin of a quadruped is where its clips begin, else below the middle of its trunk.
        let middle = self.rig.middle_of_trunk(pose).filter(|_| self.is_source && self.rig.map.is_quadruped());
        let anchor = middle.unwrap_or(pose[hips].translation);
        let ahead = middle.and_then(|_| self.middle_ahead_of_origin(frames?, world)).unwrap_or_default();
        let place = place + basis(up, world.front) * Vector3::z() * ahead;
        let height = hips_above + ankle - pose[hips].translation.dot(&up);
        let shift = place - (anchor - up * anchor.dot(&up)) + up * height;
        pose.iter_mut().for_each(|joint| joint.translation += shift);
        ankle - above
    }

    /// Returns how far the middle of the trunk of a quadruped is in front of the origin in the first frames of the clips: the mean of those
    /// whose trunk is above the origin. `None` if these are fewer than half.
    fn middle_ahead_of_origin(&self, frames: &Frames, world: World) -> Option<f64> {
        let ahead = |i: &usize| {
            let pose = &frames.poses[*i];
            let body = basis(world.up, self.mean_front(std::iter::once(pose), world.up)).inverse();
            let (middle, trunk) = (body * self.rig.middle_of_trunk(pose)?, body * self.rig.trunk(pose));
            let is_above = middle.x.abs() <= MAX_DISPLACEMENT * self.rig.leg_length && 2.0 * middle.z.abs() <= trunk.z;
            is_above.then_some(middle.z)
        };
        let ahead: Vec<f64> = frames.first.iter().filter_map(ahead).collect();
        (2 * ahead.len() >= frames.first.len()).then(|| ahead.iter().sum::<f64>() / ahead.len() as f64)
    }

    /// Turns the bones of the legs and the trunk of a quadruped into their directions while it stands.
    fn stand(&self, pose: &mut JointPoses, frames: &[JointPoses], world: World, basis: UnitQuaternion<f64>) {
        let up = world.up;
        // Jumping and lying bodies do not stand.
        let least = frames.iter().map(|pose| self.rig.lean(pose, up)).fold(f64::INFINITY, f64::min);
        let upright = frames.iter().filter(|pose| self.rig.lean(pose, up) <= least + MAX_LEAN_DIFFERENCE);
        let upright: Vec<&[Affine]> = upright.map(|pose| &pose[..]).collect();
        let stance = Stance::new(self.rig, &upright, |pose| {
            self::basis(up, self.mean_front(std::iter::once(&pose.to_vec()), up))
        });
        let from = pose.clone();
        let joints = self.model.skeleton.joints();
        let mut ends = vec![None; joints.len()];
        let bones = trunk(self.rig).chain(legs(self.rig));
        bones.for_each(|bone| ends[bone.joint.get()] = Some(bone.end));
        let last = self.rig.spine.last().copied();
        let turn = |i: usize, inherited: UnitQuaternion<f64>| {
            let joint = JointIndex(i as u32);
            let bone =
                ends[i].map_or(Vector3::zeros(), |end: JointIndex| from[end.get()].translation - from[i].translation);
            let direction = stance.direction(joint).map(|direction| basis * direction);
            let pair = match () {
                () if joint == self.rig.hips => Some(BodyPart::UpperLeg),
                () if Some(joint) == last => Some(BodyPart::UpperArm),
                () => None,
            };
            match (direction, pair) {
                (direction, Some(pair)) => {
                    let direction = direction.unwrap_or(basis * Vector3::z());
                    level(basis * Vector3::x(), inherited, self.rig.across(&from, pair), bone, direction, 0.0)
                }
                (Some(direction), None) => toward(inherited, bone, direction, 0.0),
                (None, None) => inherited,
            }
        };
        self.turn_bones(pose, &from, turn);
    }

    /// Turns the bones of a pose into the directions of a T pose.
    fn straighten(
        &self,
        pose: &mut JointPoses,
        frames: &[JointPoses],
        basis: UnitQuaternion<f64>,
        slopes: [f64; 2],
        arms_down: bool,
    ) {
        let from = pose.clone();
        let joints = self.model.skeleton.joints();
        let mut roles = vec![None; joints.len()];
        for role in Role::all() {
            if let Some(joint) = self.rig.map.joint(role) {
                roles[joint.get()] = Some(role);
            }
        }
        for joint in &self.rig.spine {
            roles[joint.get()] = Some(Role::SPINE);
        }
        let bones = TPose { rig: self.rig, from: &from, frames, basis, slopes, arms_down };
        let turn =
            |i: usize, inherited| roles[i].map_or(inherited, |role| bones.turn(role, JointIndex(i as u32), inherited));
        self.turn_bones(pose, &from, turn);
    }

    /// Turns each bone of a pose by a rotation in model space: `turn` of the joint and of the rotation of its parent.
    fn turn_bones(
        &self,
        pose: &mut JointPoses,
        from: &[Affine],
        turn: impl Fn(usize, UnitQuaternion<f64>) -> UnitQuaternion<f64>,
    ) {
        let joints = self.model.skeleton.joints();
        let mut turns: Vec<UnitQuaternion<f64>> = Vec::with_capacity(joints.len());
        for (i, joint) in joints.iter().enumerate() {
            let inherited = joint.parent.map_or_else(UnitQuaternion::identity, |parent| turns[parent.get()]);
            let turn = turn(i, inherited);
            if let Some(parent) = joint.parent {
                let offset = from[i].translation - from[parent.get()].translation;
                pose[i].translation = pose[parent.get()].translation + inherited * offset;
            }
            pose[i].linear = turn.to_rotation_matrix().into_inner() * from[i].linear;
            turns.push(turn);
        }
    }
}

/// Returns the front of bodies in files with this up: +Z for Y up, -Y for Z up.
fn usual_front(up: Vector3<f64>) -> Vector3<f64> {
    if up.z.abs() > 0.9 { -Vector3::y() * up.z.signum() } else { Vector3::z() }
}

/// Returns the rotation from X to the left, from Y to `up` and from Z to the front: `front` without its part along up.
fn basis(up: Vector3<f64>, front: Vector3<f64>) -> UnitQuaternion<f64> {
    let front = (front - up * front.dot(&up)).try_normalize(1e-9).unwrap_or_else(|| any_perpendicular(up));
    let axes = Matrix3::from_columns(&[up.cross(&front), up, front]);
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes))
}

/// Turns a pose about the origin.
fn turn_pose(pose: &mut JointPoses, turn: UnitQuaternion<f64>) {
    let turn = Affine { linear: turn.to_rotation_matrix().into_inner(), translation: Vector3::zeros() };
    pose.iter_mut().for_each(|joint| *joint = turn * *joint);
}

fn all_joints(pose: &ModelPose, count: usize) -> JointPoses {
    (0..count as u32).map(|joint| *pose.model_from_joint(JointIndex(joint))).collect()
}
