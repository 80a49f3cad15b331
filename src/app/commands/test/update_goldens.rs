//! Pictures become goldens.

use super::result::{Outcome, Status};
use crate::app::console::report;
use crate::app::files::atomic_write;
use std::path::Path;

/// Whether a picture is to become the golden: it is not the same, or another renderer drew the golden.
///
/// What differs in the last bit of an arithmetic is left alone.
pub(crate) fn is_wanted(outcome: &Outcome) -> bool {
    match outcome.status {
        Status::Differs | Status::Missing => true,
        Status::Same => outcome.same_driver != Some(true),
        Status::Failed => false,
    }
}

/// Writes `png` as the golden `file` in the folder `goldens`, which a link must not lead out of the suite's `folder`.
/// The error says why not.
pub(crate) fn take(folder: &Path, goldens: &Path, file: &Path, png: &[u8]) -> Result<(), String> {
    let cannot = |error: std::io::Error| format!("the golden cannot be taken: {}: {error}", goldens.display());
    std::fs::create_dir_all(goldens).map_err(cannot)?;
    let folder = folder.canonicalize().map_err(cannot)?;
    let inside = |path: &Path| path.canonicalize().is_ok_and(|path| path.starts_with(&folder));
    let is_link = std::fs::symlink_metadata(file).is_ok_and(|file| file.is_symlink());
    if !inside(goldens) || (is_link && !inside(file)) {
        return Err(format!("the golden cannot be taken: {}: a link leads out of the suite's folder", file.display()));
    }
    atomic_write::write_atomic(file, png).map_err(|error| report::line_of(&error))
}

/// The PNG files beside the goldens that belong to no shot.
pub(crate) fn strays(goldens: &Path, names: &[String]) -> Vec<String> {
    let known: std::collections::HashSet<&str> = names.iter().map(String::as_str).collect();
    let files = std::fs::read_dir(goldens).into_iter().flatten().flatten();
    let mut strays: Vec<String> = files
        .filter_map(|file| file.file_name().into_string().ok())
        .filter(|name| name.strip_suffix(".png").is_some_and(|name| !known.contains(name)))
        .collect();
    strays.sort();
    strays
}
