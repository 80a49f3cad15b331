//! Timeline: playback controls, and a track with ruler, keys and playhead.

mod controls;
pub(crate) mod panel;
mod track;
