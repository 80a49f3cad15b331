//! What a person does, and what it means: pure tables from inputs to actions.

use super::action::Action;
use super::commands;
use super::keymap::{Key, Modifiers};
use crate::app::viewer::state::Navigation;
#[cfg(test)]
use crate::app::viewer::state::ViewportOverlay;
use crate::request::is_model_file;
use std::path::{Path, PathBuf};

/// Something that a person did in the window, as plain data.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Input {
    /// A key went down, or is held down and repeats.
    Key {
        /// The key.
        key: Key,
        /// Keys held with it.
        held: Modifiers,
        /// Whether it has been down before.
        repeats: bool,
    },
    /// The pointer moved while buttons were down, by shares of the window's height, right and up.
    Drag {
        /// The buttons.
        buttons: Buttons,
        /// Keys held with it.
        held: Modifiers,
        /// To the right.
        right: f64,
        /// Upwards.
        up: f64,
    },
    /// A wheel turned by notches, or parts of them.
    ///
    /// On X11 two fingers on a touchpad come as this too, and nothing tells them from a fine wheel.
    Wheel {
        /// Keys held with it.
        held: Modifiers,
        /// To the left: what is on screen goes right, in notches.
        right: f64,
        /// Away from the person: what is on screen goes down, in notches.
        up: f64,
    },
    /// Two fingers moved on a touchpad, by shares of the window's height, right and up.
    Swipe {
        /// Keys held with it.
        held: Modifiers,
        /// To the right.
        right: f64,
        /// Upwards.
        up: f64,
    },
    /// Two fingers moved apart on a touchpad (above 0) or together.
    Pinch(f64),
    /// The main button went down and up again at one place of the view: shares of its width from the left and of its height
    /// from the top.
    Click([f64; 2]),
    /// A file was dropped on the window.
    Drop(PathBuf),
    /// The window is asked to close.
    Close,
}

/// Pointer buttons held down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Buttons {
    /// The main one.
    pub left: bool,
    /// The wheel as a button.
    pub middle: bool,
    /// The other one.
    pub right: bool,
}

/// Radians that a drag over the window's height turns.
const TURN_PER_HEIGHT: f64 = std::f64::consts::PI;

/// Zoom steps of a drag or swipe over the window's height.
const ZOOM_PER_HEIGHT: f64 = 20.0;

/// Shares of the window's height that a notch of the wheel pans.
const PAN_PER_NOTCH: f64 = 0.05;

/// Shares of the window's height that a notch turns where it stands for two fingers.
const TURN_PER_NOTCH: f64 = 0.04;

/// Zoom steps of a pinch that doubles the distance of the fingers.
const ZOOM_PER_PINCH: f64 = 8.0;

/// What `input` means; `None` for nothing.
///
/// The pointer follows the program whose navigation is chosen. For hands without a middle button the left one always turns.
pub(crate) fn action(input: Input, navigation: Navigation) -> Option<Action> {
    use Navigation::{Maya, Trackpad};
    Some(match input {
        Input::Close => Action::Quit,
        Input::Click(place) => Action::Pick(place),
        Input::Drop(file) => Action::Open(file),
        // On X11 two fingers come as a wheel.
        Input::Wheel { held: held @ Modifiers { control: false, shift: false }, right, up }
            if navigation == Trackpad =>
        {
            moved(held, right * TURN_PER_NOTCH, -up * TURN_PER_NOTCH)
        }
        Input::Wheel { held: Modifiers { shift: true, .. }, right, up } => {
            pan(right * PAN_PER_NOTCH, -up * PAN_PER_NOTCH)
        }
        Input::Wheel { up: 0.0, .. } => return None,
        Input::Wheel { up, .. } => Action::Zoom(up),
        Input::Pinch(share) => Action::Zoom(share * ZOOM_PER_PINCH),
        Input::Swipe { held, right, up } => moved(held, right, up),
        Input::Drag { buttons: Buttons { right: true, .. }, right, up, .. } if navigation == Maya => {
            Action::Zoom((right + up) * ZOOM_PER_HEIGHT)
        }
        Input::Drag { buttons: Buttons { middle: true, .. }, right, up, .. } if navigation == Maya => pan(right, up),
        Input::Drag { buttons: Buttons { right: true, .. }, right, up, .. } => pan(right, up),
        Input::Drag { buttons: Buttons { left: true, .. } | Buttons { middle: true, .. }, held, right, up } => {
            moved(held, right, up)
        }
        Input::Drag { .. } => return None,
        // Who holds the space bar does not want the model to stutter.
        Input::Key { key: Key::Space, repeats: true, .. } => return None,
        Input::Key { key, held, .. } => return commands::of_key(key, held),
    })
}

/// Whether `file` is to be opened rather than `other` when both are dropped at once.
///
/// The later one is, but a model goes before the pictures and buffers that lie in the same folder.
pub(crate) fn better_to_open(file: &Path, other: &Path) -> bool {
    is_model_file(file) || !is_model_file(other)
}

/// The model follows the hand: what is in front moves along with it.
fn moved(held: Modifiers, right: f64, up: f64) -> Action {
    match held {
        Modifiers { shift: true, .. } => pan(right, up),
        Modifiers { control: true, .. } => Action::Zoom(up * ZOOM_PER_HEIGHT),
        _ => Action::Orbit { right: -right * TURN_PER_HEIGHT, up: -up * TURN_PER_HEIGHT },
    }
}

fn pan(right: f64, up: f64) -> Action {
    Action::Pan { right: -right, up: -up }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(input: Input) -> Option<Action> {
        super::action(input, Navigation::Blender)
    }

    const NONE: Modifiers = Modifiers { shift: false, control: false };
    const SHIFT: Modifiers = Modifiers { shift: true, control: false };
    const CONTROL: Modifiers = Modifiers { shift: false, control: true };

    #[test]
    fn keys_do_what_the_help_says() {
        for (key, held, expected) in [
            (Key::Space, NONE, Some(Action::TogglePlay)),
            (Key::Right, NONE, Some(Action::StepFrames(1))),
            (Key::Left, NONE, Some(Action::StepFrames(-1))),
            (Key::Right, SHIFT, Some(Action::StepFrames(10))),
            (Key::Down, NONE, Some(Action::StepClip(1))),
            (Key::Letter('f'), NONE, Some(Action::FrameModel)),
            (Key::Letter('r'), NONE, Some(Action::Reset)),
            (Key::Escape, NONE, Some(Action::Cancel)),
            (Key::Tab, NONE, Some(Action::TogglePanels)),
            (Key::Right, CONTROL, Some(Action::StepKeys(1))),
            (Key::Letter('o'), CONTROL, Some(Action::OpenFileDialog)),
            (Key::Letter('o'), NONE, Some(Action::ToggleOverlay(ViewportOverlay::Ghosts))),
            (Key::Letter('o'), SHIFT, None),
            (Key::Letter('z'), NONE, None),
        ] {
            assert_eq!(action(Input::Key { key, held, repeats: false }), expected, "{key:?} {held:?}");
        }
    }

    #[test]
    fn held_keys_step_on_but_do_not_stutter() {
        let held_down = |key| action(Input::Key { key, held: NONE, repeats: true });
        assert_eq!(held_down(Key::Right), Some(Action::StepFrames(1)));
        assert_eq!(held_down(Key::Space), None);
    }

    #[test]
    fn the_wheel_zooms_and_with_shift_pans() {
        let wheel = |held, right, up| action(Input::Wheel { held, right, up });
        assert_eq!(wheel(NONE, 0.0, 2.0), Some(Action::Zoom(2.0)));
        assert_eq!(wheel(NONE, 0.5, -0.25), Some(Action::Zoom(-0.25)), "parts of a notch count");
        assert_eq!(wheel(CONTROL, 0.0, 1.0), Some(Action::Zoom(1.0)));
        assert_eq!(wheel(NONE, 1.0, 0.0), None);
        let up = Action::Pan { right: 0.0, up: PAN_PER_NOTCH };
        assert_eq!(wheel(SHIFT, 0.0, 1.0), Some(up), "the view goes up, as a page scrolls");
    }

    #[test]
    fn the_pointer_turns_pans_and_zooms() {
        let drag = |left, middle, right, held| {
            action(Input::Drag { buttons: Buttons { left, middle, right }, held, right: 0.5, up: 0.25 })
        };
        let turn = Some(Action::Orbit { right: -0.5 * TURN_PER_HEIGHT, up: -0.25 * TURN_PER_HEIGHT });
        let pan = Some(Action::Pan { right: -0.5, up: -0.25 });
        assert_eq!(drag(true, false, false, NONE), turn);
        assert_eq!(drag(false, true, false, NONE), turn);
        assert_eq!(drag(false, false, true, NONE), pan);
        assert_eq!(drag(true, false, false, SHIFT), pan);
        assert_eq!(drag(false, true, false, CONTROL), Some(Action::Zoom(0.25 * ZOOM_PER_HEIGHT)));
        assert_eq!(drag(false, false, false, NONE), None);
        assert_eq!(action(Input::Swipe { held: SHIFT, right: 0.5, up: 0.25 }), pan);
    }

    #[test]
    fn dropping_opens_and_closing_quits() {
        assert_eq!(action(Input::Drop("a.glb".into())), Some(Action::Open("a.glb".into())));
        assert_eq!(action(Input::Close), Some(Action::Quit));
    }

    #[test]
    fn of_several_files_the_last_model_is_opened() {
        let better = |file: &str, other: &str| better_to_open(file.as_ref(), other.as_ref());
        assert!(better("b.glb", "a.gltf") && better("a.GLTF", "a.png") && better("b.txt", "a.bin"));
        assert!(!better("a.png", "a.gltf"));
    }
    #[test]
    fn other_programs_hands_find_their_way() {
        let drag = |left, middle, right, navigation| {
            let buttons = Buttons { left, middle, right };
            super::action(Input::Drag { buttons, held: NONE, right: 0.5, up: 0.25 }, navigation)
        };
        let turn = Some(Action::Orbit { right: -0.5 * TURN_PER_HEIGHT, up: -0.25 * TURN_PER_HEIGHT });
        let pan = Some(Action::Pan { right: -0.5, up: -0.25 });
        assert_eq!(drag(true, false, false, Navigation::Maya), turn);
        assert_eq!(drag(false, true, false, Navigation::Maya), pan);
        assert_eq!(drag(false, false, true, Navigation::Maya), Some(Action::Zoom(0.75 * ZOOM_PER_HEIGHT)));
        assert_eq!(drag(false, false, true, Navigation::Trackpad), pan);
        let wheel = |held, navigation| super::action(Input::Wheel { held, right: 0.0, up: 1.0 }, navigation);
        assert_eq!(wheel(NONE, Navigation::Maya), Some(Action::Zoom(1.0)));
        assert!(matches!(wheel(NONE, Navigation::Trackpad), Some(Action::Orbit { up, .. }) if up > 0.0));
        assert!(matches!(wheel(SHIFT, Navigation::Trackpad), Some(Action::Pan { .. })));
        assert_eq!(wheel(CONTROL, Navigation::Trackpad), Some(Action::Zoom(1.0)));
        for (navigation, name) in Navigation::ALL {
            assert_eq!(navigation.bindings_help().len(), 3, "{name}");
        }
    }
}
