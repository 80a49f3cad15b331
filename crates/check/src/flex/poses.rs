//! The poses of the range of motion test: each joint as in the clips, and about three axes.

use super::anatomy::{JointMotion, joint_motions};
use super::mesh::FlexMesh;
use nalgebra::UnitQuaternion;
use rigview_core::math::Transform;
use rigview_core::model::{JointIndex, KeyValues, Model};
use rigview_core::pose::{ModelPose, PoseOverride};
use rigview_core::util::text::quoted;
use serde::Serialize;

/// Clips that rotate a joint by less, in degrees, add no pose.
const MIN_CLIP_DEGREES: f64 = 20.0;

/// Part of the ranges in poses that combine two axes or two joints.
const COMBINED: f64 = 0.7;

/// One pose of the range.
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
pub(super) struct RangeOfMotion<'a> {
    model: &'a Model,
    motions: Vec<JointMotion>,
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

impl<'a> RangeOfMotion<'a> {
    pub(super) fn new(model: &'a Model, rest: &ModelPose, mesh: &FlexMesh<'_>) -> Self {
        Self { model, motions: joint_motions(model, rest, mesh), in_clips: clip_rotations(model) }
    }

    /// Returns `true` if the joint has a role in a body.
    pub(super) fn has_role(&self, joint: JointIndex) -> bool {
        self.motions[joint.get()].has_role
    }

    /// Returns the poses of a joint, that of the clips first. `above` is a joint above that a pose combines it with.
    pub(super) fn poses(&self, joint: JointIndex, above: Option<JointIndex>) -> Vec<FlexPose> {
        let mut poses = Vec::new();
        if let Some(ClipRotation { clip, rotation, degrees }) = self.in_clips[joint.get()] {
            let mut joints = PoseOverride::new();
            joints.set(joint, Transform { rotation, ..self.model.skeleton.joint(joint).rest });
            let name = self.model.clips[clip].name.as_deref().map_or_else(|| format!("clip {clip}"), quoted);
            poses.push(FlexPose { joints, description: format!("rotated by {degrees:.0} degrees in {name}") });
        }
        let ranges = self.motions[joint.get()].degrees;
        for (axis, word) in ["bent", "bent sideways", "twisted"].into_iter().enumerate() {
            let [along, against] = ranges[axis];
            for degrees in [along, -against].into_iter().filter(|degrees| degrees.abs() >= 0.5) {
                let joints = self.rotated(&[(joint, axis, degrees)]);
                poses.push(FlexPose { joints, description: format!("{word} by {degrees:.0} degrees") });
            }
        }
        let bend = COMBINED * ranges[0][0];
        let (across, word) = if ranges[1][0] > 0.0 { (1, "sideways") } else { (2, "twisted") };
        for degrees in [COMBINED * ranges[across][0], -COMBINED * ranges[across][1]] {
            let joints = self.rotated(&[(joint, 0, bend), (joint, across, degrees)]);
            poses.push(FlexPose { joints, description: format!("bent by {bend:.0} degrees, {word} by {degrees:.0}") });
        }
        if let Some(above) = above {
            let degrees = COMBINED * self.motions[above.get()].degrees[0][0];
            let joints = self.rotated(&[(above, 0, degrees), (joint, 0, bend)]);
            let name = quoted(&self.model.skeleton.unambiguous_name(above));
            poses.push(FlexPose { joints, description: format!("bent by {bend:.0} degrees, {name} by {degrees:.0}") });
        }
        poses
    }

    /// Rotates joints by degrees about their axes, the first rotation first.
    fn rotated(&self, rotations: &[(JointIndex, usize, f64)]) -> PoseOverride {
        let mut pose = PoseOverride::new();
        for (joint, axis, degrees) in rotations {
            let current = pose.get(*joint).copied().unwrap_or(self.model.skeleton.joint(*joint).rest);
            let turn = UnitQuaternion::from_axis_angle(&self.motions[joint.get()].axes[*axis], degrees.to_radians());
            pose.set(*joint, Transform { rotation: turn * current.rotation, ..current });
        }
        pose
    }
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
