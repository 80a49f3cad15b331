//! Where a film's frames go.

use super::apng::Apng;
use super::ffmpeg::Ffmpeg;
use super::gif::Gif;
use super::image_sequence::{Frames, Pattern};
use crate::app::AppError;
use crate::app::tasks::video::schedule::Plan;
use std::path::Path;

/// What kind of film a file's name asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Gif,
    Apng,
    Frames,
    Mp4,
    Webm,
}

impl Kind {
    /// The kind that `file` is named as.
    pub(crate) fn of(file: &Path) -> Result<Self, AppError> {
        let extension = file.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
        match extension.as_deref() {
            Some("gif") => Ok(Self::Gif),
            Some("png" | "apng") if Pattern::of(file).is_some() => Ok(Self::Frames),
            Some("png" | "apng") => Ok(Self::Apng),
            Some("mp4") => Ok(Self::Mp4),
            Some("webm") => Ok(Self::Webm),
            _ => Err(AppError::NotMade {
                reason: format!(
                    "{}: a film's name ends in .gif, .png, .mp4 or .webm, or is a pattern such as frames/%04d.png",
                    file.display()
                ),
            }),
        }
    }

    /// Whether width and height must be even.
    pub(crate) fn needs_even_size(self) -> bool {
        matches!(self, Self::Mp4 | Self::Webm)
    }

    /// Whether it can have holes.
    pub(crate) fn can_be_transparent(self) -> bool {
        self != Self::Mp4
    }
}

/// What every frame has in common.
#[derive(Clone, Copy)]
pub(crate) struct Spot {
    /// Width and height in pixels.
    pub(crate) size: [u32; 2],
    pub(crate) plan: Plan,
    pub(crate) transparent: bool,
}

/// A film that is being written, under a temporary name; without [`finish`](Self::finish) nothing is left of it.
pub(crate) enum Reel {
    Gif(Box<Gif>),
    Apng(Box<Apng>),
    Frames(Frames),
    Ffmpeg(Ffmpeg),
}

impl Reel {
    /// A GIF in the colors of `samples`.
    pub(crate) fn gif(file: &Path, spot: Spot, samples: &[Vec<u8>]) -> Result<Self, AppError> {
        Ok(Self::Gif(Box::new(Gif::new(file, spot, samples)?)))
    }

    /// Any other kind.
    ///
    /// # Panics
    /// For a GIF.
    pub(crate) fn new(kind: Kind, file: &Path, spot: Spot) -> Result<Self, AppError> {
        Ok(match kind {
            Kind::Gif => panic!("a GIF is made from samples"),
            Kind::Apng => Self::Apng(Box::new(Apng::new(file, spot)?)),
            Kind::Frames => Self::Frames(Frames::new(file, spot)?),
            Kind::Mp4 | Kind::Webm => Self::Ffmpeg(Ffmpeg::new(file, spot, kind == Kind::Webm)?),
        })
    }

    /// Adds the next frame.
    pub(crate) fn add(&mut self, rgba: &[u8]) -> Result<(), AppError> {
        match self {
            Self::Gif(gif) => gif.add(rgba),
            Self::Apng(apng) => apng.add(rgba),
            Self::Frames(frames) => frames.add(rgba),
            Self::Ffmpeg(ffmpeg) => ffmpeg.add(rgba),
        }
    }

    /// Gives the film its name.
    pub(crate) fn finish(self) -> Result<(), AppError> {
        match self {
            Self::Gif(gif) => gif.finish(),
            Self::Apng(apng) => apng.finish(),
            Self::Frames(frames) => frames.finish(),
            Self::Ffmpeg(ffmpeg) => ffmpeg.finish(),
        }
    }
}

/// The rectangle of what differs between two pictures: left, top, width, height; `None` when nothing does.
pub(crate) fn changed(before: &[u8], after: &[u8], [width, height]: [u32; 2]) -> Option<[u32; 4]> {
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
    fn the_name_tells_the_kind() {
        let kind = |name: &str| Kind::of(Path::new(name)).ok();
        assert_eq!(
            (kind("a.gif"), kind("a.PNG"), kind("a.webm")),
            (Some(Kind::Gif), Some(Kind::Apng), Some(Kind::Webm))
        );
        assert_eq!((kind("a/%04d.png"), kind("a.avi"), kind("a")), (Some(Kind::Frames), None, None));
    }

    #[test]
    fn the_changed_part_is_the_smallest_rectangle() {
        let before = vec![0_u8; 5 * 4];
        let mut after = before.clone();
        assert_eq!(changed(&before, &after, [5, 4]), None);
        (after[5 + 3], after[2 * 5 + 1]) = (1, 1);
        assert_eq!(changed(&before, &after, [5, 4]), Some([1, 1, 3, 2]));
        after[19] = 1;
        assert_eq!(changed(&before, &after, [5, 4]), Some([1, 1, 4, 3]));
    }
}
