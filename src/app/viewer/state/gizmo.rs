//! Gizmo of the selected joint: rings rotate it, grips move the end of a limb, and turn its elbow or knee.

use super::document::Document;
use rigview_core::ik::Limb;
use rigview_core::math::Transform;
use rigview_core::model::{InstanceIndex, JointIndex};
use rigview_core::pose::{ModelPose, Pose};
use rigview_render::scene::{RotateDrag, RotateGizmo};

/// Rotation step with Ctrl, in radians: 5 degrees.
const SNAP_STEP: f64 = std::f64::consts::PI / 36.0;

#[derive(Default)]
pub(crate) struct GizmoState {
    pub(crate) enabled: bool,
    pub(crate) drag: Option<GizmoDrag>,
}

pub(crate) enum GizmoDrag {
    /// A ring of the joint is dragged.
    Ring(JointIndex, RotateDrag),
    Center(LimbDrag),
}

pub(crate) struct LimbDrag {
    limb: Limb,
    gizmo: RotateGizmo,
    /// In viewport heights from the top left corner.
    start: [f64; 2],
    /// Elbow or knee is dragged, and the end stays.
    moves_middle: bool,
    /// The pose at the start.
    pose: Pose,
}

impl GizmoState {
    /// Starts a drag at `position` (in viewport heights from the top left corner). Returns `true` if the gizmo is there.
    pub(crate) fn begin_drag(&mut self, document: &Document, position: [f64; 2], aspect: f64) -> bool {
        let begin = || {
            let (joint, gizmo) = (document.joint()?, document.rotate_gizmo(aspect)?);
            for (limb, gizmo, moves_middle) in document.limb_grips(aspect) {
                if gizmo.hits_center(position) {
                    let (pose, _) = document.scene.first_pose(document.clock_secs());
                    return Some(GizmoDrag::Center(LimbDrag { limb, gizmo, start: position, moves_middle, pose }));
                }
            }
            Some(GizmoDrag::Ring(joint, gizmo.begin_drag(position, document.parent_from_joint(joint)?)?))
        };
        self.drag = if self.enabled { begin() } else { None };
        self.drag.is_some()
    }

    /// Continues the drag. Returns the dragged joint, and the new `parent_from_joint` of the joints that move.
    pub(crate) fn drag_to(
        &mut self,
        document: &Document,
        position: [f64; 2],
        snap: bool,
    ) -> Option<(JointIndex, Vec<(JointIndex, Transform)>)> {
        match self.drag.as_mut()? {
            GizmoDrag::Ring(joint, drag) => {
                Some((*joint, vec![(*joint, drag.drag_to(position, if snap { SNAP_STEP } else { 0.0 }))]))
            }
            GizmoDrag::Center(LimbDrag { limb, gizmo, start, moves_middle, pose }) => {
                let model_from_world = document.scene.crowd.placement(InstanceIndex(0)).inverse()?;
                let movement = model_from_world.transform_vector(gizmo.movement(*start, position)?);
                let skeleton = &document.scene.model().skeleton;
                let mut posed = ModelPose::default();
                posed.update(skeleton, pose);
                let [middle, end] = [limb.lower, limb.end].map(|joint| posed.model_from_joint(joint).translation);
                let joints = match moves_middle {
                    true => limb.reach(skeleton, pose, end, Some(middle + movement))?,
                    false => limb.reach(skeleton, pose, end + movement, None)?,
                };
                Some((limb.end, joints))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::scene::selection::Selection;
    use crate::app::scene::tests::shipped_scene;
    use crate::request::SceneRequest;

    #[test]
    fn center_of_a_hand_follows_the_pointer_with_its_arm() {
        let request = SceneRequest { clip: Some("none".to_owned()), ..SceneRequest::default() };
        let mut document = Document::new(shipped_scene("mannequin.glb", &request), &request, 24.0, 1.0);
        let hand = document.scene.model().skeleton.find("leftHand").unwrap();
        let center = |document: &Document| document.rotate_gizmo(1.0).unwrap().center().unwrap();
        document.select(Some(Selection::Joint(hand)));
        let [x, y] = center(&document);
        let mut gizmo = GizmoState::default();
        assert!(!gizmo.begin_drag(&document, [x, y], 1.0), "the gizmo is off");
        gizmo.enabled = true;
        assert!(gizmo.begin_drag(&document, [x + 0.004, y], 1.0));
        for [right, down] in [[-0.02, -0.05], [-0.03, -0.1]] {
            let (joint, transforms) = gizmo.drag_to(&document, [x + 0.004 + right, y + down], false).unwrap();
            assert!(joint == hand && transforms.len() >= 2, "upper and lower arm");
            document
                .edit_overrides(|overrides| transforms.into_iter().for_each(|(joint, to)| overrides.set(joint, to)))
                .unwrap();
            let now = center(&document);
            assert!((now[0] - x - right).hypot(now[1] - y - down) < 1e-4, "{now:?}");
        }
        // The elbow is a grip, too, and the hand stays.
        let elbow = |document: &Document| document.limb_grips(1.0)[1].1.center().unwrap();
        let ([x, y], before) = (elbow(&document), center(&document));
        assert!(gizmo.begin_drag(&document, [x, y], 1.0));
        let (joint, transforms) = gizmo.drag_to(&document, [x - 0.05, y - 0.05], false).unwrap();
        assert_eq!(joint, hand);
        document
            .edit_overrides(|overrides| transforms.into_iter().for_each(|(joint, to)| overrides.set(joint, to)))
            .unwrap();
        let (moved, after) = (elbow(&document), center(&document));
        assert!((moved[0] - x).hypot(moved[1] - y) > 0.01, "{moved:?}");
        assert!((after[0] - before[0]).hypot(after[1] - before[1]) < 1e-4, "{after:?}");
        // The hips end no limb: their center is no grip.
        document.select(Some(Selection::Joint(document.scene.model().skeleton.find("hips").unwrap())));
        assert!(!gizmo.begin_drag(&document, center(&document), 1.0));
    }
}
