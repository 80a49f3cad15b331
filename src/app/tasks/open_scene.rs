//! Opening a scene with progress on the terminal.

use crate::app::AppError;
use crate::app::console::progress::Progress;
use crate::app::scene::LoadedScene;
use crate::request::SceneRequest;
use rigview_core::import::ImportOptions;
use std::path::Path;
use std::sync::Arc;

/// Opens a scene with its images; prints the progress on the terminal.
pub(crate) fn open_with_progress(file: &Path, request: &SceneRequest) -> Result<LoadedScene, AppError> {
    let images = Arc::default();
    let _progress = Progress::reading(file, &images);
    let options = ImportOptions::default().with_images(request.drawn_images()).with_progress(images);
    LoadedScene::open_as(file, request, options)
}
