//! A line for a person who waits.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Work shorter than this is not told of.
const PATIENCE: Duration = Duration::from_secs(1);

/// Tells on a terminal what the program is at, once it has taken a second; the line goes when the work is done.
///
/// Where standard error is no terminal nothing is written.
pub(super) struct Progress {
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Begins to wait for `what`, such as `reading fox.glb`.
    pub(super) fn start(what: String) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self { running: None };
        }
        let (done, is_done) = channel::<()>();
        let what = super::report::one_line(&what);
        let thread = std::thread::spawn(move || {
            let started = Instant::now();
            let mut told = false;
            while is_done.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                told = true;
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

/// Tells on a terminal how far the program is, from the first step on; the line goes when it is dropped.
pub(super) struct Counter {
    what: &'static str,
    total: usize,
    on_terminal: bool,
}

impl Counter {
    /// Begins to count up to `total`.
    pub(super) fn start(what: &'static str, total: usize) -> Self {
        let counter = Self { what, total, on_terminal: std::io::stderr().is_terminal() };
        counter.at(0);
        counter
    }

    /// `done` steps are done.
    pub(super) fn at(&self, done: usize) {
        if self.on_terminal {
            // A terminal that cannot be written to is no reason to stop.
            let _ = write!(std::io::stderr(), "\r\x1b[K{} {done} of {} (Ctrl+C stops)", self.what, self.total);
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
