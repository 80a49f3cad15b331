//! Options of an import.

use super::image_codec::BlockSupport;
use super::limits::ImportPolicy;
use super::progress::ImageProgress;
use std::sync::{Arc, OnceLock};

/// Options of an import.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// How images are loaded.
    pub images: ImageLoading,
    /// Limits and file access.
    pub policy: ImportPolicy,
    /// Block-compressed formats that the GPU supports, set once known; `None` always decodes to RGBA.
    pub blocks: Option<Arc<OnceLock<BlockSupport>>>,
    /// Counts decoded images.
    pub progress: Option<Arc<ImageProgress>>,
}

/// How images are loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImageLoading {
    /// Decode.
    #[default]
    Decode,
    /// Read sizes only; texels stay empty.
    SizesOnly,
    /// Skip; sizes are 0.
    Skip,
}
