//! Exporter: renders images, contact sheets and videos on a thread with its own GL context, and writes models.

use super::event::{EventSink, UserEvent};
use crate::app::AppError;
use crate::app::console::progress::{CancelToken, ProgressSink};
use crate::app::tasks::{bake, contact_sheet, screenshot, skinned_model, video};
use crate::app::viewer::state::{ExportKind, ExportRequest, ExportSettings, ModelContents};
use crate::cli::BakeArgs;
use crate::request::{
    ALL_CLIPS, BackgroundRequest, ContactSheetRequest, RenderRequest, SceneRequest, TimeRequest, VideoRequest,
};
use rigview_core::util::panic_guard::catch;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Minimum time between two progress events.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

const STOP_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A running export. Dropping it cancels the export and waits for the current step.
pub(crate) struct ExportJob {
    cancel: CancelToken,
    thread: Option<JoinHandle<()>>,
}

impl ExportJob {
    /// Starts to render `image`, the current frame, as `request` describes.
    pub(crate) fn start(request: ExportRequest, mut image: RenderRequest, sink: EventSink) -> Self {
        let ExportRequest { output, settings, range_secs, .. } = request;
        if settings.is_transparent() {
            image.background = Some(BackgroundRequest::Transparent);
        }
        Self::spawn(sink, move |steps| match settings.kind {
            ExportKind::Image => screenshot::make(&image, &output, steps),
            ExportKind::Sheet => contact_sheet::make(&sheet_request(image, settings.frames_per_clip), &output, steps),
            ExportKind::Video => video::make(&video_request(image, &settings, range_secs), &output, steps),
            ExportKind::Model => {
                let args = BakeArgs { file: image.file, output, gpu: false, pose: image.scene };
                match settings.contents {
                    ModelContents::Mesh => bake::make(&args),
                    contents => skinned_model::make(&args, contents == ModelContents::Pose),
                }
            }
        })
    }

    fn spawn(
        sink: EventSink,
        task: impl FnOnce(&ProgressSink<'_>) -> Result<Vec<String>, AppError> + Send + 'static,
    ) -> Self {
        let cancel = CancelToken::default();
        let thread_cancel = cancel.clone();
        let thread = std::thread::spawn(move || {
            let last = std::cell::Cell::new(None::<Instant>);
            let report = |done: usize, total: usize| {
                let now = Instant::now();
                if last.get().is_none_or(|last| now - last >= PROGRESS_INTERVAL) {
                    last.set(Some(now));
                    sink(UserEvent::ExportProgress([done, total]));
                }
            };
            let steps = ProgressSink { on_step: &report, cancel: thread_cancel };
            let result = catch(|| task(&steps)).unwrap_or_else(|| {
                Err(AppError::ExportFailed("the export failed: this is a bug in rigview".to_owned()))
            });
            sink(UserEvent::ExportFinished(result));
        });
        Self { cancel, thread: Some(thread) }
    }

    /// Stops the export after its current step.
    pub(crate) fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Cancels the export. Returns `false` if its current step takes longer than `timeout`; then the thread still runs.
    pub(crate) fn stop_within(mut self, timeout: Duration) -> bool {
        self.cancel();
        let deadline = Instant::now() + timeout;
        while self.thread.as_ref().is_some_and(|thread| !thread.is_finished()) {
            if Instant::now() >= deadline {
                // The drop would wait.
                self.thread = None;
                return false;
            }
            std::thread::sleep(STOP_POLL_INTERVAL);
        }
        true
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
    ContactSheetRequest { thumbnail, clips: Vec::new(), flex: false, frames_per_clip }
}

/// A video of a part of the clip, or of the whole.
fn video_request(mut frame: RenderRequest, settings: &ExportSettings, range_secs: Option<[f64; 2]>) -> VideoRequest {
    // A still pose keeps its time, as do clips that play together.
    let plays_one = ![Some(ALL_CLIPS), Some("none")].contains(&frame.scene.clip.as_deref());
    if plays_one && frame.scene.layers.is_empty() {
        frame.scene.time = TimeRequest::Secs(range_secs.map_or(0.0, |[start, _]| start));
    }
    let ExportSettings { turntable, fps, loops, .. } = *settings;
    frame.camera = frame.camera.filter(|_| !turntable);
    // A turntable lasts some seconds.
    let loops = Some(loops).filter(|loops| *loops > 1 || !turntable);
    VideoRequest { frame, turntable, fps, loops, range_secs }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex, mpsc};

    /// An export that cancels between two steps, and the results that it reports.
    fn export(step: Duration) -> (ExportJob, mpsc::Receiver<bool>, mpsc::Receiver<()>) {
        let (results, result) = mpsc::channel();
        let results = Mutex::new(results);
        let sink: EventSink = Arc::new(move |event| {
            if let UserEvent::ExportFinished(result) = event {
                let _ = results.lock().unwrap().send(matches!(result, Err(AppError::Cancelled)));
            }
            true
        });
        let (begins, begun) = mpsc::channel();
        let job = ExportJob::spawn(sink, move |steps| {
            begins.send(()).unwrap();
            std::thread::sleep(step);
            steps.step(1, 2)?;
            Ok(Vec::new())
        });
        (job, result, begun)
    }

    #[test]
    fn short_step_of_a_cancelled_export_ends_in_time() {
        let (job, is_cancelled, begun) = export(Duration::from_millis(20));
        begun.recv().unwrap();
        assert!(job.stop_within(Duration::from_secs(60)));
        assert!(is_cancelled.recv().unwrap());
    }

    #[test]
    fn long_step_does_not_delay_the_end() {
        let (job, is_cancelled, begun) = export(Duration::from_secs(3));
        begun.recv().unwrap();
        let start = Instant::now();
        assert!(!job.stop_within(Duration::from_millis(30)));
        assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
        assert!(is_cancelled.recv().unwrap(), "the thread cancels after its step");
    }
}
