//! Pure functions on models and clips that the panels and the dispatcher use.

pub(crate) mod curves;
pub(crate) mod euler_angles;
pub(crate) mod format;
pub(crate) mod light_dial;
pub(crate) mod matching;
pub(crate) mod name_search;
pub(crate) mod outline;
pub(crate) mod ruler;
pub(crate) mod selection_bounds;
pub(crate) mod shared_affixes;
