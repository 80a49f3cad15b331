//! Files in the folder of a report.

use super::result::{ImageKind, Run, ShotResult};
use super::{report_html, report_json, report_junit};
use crate::app::AppError;
use crate::app::files::atomic_write;
use std::path::{Path, PathBuf};

pub(crate) const PAGE: &str = "report.html";
pub(crate) const JUNIT: &str = "junit.xml";
pub(crate) const IMAGES_FOLDER: &str = "images";

/// Creates the folder, deletes the images of a previous report, and returns the folder of the images.
pub(crate) fn prepare(output: &Path) -> Result<PathBuf, AppError> {
    let images = output.join(IMAGES_FOLDER);
    if let Ok((_, previous)) = report_json::read(output) {
        for result in previous {
            for kind in result.images {
                // The file may be gone already.
                let _ = std::fs::remove_file(images.join(kind.file(&result.name)));
            }
        }
    }
    std::fs::create_dir_all(&images).map_err(|source| AppError::Output { file: images.clone(), source })?;
    Ok(images)
}

/// Writes the report files; the images exist already.
pub(crate) fn write(output: &Path, run: &Run, results: &[ShotResult]) -> Result<(), AppError> {
    atomic_write::write_atomic(&output.join(report_json::FILE_NAME), report_json::lines(run, results).as_bytes())?;
    atomic_write::write_atomic(&output.join(JUNIT), report_junit::xml(run, results).as_bytes())?;
    let image = |name: &str, kind: ImageKind| std::fs::read(output.join(IMAGES_FOLDER).join(kind.file(name))).ok();
    atomic_write::write_atomic(&output.join(PAGE), report_html::page(run, results, &image).as_bytes())
}
