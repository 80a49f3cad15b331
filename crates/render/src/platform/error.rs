//! Errors of creating a GL context.

use crate::gpu::{GpuError, INSTALL_DRIVER};

/// No context can be created.
#[derive(Debug, thiserror::Error)]
pub enum PlatformError {
    /// The EGL library is missing or cannot list devices.
    #[error("no EGL devices found: {reason}; install EGL and a driver (apt install libegl1 libgl1-mesa-dri)")]
    NoEgl {
        /// Message of the library.
        reason: String,
    },
    /// No device supports OpenGL 3.3.
    #[error(
        "none of the {} EGL devices supports an OpenGL 3.3 context ({}); {INSTALL_DRIVER}",
        tried.len(),
        tried.join("; ")
    )]
    NoDevice {
        /// Each device with its error.
        tried: Vec<String>,
    },
    /// The requested device does not exist.
    #[error(
        "RIGVIEW_EGL_DEVICE is \"{requested}\", but it must be the number of a device, or part of its description: {}",
        devices.join("; ")
    )]
    NoSuchDevice {
        /// The variable's value.
        requested: String,
        /// Their descriptions.
        devices: Vec<String>,
    },
    /// The system has no headless context with OpenGL 3.3.
    #[error("screenshots without a window are not possible ({reason}); {}", INSTALL_DRIVER)]
    NoHeadless {
        /// Message of the system.
        reason: String,
    },
    /// No display is available.
    #[error("no display to open a window on ({reason})")]
    NoDisplay {
        /// Message of the system.
        reason: String,
    },
    /// Window system libraries are missing.
    #[error(
        "a window needs {}; install the missing packages (apt install {})",
        libraries.join(", "),
        packages.join(" ")
    )]
    NoLibraries {
        /// File names.
        libraries: Vec<&'static str>,
        /// Debian packages that contain them.
        packages: Vec<&'static str>,
    },
    /// A window with OpenGL cannot be created.
    #[error("cannot open a window with OpenGL 3.3 ({reason}); {}", INSTALL_DRIVER)]
    NoWindow {
        /// Message of the system.
        reason: String,
    },
    /// The context does not meet the requirements.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

impl PlatformError {
    /// Creates [`NoDisplay`](Self::NoDisplay) with `reason`.
    pub fn no_display(reason: impl std::fmt::Display) -> Self {
        let reason = reason.to_string();
        Self::NoDisplay { reason: without_source_location(&reason).trim_end_matches('.').to_owned() }
    }

    #[cfg(not(all(unix, not(target_vendor = "apple"))))]
    pub(super) fn no_headless(reason: impl std::fmt::Display) -> Self {
        Self::NoHeadless { reason: driver_reason(reason.to_string(), cfg!(windows)) }
    }

    pub(super) fn no_window(reason: impl std::fmt::Display) -> Self {
        Self::NoWindow { reason: driver_reason(reason.to_string(), cfg!(windows)) }
    }
}

/// Replaces a system error code on Windows: WGL drivers set no code, so it is stale.
fn driver_reason(reason: String, for_windows: bool) -> String {
    if for_windows && reason.contains("(os error ") { "the driver refuses the context".to_owned() } else { reason }
}

/// Strips the source location from a winit message.
fn without_source_location(message: &str) -> &str {
    let location = message.strip_prefix("os error at ").and_then(|rest| rest.split_once(".rs:"));
    location.and_then(|(_, rest)| rest.split_once(": ")).map_or(message, |(_, reason)| reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stale_error_code_of_windows_is_replaced() {
        let reason = |text: &str, for_windows| driver_reason(text.to_owned(), for_windows);
        assert_eq!(reason("[0] Success. (os error 0)", true), "the driver refuses the context");
        assert_eq!(reason("the display has no OpenGL configuration", true), "the display has no OpenGL configuration");
        assert_eq!(reason("[2] No such file (os error 2)", false), "[2] No such file (os error 2)");
    }

    #[test]
    fn winit_source_location_is_stripped() {
        let message = "os error at /a/winit/src/mod.rs:788: Failed to open connection to X server";
        assert_eq!(without_source_location(message), "Failed to open connection to X server");
        assert_eq!(without_source_location("no display: none"), "no display: none");
    }
}
