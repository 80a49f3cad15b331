//! Confinement of untrusted suites to their folder.

use rigview_core::import::file_on_disk;
use std::path::{Component, Path};

/// Whether a suite may name files outside of its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// It may.
    Trusted,
    /// Nothing outside is visited, also not for a glob or for the clips of a model.
    Untrusted,
}

/// Returns `true` if `file` is beneath `folder` without `..`, also after links are resolved. It need not exist.
pub fn is_beneath(folder: &Path, file: &Path) -> bool {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let resolved = || Some(file_on_disk(file).canonicalize().ok()?.starts_with(folder.canonicalize().ok()?));
    file.strip_prefix(folder).is_ok_and(|inside| inside.components().all(is_plain)) && resolved() != Some(false)
}
