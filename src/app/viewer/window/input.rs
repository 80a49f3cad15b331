//! Translates winit events into [`Input`].

use crate::app::viewer::actions::{Buttons, Input, Key, Modifiers};
use std::time::{Duration, Instant};
use winit::dpi::PhysicalPosition;
use winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use winit::keyboard::{Key as WinitKey, KeyCode, ModifiersState, NamedKey, PhysicalKey};

/// Pointer motion up to this distance still counts as a click, in logical pixels per axis.
const MAX_CLICK_DISTANCE: f64 = 3.0;

/// A position in the window in viewport heights from the top left corner of the viewport.
pub(crate) fn position_in_heights(position: PhysicalPosition<f64>, viewport_rect: [u32; 4]) -> [f64; 2] {
    let [left, top, _, height] = viewport_rect.map(f64::from);
    [(position.x - left) / height, (position.y - top) / height]
}

/// Maximum time between the clicks of a double click.
const DOUBLE_CLICK_TIME: Duration = Duration::from_millis(400);

/// State of the pointer, its buttons and the modifier keys.
#[derive(Default)]
pub(crate) struct InputState {
    pub(crate) position: Option<PhysicalPosition<f64>>,
    /// Position of the left button press.
    pressed_at: Option<PhysicalPosition<f64>>,
    /// Time and position of the last click.
    clicked: Option<(Instant, PhysicalPosition<f64>)>,
    buttons: Buttons,
    pub(crate) modifiers: Modifiers,
}

impl InputState {
    /// Translates an event; `None` for unused ones.
    ///
    /// - `scale_factor`: pixels of the window per logical pixel.
    /// - `pane`: the viewport or the pane under the pointer, `[left, top, width, height]` in pixels.
    /// - `is_over`: `false` where a panel covers the viewport; gestures that begin there are ignored.
    pub(crate) fn translate(
        &mut self,
        event: &WindowEvent,
        scale_factor: f64,
        pane: [u32; 4],
        is_over: impl Fn([f64; 2]) -> bool,
    ) -> Option<Input> {
        let [left, top, width, height] = pane.map(f64::from);
        let over = || self.position.is_none_or(|position| is_over([position.x, position.y]));
        match event {
            WindowEvent::CloseRequested => Some(Input::Close),
            WindowEvent::DroppedFile(file) => Some(Input::Drop(file.clone())),
            // A key that is down when the window gets the focus, such as Tab of Alt+Tab, is ignored.
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. } if event.state == ElementState::Pressed => {
                let physical = physical_key(event.physical_key);
                let key = key(&event.logical_key).or(physical)?;
                Some(Input::Key { key, physical, modifiers: self.modifiers, repeats: event.repeat })
            }
            WindowEvent::ModifiersChanged(changed) => {
                self.modifiers = modifiers(changed.state(), cfg!(target_os = "macos"));
                None
            }
            WindowEvent::MouseInput { state, button, .. } => {
                let down = *state == ElementState::Pressed && over();
                match button {
                    MouseButton::Left => self.buttons.left = down,
                    MouseButton::Middle => self.buttons.middle = down,
                    MouseButton::Right => self.buttons.right = down,
                    _ => {}
                }
                if *button != MouseButton::Left {
                    self.pressed_at = None;
                    return None;
                }
                if down {
                    self.pressed_at = self.position;
                    return None;
                }
                // Press and release at one position are a click.
                let (from, to) = (self.pressed_at.take()?, self.position?);
                if !is_click(from, to, scale_factor) {
                    return None;
                }
                let position = [(to.x - left) / width, (to.y - top) / height];
                let now = Instant::now();
                let is_double = self
                    .clicked
                    .take()
                    .is_some_and(|(before, at)| now - before < DOUBLE_CLICK_TIME && is_click(at, to, scale_factor));
                if is_double {
                    return Some(Input::DoubleClick(position));
                }
                self.clicked = Some((now, to));
                Some(Input::Click(position))
            }
            WindowEvent::Focused(false) => {
                (self.buttons, self.modifiers) = (Buttons::default(), Modifiers::default());
                self.pressed_at = None;
                None
            }
            WindowEvent::CursorMoved { position, .. } => {
                let before = self.position.replace(*position)?;
                (self.buttons != Buttons::default()).then(|| Input::Drag {
                    buttons: self.buttons,
                    modifiers: self.modifiers,
                    right: (position.x - before.x) / height,
                    up: (before.y - position.y) / height,
                })
            }
            WindowEvent::MouseWheel { .. } | WindowEvent::PinchGesture { .. } if !over() => None,
            WindowEvent::MouseWheel { delta: MouseScrollDelta::LineDelta(right, up), .. } => {
                let center = PhysicalPosition::new(left + 0.5 * width, top + 0.5 * height);
                let pointer = self.position.unwrap_or(center);
                Some(Input::Wheel {
                    modifiers: self.modifiers,
                    position: [(pointer.x - left) / width, (pointer.y - top) / height],
                    right: f64::from(*right),
                    up: f64::from(*up),
                })
            }
            WindowEvent::MouseWheel { delta: MouseScrollDelta::PixelDelta(delta), .. } => {
                Some(Input::Swipe { modifiers: self.modifiers, right: delta.x / height, up: -delta.y / height })
            }
            WindowEvent::PinchGesture { delta, .. } => Some(Input::Pinch(*delta)),
            _ => None,
        }
    }
}

/// Returns `true` if a pointer that moved from `from` to `to`, in pixels, did not leave its place.
fn is_click(from: PhysicalPosition<f64>, to: PhysicalPosition<f64>, scale_factor: f64) -> bool {
    let max_distance = MAX_CLICK_DISTANCE * scale_factor;
    (from.x - to.x).abs() <= max_distance && (from.y - to.y).abs() <= max_distance
}

fn modifiers(state: ModifiersState, is_macos: bool) -> Modifiers {
    let control = ModifiersState::CONTROL | ModifiersState::SUPER;
    Modifiers {
        shift: state.shift_key(),
        control: state.intersects(control),
        alt: state.alt_key(),
        control_and_command: is_macos && state.contains(control),
    }
}

/// The letter, digit or symbol that a key has on a US keyboard, for keyboards with other scripts.
fn physical_key(key: PhysicalKey) -> Option<Key> {
    use KeyCode::*;
    const CODES: [KeyCode; 40] = [
        KeyA, KeyB, KeyC, KeyD, KeyE, KeyF, KeyG, KeyH, KeyI, KeyJ, KeyK, KeyL, KeyM, KeyN, KeyO, KeyP, KeyQ, KeyR,
        KeyS, KeyT, KeyU, KeyV, KeyW, KeyX, KeyY, KeyZ, Digit0, Digit1, Digit2, Digit3, Digit4, Digit5, Digit6, Digit7,
        Digit8, Digit9, Minus, Equal, Backslash, Slash,
    ];
    const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz0123456789-=\\/";
    match key {
        PhysicalKey::Code(BracketLeft) => Some(Key::Character('[')),
        PhysicalKey::Code(BracketRight) => Some(Key::Character(']')),
        PhysicalKey::Code(code) => {
            let index = CODES.iter().position(|other| *other == code)?;
            LETTERS.chars().nth(index).map(Key::Character)
        }
        PhysicalKey::Unidentified(_) => None,
    }
}

fn key(key: &WinitKey) -> Option<Key> {
    use NamedKey::*;
    const FUNCTION_KEYS: [NamedKey; 12] = [F1, F2, F3, F4, F5, F6, F7, F8, F9, F10, F11, F12];
    Some(match key {
        WinitKey::Named(Space) => Key::Space,
        WinitKey::Named(ArrowLeft) => Key::Left,
        WinitKey::Named(ArrowRight) => Key::Right,
        WinitKey::Named(ArrowUp) => Key::Up,
        WinitKey::Named(ArrowDown) => Key::Down,
        WinitKey::Named(Escape) => Key::Escape,
        WinitKey::Named(Tab) => Key::Tab,
        WinitKey::Named(PageUp) => Key::PageUp,
        WinitKey::Named(PageDown) => Key::PageDown,
        WinitKey::Named(Home) => Key::Home,
        WinitKey::Named(End) => Key::End,
        WinitKey::Named(named) => Key::F(1 + FUNCTION_KEYS.iter().position(|key| key == named)? as u8),
        WinitKey::Character(text) => Key::Character(text.chars().next()?.to_ascii_lowercase()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn click_tolerance_is_in_logical_pixels() {
        let moved = |right, down, scale| {
            let (from, to) = (PhysicalPosition::new(10.0, 20.0), PhysicalPosition::new(10.0 + right, 20.0 + down));
            is_click(from, to, scale)
        };
        assert!(moved(3.0, -3.0, 1.0) && !moved(4.0, 0.0, 1.0) && !moved(0.0, -4.0, 1.0));
        assert!(moved(6.0, -6.0, 2.0) && !moved(7.0, 0.0, 2.0) && !moved(0.0, 7.0, 2.0));
    }

    #[test]
    fn control_and_command_are_distinct_on_macos_only_together() {
        let [control, command] = [ModifiersState::CONTROL, ModifiersState::SUPER];
        for is_macos in [false, true] {
            for state in [control, command] {
                let expected = Modifiers { control: true, ..Modifiers::default() };
                assert_eq!(modifiers(state, is_macos), expected);
            }
            assert_eq!(modifiers(control | command, is_macos).control_and_command, is_macos);
        }
    }

    #[test]
    fn physical_keys_have_the_letters_of_a_us_keyboard() {
        let letter = |code| physical_key(PhysicalKey::Code(code));
        assert_eq!(letter(KeyCode::KeyZ), Some(Key::Character('z')));
        assert_eq!(letter(KeyCode::Digit1), Some(Key::Character('1')));
        assert_eq!(letter(KeyCode::Slash), Some(Key::Character('/')));
        assert_eq!(letter(KeyCode::Enter), None);
    }
}
