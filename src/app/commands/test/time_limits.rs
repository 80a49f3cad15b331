//! Time limits of a run and of its shots.

use super::monitor::Monitor;
use crate::cli::{TestArgs, Timeout};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Time from the end of a run's limit to the end of the program, if a shot hangs.
pub(super) const GRACE: Duration = Duration::from_secs(10);

pub(crate) struct TimeLimits {
    run_end: Option<Instant>,
    pub(crate) shot_secs: Option<f64>,
    /// Dropped when the run ends; the thread that waits for it then ends, too.
    _running: Option<Sender<()>>,
}

impl TimeLimits {
    /// Starts the time of the run. A shot that hangs is ended with the report of `monitor`.
    pub(crate) fn start(args: &TestArgs, monitor: &Arc<Monitor>) -> Self {
        let limit = args.timeout.and_then(|timeout| Duration::try_from_secs_f64(timeout.run_secs).ok());
        let running = limit.map(|limit| {
            let (sender, receiver) = channel::<()>();
            let monitor = Arc::clone(monitor);
            std::thread::spawn(move || {
                if receiver.recv_timeout(limit.saturating_add(GRACE)) == Err(RecvTimeoutError::Timeout) {
                    monitor.stop(&format!("the time limit of {} s is exceeded", limit.as_secs_f64()), 3);
                }
            });
            sender
        });
        let run_end = limit.and_then(|limit| Instant::now().checked_add(limit));
        Self { run_end, shot_secs: args.timeout.and_then(|timeout| timeout.shot_secs), _running: running }
    }

    /// Returns `true` after the end of the run's limit.
    pub(crate) fn is_over(&self) -> bool {
        self.run_end.is_some_and(|end| Instant::now() >= end)
    }

    /// The rest of the run's limit, with that of its shots.
    pub(crate) fn left(&self) -> Option<Timeout> {
        let run_secs = self.run_end?.saturating_duration_since(Instant::now()).as_secs_f64();
        Some(Timeout { run_secs, shot_secs: self.shot_secs })
    }

    /// The end of a shot that begins now and was loaded in `load_secs`.
    pub(crate) fn shot_end(&self, load_secs: f64) -> Option<Instant> {
        let left = self.shot_secs.and_then(|limit| Duration::try_from_secs_f64((limit - load_secs).max(0.0)).ok());
        let shot_end = left.and_then(|left| Instant::now().checked_add(left));
        shot_end.into_iter().chain(self.run_end).min()
    }

    /// Fails for a shot that took longer than its limit.
    pub(crate) fn check_shot(&self, secs: f64) -> Result<(), String> {
        match self.shot_secs {
            Some(limit) if secs > limit => Err(format!("loading and rendering took {secs:.1} s, more than {limit} s")),
            _ => Ok(()),
        }
    }
}
