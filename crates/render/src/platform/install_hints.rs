//! Commands that install missing programs, by system.

/// Command that installs assimp.
pub const ASSIMP: &str = if cfg!(windows) {
    "vcpkg install assimp[tools]"
} else if cfg!(target_vendor = "apple") {
    "brew install assimp"
} else {
    "apt install assimp-utils"
};

/// Command that installs ffmpeg.
pub const FFMPEG: &str = if cfg!(windows) {
    "winget install ffmpeg"
} else if cfg!(target_vendor = "apple") {
    "brew install ffmpeg"
} else {
    "apt install ffmpeg"
};
