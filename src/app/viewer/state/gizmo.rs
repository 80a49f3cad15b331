//! A joint turned by a hand on its rings.

use crate::app::viewer::actions::Action;
use crate::app::viewer::analysis::rotate_gizmo::{Drag, RotateGizmo};
use crate::app::viewer::app::App;
use winit::event::{ElementState, MouseButton, WindowEvent};
use winit::event_loop::ActiveEventLoop;

/// With Control a joint turns by whole steps of so many radians.
const STEP: f64 = std::f64::consts::PI / 36.0;

impl App {
    /// The rings of the selected joint, where they are shown.
    fn rings(&self) -> Option<RotateGizmo> {
        let (document, surface) = (self.document.as_ref()?, self.surface.as_ref()?);
        if self.gizmo_enabled { document.rings(surface.aspect()) } else { None }
    }

    /// Where the pointer is, in heights of the picture.
    fn pointer_place(&self) -> Option<[f64; 2]> {
        let position = self.pointer.position?;
        let [left, top, _, height] = self.surface.as_ref()?.place.map(f64::from);
        Some([(position.x - left) / height, (position.y - top) / height])
    }

    /// Lets a hand take a ring, drag it and let it go; whether the event is nobody else's.
    pub(crate) fn handle_gizmo_event(&mut self, event_loop: &ActiveEventLoop, event: &WindowEvent) -> bool {
        match event {
            WindowEvent::MouseInput { state: ElementState::Pressed, button: MouseButton::Left, .. } => {
                self.gizmo_drag = self.begin_gizmo_drag();
                self.gizmo_drag.is_some()
            }
            WindowEvent::MouseInput { state: ElementState::Released, button: MouseButton::Left, .. } => {
                if self.gizmo_drag.take().is_some() {
                    self.pacer.refresh();
                }
                false
            }
            WindowEvent::CursorMoved { .. } => {
                let step = if self.pointer.held().control { STEP } else { 0.0 };
                let (Some(place), Some(gizmo_drag)) = (self.pointer_place(), &mut self.gizmo_drag) else {
                    return false;
                };
                let (joint, transform) = (gizmo_drag.joint, gizmo_drag.drag.follow(place, step));
                self.act(event_loop, Action::SetJointPose(joint, transform));
                false
            }
            WindowEvent::Focused(false) => {
                self.gizmo_drag = None;
                false
            }
            _ => false,
        }
    }

    fn begin_gizmo_drag(&self) -> Option<GizmoDrag> {
        let (document, surface, position) = (self.document.as_ref()?, self.surface.as_ref()?, self.pointer.position?);
        if !surface.gui.is_over_viewport([position.x, position.y]) {
            return None;
        }
        let joint = document.joint()?;
        let drag = self.rings()?.take(self.pointer_place()?, document.parent_from_joint(joint)?)?;
        Some(GizmoDrag { joint, drag })
    }
}

/// A ring in the hand, and the joint that it turns.
pub(crate) struct GizmoDrag {
    joint: crate::model::JointIndex,
    pub(crate) drag: Drag,
}
