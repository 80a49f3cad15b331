//! Navigation: translates input over the viewport into actions.

use super::action::{Action, CameraAction, FileAction, LightAction, SelectionAction, WindowAction};
use super::commands;
use super::keymap::{Key, Modifiers};
use crate::app::viewer::state::Navigation;
#[cfg(test)]
use crate::request::OverlayRequest;
use crate::request::{is_convertible, is_model_file};
use std::path::{Path, PathBuf};

/// Input of the user as plain data.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Input {
    /// A key press or repeat.
    Key {
        key: Key,
        /// The key at the same place of a US keyboard.
        physical: Option<Key>,
        modifiers: Modifiers,
        repeats: bool,
    },
    /// Pointer motion with pressed buttons, in viewport heights.
    Drag {
        buttons: Buttons,
        modifiers: Modifiers,
        right: f64,
        up: f64,
    },
    /// Wheel motion in notches, possibly fractional.
    ///
    /// X11 reports two-finger scrolling on a touchpad as this, too.
    Wheel {
        modifiers: Modifiers,
        /// In fractions of the viewport from the top left corner.
        position: [f64; 2],
        /// The content moves to the right.
        right: f64,
        /// The content moves down.
        up: f64,
    },
    /// Two-finger scrolling on a touchpad, in viewport heights.
    Swipe {
        modifiers: Modifiers,
        right: f64,
        up: f64,
    },
    /// Pinch gesture: positive when the fingers move apart.
    Pinch(f64),
    /// Left click, in fractions of the viewport from the top left corner.
    Click([f64; 2]),
    /// Second left click at one position, in fractions of the viewport from the top left corner.
    DoubleClick([f64; 2]),
    Drop(PathBuf),
    /// A request to close the window.
    Close,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Buttons {
    pub left: bool,
    pub middle: bool,
    pub right: bool,
}

/// Radians per drag over the viewport height.
const ORBIT_PER_HEIGHT: f64 = std::f64::consts::PI;

/// Rotation of the environment per drag over the viewport height.
const ROTATION_DEGREES_PER_HEIGHT: f64 = 180.0;

/// Zoom steps per drag over the viewport height.
const ZOOM_PER_HEIGHT: f64 = 20.0;

/// Pan in viewport heights per notch of the wheel.
const PAN_PER_NOTCH: f64 = 0.05;

/// Orbit in viewport heights per notch, where the wheel stands for two fingers.
const ORBIT_PER_NOTCH: f64 = 0.04;

/// Zoom steps of a pinch that doubles the distance between the fingers.
const ZOOM_PER_PINCH: f64 = 8.0;

/// Returns the action of `input`.
///
/// The left button orbits in all presets, for mice without a middle button.
pub(crate) fn action_of(input: Input, navigation: Navigation) -> Option<Action> {
    use Navigation::{Maya, Trackpad};
    Some(match input {
        Input::Close => Action::Window(WindowAction::Quit),
        Input::Click(position) => Action::Selection(SelectionAction::Pick(position)),
        Input::DoubleClick(position) => Action::Camera(CameraAction::SetPivot(position)),
        Input::Drop(file) => Action::File(FileAction::Open(file)),
        // X11 reports two-finger scrolling as wheel events.
        Input::Wheel { modifiers: modifiers @ Modifiers { control: false, shift: false, .. }, right, up, .. }
            if navigation == Trackpad =>
        {
            drag_action(modifiers, right * ORBIT_PER_NOTCH, -up * ORBIT_PER_NOTCH)
        }
        Input::Wheel { modifiers: Modifiers { shift: true, .. }, right, up, .. } => {
            pan(right * PAN_PER_NOTCH, -up * PAN_PER_NOTCH)
        }
        Input::Wheel { up: 0.0, .. } => return None,
        Input::Wheel { position, up, .. } => Action::Camera(CameraAction::ZoomTowards(up, position)),
        Input::Pinch(scale) => Action::Camera(CameraAction::Zoom(scale * ZOOM_PER_PINCH)),
        Input::Swipe { modifiers, right, up } => drag_action(modifiers, right, up),
        Input::Drag {
            buttons: Buttons { right: true, .. }, modifiers: Modifiers { shift: true, .. }, right, ..
        } => Action::Light(LightAction::RotateEnvironment(right * ROTATION_DEGREES_PER_HEIGHT)),
        Input::Drag { buttons: Buttons { right: true, .. }, right, up, .. } if navigation == Maya => {
            Action::Camera(CameraAction::Zoom((right + up) * ZOOM_PER_HEIGHT))
        }
        Input::Drag { buttons: Buttons { middle: true, .. }, right, up, .. } if navigation == Maya => pan(right, up),
        Input::Drag { buttons: Buttons { right: true, .. }, right, up, .. } => pan(right, up),
        Input::Drag { buttons: Buttons { left: true, .. } | Buttons { middle: true, .. }, modifiers, right, up } => {
            drag_action(modifiers, right, up)
        }
        Input::Drag { .. } => return None,
        // A held space bar does not toggle repeatedly.
        Input::Key { key: Key::Space, repeats: true, .. } => return None,
        Input::Key { key, physical, modifiers, .. } => {
            // Other scripts have no such letters, and AZERTY has digits with Shift only.
            let is_latin = matches!(key, Key::Character(letter) if letter.is_ascii_alphabetic());
            let physical = physical.filter(|_| !is_latin);
            return commands::of_key(key, modifiers).or_else(|| commands::of_key(physical?, modifiers));
        }
    })
}

/// Returns `true` if `file` should be opened rather than `other`, which was dropped before it.
///
/// The last model file wins, because textures and buffers are often dropped with it.
pub(crate) fn better_to_open(file: &Path, other: &Path) -> bool {
    let is_model = |file: &Path| is_model_file(file) || is_convertible(file);
    is_model(file) || !is_model(other)
}

/// The model follows the pointer.
fn drag_action(modifiers: Modifiers, right: f64, up: f64) -> Action {
    match modifiers {
        Modifiers { shift: true, .. } => pan(right, up),
        Modifiers { control: true, .. } => Action::Camera(CameraAction::Zoom(up * ZOOM_PER_HEIGHT)),
        _ => Action::Camera(CameraAction::Orbit { right: -right * ORBIT_PER_HEIGHT, up: -up * ORBIT_PER_HEIGHT }),
    }
}

fn pan(right: f64, up: f64) -> Action {
    Action::Camera(CameraAction::Pan { right: -right, up: -up })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::viewer::actions::{PlaybackAction, ShadingAction};
    use crate::app::viewer::state::FilePurpose;

    fn action(input: Input) -> Option<Action> {
        super::action_of(input, Navigation::Blender)
    }

    fn is(action: impl Into<Action>) -> Option<Action> {
        Some(action.into())
    }

    const POINTER: [f64; 2] = [0.25, 0.75];
    const TURN: CameraAction = CameraAction::Orbit { right: -0.5 * ORBIT_PER_HEIGHT, up: -0.25 * ORBIT_PER_HEIGHT };
    const PAN: CameraAction = CameraAction::Pan { right: -0.5, up: -0.25 };
    const NONE: Modifiers = Modifiers { shift: false, control: false, alt: false, control_and_command: false };
    const SHIFT: Modifiers = Modifiers { shift: true, ..NONE };
    const CONTROL: Modifiers = Modifiers { control: true, ..NONE };

    #[test]
    fn keys_map_to_actions() {
        for (key, modifiers, expected) in [
            (Key::Space, NONE, is(PlaybackAction::TogglePlay)),
            (Key::Right, NONE, is(PlaybackAction::StepFrames(1))),
            (Key::Left, NONE, is(PlaybackAction::StepFrames(-1))),
            (Key::Right, SHIFT, is(PlaybackAction::StepFrames(10))),
            (Key::Down, NONE, is(PlaybackAction::StepClip(1))),
            (Key::Character('f'), NONE, is(CameraAction::FrameSelection)),
            (Key::Home, NONE, is(CameraAction::FrameModel)),
            (Key::Character('r'), NONE, is(CameraAction::Reset)),
            (Key::Escape, NONE, is(WindowAction::Cancel)),
            (Key::Tab, NONE, is(WindowAction::TogglePanels)),
            (Key::Right, CONTROL, is(PlaybackAction::StepKeys(1))),
            (Key::Character('o'), CONTROL, is(FileAction::Choose(FilePurpose::Open))),
            (Key::Character('o'), NONE, is(ShadingAction::ToggleGhosts)),
            (Key::Character('o'), SHIFT, None),
            (Key::Character('z'), NONE, None),
        ] {
            let input = Input::Key { key, physical: None, modifiers, repeats: false };
            assert_eq!(action(input), expected, "{key:?} {modifiers:?}");
        }
    }

    #[test]
    fn physical_keys_replace_letters_of_other_scripts() {
        let pressed = |key, physical| {
            let (key, physical) = (Key::Character(key), Some(Key::Character(physical)));
            action(Input::Key { key, physical, modifiers: NONE, repeats: false })
        };
        let front = Action::Camera(CameraAction::SetViewDirection(rigview_render::scene::ViewDirection::Front));
        assert_eq!(pressed('\u{430}', 'f'), is(CameraAction::FrameSelection), "Cyrillic");
        assert_eq!(pressed('&', '1'), Some(front), "AZERTY");
        assert_eq!(pressed('z', 'w'), None, "a Latin letter has no other meaning");
        assert_eq!(pressed('w', 'z'), is(ShadingAction::ToggleOverlay(OverlayRequest::Wireframe)));
    }

    #[test]
    fn repeated_keys_step_but_do_not_toggle() {
        let held_down = |key| action(Input::Key { key, physical: None, modifiers: NONE, repeats: true });
        assert_eq!(held_down(Key::Right), is(PlaybackAction::StepFrames(1)));
        assert_eq!(held_down(Key::Space), None);
    }

    #[test]
    fn wheel_zooms_and_shift_wheel_pans() {
        let wheel = |modifiers, right, up| action(Input::Wheel { modifiers, position: POINTER, right, up });
        assert_eq!(wheel(NONE, 0.0, 2.0), is(CameraAction::ZoomTowards(2.0, POINTER)));
        assert_eq!(wheel(NONE, 0.5, -0.25), is(CameraAction::ZoomTowards(-0.25, POINTER)), "parts of a notch count");
        assert_eq!(wheel(CONTROL, 0.0, 1.0), is(CameraAction::ZoomTowards(1.0, POINTER)));
        assert_eq!(wheel(NONE, 1.0, 0.0), None);
        let up = Action::Camera(CameraAction::Pan { right: 0.0, up: PAN_PER_NOTCH });
        assert_eq!(wheel(SHIFT, 0.0, 1.0), Some(up), "the view goes up, as a page scrolls");
    }

    #[test]
    fn drags_orbit_pan_and_zoom() {
        let drag = |left, middle, right, modifiers| {
            action(Input::Drag { buttons: Buttons { left, middle, right }, modifiers, right: 0.5, up: 0.25 })
        };
        assert_eq!(drag(true, false, false, NONE), is(TURN));
        assert_eq!(drag(false, true, false, NONE), is(TURN));
        assert_eq!(drag(false, false, true, NONE), is(PAN));
        assert_eq!(drag(true, false, false, SHIFT), is(PAN));
        assert_eq!(drag(false, true, false, CONTROL), is(CameraAction::Zoom(0.25 * ZOOM_PER_HEIGHT)));
        assert_eq!(drag(false, false, true, SHIFT), is(LightAction::RotateEnvironment(90.0)));
        assert_eq!(drag(false, false, false, NONE), None);
        assert_eq!(action(Input::Swipe { modifiers: SHIFT, right: 0.5, up: 0.25 }), is(PAN));
    }

    #[test]
    fn drop_opens_and_close_quits() {
        assert_eq!(action(Input::Drop("a.glb".into())), is(FileAction::Open("a.glb".into())));
        assert_eq!(action(Input::Close), is(WindowAction::Quit));
    }

    #[test]
    fn last_dropped_model_is_opened() {
        let better = |file: &str, other: &str| better_to_open(file.as_ref(), other.as_ref());
        assert!(better("b.glb", "a.gltf") && better("a.GLTF", "a.png") && better("b.txt", "a.bin"));
        assert!(!better("a.png", "a.gltf"));
    }
    #[test]
    fn maya_and_trackpad_presets_map_to_actions() {
        let drag = |left, middle, right, navigation| {
            let buttons = Buttons { left, middle, right };
            super::action_of(Input::Drag { buttons, modifiers: NONE, right: 0.5, up: 0.25 }, navigation)
        };
        assert_eq!(drag(true, false, false, Navigation::Maya), is(TURN));
        assert_eq!(drag(false, true, false, Navigation::Maya), is(PAN));
        assert_eq!(drag(false, false, true, Navigation::Maya), is(CameraAction::Zoom(0.75 * ZOOM_PER_HEIGHT)));
        assert_eq!(drag(false, false, true, Navigation::Trackpad), is(PAN));
        let wheel = |modifiers, navigation| {
            super::action_of(Input::Wheel { modifiers, position: POINTER, right: 0.0, up: 1.0 }, navigation)
        };
        assert_eq!(wheel(NONE, Navigation::Maya), is(CameraAction::ZoomTowards(1.0, POINTER)));
        assert!(
            matches!(wheel(NONE, Navigation::Trackpad), Some(Action::Camera(CameraAction::Orbit { up, .. })) if up > 0.0)
        );
        assert!(matches!(wheel(SHIFT, Navigation::Trackpad), Some(Action::Camera(CameraAction::Pan { .. }))));
        assert_eq!(wheel(CONTROL, Navigation::Trackpad), is(CameraAction::ZoomTowards(1.0, POINTER)));
        for (navigation, name) in Navigation::ALL {
            assert_eq!(navigation.bindings_help().len(), 3, "{name}");
        }
    }
}
