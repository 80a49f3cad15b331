//! Wall time and CPU time.

use std::time::{Duration, Instant};

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Clock {
    /// CPU time of this thread.
    ThreadCpu,
    /// Wall time.
    Wall,
}

/// Start of a measurement.
pub(crate) struct Start {
    cpu: Option<Duration>,
    wall: Instant,
}

impl Clock {
    pub(crate) fn start() -> Start {
        Start { cpu: Self::cpu_time(), wall: Instant::now() }
    }

    /// CPU time of this thread, if the system reports it.
    pub(crate) fn cpu_time() -> Option<Duration> {
        #[cfg(unix)]
        {
            let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
            Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
        }
        #[cfg(windows)]
        return rigview_render::platform::cpu_time::thread_cpu_time();
        #[cfg(not(any(unix, windows)))]
        None
    }
}

impl Start {
    pub(crate) fn elapsed(&self, clock: Clock) -> Duration {
        match (clock, self.cpu, Clock::cpu_time()) {
            (Clock::ThreadCpu, Some(start), Some(now)) => now - start,
            _ => self.wall.elapsed(),
        }
    }
}

/// Returns the median, `None` for an empty list.
pub(crate) fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}
