//! Hints of the first start: gestures that the user has not made yet.

use serde::{Deserialize, Serialize};

/// The hints that are still shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Hints {
    pub(crate) orbit: bool,
    pub(crate) zoom: bool,
    pub(crate) shortcuts: bool,
}

impl Default for Hints {
    fn default() -> Self {
        Self { orbit: true, zoom: true, shortcuts: true }
    }
}

impl Hints {
    pub(crate) const NONE: Self = Self { orbit: false, zoom: false, shortcuts: false };
}
