//! Files in the folder of a report.

use super::result::{ImageKind, Run, ShotResult};
use super::{compare_golden, report_html, report_json, report_junit};
use crate::app::AppError;
use crate::app::files::atomic_write;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) const PAGE: &str = "report.html";
pub(crate) const JUNIT: &str = "junit.xml";
pub(crate) const IMAGES_FOLDER: &str = "images";

/// Creates the folder, deletes the previous report, and returns the folder of the images.
///
/// A run that fails or is stopped must not leave the results of the run before it.
pub(crate) fn prepare(output: &Path) -> Result<PathBuf, AppError> {
    let images = output.join(IMAGES_FOLDER);
    refuse_link(output)?;
    refuse_link(&images)?;
    if let Ok((_, previous)) = report_json::read(output) {
        for result in previous {
            for kind in result.images {
                // The file may be gone already.
                let _ = std::fs::remove_file(images.join(kind.file(&result.name)));
            }
        }
    }
    for name in [report_json::FILE_NAME, JUNIT, PAGE] {
        let file = output.join(name);
        if let Err(source) = std::fs::remove_file(&file)
            && file.symlink_metadata().is_ok()
        {
            return Err(AppError::Output { file, source });
        }
    }
    std::fs::create_dir_all(&images).map_err(|source| AppError::Output { file: images.clone(), source })?;
    Ok(images)
}

/// Writes the report files; the images exist already. `not_run` names the shots without a result.
pub(crate) fn write(output: &Path, run: &Run, results: &[ShotResult], not_run: &[&str]) -> Result<(), AppError> {
    write_file(&output.join(report_json::FILE_NAME), report_json::lines(run, results).as_bytes())?;
    let reason = "not run: the run stopped before this shot";
    write_file(&output.join(JUNIT), report_junit::xml(run, results, not_run, reason).as_bytes())?;
    let image = |name: &str, kind: ImageKind| read_file(&output.join(IMAGES_FOLDER).join(kind.file(name))).ok();
    write_file(&output.join(PAGE), report_html::page(run, results, &image).as_bytes())
}

/// Writes a JUnit report with an error for each of `shots`, or one error if there are none.
pub(crate) fn write_unfinished(output: &Path, run: &Run, shots: &[&str], reason: &str) -> Result<(), AppError> {
    let shots = if shots.is_empty() { &["suite"] } else { shots };
    write_file(&output.join(JUNIT), report_junit::xml(run, &[], shots, reason).as_bytes())
}

/// Writes a file of a report, but not through a link.
pub(crate) fn write_file(file: &Path, bytes: &[u8]) -> Result<(), AppError> {
    refuse_link(file)?;
    atomic_write::write_atomic(file, bytes)
}

/// Reads a file of a report, but not through a link.
pub(crate) fn read_file(file: &Path) -> io::Result<Vec<u8>> {
    if is_link(file) {
        return Err(io::Error::other("a report contains no links"));
    }
    compare_golden::read(file)
}

/// Refuses a link in a report: it could lead to any file of the user.
pub(crate) fn refuse_link(path: &Path) -> Result<(), AppError> {
    if is_link(path) {
        let message = format!("{}: this is a link, and a report contains no links; remove it", path.display());
        return Err(AppError::TestUsage { message });
    }
    Ok(())
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_symlink())
}
