//! Headless GL contexts: EGL on Unix, WGL on Windows, CGL on macOS.

#[cfg(target_os = "macos")]
mod cgl;
#[cfg(all(unix, not(target_os = "macos")))]
mod egl;
#[cfg(windows)]
mod hidden_window;
#[cfg(windows)]
mod wgl;

#[cfg(target_os = "macos")]
pub use cgl::Headless;
#[cfg(all(unix, not(target_os = "macos")))]
pub use egl::Headless;
#[cfg(windows)]
pub use wgl::Headless;
