//! Updates of golden images.

use super::planned_shot::PlannedShot;
use super::report_files::read_regular;
use super::suite_files::SuiteFiles;
use crate::app::AppError;
use crate::app::console::report;
use crate::app::files::atomic_write;
use crate::cli::UpdateMode;
use rigview_render::export::decode_png;
use rigview_suite::pose::HEADER;
use rigview_suite::report::{ShotResult, Status};
use rigview_suite::store::Store;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
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

/// Completes the manifests of stores.
pub(crate) fn flush_stores<'a>(suites: impl Iterator<Item = &'a Arc<SuiteFiles>>) -> Result<(), AppError> {
    let mut stores = suites.filter_map(|suite| suite.store.as_ref());
    stores
        .try_for_each(|store| store.flush().map_err(|error| AppError::TestsBroken { message: report::line_of(&error) }))
}

/// The goldens of all shots: suite and file name.
pub(crate) fn known_goldens(shots: &[PlannedShot]) -> Vec<(Arc<SuiteFiles>, String)> {
    shots.iter().map(|planned| (Arc::clone(&planned.suite), planned.golden_name())).collect()
}

/// Returns the PNG files in the folders of the goldens that belong to no shot of a suite with the same folder.
pub(crate) fn obsolete_goldens(
    suites: &[Arc<SuiteFiles>],
    known: &[(Arc<SuiteFiles>, String)],
    renderer: Option<&str>,
) -> Result<Vec<PathBuf>, AppError> {
    let resolved = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let folders: HashMap<&Path, PathBuf> =
        suites.iter().map(|suite| (suite.file.as_path(), resolved(&suite.goldens(renderer)))).collect();
    let known_in_folders: HashSet<(&PathBuf, &str)> =
        known.iter().map(|(suite, name)| (&folders[suite.file.as_path()], name.as_str())).collect();
    let (mut obsolete, mut searched) = (Vec::new(), HashSet::new());
    for suite in suites {
        // Without a renderer, the folder is unknown.
        if suite.needs_renderer() && renderer.is_none() {
            continue;
        }
        suite.check_goldens(renderer)?;
        if let Some(store) = &suite.store {
            let own: HashSet<&str> =
                known.iter().filter(|(other, _)| other.file == suite.file).map(|(_, name)| name.as_str()).collect();
            let names = store.names().into_iter().filter(|name| !own.contains(name.as_str()));
            obsolete.extend(names.map(|name| store.manifest().join(name)));
            continue;
        }
        let folder = &folders[suite.file.as_path()];
        if searched.insert(folder) {
            let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let names = files.filter_map(|file| file.file_name().into_string().ok());
            let mut names: Vec<String> = names
                .filter(|name| is_golden_name(name) && !known_in_folders.contains(&(folder, name.as_str())))
                .collect();
            names.sort();
            obsolete.extend(names.into_iter().map(|name| suite.goldens(renderer).join(name)));
        }
    }
    Ok(obsolete)
}

fn is_golden_name(name: &str) -> bool {
    name.ends_with(".png") || name.ends_with(".pose.txt")
}

/// The names of goldens for messages: file names if there is one suite, else paths.
pub(crate) fn display_names(goldens: &[PathBuf], suites: &[Arc<SuiteFiles>]) -> Vec<String> {
    let name = |golden: &PathBuf| match (suites, golden.file_name()) {
        ([_], Some(name)) => name.to_string_lossy().into_owned(),
        _ => golden.display().to_string(),
    };
    goldens.iter().map(name).collect()
}

/// Deletes goldens, unless `dry_run`. Returns those, and the kept ones.
///
/// Keeps files that rigview did not write, such as textures in the same folder, and links. Names in a store are removed from its
/// manifest.
pub(crate) fn prune(goldens: Vec<PathBuf>, suites: &[Arc<SuiteFiles>], dry_run: bool) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let stores: HashMap<&Path, &Store> =
        suites.iter().filter_map(|suite| suite.store.as_ref()).map(|store| (store.manifest(), store)).collect();
    let is_golden = |file: &Path| {
        let is_file = file.symlink_metadata().is_ok_and(|found| found.is_file());
        let bytes = read_regular(file).ok().filter(|_| is_file);
        bytes.is_some_and(|bytes| {
            let software = || decode_png(&bytes).ok().and_then(|png| png.metadata.software);
            bytes.starts_with(HEADER.as_bytes()) || software().is_some_and(|software| software.starts_with("rigview "))
        })
    };
    goldens.into_iter().partition(|file| match file.parent().and_then(|manifest| stores.get(manifest)) {
        Some(store) => dry_run || file.file_name().is_some_and(|name| store.remove(&name.to_string_lossy()).is_ok()),
        None => is_golden(file) && (dry_run || std::fs::remove_file(file).is_ok()),
    })
}
