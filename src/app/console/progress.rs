//! Progress of long work on the terminal.

use super::{report, takes_escape_codes};
use crate::app::AppError;
use crate::app::files::atomic_write;
use rigview_core::import::ImageProgress;
use rigview_render::platform::shutdown;
use std::cell::Cell;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Time from a signal to the end of the process, if the work does not stop by itself.
const CANCEL_GRACE: Duration = Duration::from_millis(700);
/// Estimates above this are printed even if standard error is not a terminal.
const LONG_WORK: Duration = Duration::from_secs(60);
/// Interval of the lines about a run of tests if standard error is not a terminal.
pub(crate) const LOG_INTERVAL: Duration = Duration::from_secs(30);
/// Shorter work prints nothing.
const MIN_DURATION: Duration = Duration::from_secs(1);

/// Prints what the program does and for how long, once it has taken a second; erases the line when dropped.
///
/// Prints nothing if standard error is not a terminal with escape codes, unless the work is [`logged`](Self::logged).
pub(crate) struct Progress {
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// `what` is a phrase such as `reading fox.glb`.
    pub(crate) fn start(what: String) -> Self {
        Self::spawn(move || what.clone(), None)
    }

    /// Shows how many images of `file` are decoded.
    pub(crate) fn reading(file: &Path, images: &Arc<ImageProgress>) -> Self {
        let (file, images) = (file.display().to_string(), Arc::clone(images));
        Self::spawn(move || format!("reading {file}{}", image_count(images.counts())), None)
    }

    /// Shows how many of `samples` an image of several draws has; other images have none.
    pub(crate) fn rendering(samples: Option<u32>, done: &Arc<AtomicU32>) -> Self {
        let done = Arc::clone(done);
        let what = move |total| format!("rendering: {} of {total} samples", done.load(Ordering::Relaxed));
        Self::spawn(move || samples.map_or_else(|| "rendering".to_owned(), &what), None)
    }

    /// Like [`start`](Self::start), and without a terminal prints a line each [`LOG_INTERVAL`].
    pub(crate) fn logged(what: impl Fn() -> String + Send + 'static) -> Self {
        Self::spawn(what, Some(LOG_INTERVAL))
    }

    /// Without a terminal, prints a line each `log_interval`, or nothing if that is `None`.
    fn spawn(what: impl Fn() -> String + Send + 'static, log_interval: Option<Duration>) -> Self {
        let on_terminal = takes_escape_codes(&std::io::stderr());
        let Some(interval) = (if on_terminal { Some(MIN_DURATION) } else { log_interval }) else {
            return Self { running: None };
        };
        let (done, is_done) = channel::<()>();
        let thread = std::thread::spawn(move || {
            let started = Instant::now();
            let mut printed = false;
            while is_done.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                if !on_terminal {
                    report::notice(format_args!("{} ({} s)", what(), started.elapsed().as_secs()));
                    continue;
                }
                printed = true;
                let what = rigview_core::util::text::one_line(&what());
                // Write errors are ignored.
                let _ = write!(std::io::stderr(), "\r\x1b[K{what} ({} s)", started.elapsed().as_secs());
            }
            if printed {
                let _ = write!(std::io::stderr(), "\r\x1b[K");
            }
        });
        Self { running: Some((done, thread)) }
    }
}

/// Returns the count of decoded images as a suffix, empty without images.
pub(crate) fn image_count((done, total): (usize, usize)) -> String {
    match total {
        0 => String::new(),
        total => format!(": {done} of {total} {}", if total == 1 { "image" } else { "images" }),
    }
}

/// A flag that cancels work, shared with the thread that does it.
#[derive(Clone, Debug, Default)]
pub(crate) struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    pub(crate) fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Returns a token that Ctrl+C, SIGTERM and SIGHUP cancel.
///
/// Work that goes on, such as a frame of many draw calls, ends with the process soon after, without partial output. Call once.
pub(crate) fn cancel_on_signal() -> CancelToken {
    let cancel = CancelToken::default();
    let on_signal = cancel.clone();
    shutdown::on_signal(move || {
        on_signal.cancel();
        end_after(CANCEL_GRACE, &AppError::Cancelled);
    });
    cancel
}

/// Ends the process with an error after a time, without partial output.
pub(crate) fn end_after(time: Duration, error: &AppError) {
    std::thread::sleep(time);
    atomic_write::remove_partial_output();
    report::error(error);
    shutdown::exit_now(error.exit_code());
}

/// Receives the progress of work, and may cancel it.
pub(crate) struct ProgressSink<'a> {
    /// Called with completed and total steps.
    pub(crate) on_step: &'a dyn Fn(usize, usize),
    pub(crate) cancel: CancelToken,
}

impl ProgressSink<'_> {
    /// Reports `done` of `total` steps. Returns [`AppError::Cancelled`] if the work is cancelled.
    pub(crate) fn step(&self, done: usize, total: usize) -> Result<(), AppError> {
        (self.on_step)(done, total);
        if self.cancel.0.load(Ordering::Relaxed) { Err(AppError::Cancelled) } else { Ok(()) }
    }
}

/// Prints steps and the time that is left on the terminal, once they have taken a second; erases the line when dropped.
///
/// Without a terminal, prints one notice after the first step if the work is long.
pub(crate) struct StepCounter {
    what: &'static str,
    on_terminal: bool,
    /// Start of the first step.
    started: Cell<Option<Instant>>,
}

impl StepCounter {
    pub(crate) fn start(what: &'static str) -> Self {
        Self { what, on_terminal: takes_escape_codes(&std::io::stderr()), started: Cell::new(None) }
    }

    pub(crate) fn at(&self, done: usize, total: usize) {
        let started = self.started.get().filter(|_| done > 0).unwrap_or_else(Instant::now);
        self.started.set(Some(started));
        let left = time_left(started.elapsed(), done, total);
        if self.on_terminal && started.elapsed() >= MIN_DURATION {
            let left = left.map_or_else(String::new, |left| format!(", about {} left", rounded(left)));
            // Write errors are ignored.
            let _ = write!(std::io::stderr(), "\r\x1b[K{} {done} of {total}{left} (Ctrl+C stops)", self.what);
        } else if let Some(left) = left.filter(|left| !self.on_terminal && done == 1 && *left >= LONG_WORK) {
            report::notice(format_args!("{} 1 of {total} is complete; about {} left", self.what, rounded(left)));
        }
    }
}

/// Time for the other steps, if each takes as long as those before; `None` before the first.
fn time_left(elapsed: Duration, done: usize, total: usize) -> Option<Duration> {
    let per_step = elapsed.as_secs_f64() / done as f64;
    Duration::try_from_secs_f64(per_step * total.saturating_sub(done) as f64).ok().filter(|_| done > 0)
}

fn rounded(time: Duration) -> String {
    match time.as_secs_f64().ceil() as u64 {
        secs @ 0..100 => format!("{secs} s"),
        secs @ 100..6000 => format!("{} min", (secs + 30) / 60),
        secs => format!("{:.1} h", secs as f64 / 3600.0),
    }
}

impl Drop for StepCounter {
    fn drop(&mut self) {
        if self.on_terminal {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((done, thread)) = self.running.take() {
            drop(done);
            // A panic of the printing thread is ignored.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_is_that_of_the_steps_before() {
        let secs = Duration::from_secs_f64;
        assert_eq!(time_left(secs(3.0), 0, 10), None);
        assert_eq!(time_left(secs(3.0), 2, 10), Some(secs(12.0)));
        assert_eq!(time_left(secs(3.0), 10, 10), Some(secs(0.0)));
        assert_eq!([0.2, 99.0, 150.0, 7200.0].map(|time| rounded(secs(time))), ["1 s", "99 s", "3 min", "2.0 h"]);
    }

    #[test]
    fn image_count_is_empty_without_images() {
        assert_eq!(image_count((0, 0)), "");
        assert_eq!(image_count((0, 1)), ": 0 of 1 image");
        assert_eq!(image_count((3, 5)), ": 3 of 5 images");
    }
}
