//! Pure functions on models and clips that the panels and the dispatcher use.

pub(crate) mod light_dial;
pub(crate) mod matching;
pub(crate) mod outline;
pub(crate) mod selection_bounds;
