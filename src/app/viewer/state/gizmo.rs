//! Rotate gizmo of the selected joint.

use super::document::Document;
use crate::app::viewer::analysis::rotate_gizmo::Drag;
use rigview_core::math::Transform;
use rigview_core::model::JointIndex;

/// Rotation step with Ctrl, in radians: 5 degrees.
const SNAP_STEP: f64 = std::f64::consts::PI / 36.0;

#[derive(Default)]
pub(crate) struct GizmoState {
    pub(crate) enabled: bool,
    pub(crate) drag: Option<GizmoDrag>,
}

/// A drag of one ring.
pub(crate) struct GizmoDrag {
    joint: JointIndex,
    pub(crate) drag: Drag,
}

impl GizmoState {
    /// Starts a drag of the ring at `position` (in viewport heights from the top left corner). Returns `true` if there is one.
    pub(crate) fn begin_drag(&mut self, document: &Document, position: [f64; 2], aspect: f64) -> bool {
        let begin = || {
            let joint = document.joint()?;
            let drag = document.rotate_gizmo(aspect)?.begin_drag(position, document.parent_from_joint(joint)?)?;
            Some(GizmoDrag { joint, drag })
        };
        self.drag = if self.enabled { begin() } else { None };
        self.drag.is_some()
    }

    /// Continues the drag. Returns the joint and its new `parent_from_joint`.
    pub(crate) fn drag_to(&mut self, position: [f64; 2], snap: bool) -> Option<(JointIndex, Transform)> {
        let GizmoDrag { joint, drag } = self.drag.as_mut()?;
        Some((*joint, drag.drag_to(position, if snap { SNAP_STEP } else { 0.0 })))
    }
}
