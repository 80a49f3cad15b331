//! Pictures, sheets and films that are made beside the window, on a thread with a context of its own.

use crate::app::progress::Steps;
use crate::app::tasks::{contact_sheet, screenshot, video};
use crate::app::viewer::app::{Event, View};
use crate::app::viewer::jobs::export_args;
use crate::app::viewer::state::notifications::Kind;
use crate::app::viewer::state::{Export, FilmKind};
use crate::app::{AppError, report};
use crate::cli::{BackgroundArg, FilmArgs, SheetArgs, ShotArgs};
use crate::util::panic_guard::catch;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the window hears how far a film is.
const INTERVAL: Duration = Duration::from_millis(100);

/// Something that is being made.
pub(crate) struct Making {
    /// The file that it will be.
    pub(crate) file: PathBuf,
    /// Steps that are done, and all of them; none before it is known.
    pub(crate) steps: Option<[usize; 2]>,
    cancelled: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Making {
    fn drop(&mut self) {
        // Whoever closes the window waits for one step, so that nothing half-made is left behind.
        self.cancelled.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What is to be made, as the command line says it.
enum Order {
    Picture(Box<ShotArgs>),
    Sheet(Box<SheetArgs>),
    Film(Box<FilmArgs>),
}

impl View {
    /// Starts to make a picture, a sheet or a film of what is shown.
    pub(crate) fn export(&mut self, export: &Export) {
        if self.making.is_some() {
            return self.tell(Kind::Done, "One thing is being made already; stop it, or wait".to_owned());
        }
        let Some(shown) = &self.shown else { return };
        let asked = (&self.args.pose, &self.args.light, self.args.samples);
        let size = match *export {
            Export::Picture { size, .. } | Export::Film { size, .. } => size,
            Export::Sheet { .. } => [256, 192],
        };
        let mut shot = export_args::shot_args(shown, asked, self.settings.backdrop, size);
        let model = &shown.stage.file;
        let order = match *export {
            Export::Picture { transparent, .. } => {
                shot.output = export_args::free_name(model, "", "png");
                if transparent {
                    shot.background = Some(BackgroundArg::Transparent);
                }
                Order::Picture(Box::new(shot))
            }
            Export::Sheet { phases } => {
                let output = export_args::free_name(model, "-sheet", "png");
                Order::Sheet(Box::new(sheet_args(shot, output, phases)))
            }
            Export::Film { kind, fps, turntable, transparent, .. } => {
                let output = export_args::free_name(model, "", kind.extension());
                if transparent && kind != FilmKind::Mp4 {
                    shot.background = Some(BackgroundArg::Transparent);
                }
                Order::Film(Box::new(film_args(shot, output, (fps, turntable))))
            }
        };
        let file = match &order {
            Order::Picture(args) => args.output.clone(),
            Order::Sheet(args) => args.output.clone(),
            Order::Film(args) => args.output.clone(),
        };
        let cancelled = Arc::new(AtomicBool::new(false));
        let (proxy, stopped) = (self.proxy.clone(), Arc::clone(&cancelled));
        let thread = std::thread::spawn(move || {
            let last = std::cell::Cell::new(None::<Instant>);
            let tell = |done: usize, total: usize| {
                let now = Instant::now();
                if last.get().is_none_or(|last| now - last >= INTERVAL) {
                    last.set(Some(now));
                    let _ = proxy.send_event(Event::Step([done, total]));
                }
            };
            let steps = Steps { tell: &tell, cancelled: &cancelled };
            let make = || match &order {
                Order::Picture(args) => screenshot::run(args),
                Order::Sheet(args) => contact_sheet::make(args, &steps),
                Order::Film(args) => video::make(args, &steps),
            };
            let made = catch(make).unwrap_or_else(|| {
                Err(AppError::NotMade { reason: "it could not be made: this is a fault of rigview".to_owned() })
            });
            // The window may be gone by now.
            let _ = proxy.send_event(Event::Made(made));
        });
        self.making = Some(Making { file, steps: None, cancelled: stopped, thread: Some(thread) });
        self.clock.refresh();
    }

    /// Hears how far it is.
    pub(crate) fn made_steps(&mut self, steps: [usize; 2]) {
        if let Some(making) = &mut self.making {
            making.steps = Some(steps);
            self.clock.refresh();
        }
    }

    /// Hears that it is done, or cannot be.
    pub(crate) fn made(&mut self, result: Result<(), AppError>) {
        let Some(making) = self.making.take() else { return };
        match result {
            Ok(()) => self.tell(Kind::Done, format!("Written to {}", making.file.display())),
            Err(AppError::Cancelled) => self.tell(Kind::Done, "Stopped; nothing was written".to_owned()),
            Err(error) => {
                report::error(&error);
                self.tell(Kind::Trouble, report::line_of(&error));
            }
        }
    }

    /// Stops what is being made; it ends at its next step.
    pub(crate) fn stop_making(&mut self) {
        if let Some(making) = &self.making {
            making.cancelled.store(true, Ordering::Relaxed);
        }
    }
}

fn sheet_args(shot: ShotArgs, output: PathBuf, phases: u32) -> SheetArgs {
    SheetArgs {
        file: shot.file,
        output,
        clips: Vec::new(),
        phases,
        cell: shot.size,
        scene: shot.pose.scene,
        variant: shot.pose.variant,
        ignore_required: shot.pose.ignore_required,
        trust: shot.pose.trust,
        background: shot.background,
        light: shot.light,
        look: shot.look,
    }
}

fn film_args(shot: ShotArgs, output: PathBuf, (fps, turntable): (f64, bool)) -> FilmArgs {
    let mut pose = shot.pose;
    // From the start, wherever the clip stands at present; what stands still stays where it is.
    if pose.clip.as_deref() != Some("none") && pose.layers.is_empty() {
        pose.time = 0.0;
    }
    FilmArgs {
        others: Vec::new(),
        file: shot.file,
        output,
        pose,
        turntable,
        fps,
        loops: None,
        seconds: 4.0,
        size: shot.size,
        eye: shot.eye,
        target: shot.target,
        fov: shot.fov,
        camera: shot.camera.filter(|_| !turntable),
        background: shot.background,
        light: shot.light,
        look: shot.look,
        samples: shot.samples,
    }
}
