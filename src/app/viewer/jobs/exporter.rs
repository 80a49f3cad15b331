//! Pictures, sheets and films that are made beside the window, on a thread with a context of its own.

use crate::app::AppError;
use crate::app::console::progress::{CancelToken, ProgressSink};
use crate::app::console::report;
use crate::app::tasks::{contact_sheet, screenshot, video};
use crate::app::viewer::app::{App, UserEvent};
use crate::app::viewer::jobs::export_args;
use crate::app::viewer::state::notifications::Severity;
use crate::app::viewer::state::{ExportRequest, VideoFormat};
use crate::request::{BackgroundRequest, ContactSheetRequest, RenderRequest, SceneRequest, VideoRequest};
use crate::util::panic_guard::catch;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the window hears how far a film is.
const INTERVAL: Duration = Duration::from_millis(100);

/// Something that is being made.
pub(crate) struct ExportJob {
    /// The file that it will be.
    pub(crate) file: PathBuf,
    /// Steps that are done, and all of them; none before it is known.
    pub(crate) steps: Option<[usize; 2]>,
    cancel: CancelToken,
    thread: Option<JoinHandle<()>>,
}

impl Drop for ExportJob {
    fn drop(&mut self) {
        // Whoever closes the window waits for one step, so that nothing half-made is left behind.
        self.cancel.cancel();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What is to be made, as the command line says it.
enum Order {
    Picture(Box<RenderRequest>),
    Sheet(Box<ContactSheetRequest>),
    Film(Box<VideoRequest>),
}

impl App {
    /// Starts to make a picture, a sheet or a film of what is shown.
    pub(crate) fn export(&mut self, export: &ExportRequest) {
        if self.export_job.is_some() {
            return self.notify(
                Severity::Info,
                "Another export is running. Cancel it or wait until it has finished.".to_owned(),
            );
        }
        let Some(document) = &self.document else { return };
        let asked = (&self.request.scene, &self.request.light, self.request.samples);
        let size = match *export {
            ExportRequest::Image { size, .. } | ExportRequest::Video { size, .. } => size,
            ExportRequest::ContactSheet { .. } => [256, 192],
        };
        let mut shot = export_args::shot_args(document, asked, self.settings.backdrop, size);
        let model = &document.scene.file;
        let (file, order) = match *export {
            ExportRequest::Image { transparent, .. } => {
                if transparent {
                    shot.background = Some(BackgroundRequest::Transparent);
                }
                (export_args::unique_output_path(model, "", "png"), Order::Picture(Box::new(shot)))
            }
            ExportRequest::ContactSheet { phases } => {
                let output = export_args::unique_output_path(model, "-sheet", "png");
                (output, Order::Sheet(Box::new(sheet_request(shot, phases))))
            }
            ExportRequest::Video { format: kind, fps, turntable, transparent, .. } => {
                let output = export_args::unique_output_path(model, "", kind.extension());
                if transparent && kind != VideoFormat::Mp4 {
                    shot.background = Some(BackgroundRequest::Transparent);
                }
                (output, Order::Film(Box::new(video_request(shot, fps, turntable))))
            }
        };
        let output = file.clone();
        let cancel = CancelToken::default();
        let (proxy, job_cancel) = (self.proxy.clone(), cancel.clone());
        let thread = std::thread::spawn(move || {
            let last = std::cell::Cell::new(None::<Instant>);
            let on_step = |done: usize, total: usize| {
                let now = Instant::now();
                if last.get().is_none_or(|last| now - last >= INTERVAL) {
                    last.set(Some(now));
                    let _ = proxy.send_event(UserEvent::ExportProgress([done, total]));
                }
            };
            let steps = ProgressSink { on_step: &on_step, cancel: job_cancel };
            let make = || match &order {
                Order::Picture(args) => screenshot::run(args, &output),
                Order::Sheet(args) => contact_sheet::make(args, &output, &steps),
                Order::Film(args) => video::make(args, &output, &steps),
            };
            let made = catch(make).unwrap_or_else(|| {
                Err(AppError::NotMade { reason: "it could not be made: this is a fault of rigview".to_owned() })
            });
            // The window may be gone by now.
            let _ = proxy.send_event(UserEvent::ExportFinished(made));
        });
        self.export_job = Some(ExportJob { file, steps: None, cancel, thread: Some(thread) });
        self.pacer.refresh();
    }

    /// Hears how far it is.
    pub(crate) fn made_steps(&mut self, steps: [usize; 2]) {
        if let Some(export_job) = &mut self.export_job {
            export_job.steps = Some(steps);
            self.pacer.refresh();
        }
    }

    /// Hears that it is done, or cannot be.
    pub(crate) fn made(&mut self, result: Result<(), AppError>) {
        let Some(export_job) = self.export_job.take() else { return };
        match result {
            Ok(()) => self.notify(Severity::Info, format!("Saved {}", export_job.file.display())),
            Err(AppError::Cancelled) => self.notify(Severity::Info, "Export cancelled".to_owned()),
            Err(error) => {
                report::error(&error);
                self.notify(Severity::Error, report::line_of(&error));
            }
        }
    }

    /// Stops what is being made; it ends at its next step.
    pub(crate) fn cancel_export(&mut self) {
        if let Some(export_job) = &self.export_job {
            export_job.cancel.cancel();
        }
    }
}

fn sheet_request(shot: RenderRequest, frames_per_clip: u32) -> ContactSheetRequest {
    let SceneRequest { scene, variant, ignore_required, import, .. } = shot.scene;
    let scene = SceneRequest { scene, variant, ignore_required, import, ..SceneRequest::default() };
    let thumbnail = RenderRequest { scene, eye: None, target: None, camera: None, ..shot };
    ContactSheetRequest { thumbnail, clips: Vec::new(), frames_per_clip }
}

fn video_request(mut frame: RenderRequest, fps: f64, turntable: bool) -> VideoRequest {
    // From the start, wherever the clip stands at present; what stands still stays where it is.
    if frame.scene.clip.as_deref() != Some("none") && frame.scene.layers.is_empty() {
        frame.scene.time_secs = 0.0;
    }
    frame.camera = frame.camera.filter(|_| !turntable);
    VideoRequest { frame, turntable, fps, loops: None, duration_secs: 4.0 }
}
