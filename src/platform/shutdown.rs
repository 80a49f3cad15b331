//! Being asked to stop: Ctrl+C, and on Unix the signals by which a system ends programs and a terminal says good-bye.

use std::sync::atomic::{AtomicBool, Ordering};

/// Exit code of a program that somebody has stopped, as a shell has it for Ctrl+C.
pub const EXIT_INTERRUPTED: u8 = 130;

/// Runs `stop` on a thread of its own when somebody asks the program to end: by Ctrl+C, SIGTERM, SIGHUP. Who asks a second
/// time ends it at once.
///
/// What whoever started the program has switched off stays off: `nohup` outlives its terminal. To be called once; where the
/// system lets nobody listen, the signals end the program as ever.
pub fn on_signal(stop: impl Fn() + Send + 'static) {
    let asked = AtomicBool::new(false);
    let switched_off = switched_off();
    let _ = ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::Relaxed) {
            std::process::exit(EXIT_INTERRUPTED.into());
        }
        stop();
    });
    switch_off(&switched_off);
}

/// The signals that are ignored at present.
#[cfg(unix)]
fn switched_off() -> Vec<libc::c_int> {
    let is_ignored = |signal: &libc::c_int| {
        let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: without a new action nothing is changed; the old one is written where there is room for it, and is all
        // zeros, which is a valid one, where it is not.
        let action = unsafe {
            libc::sigaction(*signal, std::ptr::null(), action.as_mut_ptr());
            action.assume_init()
        };
        action.sa_sigaction == libc::SIG_IGN
    };
    [libc::SIGINT, libc::SIGTERM, libc::SIGHUP].into_iter().filter(is_ignored).collect()
}

#[cfg(not(unix))]
fn switched_off() -> Vec<i32> {
    Vec::new()
}

#[cfg(unix)]
fn switch_off(signals: &[libc::c_int]) {
    for signal in signals {
        // SAFETY: ignoring a signal runs nothing.
        unsafe { libc::signal(*signal, libc::SIG_IGN) };
    }
}

#[cfg(not(unix))]
fn switch_off(_: &[i32]) {}
