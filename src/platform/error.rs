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
    /// A context was made, but it is not good enough.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}
