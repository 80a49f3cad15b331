//! Export requests: images, contact sheets and videos. Sizes are width and height in pixels.

use crate::app::tasks::video::VideoFormat;
use std::path::PathBuf;

const CONTACT_SHEET_CELL_SIZE: [u32; 2] = [256, 192];

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ExportRequest {
    Image {
        size: [u32; 2],
        transparent: bool,
    },
    /// All clips at `frames_per_clip` evenly spaced times on one image.
    ContactSheet {
        frames_per_clip: u32,
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
