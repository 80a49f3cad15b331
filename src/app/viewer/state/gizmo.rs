//! A joint turned by a hand on its rings.

use crate::app::viewer::actions::Action;
use crate::app::viewer::analysis::rotate_gizmo::{Drag, Rings};
use crate::app::viewer::app::View;
use winit::event::{ElementState, MouseButton, WindowEvent};
use winit::event_loop::ActiveEventLoop;

/// With Control a joint turns by whole steps of so many radians.
const STEP: f64 = std::f64::consts::PI / 36.0;

impl View {
    /// The rings of the selected joint, where they are shown.
    fn rings(&self) -> Option<Rings> {
        let (shown, screen) = (self.shown.as_ref()?, self.screen.as_ref()?);
        if self.with_rings { shown.rings(screen.aspect()) } else { None }
    }

    /// Where the pointer is, in heights of the picture.
    fn pointer_place(&self) -> Option<[f64; 2]> {
        let position = self.pointer.position?;
        let [left, top, _, height] = self.screen.as_ref()?.place.map(f64::from);
        Some([(position.x - left) / height, (position.y - top) / height])
    }

    /// Lets a hand take a ring, drag it and let it go; whether the event is nobody else's.
    pub(crate) fn turn_by_hand(&mut self, event_loop: &ActiveEventLoop, event: &WindowEvent) -> bool {
        match event {
            WindowEvent::MouseInput { state: ElementState::Pressed, button: MouseButton::Left, .. } => {
                self.turning = self.take_ring();
                self.turning.is_some()
            }
            WindowEvent::MouseInput { state: ElementState::Released, button: MouseButton::Left, .. } => {
                if self.turning.take().is_some() {
                    self.clock.refresh();
                }
                false
            }
            WindowEvent::CursorMoved { .. } => {
                let step = if self.pointer.held().control { STEP } else { 0.0 };
                let (Some(place), Some(turning)) = (self.pointer_place(), &mut self.turning) else { return false };
                let (joint, transform) = (turning.joint, turning.drag.follow(place, step));
                self.act(event_loop, Action::PutJoint(joint, transform));
                false
            }
            WindowEvent::Focused(false) => {
                self.turning = None;
                false
            }
            _ => false,
        }
    }

    fn take_ring(&self) -> Option<Turning> {
        let (shown, screen, position) = (self.shown.as_ref()?, self.screen.as_ref()?, self.pointer.position?);
        if !screen.desk.is_over_viewport([position.x, position.y]) {
            return None;
        }
        let joint = shown.joint()?;
        let drag = self.rings()?.take(self.pointer_place()?, shown.parent_from_joint(joint)?)?;
        Some(Turning { joint, drag })
    }
}

/// A ring in the hand, and the joint that it turns.
pub(crate) struct Turning {
    joint: crate::model::JointIndex,
    pub(crate) drag: Drag,
}
