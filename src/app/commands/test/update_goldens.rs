//! Updates of golden images.

use super::report_files;
use super::result::{ShotResult, Status};
use crate::app::console::report;
use crate::app::files::atomic_write;
use crate::cli::UpdateMode;
use crate::export::decode_png;
use std::path::Path;

/// Returns `true` if `mode` includes the golden of this result. A golden that differs only within the tolerances is kept.
pub(crate) fn should_update(mode: UpdateMode, result: &ShotResult) -> bool {
    match result.status {
        Status::New => mode != UpdateMode::Changed,
        Status::Changed => mode != UpdateMode::Missing,
        Status::Passed => mode == UpdateMode::All && result.same_driver != Some(true),
        Status::Unstable | Status::Error | Status::Skipped | Status::Expected => false,
    }
}

/// Writes `png` as the golden `file` in the folder `goldens`. Fails if a link leads out of the suite's `folder`.
pub(crate) fn write_golden(folder: &Path, goldens: &Path, file: &Path, png: &[u8]) -> Result<(), String> {
    let cannot = |error: std::io::Error| format!("the golden cannot be written: {}: {error}", goldens.display());
    std::fs::create_dir_all(goldens).map_err(cannot)?;
    let folder = folder.canonicalize().map_err(cannot)?;
    let inside = |path: &Path| path.canonicalize().is_ok_and(|path| path.starts_with(&folder));
    let is_link = std::fs::symlink_metadata(file).is_ok_and(|file| file.is_symlink());
    if !inside(goldens) || (is_link && !inside(file)) {
        return Err(format!(
            "the golden cannot be written: {}: a link leads out of the suite's folder",
            file.display()
        ));
    }
    atomic_write::write_atomic(file, png).map_err(|error| report::line_of(&error))
}

/// Returns the PNG files in the folder `goldens` that belong to no shot.
pub(crate) fn obsolete_goldens(goldens: &Path, names: &[String]) -> Vec<String> {
    let known: std::collections::HashSet<&str> = names.iter().map(String::as_str).collect();
    let files = std::fs::read_dir(goldens).into_iter().flatten().flatten();
    let mut obsolete_goldens: Vec<String> = files
        .filter_map(|file| file.file_name().into_string().ok())
        .filter(|name| name.strip_suffix(".png").is_some_and(|name| !known.contains(name)))
        .collect();
    obsolete_goldens.sort();
    obsolete_goldens
}

/// Deletes the goldens `names` in the folder `goldens`, unless `dry_run`. Returns the names of those, and of the kept ones.
///
/// Keeps files that rigview did not write, such as textures in the same folder, and links.
pub(crate) fn prune(goldens: &Path, names: Vec<String>, dry_run: bool) -> (Vec<String>, Vec<String>) {
    let is_golden = |name: &str| {
        let file = goldens.join(name);
        let is_file = file.symlink_metadata().is_ok_and(|found| found.is_file());
        let png = report_files::read_regular(&file).ok().filter(|_| is_file);
        let software = png.and_then(|png| decode_png(&png).ok()).and_then(|png| png.metadata.software);
        software.is_some_and(|software| software.starts_with("rigview "))
    };
    let delete = |name: &String| is_golden(name) && (dry_run || std::fs::remove_file(goldens.join(name)).is_ok());
    names.into_iter().partition(delete)
}
