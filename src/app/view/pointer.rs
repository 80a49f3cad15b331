//! From the window system's events to the viewer's own words.

use crate::app::input::{Buttons, Held, Input, Key};
use winit::dpi::PhysicalPosition;
use winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use winit::keyboard::{Key as WinitKey, ModifiersState, NamedKey};

/// What the pointer is doing.
#[derive(Default)]
pub(super) struct Pointer {
    position: Option<PhysicalPosition<f64>>,
    buttons: Buttons,
    held: Held,
}

impl Pointer {
    /// What a window event says in the viewer's own words; `None` for what it does not care about.
    pub(super) fn input(&mut self, event: &WindowEvent, height: f64) -> Option<Input> {
        match event {
            WindowEvent::CloseRequested => Some(Input::Close),
            WindowEvent::DroppedFile(file) => Some(Input::Drop(file.clone())),
            WindowEvent::KeyboardInput { event, .. } if event.state == ElementState::Pressed => {
                Some(Input::Key { key: key(&event.logical_key)?, held: self.held, repeats: event.repeat })
            }
            WindowEvent::ModifiersChanged(modifiers) => {
                let state = modifiers.state();
                let control = ModifiersState::CONTROL | ModifiersState::SUPER;
                self.held = Held { shift: state.shift_key(), control: state.intersects(control) };
                None
            }
            WindowEvent::MouseInput { state, button, .. } => {
                let down = *state == ElementState::Pressed;
                match button {
                    MouseButton::Left => self.buttons.left = down,
                    MouseButton::Middle => self.buttons.middle = down,
                    MouseButton::Right => self.buttons.right = down,
                    _ => {}
                }
                None
            }
            WindowEvent::Focused(false) => {
                (self.buttons, self.held) = (Buttons::default(), Held::default());
                None
            }
            WindowEvent::CursorMoved { position, .. } => {
                let before = self.position.replace(*position)?;
                (self.buttons != Buttons::default()).then(|| Input::Drag {
                    buttons: self.buttons,
                    held: self.held,
                    right: (position.x - before.x) / height,
                    up: (before.y - position.y) / height,
                })
            }
            WindowEvent::MouseWheel { delta: MouseScrollDelta::LineDelta(right, up), .. } => {
                Some(Input::Wheel { held: self.held, right: f64::from(*right), up: f64::from(*up) })
            }
            WindowEvent::MouseWheel { delta: MouseScrollDelta::PixelDelta(delta), .. } => {
                Some(Input::Swipe { held: self.held, right: delta.x / height, up: -delta.y / height })
            }
            WindowEvent::PinchGesture { delta, .. } => Some(Input::Pinch(*delta)),
            _ => None,
        }
    }
}

/// The viewer's name of a key.
fn key(key: &WinitKey) -> Option<Key> {
    Some(match key {
        WinitKey::Named(NamedKey::Space) => Key::Space,
        WinitKey::Named(NamedKey::ArrowLeft) => Key::Left,
        WinitKey::Named(NamedKey::ArrowRight) => Key::Right,
        WinitKey::Named(NamedKey::ArrowUp) => Key::Up,
        WinitKey::Named(NamedKey::ArrowDown) => Key::Down,
        WinitKey::Named(NamedKey::Escape) => Key::Escape,
        WinitKey::Character(text) => Key::Letter(text.chars().next()?.to_ascii_lowercase()),
        _ => return None,
    })
}
