//! When pictures are due.

use std::time::{Duration, Instant};

/// When frames were shown.
#[derive(Default)]
pub(super) struct Clock {
    pub(super) last_frame: Option<Instant>,
    pub(super) next_frame: Option<Instant>,
    pub(super) last_title: Option<Instant>,
    pub(super) hidden: bool,
}

impl Clock {
    /// Sets when the next picture is due: at once where showing waits for the display, else an interval from the last.
    pub(super) fn pace(&mut self, started: Instant, interval: Duration) {
        let due = self.next_frame.unwrap_or(started) + interval;
        self.next_frame = Some(if started.elapsed() >= interval.mul_f64(0.8) {
            Instant::now()
        } else {
            // Never in arrears: a late picture does not make the next one early.
            due.max(started)
        });
    }
}
