//! Requests to the jobs of the viewer and the events that report their results.

use crate::app::AppError;
use crate::app::files::file_stamp::FileStamp;
use crate::app::scene::{LoadedGround, LoadedScene};
use crate::app::viewer::state::{Checked, FilePurpose, FlexState, Reload};
use crate::request::{EnvironmentRequest, SceneRequest};
#[cfg(feature = "accessibility")]
use egui_winit::accesskit_winit;
use rigview_check::diff::DiffLine;
use rigview_core::model::{ClipIndex, Model};
use rigview_core::palette::Rig;
use rigview_render::render::PreparedModel;
use rigview_render::scene::Environment;
use std::path::PathBuf;
use std::sync::Arc;

/// Receives job events on the main thread. Returns `false` after the event loop has ended.
pub(crate) type EventSink = Arc<dyn Fn(UserEvent) -> bool + Send + Sync>;

/// Results of jobs and requests of the operating system.
pub(crate) enum UserEvent {
    /// A load request is finished.
    Loaded(Box<LoadResult>),
    /// A watched file was written.
    FileChanged,
    /// The check of the file of a load request, by its number, is finished.
    Checked(u64, Checked),
    /// Finished and total steps of the export job.
    ExportProgress([usize; 2]),
    /// Notices of the finished export.
    ExportFinished(Result<Vec<String>, AppError>),
    /// Progress or result of the range of motion test of a model.
    Flex(Arc<Model>, FlexState),
    /// The comparison of two files is finished.
    Compared(CompareResult),
    /// Summary of the differences from the version before a reload.
    Reloaded(String),
    /// The file dialog was closed; `None` if it was cancelled.
    FileChosen(FilePurpose, Option<PathBuf>),
    /// The desktop opens files.
    OpenFiles(Vec<PathBuf>),
    /// A thread changed what the panels show.
    Repaint,
    /// An environment is loaded; `None` for no environment.
    EnvironmentLoaded(EnvironmentRequest, Result<Option<Arc<Environment>>, AppError>),
    /// A request of a screen reader.
    #[cfg(feature = "accessibility")]
    Accessibility(accesskit_winit::WindowEvent),
    /// A termination signal.
    Quit,
}

#[cfg(feature = "accessibility")]
impl From<accesskit_winit::Event> for UserEvent {
    fn from(event: accesskit_winit::Event) -> Self {
        Self::Accessibility(event.window_event)
    }
}

/// The viewport side that a file is loaded for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ViewportSide {
    /// The open file.
    First,
    /// The file that it is compared with.
    Second,
}

#[derive(Clone, Debug)]
pub(crate) struct LoadRequest {
    pub(crate) file: PathBuf,
    pub(crate) scene: SceneRequest,
    pub(crate) purpose: LoadPurpose,
}

/// Why a file is read.
#[derive(Clone, Debug)]
pub(crate) enum LoadPurpose {
    /// It opens in place of the open one.
    Open,
    /// The open file is read again; the clip plays.
    Reload(Reload, Option<ClipIndex>),
    /// It is a ground for the open file, with legs of this length in meters. An edit that undo or redo restores has it, else the file is
    /// chosen.
    Ground { leg_length: f64, restores_edit: bool },
    /// Its drawn rigs are uploaded again, without the file: a context was lost, or an earlier version is compared.
    Upload(Vec<Rig>),
}

pub(crate) struct LoadResult {
    pub(crate) file: LoadedFile,
    pub(crate) result: Result<PreparedScene, AppError>,
}

/// What a file is read as.
pub(crate) enum LoadedContents {
    Scene(Box<LoadedScene>),
    Ground(Box<LoadedGround>),
    /// What is open already.
    Rigs(Vec<Rig>),
}

/// The contents of a file, and all that they draw as bytes for the GPU.
pub(crate) struct PreparedScene {
    pub(crate) contents: LoadedContents,
    pub(crate) models: Vec<PreparedModel>,
}

/// A file that was read, or could not be read.
pub(crate) struct LoadedFile {
    pub(crate) side: ViewportSide,
    /// The number of the request.
    pub(crate) id: u64,
    /// Without the items that a version of the file lacks.
    pub(crate) request: LoadRequest,
    /// All files that were read, with their stamps at that time.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) stamps: Vec<Option<FileStamp>>,
}

/// Differences of two files.
pub(crate) struct CompareResult {
    pub(crate) id: u64,
    pub(crate) lines: Vec<DiffLine>,
}
