//! Video encoders: one file per format.

mod apng;
#[allow(clippy::module_inception)]
mod encoder;
mod ffmpeg;
mod gif;
mod image_sequence;

pub(super) use encoder::{VideoEncoder, VideoFormat, VideoSpec};
