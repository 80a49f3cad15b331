//! Headless GL contexts: EGL on Unix, WGL on Windows.

#[cfg(all(unix, not(target_vendor = "apple")))]
mod egl;
#[cfg(windows)]
mod hidden_window;
#[cfg(not(any(windows, all(unix, not(target_vendor = "apple")))))]
mod unsupported;
#[cfg(windows)]
mod wgl;

#[cfg(all(unix, not(target_vendor = "apple")))]
pub use egl::Headless;
#[cfg(not(any(windows, all(unix, not(target_vendor = "apple")))))]
pub use unsupported::Headless;
#[cfg(windows)]
pub use wgl::Headless;
