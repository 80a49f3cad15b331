//! Comparer: loads and watches the second file of a comparison, and lists the differences of the two rigs.

use super::event::{CompareResult, EventSink, LoadPurpose, LoadRequest, UserEvent, ViewportSide};
use super::file_watcher::FileWatcher;
use super::loader::{GpuOptions, Loader};
use crate::app::AppError;
use crate::app::console::report;
use crate::app::files::model_file::compare_models;
use crate::request::SceneRequest;
use rigview_check::diff::{DiffLine, RigDiff, Tolerances};
use rigview_core::model::Model;
use rigview_core::util::panic_guard::catch;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FAILED: &str = "the comparison failed: this is a bug in rigview";

pub(crate) struct Comparer {
    /// `None` for the version before the last reload, which is in memory.
    file: Option<PathBuf>,
    sink: EventSink,
    pub(crate) loader: Loader,
    pub(crate) watcher: FileWatcher,
    /// Number of the latest comparison.
    last_id: u64,
}

/// Starts to summarize the differences of a file before and after a reload.
pub(crate) fn summarize_reload([before, after]: [Arc<Model>; 2], sink: EventSink) {
    std::thread::spawn(move || {
        let diff = catch(|| RigDiff::of(&before, &after, &Tolerances::default()));
        let summary = diff.map_or_else(|| FAILED.to_owned(), |diff| diff.summary());
        sink(UserEvent::Reloaded(summary));
    });
}

impl Comparer {
    /// Starts to load `file`, if there is one.
    pub(crate) fn new(file: Option<PathBuf>, request: SceneRequest, gpu: GpuOptions, sink: EventSink) -> Self {
        let mut loader = Loader::new(sink.clone(), ViewportSide::Second);
        loader.gpu = gpu;
        let watcher = FileWatcher::new(sink.clone());
        let mut comparer = Self { file, sink, loader, watcher, last_id: 0 };
        comparer.load(request);
        comparer
    }

    /// Loads the file, also after a change. It follows the first file.
    pub(crate) fn load(&mut self, request: SceneRequest) {
        if let Some(file) = self.file.clone() {
            self.loader.start(LoadRequest { file, scene: request, purpose: LoadPurpose::Open });
        }
    }

    /// Starts to compare the rigs of `first` and the second file.
    pub(crate) fn compare_files(&mut self, first: &Path, scene: &SceneRequest) {
        if let Some(second) = self.file.clone() {
            let (first, import, conversion) = (first.to_owned(), scene.import.clone(), scene.conversion.clone());
            self.compare(move || compare_models([&first, &second], &import, &conversion, &Tolerances::default()));
        }
    }

    /// Starts to compare two models in memory.
    pub(crate) fn compare_models(&mut self, before: Arc<Model>, after: Arc<Model>) {
        self.compare(move || Ok(RigDiff::of(&before, &after, &Tolerances::default())));
    }

    fn compare(&mut self, diff: impl FnOnce() -> Result<RigDiff, AppError> + Send + 'static) {
        self.last_id += 1;
        let (id, sink) = (self.last_id, self.sink.clone());
        std::thread::spawn(move || {
            let failure = |text| vec![DiffLine { text, target: None }];
            let lines = match catch(diff) {
                Some(Ok(diff)) => diff.lines(),
                Some(Err(error)) => failure(report::line_of(&error)),
                None => failure(FAILED.to_owned()),
            };
            sink(UserEvent::Compared(CompareResult { id, lines }));
        });
    }

    /// Returns `true` if `result` belongs to the latest comparison.
    pub(crate) fn is_current(&self, result: &CompareResult) -> bool {
        result.id == self.last_id
    }
}
