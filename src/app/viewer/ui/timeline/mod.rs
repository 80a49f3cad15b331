//! Timeline: playback controls, a track with ruler, keys and playhead, and a dope sheet.

mod curve_view;
mod dope_sheet;
pub(crate) mod panel;
pub(crate) mod track;
