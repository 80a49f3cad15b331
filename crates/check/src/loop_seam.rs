//! Loop seam: the discontinuity between the last and the first frame of a clip.

use rigview_core::model::{Clip, JointIndex, Model};
use rigview_core::pose::{Cursor, ModelPose, Pose, sample};

/// The largest differences between the last and the first frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopDiscontinuity {
    /// Local rotation in degrees, with its joint.
    pub degrees: (f64, JointIndex),
    /// Distance in meters in model space, with its joint.
    pub meters: (f64, JointIndex),
}

/// Measures a clip; `None` without joints.
///
/// Root motion counts like any other.
pub fn loop_discontinuity(model: &Model, clip: &Clip) -> Option<LoopDiscontinuity> {
    let skeleton = &model.skeleton;
    let [first, last] = [0.0, f64::from(clip.duration_secs)].map(|time_secs| {
        let mut pose = Pose::rest(skeleton);
        sample(skeleton, clip, time_secs, &mut Cursor::default(), &mut pose);
        let mut model_pose = ModelPose::default();
        model_pose.update(skeleton, &pose);
        (pose, model_pose)
    });
    let mut found: Option<LoopDiscontinuity> = None;
    for joint in (0..skeleton.len() as u32).map(JointIndex) {
        let [before, after] = [&last, &first].map(|(pose, _)| pose.parent_from_joint[joint.get()].rotation);
        let degrees = before.angle_to(&after).to_degrees();
        let [before, after] = [&last, &first].map(|(_, pose)| pose.model_from_joint(joint).translation);
        let meters = (before - after).norm();
        let seam = found.get_or_insert(LoopDiscontinuity { degrees: (degrees, joint), meters: (meters, joint) });
        if degrees > seam.degrees.0 {
            seam.degrees = (degrees, joint);
        }
        if meters > seam.meters.0 {
            seam.meters = (meters, joint);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{UnitQuaternion, Vector3};
    use rigview_core::import::{self, ImageLoading, ImportOptions};
    use rigview_core::math::Transform;
    use rigview_core::model::{Interpolation, Joint, KeyValues, Skeleton, Timeline, Track};

    #[test]
    fn open_rotation_is_reported_with_the_moved_child() {
        let joint = |parent: Option<u32>, x: f64| Joint {
            name: None,
            node: 0,
            parent: parent.map(JointIndex),
            rest: Transform { translation: Vector3::x() * x, ..Transform::identity() },
            exact_rest_matrix: None,
            morph_weights: 0..0,
        };
        let turns = [0.0_f64, 90.0].map(|degrees| {
            let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), degrees.to_radians());
            turn.coords.cast::<f32>()
        });
        let clip = Clip {
            duration_secs: 1.0,
            timelines: vec![Timeline::new([0.0, 1.0])],
            tracks: vec![Track {
                joint: JointIndex(0),
                timeline: 0,
                interpolation: Interpolation::Linear,
                keys: KeyValues::Rotation(turns.into()),
            }],
            ..Clip::default()
        };
        let skeleton = Skeleton::new(vec![joint(None, 0.0), joint(Some(0), 2.0)], Vec::new());
        let seam = loop_discontinuity(&Model { skeleton, ..Model::default() }, &clip).unwrap();
        assert!((seam.degrees.0 - 90.0).abs() < 1e-3 && seam.degrees.1 == JointIndex(0), "{seam:?}");
        assert!((seam.meters.0 - 8.0_f64.sqrt()).abs() < 1e-4 && seam.meters.1 == JointIndex(1), "{seam:?}");
    }

    #[test]
    fn closed_clip_has_no_discontinuity() {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/assets/windmill.glb");
        let options = ImportOptions::default().with_images(ImageLoading::SizesOnly);
        let model = import::open(&file, &options).unwrap().model;
        let turn = model.clips.iter().find(|clip| clip.name.as_deref() == Some("turn")).unwrap();
        let seam = loop_discontinuity(&model, turn).unwrap();
        assert!(seam.degrees.0 < 0.5 && seam.meters.0 < 0.05, "{seam:?}");
    }
}
