//! Progress of long work on the terminal.

use super::takes_escape_codes;
use crate::app::AppError;
use crate::import::ImageProgress;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Shorter work prints nothing.
const MIN_DURATION: Duration = Duration::from_secs(1);

/// Prints what the program does and for how long, once it has taken a second; erases the line when dropped.
///
/// Prints nothing if standard error is not a terminal with escape codes.
pub(crate) struct Progress {
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// `what` is a phrase such as `reading fox.glb`.
    pub(crate) fn start(what: String) -> Self {
        Self::spawn(move || what.clone())
    }

    /// Shows how many images of `file` are decoded.
    pub(crate) fn reading(file: &Path, images: &Arc<ImageProgress>) -> Self {
        let (file, images) = (file.display().to_string(), Arc::clone(images));
        Self::spawn(move || format!("reading {file}{}", image_count(images.counts())))
    }

    fn spawn(what: impl Fn() -> String + Send + 'static) -> Self {
        if !takes_escape_codes(&std::io::stderr()) {
            return Self { running: None };
        }
        let (done, is_done) = channel::<()>();
        let thread = std::thread::spawn(move || {
            let started = Instant::now();
            let mut printed = false;
            while is_done.recv_timeout(MIN_DURATION) == Err(RecvTimeoutError::Timeout) {
                printed = true;
                let what = crate::util::text::one_line(&what());
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

/// Prints steps on the terminal; erases the line when dropped.
pub(crate) struct StepCounter {
    what: &'static str,
    on_terminal: bool,
}

impl StepCounter {
    pub(crate) fn start(what: &'static str) -> Self {
        Self { what, on_terminal: takes_escape_codes(&std::io::stderr()) }
    }

    pub(crate) fn at(&self, done: usize, total: usize) {
        if self.on_terminal {
            // Write errors are ignored.
            let _ = write!(std::io::stderr(), "\r\x1b[K{} {done} of {total} (Ctrl+C stops)", self.what);
        }
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
    fn image_count_is_empty_without_images() {
        assert_eq!(image_count((0, 0)), "");
        assert_eq!(image_count((0, 1)), ": 0 of 1 image");
        assert_eq!(image_count((3, 5)), ": 3 of 5 images");
    }
}
