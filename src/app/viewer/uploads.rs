//! Uploads of loaded files, between frames.

use super::app::App;
use super::jobs::event::{LoadResult, LoadedFile, PreparedScene, ViewportSide};
use crate::app::AppError;
use crate::app::scene::{GpuScene, LoadedScene, SceneUpload};
use rigview_check::Issue;
use std::time::{Duration, Instant};

/// Maximum time of an upload between two frames.
const MAX_UPLOAD_TIME: Duration = Duration::from_millis(8);

/// A loaded file that is uploaded in slices. The former one stays visible.
pub(crate) struct PendingUpload {
    pub(crate) file: LoadedFile,
    scene: Box<LoadedScene>,
    models: SceneUpload,
    /// Result of the check of the file, if it ends first.
    pub(crate) issues: Option<Vec<Issue>>,
}

/// A scene whose models are uploaded.
pub(crate) struct UploadedScene {
    pub(crate) scene: Box<LoadedScene>,
    pub(crate) models: GpuScene,
    /// Result of the check of the file, if it is known.
    pub(crate) issues: Option<Vec<Issue>>,
}

impl PendingUpload {
    /// The part that is uploaded, from 0 to 1.
    pub(crate) fn progress(&self) -> f64 {
        self.models.progress()
    }
}

impl App {
    /// Starts to upload a loaded file in place of one of the same side that is not uploaded yet; or reports its error.
    pub(crate) fn start_upload(&mut self, LoadResult { file, result }: LoadResult) -> Result<(), AppError> {
        let Some(graphics) = &mut self.graphics else { return Ok(()) };
        let renderer = &graphics.surface.renderer;
        let started =
            result.and_then(|PreparedScene { scene, models }| Ok((scene, SceneUpload::new(renderer, models)?)));
        match started {
            Ok((scene, models)) => {
                graphics.uploads.retain(|upload| upload.file.side != file.side);
                graphics.uploads.push(PendingUpload { file, scene, models, issues: None });
                Ok(())
            }
            Err(error) => self.finish_upload(file, Err(error)),
        }
    }

    /// Uploads a part of a loaded file, and shows a file that is uploaded. Returns the time of the next part.
    pub(crate) fn advance_upload(&mut self) -> Result<Option<Instant>, AppError> {
        let begun = Instant::now();
        while let Some(graphics) = &mut self.graphics
            && let Some(upload) = graphics.uploads.first_mut()
        {
            let uploaded = match upload.models.upload_slice() {
                Ok(true) if begun.elapsed() < MAX_UPLOAD_TIME => continue,
                Ok(true) => return Ok(Some(Instant::now())),
                Ok(false) => Ok(()),
                Err(error) => Err(error),
            };
            let PendingUpload { file, scene, models, issues } = graphics.uploads.remove(0);
            let models = uploaded.and_then(|()| models.finish());
            self.finish_upload(file, models.map(|models| UploadedScene { scene, models, issues }))?;
        }
        Ok(None)
    }

    fn finish_upload(&mut self, file: LoadedFile, result: Result<UploadedScene, AppError>) -> Result<(), AppError> {
        match file.side {
            ViewportSide::First => self.finish_load(file, result),
            ViewportSide::Second => {
                self.finish_second_load(file, result);
                Ok(())
            }
        }
    }
}
