//! Shutdown on Ctrl+C, SIGTERM and SIGHUP.

use std::sync::atomic::{AtomicBool, Ordering};

/// Exit code after an interruption, as in shells.
pub const EXIT_INTERRUPTED: u8 = 130;

/// Runs `stop` on a separate thread at Ctrl+C, SIGTERM or SIGHUP. A second signal exits immediately.
///
/// Signals ignored by the parent process (e.g. `nohup`) stay ignored. Call once. If no handler can be installed, the
/// default action applies.
pub fn on_signal(stop: impl Fn() + Send + 'static) {
    let interrupted_before = AtomicBool::new(false);
    let ignored = ignored_signals();
    let _ = ctrlc::set_handler(move || {
        if interrupted_before.swap(true, Ordering::Relaxed) {
            exit_now(EXIT_INTERRUPTED);
        }
        stop();
    });
    ignore(&ignored);
}

/// Ends the process. Skips the exit handlers of the graphics driver, since another thread may be calling it.
pub fn exit_now(code: u8) -> ! {
    #[cfg(unix)]
    // SAFETY: `_exit` runs no code of this process.
    unsafe {
        libc::_exit(code.into())
    }
    #[cfg(not(unix))]
    std::process::exit(code.into())
}

/// Returns the signals that are ignored.
#[cfg(unix)]
fn ignored_signals() -> Vec<libc::c_int> {
    let is_ignored = |signal: &libc::c_int| {
        let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: without a new action nothing changes; on failure the old action stays all zeros, which is valid.
        let action = unsafe {
            libc::sigaction(*signal, std::ptr::null(), action.as_mut_ptr());
            action.assume_init()
        };
        action.sa_sigaction == libc::SIG_IGN
    };
    [libc::SIGINT, libc::SIGTERM, libc::SIGHUP].into_iter().filter(is_ignored).collect()
}

#[cfg(not(unix))]
fn ignored_signals() -> Vec<i32> {
    Vec::new()
}

#[cfg(unix)]
fn ignore(signals: &[libc::c_int]) {
    for signal in signals {
        // SAFETY: ignoring a signal runs no code.
        unsafe { libc::signal(*signal, libc::SIG_IGN) };
    }
}

#[cfg(not(unix))]
fn ignore(_: &[i32]) {}
