//! Exporter: renders images, contact sheets and videos on a thread with its own GL context.

use super::event::{EventSink, JobEvent};
use super::export_args::unique_output_path;
use crate::app::AppError;
use crate::app::console::progress::{CancelToken, ProgressSink};
use crate::app::tasks::{contact_sheet, screenshot, video};
use crate::app::viewer::state::ExportRequest;
use crate::request::{BackgroundRequest, ContactSheetRequest, RenderRequest, SceneRequest, VideoRequest};
use crate::util::panic_guard::catch;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Minimum time between two progress events.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// A running export. Dropping it cancels the export and waits for the current step, so that no partial file is left.
pub(crate) struct ExportJob {
    cancel: CancelToken,
    thread: Option<JoinHandle<()>>,
}

enum Task {
    Image(Box<RenderRequest>),
    ContactSheet(Box<ContactSheetRequest>),
    Video(Box<VideoRequest>),
}

impl ExportJob {
    /// Starts the export of `image` next to `model`. Returns the output path, too.
    pub(crate) fn start(
        request: &ExportRequest,
        mut image: RenderRequest,
        model: &Path,
        sink: EventSink,
    ) -> (Self, PathBuf) {
        let (file, task) = match *request {
            ExportRequest::Image { transparent, .. } => {
                if transparent {
                    image.background = Some(BackgroundRequest::Transparent);
                }
                (unique_output_path(model, "", "png"), Task::Image(Box::new(image)))
            }
            ExportRequest::ContactSheet { frames_per_clip } => (
                unique_output_path(model, "-sheet", "png"),
                Task::ContactSheet(Box::new(sheet_request(image, frames_per_clip))),
            ),
            ExportRequest::Video { format, fps, turntable, transparent, .. } => {
                if transparent && format.can_be_transparent() {
                    image.background = Some(BackgroundRequest::Transparent);
                }
                let output = unique_output_path(model, "", format.extension());
                (output, Task::Video(Box::new(video_request(image, fps, turntable))))
            }
        };
        let cancel = CancelToken::default();
        let (output, thread_cancel) = (file.clone(), cancel.clone());
        let thread = std::thread::spawn(move || {
            let last = std::cell::Cell::new(None::<Instant>);
            let report = |done: usize, total: usize| {
                let now = Instant::now();
                if last.get().is_none_or(|last| now - last >= PROGRESS_INTERVAL) {
                    last.set(Some(now));
                    sink(JobEvent::ExportProgress([done, total]));
                }
            };
            let steps = ProgressSink { on_step: &report, cancel: thread_cancel };
            let run_task = || match &task {
                Task::Image(request) => screenshot::make(request, &output),
                Task::ContactSheet(request) => contact_sheet::make(request, &output, &steps),
                Task::Video(request) => video::make(request, &output, &steps),
            };
            let result = catch(run_task).unwrap_or_else(|| {
                Err(AppError::ExportFailed { reason: "the export failed: this is a bug in rigview".to_owned() })
            });
            sink(JobEvent::ExportFinished(result));
        });
        (Self { cancel, thread: Some(thread) }, file)
    }

    /// Stops the export after its current step.
    pub(crate) fn cancel(&self) {
        self.cancel.cancel();
    }
}

impl Drop for ExportJob {
    fn drop(&mut self) {
        self.cancel();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn sheet_request(image: RenderRequest, frames_per_clip: u32) -> ContactSheetRequest {
    let SceneRequest { scene, variant, ignore_required, import, .. } = image.scene;
    let scene = SceneRequest { scene, variant, ignore_required, import, ..SceneRequest::default() };
    let thumbnail = RenderRequest { scene, eye: None, target: None, camera: None, ..image };
    ContactSheetRequest { thumbnail, clips: Vec::new(), frames_per_clip }
}

fn video_request(mut frame: RenderRequest, fps: f64, turntable: bool) -> VideoRequest {
    // Starts at the beginning of the clip. A still pose keeps its time.
    if frame.scene.clip.as_deref() != Some("none") && frame.scene.layers.is_empty() {
        frame.scene.time_secs = 0.0;
    }
    frame.camera = frame.camera.filter(|_| !turntable);
    VideoRequest { frame, turntable, fps, loops: None, duration_secs: 4.0 }
}
