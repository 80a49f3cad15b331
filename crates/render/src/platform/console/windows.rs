//! Consoles of Windows.

use std::sync::atomic::{AtomicBool, Ordering};
use windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE;
use windows_sys::Win32::System::Console::{
    ENABLE_VIRTUAL_TERMINAL_PROCESSING, FreeConsole, GetConsoleMode, GetConsoleProcessList, GetStdHandle,
    STD_ERROR_HANDLE, STD_HANDLE, STD_OUTPUT_HANDLE, SetConsoleMode,
};

/// Standard error was the console that [`release_own`] closed.
static STDERR_WAS_RELEASED: AtomicBool = AtomicBool::new(false);

/// Enables escape codes. Returns `false` if a console does not support them, as before Windows 10.
pub fn enable_escape_codes() -> bool {
    [STD_OUTPUT_HANDLE, STD_ERROR_HANDLE].into_iter().all(|stream| match console_mode(stream) {
        None => true,
        // SAFETY: the call has no pointers but the handle of the process.
        Some(mode) => unsafe { SetConsoleMode(GetStdHandle(stream), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0 },
    })
}

/// Closes the console if no other program uses it, as after a start from the desktop.
///
/// The console of a shell stays open.
pub fn release_own() {
    let is_console = console_mode(STD_ERROR_HANDLE).is_some();
    let mut processes = [0; 2];
    // SAFETY: the list is valid for writes of its length.
    unsafe {
        if GetConsoleProcessList(processes.as_mut_ptr(), processes.len() as u32) == 1 && FreeConsole() != 0 {
            STDERR_WAS_RELEASED.store(is_console, Ordering::Relaxed);
        }
    }
}

/// Returns `true` if standard error is neither a console nor a file nor a pipe, as after a start from the desktop.
pub fn is_stderr_hidden() -> bool {
    // SAFETY: the call has no pointers.
    let stderr = unsafe { GetStdHandle(STD_ERROR_HANDLE) };
    STDERR_WAS_RELEASED.load(Ordering::Relaxed) || stderr.is_null() || stderr == INVALID_HANDLE_VALUE
}

/// Returns the mode of a stream, or `None` if it is not a console.
fn console_mode(stream: STD_HANDLE) -> Option<u32> {
    let mut mode = 0;
    // SAFETY: the mode is valid for writes; a handle of no console is an error.
    (unsafe { GetConsoleMode(GetStdHandle(stream), &raw mut mode) } != 0).then_some(mode)
}
