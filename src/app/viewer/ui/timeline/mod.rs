//! Timeline: playback controls, and a track with ruler, keys and playhead.

pub(crate) mod panel;
pub(crate) mod track;
