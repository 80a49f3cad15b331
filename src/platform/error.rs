//! What can stand between this program and a GL context.

use crate::gpu::GpuError;

/// No context could be had.
#[derive(Debug, thiserror::Error)]
pub enum PlatformError {
    /// The EGL library is missing or cannot list devices.
    #[error("no EGL devices to draw with: {reason}; install EGL and a driver (apt install libegl1 libgl1-mesa-dri)")]
    NoEgl {
        /// What the library said.
        reason: String,
    },
    /// No device gave an OpenGL 3.3 context.
    #[error(
        "none of the {} EGL devices gives an OpenGL 3.3 context ({}); install a driver (apt install libegl1 libgl1-mesa-dri)",
        tried.len(),
        tried.join("; ")
    )]
    NoDevice {
        /// Each device that was tried, and why it was no use.
        tried: Vec<String>,
    },
    /// The device that was asked for does not exist.
    #[error("RIGVIEW_EGL_DEVICE is \"{asked}\", but it must be a number below {count}: {}", devices.join("; "))]
    NoSuchDevice {
        /// The variable's value.
        asked: String,
        /// How many devices there are.
        count: usize,
        /// Their descriptions.
        devices: Vec<String>,
    },
    /// This system has no way to draw without a window.
    #[error("pictures without a window need EGL, which this system does not have: run on Linux, or open a window")]
    HeadlessUnsupported,
    /// There is nowhere to open a window.
    #[error("there is no display to open a window on ({reason}); `rigview shot` takes pictures without one")]
    NoDisplay {
        /// What the system said.
        reason: String,
    },
    /// Libraries of the window system are missing.
    #[error(
        "a window needs {}, missing here; install what has them (apt install {}). `rigview shot` takes pictures without a window",
        libraries.join(", "),
        packages.join(" ")
    )]
    NoLibraries {
        /// Their files.
        libraries: Vec<&'static str>,
        /// Debian's packages that have them.
        packages: Vec<&'static str>,
    },
    /// A window, or OpenGL in it, is not to be had.
    #[error("cannot open a window with OpenGL 3.3 ({reason}); is a driver installed (apt install libgl1-mesa-dri)?")]
    NoWindow {
        /// What the system said.
        reason: String,
    },
    /// A context was made, but it is not good enough.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

impl PlatformError {
    /// There is nowhere to open a window, for `reason`.
    pub fn no_display(reason: impl std::fmt::Display) -> Self {
        let reason = reason.to_string();
        Self::NoDisplay { reason: without_source_place(&reason).trim_end_matches('.').to_owned() }
    }

    /// A window is not to be had, for `reason`.
    pub(super) fn no_window(reason: impl std::fmt::Display) -> Self {
        Self::NoWindow { reason: reason.to_string() }
    }
}

/// A message of winit without the line of its source, which helps nobody here.
fn without_source_place(message: &str) -> &str {
    let place = message.strip_prefix("os error at ").and_then(|rest| rest.split_once(".rs:"));
    place.and_then(|(_, rest)| rest.split_once(": ")).map_or(message, |(_, reason)| reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_do_not_name_lines_of_source() {
        let message = "os error at /a/winit/src/mod.rs:788: Failed to open connection to X server";
        assert_eq!(without_source_place(message), "Failed to open connection to X server");
        assert_eq!(without_source_place("no display: none"), "no display: none");
    }
}
