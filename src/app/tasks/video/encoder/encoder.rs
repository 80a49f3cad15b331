//! Video encoders by file format.

use super::apng::Apng;
use super::ffmpeg::Ffmpeg;
use super::gif::Gif;
use super::image_sequence::{ImageSequence, Pattern};
use crate::app::AppError;
use crate::app::tasks::video::schedule::FrameSchedule;
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VideoFormat {
    Gif,
    Apng,
    ImageSequence,
    Mp4,
    Webm,
}

impl VideoFormat {
    /// Returns the format for the extension or the frame number pattern of `file`.
    pub(crate) fn of(file: &Path) -> Result<Self, AppError> {
        let extension = file.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
        match extension.as_deref() {
            Some("gif") => Ok(Self::Gif),
            Some("png" | "apng") if Pattern::of(file).is_some() => Ok(Self::ImageSequence),
            Some("png" | "apng") => Ok(Self::Apng),
            Some("mp4") => Ok(Self::Mp4),
            Some("webm") => Ok(Self::Webm),
            _ => Err(AppError::NotMade {
                reason: format!(
                    "{}: unknown video format; use .gif, .png, .mp4 or .webm, or an image sequence such as frames/%04d.png",
                    file.display()
                ),
            }),
        }
    }

    pub(crate) fn needs_even_size(self) -> bool {
        matches!(self, Self::Mp4 | Self::Webm)
    }

    /// Returns `true` if the format has an alpha channel.
    pub(crate) fn can_be_transparent(self) -> bool {
        self != Self::Mp4
    }
}

/// Properties that all frames share.
#[derive(Clone, Copy)]
pub(crate) struct VideoSpec {
    /// Width and height in pixels.
    pub(crate) size: [u32; 2],
    pub(crate) schedule: FrameSchedule,
    pub(crate) transparent: bool,
}

/// A video that is written under a temporary name. Dropping it without [`finish`](Self::finish) deletes the file.
pub(crate) enum VideoEncoder {
    Gif(Box<Gif>),
    Apng(Box<Apng>),
    ImageSequence(ImageSequence),
    Ffmpeg(Ffmpeg),
}

impl VideoEncoder {
    /// A GIF with a color table from the frames `samples`.
    pub(crate) fn gif(file: &Path, spec: VideoSpec, samples: &[Vec<u8>]) -> Result<Self, AppError> {
        Ok(Self::Gif(Box::new(Gif::new(file, spec, samples)?)))
    }

    /// Any other format.
    ///
    /// # Panics
    /// For a GIF.
    pub(crate) fn new(kind: VideoFormat, file: &Path, spec: VideoSpec) -> Result<Self, AppError> {
        Ok(match kind {
            VideoFormat::Gif => panic!("a GIF needs sample frames"),
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

/// Bounding rectangle of the pixels that differ: left, top, width, height. `None` if the images are equal.
pub(crate) fn changed_rect(before: &[u8], after: &[u8], [width, height]: [u32; 2]) -> Option<[u32; 4]> {
    let (width, height) = (width as usize, height as usize);
    let bytes = after.len() / (width * height).max(1);
    let row = |y: usize| y * width * bytes..(y + 1) * width * bytes;
    let differs = |y: &usize| before[row(*y)] != after[row(*y)];
    let top = (0..height).find(differs)?;
    let bottom = (0..height).rev().find(differs)?;
    let (mut left, mut right) = (width, 0);
    for y in top..=bottom {
        let (a, b) = (&before[row(y)], &after[row(y)]);
        let pixel = |x: usize| x * bytes..(x + 1) * bytes;
        if let Some(first) = (0..left).find(|x| a[pixel(*x)] != b[pixel(*x)]) {
            left = first;
        }
        if let Some(last) = (right..width).rev().find(|x| a[pixel(*x)] != b[pixel(*x)]) {
            right = last;
        }
    }
    Some([left as u32, top as u32, (right - left + 1) as u32, (bottom - top + 1) as u32])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_follows_the_file_name() {
        let kind = |name: &str| VideoFormat::of(Path::new(name)).ok();
        assert_eq!(
            (kind("a.gif"), kind("a.PNG"), kind("a.webm")),
            (Some(VideoFormat::Gif), Some(VideoFormat::Apng), Some(VideoFormat::Webm))
        );
        assert_eq!((kind("a/%04d.png"), kind("a.avi"), kind("a")), (Some(VideoFormat::ImageSequence), None, None));
    }

    #[test]
    fn changed_rect_is_minimal() {
        let before = vec![0_u8; 5 * 4];
        let mut after = before.clone();
        assert_eq!(changed_rect(&before, &after, [5, 4]), None);
        (after[5 + 3], after[2 * 5 + 1]) = (1, 1);
        assert_eq!(changed_rect(&before, &after, [5, 4]), Some([1, 1, 3, 2]));
        after[19] = 1;
        assert_eq!(changed_rect(&before, &after, [5, 4]), Some([1, 1, 4, 3]));
    }
}
