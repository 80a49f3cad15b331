//! Systems without consoles.

/// Returns `true`: terminals support escape codes.
pub fn enable_escape_codes() -> bool {
    true
}

/// Does nothing.
pub fn release_own() {}

/// Does nothing.
pub fn show_error_without_console(_: &str) {}
