//! Name of the modifier key of shortcuts.

/// Expands to `"Cmd"` on macOS, and to `"Ctrl"` on other systems, for `concat!`.
#[cfg(target_os = "macos")]
macro_rules! modifier_key {
    () => {
        "Cmd"
    };
}

/// Expands to `"Cmd"` on macOS, and to `"Ctrl"` on other systems, for `concat!`.
#[cfg(not(target_os = "macos"))]
macro_rules! modifier_key {
    () => {
        "Ctrl"
    };
}

pub(crate) use modifier_key;
