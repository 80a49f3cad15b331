//! Files that the desktop opens in the running program. Only macOS has such events; other systems start the program again.

#[cfg(target_os = "macos")]
mod macos;
#[cfg(not(target_os = "macos"))]
mod other;

#[cfg(target_os = "macos")]
pub use macos::on_open_files;
#[cfg(not(target_os = "macos"))]
pub use other::on_open_files;
