//! Two clocks: what has passed, and what this thread has had of the processor.

use std::time::{Duration, Instant};

/// What time is measured by.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Clock {
    /// What this thread has had of the processor.
    Cpu,
    /// What has passed.
    Wall,
}

/// When a measurement began, by both clocks.
pub(crate) struct Start {
    cpu: Option<Duration>,
    wall: Instant,
}

impl Clock {
    pub(crate) fn start() -> Start {
        Start { cpu: Self::cpu_time(), wall: Instant::now() }
    }

    /// What all threads of this process have had of the processor, where the system tells: those of a driver that draws on it
    /// too.
    pub(crate) fn process_cpu_time() -> Option<Duration> {
        #[cfg(unix)]
        {
            let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
            Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
        }
        #[cfg(not(unix))]
        None
    }

    /// What this thread has had of the processor, where the system tells.
    pub(crate) fn cpu_time() -> Option<Duration> {
        #[cfg(unix)]
        {
            let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
            Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
        }
        #[cfg(not(unix))]
        None
    }
}

impl Start {
    pub(crate) fn elapsed(&self, clock: Clock) -> Duration {
        match (clock, self.cpu, Clock::cpu_time()) {
            (Clock::Cpu, Some(start), Some(now)) => now - start,
            _ => self.wall.elapsed(),
        }
    }
}

/// The number in the middle; none of none.
pub(crate) fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}
