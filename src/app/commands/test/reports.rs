//! Files in the folder of a report.

use super::result::{ImageKind, Run, ShotName, ShotResult, Status};
use super::{report_files, report_html, report_json, report_junit};
use crate::app::AppError;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

pub(crate) const PAGE: &str = "report.html";
pub(crate) const JUNIT: &str = "junit.xml";
pub(crate) const IMAGES_FOLDER: &str = "images";

/// Creates the folder, deletes the previous report, and returns the folder of the images.
///
/// A run that fails or is stopped must not leave the results of the run before it.
pub(crate) fn prepare(output: &Path) -> Result<PathBuf, AppError> {
    let images = output.join(IMAGES_FOLDER);
    report_files::refuse_link(output)?;
    report_files::refuse_link(&images)?;
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

/// Returns the names of the shots that did not pass in the former report in this folder.
pub(crate) fn last_failed(output: &Path) -> Result<HashSet<String>, AppError> {
    let (run, results) = report_json::read(output).map_err(|reason| AppError::TestUsage {
        message: format!("{}: --last-failed needs the report of a former run: {reason}", output.display()),
    })?;
    let is_failed = |result: &ShotResult| match result.status {
        Status::Changed | Status::New => run.dry_run || result.updated.is_none(),
        _ => !result.is_settled(),
    };
    Ok(results.into_iter().filter(is_failed).map(|result| result.name).collect())
}

/// Writes the report files; the images exist already. `not_run` names the shots without a result.
pub(crate) fn write(output: &Path, run: &Run, results: &[ShotResult], not_run: &[ShotName]) -> Result<(), AppError> {
    report_files::write(&output.join(report_json::FILE_NAME), report_json::lines(run, results).as_bytes())?;
    let reason = "not run: the run stopped before this shot";
    report_files::write(
        &output.join(JUNIT),
        report_junit::xml(run, results, not_run, reason, &output.join(IMAGES_FOLDER)).as_bytes(),
    )?;
    let image =
        |name: &str, kind: ImageKind| report_files::read(&output.join(IMAGES_FOLDER).join(kind.file(name))).ok();
    report_files::write(&output.join(PAGE), report_html::page(run, results, &image).as_bytes())
}

/// Writes a JUnit report with an error for each of `shots`, or one error if there are none.
pub(crate) fn write_unfinished(output: &Path, run: &Run, shots: &[ShotName], reason: &str) -> Result<(), AppError> {
    let suite = [ShotName { suite: run.suite.clone(), name: "suite".to_owned() }];
    let shots = if shots.is_empty() { &suite } else { shots };
    report_files::write(
        &output.join(JUNIT),
        report_junit::xml(run, &[], shots, reason, &output.join(IMAGES_FOLDER)).as_bytes(),
    )
}
