//! Names that exchange left and right: those of the viewer in front of the body, or of a mirrored body.

use super::role::{BodyPart, Role, Side};
use super::walking::walking_direction;
use crate::math::Affine;
use crate::model::{JointIndex, Model};
use crate::pose::{Cursor, ModelPose, Pose, sample};
use nalgebra::Vector3;

/// Largest number of clips that are sampled, of times of each, and of joint poses of all.
const MAX_CLIPS: usize = 16;
const MAX_SAMPLES: usize = 16;
const MAX_JOINT_POSES: usize = 1_000_000;

/// Largest number of clips in which a walk is looked for, if knees bend to the back.
const MAX_WALKS: usize = 16;

/// Smallest distance of a knee from the line between hip and ankle that shows how it bends, relative to that line: a bend by about 23 degrees.
const MIN_BEND: f64 = 0.1;

/// Smallest number of such bends, and the part of them that is in one direction.
const MIN_BENDS: usize = 4;
const MIN_PART: f64 = 0.9;

/// Smallest cosine of the angle between front and a direction to the front.
const MIN_COSINE: f64 = 0.5;

/// Smallest part of the way from ankles to toes that is horizontal, in a pose that is no stick.
const MIN_FLAT: f64 = 0.3;

/// Returns `true` if left and right of `roles` are those of a body that looks to the other side: its toes at rest point to the back, or its
/// knees bend to the back in its clips while it walks there. Nothing of these may contradict.
pub(super) fn are_exchanged(model: &Model, roles: &[Option<JointIndex>; Role::COUNT], rest: &[Affine]) -> bool {
    let Some(body) = Body::new(roles) else { return false };
    let toes = body.toes_direction(rest);
    if toes != 0 {
        return toes < 0 && body.knees_and_walk(model).iter().all(|direction| *direction <= 0);
    }
    body.knees_and_walk(model) == [-1; 2]
}

/// The joints that show where a body looks.
struct Body {
    hips: JointIndex,
    top: JointIndex,
    /// Thigh, shin and foot, on the left and on the right.
    legs: [[JointIndex; 3]; 2],
    toes: [Option<JointIndex>; 2],
}

impl Body {
    fn new(roles: &[Option<JointIndex>; Role::COUNT]) -> Option<Self> {
        let joint = |role: Role| roles[role.index()];
        let leg = |side| {
            let [thigh, shin, foot] =
                [BodyPart::UpperLeg, BodyPart::LowerLeg, BodyPart::Foot].map(|part| joint(Role::sided(part, side)));
            Some([thigh?, shin?, foot?])
        };
        Some(Self {
            hips: joint(Role::HIPS)?,
            top: joint(Role::HEAD).or(joint(Role::NECK))?,
            legs: [leg(Side::Left)?, leg(Side::Right)?],
            toes: Side::BOTH.map(|side| joint(Role::sided(BodyPart::Toes, side))),
        })
    }

    /// Returns up and front of a pose, by the sides of the names; `None` for a pose without extent, such as that of a stick.
    fn up_and_front(&self, at: impl Fn(JointIndex) -> Vector3<f64>) -> Option<[Vector3<f64>; 2]> {
        let up = (at(self.top) - at(self.hips)).try_normalize(1e-9)?;
        let [left, right] = self.legs.map(|[thigh, ..]| at(thigh));
        Some([up, (left - right).try_normalize(1e-9)?.cross(&up).try_normalize(0.5)?])
    }

    /// Returns 1 if the toes at rest point to the front, -1 if they point to the back, 0 if they do neither.
    fn toes_direction(&self, rest: &[Affine]) -> i32 {
        let at = |joint: JointIndex| rest[joint.get()].translation;
        let Some([up, front]) = self.up_and_front(at) else { return 0 };
        let feet = self.legs.iter().zip(self.toes).filter_map(|([.., foot], toes)| Some(at(toes?) - at(*foot)));
        let feet: Vector3<f64> = feet.sum();
        let flat = feet - up * feet.dot(&up);
        if flat.norm() < MIN_FLAT * feet.norm() { 0 } else { sign_of_cosine(flat, front) }
    }

    /// Returns the directions in which knees bend and the body walks in its clips, as [`toes_direction`](Self::toes_direction) does. The
    /// walk is 0 unless knees bend to the back.
    fn knees_and_walk(&self, model: &Model) -> [i32; 2] {
        let skeleton = &model.skeleton;
        let (mut ups, mut fronts, mut bends) = (Vector3::zeros(), Vector3::zeros(), [0_usize; 2]);
        let max_samples = (MAX_JOINT_POSES / MAX_CLIPS / skeleton.len().max(1)).min(MAX_SAMPLES);
        let (mut cursor, mut pose, mut model_pose) = (Cursor::default(), Pose::default(), ModelPose::default());
        for clip in model.clips.iter().filter(|clip| !clip.tracks.is_empty()).take(MAX_CLIPS) {
            let [first, last] = [clip.first_key_secs, clip.duration_secs].map(f64::from);
            for i in 0..max_samples {
                let time_secs = first + (last - first).max(0.0) * i as f64 / max_samples as f64;
                sample(skeleton, clip, time_secs, &mut cursor, &mut pose);
                model_pose.update(skeleton, &pose);
                let at = |joint: JointIndex| model_pose.model_from_joint(joint).translation;
                let Some([up, front]) = self.up_and_front(at) else { continue };
                (ups, fronts) = (ups + up, fronts + front);
                for [thigh, shin, foot] in self.legs {
                    let (leg, knee) = (at(foot) - at(thigh), at(shin) - at(thigh));
                    let bend = knee - leg * (knee.dot(&leg) / leg.norm_squared().max(1e-18));
                    if bend.norm() > MIN_BEND * leg.norm() {
                        bends[usize::from(bend.dot(&front) < 0.0)] += 1;
                    }
                }
            }
        }
        let [forward, backward] = bends;
        let sum = forward + backward;
        let is_most = |count: usize| sum >= MIN_BENDS && count as f64 >= MIN_PART * sum as f64;
        let knees = i32::from(is_most(forward)) - i32::from(is_most(backward));
        let Some(up) = ups.try_normalize(1e-9).filter(|_| knees < 0) else { return [knees, 0] };
        let rest = skeleton.rest_model_pose();
        let leg = |[thigh, shin, foot]: [JointIndex; 3]| {
            let at = |joint: JointIndex| rest[joint.get()].translation;
            (at(shin) - at(thigh)).norm() + (at(foot) - at(shin)).norm()
        };
        let leg_length = self.legs.map(leg).into_iter().fold(0.0, f64::max);
        let feet = self.legs.map(|[.., foot]| foot);
        // Most clips of a game are no walk.
        let walk_of = |clips| Some(walking_direction(skeleton, clips, self.hips, &feet, up, leg_length)?.0);
        let walks = model.clips.chunks(1).take(MAX_WALKS).filter_map(walk_of);
        let walk: i32 = walks.map(|direction| sign_of_cosine(direction, fronts)).sum();
        [knees, walk.signum()]
    }
}

/// Returns the sign of the cosine of the angle between two vectors, 0 if that is small.
fn sign_of_cosine(a: Vector3<f64>, b: Vector3<f64>) -> i32 {
    let cosine = a.try_normalize(1e-9).zip(b.try_normalize(1e-9)).map_or(0.0, |(a, b)| a.dot(&b));
    if cosine.abs() < MIN_COSINE { 0 } else { cosine.signum() as i32 }
}
