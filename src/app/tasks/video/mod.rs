//! Videos of a clip, a turntable or both.

mod common_period;
mod encoder;
mod render_video;
mod schedule;

pub(crate) use encoder::VideoFormat;
pub(crate) use render_video::make;
