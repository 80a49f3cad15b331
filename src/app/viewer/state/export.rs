//! Export requests: images, contact sheets and videos. Sizes are width and height in pixels.

use std::path::PathBuf;

const CONTACT_SHEET_CELL_SIZE: [u32; 2] = [256, 192];

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ExportRequest {
    Image {
        size: [u32; 2],
        transparent: bool,
    },
    /// All clips at `phases` evenly spaced times on one image.
    ContactSheet {
        phases: u32,
    },
    Video {
        format: VideoFormat,
        size: [u32; 2],
        fps: f64,
        /// The camera orbits the model once.
        turntable: bool,
        transparent: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VideoFormat {
    Gif,
    Apng,
    Mp4,
    Webm,
}

impl VideoFormat {
    pub(crate) const ALL: [Self; 4] = [Self::Gif, Self::Apng, Self::Mp4, Self::Webm];

    /// The label in the export dialog.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Gif => "GIF",
            Self::Apng => "Animated PNG",
            Self::Mp4 => "MP4",
            Self::Webm => "WebM",
        }
    }

    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Gif => "gif",
            Self::Apng => "apng",
            Self::Mp4 => "mp4",
            Self::Webm => "webm",
        }
    }

    pub(crate) fn needs_ffmpeg(self) -> bool {
        matches!(self, Self::Mp4 | Self::Webm)
    }
}

/// Progress of the running export.
#[derive(Clone, Debug)]
pub(crate) struct ExportProgress {
    /// The output file.
    pub(crate) file: PathBuf,
    /// Finished and total steps; `None` before the total is known.
    pub(crate) steps: Option<[usize; 2]>,
}

impl ExportRequest {
    /// Width and height of one image in pixels.
    pub(crate) fn size(&self) -> [u32; 2] {
        match *self {
            Self::Image { size, .. } | Self::Video { size, .. } => size,
            Self::ContactSheet { .. } => CONTACT_SHEET_CELL_SIZE,
        }
    }
}
