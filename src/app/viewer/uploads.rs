//! Uploads of loaded files, between frames.

use super::jobs::event::{LoadedContents, LoadedFile};
use crate::app::scene::{GpuScene, SceneUpload};
use crate::app::viewer::state::app_state::Checked;

/// A loaded file that is uploaded in slices. The former one stays visible.
pub(crate) struct PendingUpload {
    pub(crate) file: LoadedFile,
    pub(crate) contents: LoadedContents,
    pub(crate) models: SceneUpload,
    /// Result of the check of the file, if it ends first.
    pub(crate) checked: Option<Checked>,
}

/// Contents of a file whose models are uploaded.
pub(crate) struct UploadedScene {
    pub(crate) contents: LoadedContents,
    pub(crate) models: GpuScene,
    /// Result of the check of the file, if it is known.
    pub(crate) checked: Option<Checked>,
}
