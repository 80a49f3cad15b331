//! Video formats.

use super::image_sequence::Pattern;
use crate::app::AppError;
use serde::{Deserialize, Serialize};
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
            _ => Err(AppError::Usage(format!(
                "{}: unknown video format; use .gif, .png, .mp4 or .webm, or an image sequence such as frames/%04d.png",
                file.display()
            ))),
        }
    }

    /// Formats with one output file.
    pub(crate) const SINGLE_FILE: [Self; 4] = [Self::Gif, Self::Apng, Self::Mp4, Self::Webm];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Gif => "GIF",
            Self::Apng => "Animated PNG",
            Self::ImageSequence => "Image sequence",
            Self::Mp4 => "MP4",
            Self::Webm => "WebM",
        }
    }

    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Gif => "gif",
            Self::Apng => "apng",
            Self::ImageSequence => "png",
            Self::Mp4 => "mp4",
            Self::Webm => "webm",
        }
    }

    /// Returns `true` if ffmpeg encodes the format. Its chroma subsampling requires an even width and height.
    pub(crate) fn needs_ffmpeg(self) -> bool {
        matches!(self, Self::Mp4 | Self::Webm)
    }

    /// Returns `true` if the format has an alpha channel.
    pub(crate) fn can_be_transparent(self) -> bool {
        self != Self::Mp4
    }
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
}
