//! CPU time of the process on Windows.

use std::time::Duration;
use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessTimes};

/// Returns the CPU time of all threads of this process, in steps of about 16 ms.
pub fn process_cpu_time() -> Option<Duration> {
    let [mut creation, mut exit, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: all times are valid for writes.
    let succeeded = unsafe {
        GetProcessTimes(GetCurrentProcess(), &raw mut creation, &raw mut exit, &raw mut kernel, &raw mut user)
    };
    // File times count 100 ns.
    let duration = |time: FILETIME| {
        Duration::from_nanos(100 * (u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)))
    };
    (succeeded != 0).then(|| duration(kernel) + duration(user))
}
