//! Wall time and CPU time.

use std::time::{Duration, Instant};

/// What a measurement counts.
#[derive(Clone, Copy, PartialEq)]
pub enum Clock {
    /// CPU time of this thread.
    ThreadCpu,
    /// Wall time.
    Wall,
}

/// Start of a measurement.
pub struct Start {
    cpu: Option<Duration>,
    wall: Instant,
}

impl Clock {
    /// Starts a measurement.
    pub fn start() -> Start {
        Start { cpu: Self::cpu_time(), wall: Instant::now() }
    }

    /// Returns the CPU time of this thread, if the system reports it.
    pub fn cpu_time() -> Option<Duration> {
        #[cfg(unix)]
        {
            let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
            // SAFETY: the time is valid for writes.
            let result = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
            (result == 0).then_some(())?;
            Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
        }
        #[cfg(windows)]
        return super::thread_cycles::thread_cpu_time();
        #[cfg(not(any(unix, windows)))]
        None
    }
}

impl Start {
    /// Returns the time since the start; wall time if the system does not report CPU time.
    pub fn elapsed(&self, clock: Clock) -> Duration {
        match (clock, self.cpu, Clock::cpu_time()) {
            (Clock::ThreadCpu, Some(start), Some(now)) => now - start,
            _ => self.wall.elapsed(),
        }
    }
}

/// Returns the median, `None` for an empty list.
pub fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}
