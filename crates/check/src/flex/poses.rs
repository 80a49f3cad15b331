//! The poses of the workout: each joint about three axes, by its role, and as in the clips.

use super::mesh::FlexMesh;
use nalgebra::{Unit, UnitQuaternion, Vector3};
use rigview_core::math::Transform;
use rigview_core::model::{JointIndex, KeyValues, Model};
use rigview_core::pose::{ModelPose, PoseOverride};
use rigview_core::retarget::{RigMap, Role};
use rigview_core::util::text::quoted;
use serde::Serialize;

/// Ranges in degrees about the axis of a bend, about the one across, and of a twist about the bone; for joints without a role.
const DEFAULT_RANGES: [f64; 3] = [45.0, 30.0, 30.0];

/// Like [`DEFAULT_RANGES`] for the joints of a body; roles with a side without it. Active ranges of motion of adults (AAOS), where
/// they are below: a joint that holds them is fit for acting.
const RANGES_BY_ROLE: [(&str, [f64; 3]); 17] = [
    ("hips", [30.0, 30.0, 30.0]),
    ("spine", [30.0, 20.0, 20.0]),
    ("chest", [30.0, 20.0, 20.0]),
    ("upperChest", [30.0, 20.0, 20.0]),
    ("neck", [30.0, 25.0, 40.0]),
    ("head", [30.0, 25.0, 50.0]),
    ("jaw", [20.0, 5.0, 0.0]),
    ("Eye", [20.0, 20.0, 0.0]),
    ("Shoulder", [20.0, 20.0, 0.0]),
    ("UpperArm", [70.0, 70.0, 45.0]),
    ("LowerArm", [110.0, 0.0, 70.0]),
    ("Hand", [60.0, 25.0, 40.0]),
    ("UpperLeg", [80.0, 35.0, 30.0]),
    ("LowerLeg", [110.0, 0.0, 10.0]),
    ("Foot", [40.0, 20.0, 15.0]),
    ("Toes", [35.0, 10.0, 0.0]),
    // Fingers.
    ("", [60.0, 10.0, 0.0]),
];

/// Part of the ranges for quadrupeds, whose limbs are inside of the trunk's skin to the elbow and the knee.
const QUADRUPED: f64 = 0.5;

/// Clips that rotate a joint by less, in degrees, add no pose.
const MIN_CLIP_DEGREES: f64 = 20.0;

/// Part of the ranges in poses that combine two axes or two joints.
const COMBINED: f64 = 0.7;

/// One pose of the workout.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FlexPose {
    /// The rotated joints; the others have their rest transforms.
    #[serde(skip)]
    pub joints: PoseOverride,
    /// Description, such as `bent by 110 degrees`; empty for the rest pose.
    #[serde(rename = "pose")]
    pub description: String,
}

/// The poses for the joints of a model.
pub(super) struct Workout<'a> {
    model: &'a Model,
    pub(super) rest: &'a ModelPose,
    ranges: Vec<[f64; 3]>,
    axes: Vec<[Unit<Vector3<f64>>; 3]>,
    /// Per joint, the largest rotation of a clip.
    in_clips: Vec<Option<ClipRotation>>,
}

/// A rotation of a joint in a clip.
#[derive(Clone, Copy)]
struct ClipRotation {
    clip: usize,
    rotation: UnitQuaternion<f64>,
    degrees: f64,
}

impl<'a> Workout<'a> {
    pub(super) fn new(model: &'a Model, rest: &'a ModelPose, mesh: &FlexMesh<'_>) -> Self {
        let map = RigMap::detect(model);
        let mut ranges = vec![DEFAULT_RANGES; model.skeleton.len()];
        let part = if is_quadruped(&map, rest) { QUADRUPED } else { 1.0 };
        for role in Role::all() {
            let Some(mapped) = map.get(role) else { continue };
            let role = role.to_string();
            let name = role.strip_prefix("left").or(role.strip_prefix("right")).unwrap_or(&role);
            let of_role = RANGES_BY_ROLE.iter().find(|(of, _)| *of == name || of.is_empty());
            ranges[mapped.joint.get()] = of_role.map_or(DEFAULT_RANGES, |(_, ranges)| ranges.map(|range| part * range));
        }
        let joints = (0..model.skeleton.len()).map(|i| JointIndex(i as u32));
        let axes = bone_directions(model, rest, mesh).into_iter().zip(joints).map(|(along, joint)| {
            let forward = Vector3::z();
            let bend = along.cross(&forward);
            let bend = if bend.norm() < 0.3 { along.cross(&Vector3::y()) } else { bend };
            let bend = bend_axis(model, rest, joint, &along).unwrap_or_else(|| Unit::new_normalize(bend));
            [bend, Unit::new_normalize(along.cross(&bend)), along]
        });
        Self { model, rest, ranges, axes: axes.collect(), in_clips: clip_rotations(model) }
    }

    /// Returns the poses of a joint. `parent` is a joint above that a pose combines it with.
    pub(super) fn poses(&self, joint: JointIndex, parent: Option<JointIndex>) -> Vec<FlexPose> {
        let ranges = self.ranges[joint.get()];
        let mut poses = Vec::new();
        for (axis, word) in ["bent", "bent sideways", "twisted"].into_iter().enumerate() {
            for degrees in [ranges[axis], -ranges[axis]].into_iter().filter(|degrees| *degrees != 0.0) {
                let joints = self.rotated(&[(joint, axis, degrees)]);
                poses.push(FlexPose { joints, description: format!("{word} by {degrees:.0} degrees") });
            }
        }
        let combined = |axis: usize| COMBINED * ranges[axis];
        let across = if ranges[1] > 0.0 { 1 } else { 2 };
        for sign in [1.0, -1.0] {
            let joints = self.rotated(&[(joint, 0, combined(0)), (joint, across, sign * combined(across))]);
            let word = if across == 1 { "sideways" } else { "twisted" };
            let description = format!("bent by {:.0} degrees, {word} by {:.0}", combined(0), sign * combined(across));
            poses.push(FlexPose { joints, description });
        }
        if let Some(parent) = parent {
            let degrees = COMBINED * self.ranges[parent.get()][0];
            let joints = self.rotated(&[(parent, 0, degrees), (joint, 0, combined(0))]);
            let name = quoted(&self.model.skeleton.unambiguous_name(parent));
            let description = format!("bent by {:.0} degrees, {name} by {degrees:.0}", combined(0));
            poses.push(FlexPose { joints, description });
        }
        if let Some(ClipRotation { clip, rotation, degrees }) = self.in_clips[joint.get()] {
            let mut joints = PoseOverride::new();
            joints.set(joint, Transform { rotation, ..self.model.skeleton.joint(joint).rest });
            let name = self.model.clips[clip].name.as_deref().map_or_else(|| format!("clip {clip}"), quoted);
            poses.push(FlexPose { joints, description: format!("rotated by {degrees:.0} degrees in {name}") });
        }
        poses
    }

    /// Rotates joints by degrees about their axes in model space, the first rotation first.
    fn rotated(&self, rotations: &[(JointIndex, usize, f64)]) -> PoseOverride {
        let mut pose = PoseOverride::new();
        for (joint, axis, degrees) in rotations {
            let rest = self.model.skeleton.joint(*joint).rest;
            let current = pose.get(*joint).copied().unwrap_or(rest);
            let parent = self.model.skeleton.joint(*joint).parent;
            let model_from_parent = parent.map_or_else(UnitQuaternion::identity, |parent| {
                self.rest.model_from_joint(parent).to_transform().rotation
            });
            let turn = UnitQuaternion::from_axis_angle(&self.axes[joint.get()][*axis], degrees.to_radians());
            let rotation = model_from_parent.inverse() * turn * model_from_parent * current.rotation;
            pose.set(*joint, Transform { rotation, ..current });
        }
        pose
    }
}

/// Returns the direction of each joint's bone: to its children, else to the area that follows it, else away from its parent.
fn bone_directions(model: &Model, rest: &ModelPose, mesh: &FlexMesh<'_>) -> Vec<Unit<Vector3<f64>>> {
    let joints = model.skeleton.joints();
    let position = |i: usize| rest.model_from_joint(JointIndex(i as u32)).translation;
    let mut to_children = vec![Vector3::zeros(); joints.len()];
    for (i, joint) in joints.iter().enumerate() {
        if let Some(parent) = joint.parent {
            to_children[parent.get()] += position(i) - position(parent.get());
        }
    }
    let direction = |i: usize| {
        let to_area = mesh.moments[i] / mesh.areas[i] - position(i);
        let from_parent = joints[i].parent.map_or_else(Vector3::y, |parent| position(i) - position(parent.get()));
        let usable = |v: &Vector3<f64>| v.norm() > 1e-9 && v.iter().all(|x| x.is_finite());
        let found = [to_children[i], to_area, from_parent].into_iter().find(usable);
        Unit::new_normalize(found.unwrap_or_else(Vector3::y))
    };
    (0..joints.len()).map(direction).collect()
}

/// Returns `true` if the legs are across the spine at rest, whatever the axis of the file is.
fn is_quadruped(map: &RigMap, rest: &ModelPose) -> bool {
    let position = |name| Some(rest.model_from_joint(map.get(Role::from_name(name)?)?.joint).translation);
    let direction = |from, to| (position(to)? - position(from)?).try_normalize(1e-9);
    let (spine, leg) = (direction("hips", "head"), direction("leftUpperLeg", "leftLowerLeg"));
    spine.zip(leg).is_some_and(|(spine, leg)| spine.dot(&leg).abs() < 0.6)
}

/// Returns the axis about which a joint is bent at rest, such as a knee; `None` for a straight one.
fn bend_axis(model: &Model, rest: &ModelPose, joint: JointIndex, along: &Vector3<f64>) -> Option<Unit<Vector3<f64>>> {
    let position = |joint| rest.model_from_joint(joint).translation;
    let above = position(joint) - position(model.skeleton.joint(joint).parent?);
    let axis = above.try_normalize(1e-9)?.cross(along);
    // Below 10 degrees the plane of the bend depends on the modeling.
    (0.17..0.9).contains(&axis.norm()).then(|| Unit::new_normalize(axis))
}

/// Returns the rotation farthest from the rest pose of each joint, over the keys of all clips.
fn clip_rotations(model: &Model) -> Vec<Option<ClipRotation>> {
    let mut largest: Vec<Option<ClipRotation>> = vec![None; model.skeleton.len()];
    for (clip, track) in model.clips.iter().enumerate().flat_map(|(i, clip)| clip.tracks.iter().map(move |t| (i, t))) {
        let KeyValues::Rotation(values) = &track.keys else { continue };
        let rest = model.skeleton.joint(track.joint).rest.rotation;
        let stride = track.interpolation.values_per_key();
        for value in values.iter().skip(stride / 2).step_by(stride) {
            let [x, y, z, w] = value.cast::<f64>().into();
            let Some(rotation) = UnitQuaternion::try_new(nalgebra::Quaternion::new(w, x, y, z), 1e-9) else { continue };
            let degrees = rest.angle_to(&rotation).to_degrees();
            let most = largest[track.joint.get()].map_or(MIN_CLIP_DEGREES, |found| found.degrees);
            if degrees > most {
                largest[track.joint.get()] = Some(ClipRotation { clip, rotation, degrees });
            }
        }
    }
    largest
}
