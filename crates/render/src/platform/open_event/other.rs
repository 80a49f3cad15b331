//! Systems without open events.

use std::path::PathBuf;

/// Does nothing.
pub fn on_open_files(_: impl Fn(Vec<PathBuf>) + 'static) {}
