//! The console of Windows. Terminals of other systems need no setup.

#[cfg(not(windows))]
mod other;
#[cfg(windows)]
mod windows;

#[cfg(not(windows))]
pub use other::{enable_escape_codes, release_own, show_error_without_console};
#[cfg(windows)]
pub use windows::{enable_escape_codes, release_own, show_error_without_console};
