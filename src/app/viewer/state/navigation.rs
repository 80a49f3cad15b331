//! Mouse and trackpad navigation presets.

use serde::{Deserialize, Serialize};

/// What the pointer's buttons and wheel do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Navigation {
    /// As in Blender: the middle button turns, with Shift it pans, the wheel zooms.
    #[default]
    Blender,
    /// As in Maya: the left button turns, the middle one pans, the right one zooms; Alt may be held.
    Maya,
    /// Two fingers turn, with Shift pan, with Control zoom.
    Trackpad,
}

impl Navigation {
    /// All of them, with their names.
    pub(crate) const ALL: [(Self, &'static str); 3] =
        [(Self::Blender, "Blender"), (Self::Maya, "Maya"), (Self::Trackpad, "Trackpad")];

    /// What the pointer does over the model, in words.
    pub(crate) fn in_words(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Blender => &[
                ("Drag, middle button", "Turn around the model"),
                ("Shift + drag, right button", "Move the view aside"),
                ("Ctrl + drag, wheel, pinch", "Go nearer or farther"),
            ],
            Self::Maya => &[
                ("Drag, Alt + drag", "Turn around the model"),
                ("Middle button, with or without Alt", "Move the view aside"),
                ("Right button, wheel, pinch", "Go nearer or farther"),
            ],
            Self::Trackpad => &[
                ("Two fingers, drag", "Turn around the model"),
                ("Shift + two fingers, right button", "Move the view aside"),
                ("Ctrl + two fingers, pinch", "Go nearer or farther"),
            ],
        }
    }
}
