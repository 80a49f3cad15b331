//! Updates of golden images.

use super::planned_shot::PlannedShot;
use super::suite_files::SuiteFiles;
use crate::app::AppError;
use crate::app::console::report;
use crate::app::files::atomic_write;
use crate::cli::UpdateMode;
use rigview_suite::report::{ShotResult, Status};
use std::path::Path;
use std::sync::Arc;

/// Returns `true` if `mode` includes the golden of this result. A golden that differs only within the tolerances is kept.
pub(crate) fn should_update(mode: UpdateMode, result: &ShotResult) -> bool {
    match result.status {
        Status::New => mode != UpdateMode::Changed,
        Status::Changed => mode != UpdateMode::Missing,
        Status::Passed => mode == UpdateMode::All && result.same_driver != Some(true),
        _ => false,
    }
}

/// Writes the golden `file` of a shot. Fails if a link leads out of the suite's folder.
pub(crate) fn write_golden(planned: &PlannedShot, file: &Path, png: &[u8]) -> Result<(), String> {
    if let Some(store) = &planned.suite.store {
        return store.put(&planned.golden_name(), png).map_err(|error| report::line_of(&error));
    }
    let folder = &planned.suite.folder;
    let goldens = file.parent().unwrap_or(folder);
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

pub(crate) fn flush_stores<'a>(suites: impl Iterator<Item = &'a Arc<SuiteFiles>>) -> Result<(), AppError> {
    let mut stores = suites.filter_map(|suite| suite.store.as_ref());
    stores.try_for_each(|store| store.flush().map_err(|error| AppError::TestsBroken(report::line_of(&error))))
}
