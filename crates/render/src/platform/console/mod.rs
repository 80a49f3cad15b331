//! Consoles of Windows, and the standard streams of programs that the desktop starts.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{enable_escape_codes, is_stderr_hidden, release_own};
#[cfg(windows)]
pub use windows::{enable_escape_codes, is_stderr_hidden, release_own};
