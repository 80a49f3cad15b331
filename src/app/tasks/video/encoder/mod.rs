//! Video encoders: one file per format.

mod apng;
#[allow(clippy::module_inception)]
mod encoder;
mod ffmpeg;
mod format;
mod gif;
mod image_sequence;
mod spec;

pub(super) use encoder::VideoEncoder;
pub(crate) use format::VideoFormat;
pub(super) use spec::VideoSpec;
