//! The winit window: surface, input translation, pacing and title.

pub(crate) mod frame_pacer;
pub(crate) mod input;
pub(crate) mod surface;
pub(crate) mod title;
