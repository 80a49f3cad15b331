//! Time limits of a run and of its shots.

use crate::app::AppError;
use crate::app::console::report;
use crate::cli::TestArgs;
use rigview_render::platform::shutdown;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Time from the end of a run's limit to the end of the program, if a shot hangs.
const GRACE: Duration = Duration::from_secs(10);

pub(crate) struct TimeLimits {
    run_end: Option<Instant>,
    shot_secs: Option<f64>,
    /// Dropped when the run ends; the thread that waits for it then ends, too.
    _running: Option<Sender<()>>,
}

impl TimeLimits {
    /// Starts the time of the run.
    pub(crate) fn start(args: &TestArgs) -> Self {
        let limit = args.timeout.and_then(|secs| Duration::try_from_secs_f64(secs).ok());
        let running = limit.map(|limit| {
            let (sender, receiver) = channel::<()>();
            std::thread::spawn(move || {
                if receiver.recv_timeout(limit.saturating_add(GRACE)) == Err(RecvTimeoutError::Timeout) {
                    let message = format!("the time limit of {} s is exceeded, and a shot hangs", limit.as_secs_f64());
                    report::error(&AppError::TestsBroken { message });
                    shutdown::exit_now(3);
                }
            });
            sender
        });
        let run_end = limit.and_then(|limit| Instant::now().checked_add(limit));
        Self { run_end, shot_secs: args.shot_timeout, _running: running }
    }

    /// Returns `true` after the end of the run's limit.
    pub(crate) fn is_over(&self) -> bool {
        self.run_end.is_some_and(|end| Instant::now() >= end)
    }

    /// Fails for a shot that took longer than its limit.
    pub(crate) fn check_shot(&self, secs: f64) -> Result<(), String> {
        match self.shot_secs {
            Some(limit) if secs > limit => Err(format!("loading and rendering took {secs:.1} s, more than {limit} s")),
            _ => Ok(()),
        }
    }
}
