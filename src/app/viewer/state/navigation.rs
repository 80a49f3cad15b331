//! Navigation presets: what mouse buttons, wheel and trackpad do over the viewport.

use super::modifier_key::modifier_key;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Navigation {
    /// Middle button orbits, Shift pans, the wheel zooms.
    #[default]
    Blender,
    /// Left button orbits, middle pans, right zooms; Alt is optional.
    Maya,
    /// Two fingers orbit, Shift pans, Ctrl zooms.
    Trackpad,
}

impl Navigation {
    pub(crate) const ALL: [(Self, &'static str); 3] =
        [(Self::Blender, "Blender"), (Self::Maya, "Maya"), (Self::Trackpad, "Trackpad")];

    /// Gestures and their effects, for the list of shortcuts.
    pub(crate) fn bindings_help(self) -> [(&'static str, &'static str); 3] {
        let gestures = match self {
            Self::Blender => {
                ["Middle drag", "Shift + drag, right drag", concat!(modifier_key!(), " + drag, wheel, pinch")]
            }
            Self::Maya => ["Drag, Alt + drag", "Middle drag, Alt + middle drag", "Right drag, wheel, pinch"],
            Self::Trackpad => [
                "Two fingers, drag",
                "Shift + two fingers, right drag",
                concat!(modifier_key!(), " + two fingers, pinch"),
            ],
        };
        [(gestures[0], "Orbit"), (gestures[1], "Pan"), (gestures[2], "Zoom")]
    }
}
