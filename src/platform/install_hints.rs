//! Remedies for missing drivers and programs, by system.

/// Remedy for a missing OpenGL 3.3 driver.
pub const DRIVER: &str = if cfg!(windows) {
    "install the driver of the graphics card; without one, put Mesa's opengl32.dll next to rigview.exe"
} else if cfg!(target_vendor = "apple") {
    "update macOS"
} else {
    "install a driver (apt install libegl1 libgl1-mesa-dri)"
};

/// Command that installs ffmpeg.
pub const FFMPEG: &str = if cfg!(windows) {
    "winget install ffmpeg"
} else if cfg!(target_vendor = "apple") {
    "brew install ffmpeg"
} else {
    "apt install ffmpeg"
};
