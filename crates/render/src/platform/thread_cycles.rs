//! CPU time of threads on Windows.

use std::sync::OnceLock;
use std::time::{Duration, Instant};
use windows_sys::Win32::System::Threading::GetCurrentThread;
use windows_sys::Win32::System::WindowsProgramming::QueryThreadCycleTime;

/// Measurements of the cycle rate. Some may be interrupted by other threads.
const RATE_SAMPLES: usize = 10;

/// Length of a measurement of the cycle rate.
const RATE_SAMPLE_TIME: Duration = Duration::from_micros(200);

/// Returns the CPU time of this thread, or `None` where Windows counts no cycles. The first call takes 2 ms.
///
/// Windows counts the cycles of a thread at the constant rate of the time stamp counter. `GetThreadTimes` has steps of about
/// 16 ms, as long as a frame.
pub(super) fn thread_cpu_time() -> Option<Duration> {
    static CYCLES_PER_SEC: OnceLock<Option<f64>> = OnceLock::new();
    let rate = (*CYCLES_PER_SEC.get_or_init(cycles_per_sec))?;
    Some(Duration::from_secs_f64(thread_cycles()? as f64 / rate))
}

/// Returns the processor cycles of this thread.
fn thread_cycles() -> Option<u64> {
    let mut cycles = 0;
    // SAFETY: the count is valid for writes.
    (unsafe { QueryThreadCycleTime(GetCurrentThread(), &raw mut cycles) } != 0).then_some(cycles)
}

/// Measures the cycle rate. The highest one is that of the sample with the fewest interruptions.
fn cycles_per_sec() -> Option<f64> {
    let sample = |_| {
        let (start, cycles) = (Instant::now(), thread_cycles()?);
        while start.elapsed() < RATE_SAMPLE_TIME {}
        Some((thread_cycles()? - cycles) as f64 / start.elapsed().as_secs_f64())
    };
    let rate = (0..RATE_SAMPLES).map(sample).try_fold(0.0, |highest: f64, rate| Some(highest.max(rate?)))?;
    (rate > 0.0).then_some(rate)
}
