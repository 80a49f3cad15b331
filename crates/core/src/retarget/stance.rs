//! The stance of a quadruped: the directions of its bones while it stands, by the frames of its clips.

use super::rig::Rig;
use super::role::{BodyPart, Role, Side};
use crate::math::Affine;
use crate::model::JointIndex;
use nalgebra::{UnitQuaternion, Vector3};
use std::collections::HashMap;

/// Largest height of a foot above its lowest position while it carries the body, relative to the length of a leg.
const MAX_HEIGHT: f64 = 0.1;

/// The joints of a hind leg and a front leg. The last bone of a front leg ends at the only child of its joint.
const LIMBS: [[BodyPart; 4]; 2] = [
    [BodyPart::UpperLeg, BodyPart::LowerLeg, BodyPart::Foot, BodyPart::Toes],
    [BodyPart::UpperArm, BodyPart::LowerArm, BodyPart::Hand, BodyPart::Hand],
];

/// Directions of the bones of a leg of a dog, from thigh or upper arm on: to the left, up and to the front.
const USUAL: [[[f64; 3]; 3]; 2] = [
    [[0.0, -0.94, 0.34], [0.0, -0.82, -0.57], [0.0, -0.98, 0.2]],
    [[0.0, -0.93, -0.37], [0.0, -1.0, 0.0], [0.0, -0.8, 0.6]],
];

/// Directions of bones from their joint to the next one: in units of the body, to the left, up and to the front.
pub(super) struct Stance {
    directions: HashMap<JointIndex, Vector3<f64>>,
}

impl Stance {
    /// Returns the mean directions over `frames`: those of both sides are mirrored, and those of a leg are of the frames in which its
    /// foot is on the ground. Without frames, the legs are those of a dog, and the trunk is level. `body` returns the rotation from left,
    /// up and front of the body of a frame to the model.
    pub(super) fn new(rig: &Rig<'_>, frames: &[&[Affine]], body: impl Fn(&[Affine]) -> UnitQuaternion<f64>) -> Self {
        let mut sums: HashMap<JointIndex, Vector3<f64>> = HashMap::new();
        let bases: Vec<UnitQuaternion<f64>> = frames.iter().map(|pose| body(pose)).collect();
        let mut add = |bone: Bone, pose: &[Affine], from_model: UnitQuaternion<f64>| {
            let way = pose[bone.end.get()].translation - pose[bone.joint.get()].translation;
            let Some(way) = (from_model * way).try_normalize(1e-12) else { return };
            *sums.entry(bone.joint).or_default() += way;
            if let Some(mirrored) = bone.mirrored {
                *sums.entry(mirrored).or_default() += Vector3::new(-way.x, way.y, way.z);
            }
        };
        for bone in trunk(rig) {
            frames.iter().zip(&bases).for_each(|(pose, basis)| add(bone, pose, basis.inverse()));
        }
        for (limb, side) in LIMBS.iter().flat_map(|limb| Side::BOTH.map(|side| (limb, side))) {
            let bones: Vec<Bone> = limb_bones(rig, limb, side).collect();
            let Some(foot) = bones.last().map(|bone| bone.end.get()) else { continue };
            let height = |(pose, basis): (&&[Affine], &UnitQuaternion<f64>)| {
                pose[foot].translation.dot(&(*basis * Vector3::y()))
            };
            let lowest = frames.iter().zip(&bases).map(height).fold(f64::INFINITY, f64::min);
            for (pose, basis) in frames.iter().zip(&bases) {
                if height((pose, basis)) - lowest <= MAX_HEIGHT * rig.leg_length {
                    bones.iter().for_each(|bone| add(*bone, pose, basis.inverse()));
                }
            }
        }
        let mut directions: HashMap<JointIndex, Vector3<f64>> = HashMap::new();
        for (limb, usual) in LIMBS.iter().zip(USUAL) {
            for side in Side::BOTH {
                let usual = usual.into_iter().map(Vector3::from);
                directions.extend(limb_bones(rig, limb, side).map(|bone| bone.joint).zip(usual));
            }
        }
        for bone in trunk(rig) {
            directions.insert(bone.joint, Vector3::z());
        }
        // A trunk does not bend to a side.
        let is_trunk = |joint: &JointIndex| trunk(rig).any(|bone| bone.joint == *joint);
        let flat = |(joint, sum): (JointIndex, Vector3<f64>)| {
            let sum = if is_trunk(&joint) { Vector3::new(0.0, sum.y, sum.z) } else { sum };
            Some((joint, sum.try_normalize(1e-9)?))
        };
        directions.extend(sums.into_iter().filter_map(flat));
        Self { directions }
    }

    /// Returns the direction of the bone of a joint in units of the body, if it has one.
    pub(super) fn direction(&self, joint: JointIndex) -> Option<Vector3<f64>> {
        self.directions.get(&joint).copied()
    }
}

/// A bone, and the joint of the same bone on the other side.
#[derive(Clone, Copy)]
pub(super) struct Bone {
    pub(super) joint: JointIndex,
    pub(super) end: JointIndex,
    mirrored: Option<JointIndex>,
}

/// Returns the bones of hips, spine and neck, up to the head.
pub(super) fn trunk<'a>(rig: &'a Rig<'_>) -> impl Iterator<Item = Bone> + 'a {
    let after = [Role::NECK, Role::HEAD].into_iter().filter_map(|role| rig.map.joint(role));
    let joints = std::iter::once(rig.hips).chain(rig.spine.iter().copied()).chain(after);
    let joints: Vec<JointIndex> = joints.collect();
    (1..joints.len()).map(move |i| Bone { joint: joints[i - 1], end: joints[i], mirrored: None })
}

/// Returns the bones of all legs.
pub(super) fn legs<'a>(rig: &'a Rig<'_>) -> impl Iterator<Item = Bone> + 'a {
    LIMBS.iter().flat_map(move |limb| Side::BOTH.into_iter().flat_map(move |side| limb_bones(rig, limb, side)))
}

fn limb_bones<'a>(rig: &'a Rig<'_>, limb: &'a [BodyPart; 4], side: Side) -> impl Iterator<Item = Bone> + 'a {
    let joint = move |i: usize, side| rig.map.joint(Role::sided(limb[i], side));
    let other = if side == Side::Left { Side::Right } else { Side::Left };
    (0..3).filter_map(move |i| {
        let start = joint(i, side)?;
        let end = joint(i + 1, side).filter(|end| *end != start).or_else(|| rig.tip(start))?;
        Some(Bone { joint: start, end, mirrored: joint(i, other) })
    })
}
