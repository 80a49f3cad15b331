//! A line for a person who waits.

use crate::app::AppError;
use crate::import::ImageProgress;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Work shorter than this is not told of.
const PATIENCE: Duration = Duration::from_secs(1);

/// Tells on a terminal what the program is at, once it has taken a second; the line goes when the work is done.
///
/// Where standard error is no terminal nothing is written.
pub(crate) struct Progress {
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Begins to wait for `what`, such as `reading fox.glb`.
    pub(crate) fn start(what: String) -> Self {
        Self::telling(move || what.clone())
    }

    /// Begins to wait for `file`, whose images are counted.
    pub(crate) fn reading(file: &Path, images: &Arc<ImageProgress>) -> Self {
        let (file, images) = (file.display().to_string(), Arc::clone(images));
        Self::telling(move || format!("reading {file}{}", of_images(images.counts())))
    }

    fn telling(what: impl Fn() -> String + Send + 'static) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self { running: None };
        }
        let (done, is_done) = channel::<()>();
        let thread = std::thread::spawn(move || {
            let started = Instant::now();
            let mut told = false;
            while is_done.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                told = true;
                let what = crate::util::text::one_line(&what());
                // A terminal that cannot be written to is no reason to stop.
                let _ = write!(std::io::stderr(), "\r\x1b[K{what} ({} s)", started.elapsed().as_secs());
            }
            if told {
                let _ = write!(std::io::stderr(), "\r\x1b[K");
            }
        });
        Self { running: Some((done, thread)) }
    }
}

/// How many images are decoded, as it stands behind the name of their file: nothing where there are none.
pub(crate) fn of_images((done, total): (usize, usize)) -> String {
    match total {
        0 => String::new(),
        total => format!(": {done} of {total} {}", if total == 1 { "image" } else { "images" }),
    }
}

/// Where long work tells how far it is, and hears that it is to stop.
pub(crate) struct Steps<'a> {
    /// Hears how many steps are done, and how many there are.
    pub(crate) tell: &'a dyn Fn(usize, usize),
    /// Whether it is to stop at its next step.
    pub(crate) cancelled: &'a AtomicBool,
}

impl Steps<'_> {
    /// Tells how far it is.
    ///
    /// # Errors
    /// When it is to stop.
    pub(crate) fn at(&self, done: usize, total: usize) -> Result<(), AppError> {
        (self.tell)(done, total);
        if self.cancelled.load(Ordering::Relaxed) { Err(AppError::Cancelled) } else { Ok(()) }
    }
}

/// Tells on a terminal how far the program is, from the first step on; the line goes when it is dropped.
pub(crate) struct Counter {
    what: &'static str,
    on_terminal: bool,
}

impl Counter {
    /// Begins to count.
    pub(crate) fn start(what: &'static str) -> Self {
        Self { what, on_terminal: std::io::stderr().is_terminal() }
    }

    /// `done` steps of `total` are done.
    pub(crate) fn at(&self, done: usize, total: usize) {
        if self.on_terminal {
            // A terminal that cannot be written to is no reason to stop.
            let _ = write!(std::io::stderr(), "\r\x1b[K{} {done} of {total} (Ctrl+C stops)", self.what);
        }
    }
}

impl Drop for Counter {
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
            // It only prints; if it has panicked, there is no line to take away.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_told_of_where_there_are_some() {
        assert_eq!(of_images((0, 0)), "");
        assert_eq!(of_images((0, 1)), ": 0 of 1 image");
        assert_eq!(of_images((3, 5)), ": 3 of 5 images");
    }
}
