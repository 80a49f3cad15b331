//! Checks for window system libraries, which are loaded at run time.

use super::PlatformError;

/// A library and its Debian package.
type Library = (&'static str, &'static str);

const X11: &[Library] = &[
    ("libX11.so.6", "libx11-6"),
    ("libX11-xcb.so.1", "libx11-xcb1"),
    ("libXcursor.so.1", "libxcursor1"),
    ("libXi.so.6", "libxi6"),
    ("libxkbcommon.so.0", "libxkbcommon0"),
    ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
];

const WAYLAND: &[Library] = &[
    ("libwayland-client.so.0", "libwayland-client0"),
    ("libwayland-egl.so.1", "libwayland-egl1"),
    ("libxkbcommon.so.0", "libxkbcommon0"),
];

/// Checks whether the libraries of the session's window system are installed.
///
/// # Errors
/// Names the missing libraries and their packages. Without this check winit reports no library names, or panics.
pub fn check() -> Result<(), PlatformError> {
    if !cfg!(all(unix, not(target_vendor = "apple"))) {
        return Ok(());
    }
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    // The same choice as in winit.
    let needed = match (is_set("WAYLAND_DISPLAY") || is_set("WAYLAND_SOCKET"), is_set("DISPLAY")) {
        (true, _) => WAYLAND,
        (false, true) => X11,
        (false, false) => return Ok(()),
    };
    let missing: Vec<&Library> = needed.iter().filter(|(library, _)| !can_load(library)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let (libraries, packages) = missing.into_iter().copied().unzip();
    Err(PlatformError::NoLibraries { libraries, packages })
}

/// Returns `true` if the library can be loaded.
#[cfg(unix)]
fn can_load(library: &str) -> bool {
    let Ok(name) = std::ffi::CString::new(library) else { return false };
    // SAFETY: the name is NUL-terminated. The library's initializers are those that run when the window opens.
    !unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) }.is_null()
}

#[cfg(not(unix))]
fn can_load(_: &str) -> bool {
    true
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn missing_library_cannot_be_loaded() {
        assert!(can_load("libc.so.6"));
        assert!(!can_load("libno-such-thing.so.0") && !can_load("lib\0c.so.6"));
    }

    #[test]
    fn hint_is_one_apt_command() {
        let error = PlatformError::NoLibraries {
            libraries: vec!["libXcursor.so.1", "libXi.so.6"],
            packages: vec!["libxcursor1", "libxi6"],
        };
        assert_eq!(
            error.to_string(),
            "a window needs libXcursor.so.1, libXi.so.6; install the missing packages (apt install libxcursor1 libxi6)"
        );
    }
}
