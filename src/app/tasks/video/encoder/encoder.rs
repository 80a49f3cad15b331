//! Video encoders by file format.

use super::apng::Apng;
use super::ffmpeg::Ffmpeg;
use super::format::VideoFormat;
use super::gif::Gif;
use super::image_sequence::ImageSequence;
use super::spec::VideoSpec;
use crate::app::AppError;
use std::path::Path;

/// A video that is written under a temporary name. Dropping it without [`finish`](Self::finish) deletes the file.
pub(crate) enum VideoEncoder {
    Gif(Box<Gif>),
    Apng(Box<Apng>),
    ImageSequence(ImageSequence),
    Ffmpeg(Ffmpeg),
}

impl VideoEncoder {
    /// `samples` are frames for the color table of a GIF.
    pub(crate) fn new(kind: VideoFormat, file: &Path, spec: VideoSpec, samples: &[Vec<u8>]) -> Result<Self, AppError> {
        Ok(match kind {
            VideoFormat::Gif => Self::Gif(Box::new(Gif::new(file, spec, samples)?)),
            VideoFormat::Apng => Self::Apng(Box::new(Apng::new(file, spec)?)),
            VideoFormat::ImageSequence => Self::ImageSequence(ImageSequence::new(file, spec)?),
            VideoFormat::Mp4 | VideoFormat::Webm => Self::Ffmpeg(Ffmpeg::new(file, spec, kind == VideoFormat::Webm)?),
        })
    }

    pub(crate) fn add(&mut self, rgba: &[u8]) -> Result<(), AppError> {
        match self {
            Self::Gif(gif) => gif.add(rgba),
            Self::Apng(apng) => apng.add(rgba),
            Self::ImageSequence(frames) => frames.add(rgba),
            Self::Ffmpeg(ffmpeg) => ffmpeg.add(rgba),
        }
    }

    /// Completes the file and renames it to its final name.
    pub(crate) fn finish(self) -> Result<(), AppError> {
        match self {
            Self::Gif(gif) => gif.finish(),
            Self::Apng(apng) => apng.finish(),
            Self::ImageSequence(frames) => frames.finish(),
            Self::Ffmpeg(ffmpeg) => ffmpeg.finish(),
        }
    }
}
