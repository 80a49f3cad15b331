//! The folder of a report: what is in it, and what of a former one goes.

use super::result::{Kind, Outcome, Run};
use super::{report_html, report_json, report_junit};
use crate::app::AppError;
use crate::app::files::atomic_write;
use std::path::{Path, PathBuf};

/// The page for people.
pub(crate) const PAGE: &str = "report.html";
/// A line of JSON for the run, and one for each shot.
pub(crate) const LINES: &str = "report.jsonl";
/// For build servers.
pub(crate) const JUNIT: &str = "junit.xml";
/// The folder of the pictures.
pub(crate) const PICTURES: &str = "pictures";

/// Makes the folder ready and returns the one of the pictures. The pictures of a former report go, and nothing else.
pub(crate) fn prepare(output: &Path) -> Result<PathBuf, AppError> {
    let pictures = output.join(PICTURES);
    if let Ok((_, former)) = report_json::read(output) {
        for outcome in former {
            for kind in outcome.pictures {
                // One that is gone already is no loss.
                let _ = std::fs::remove_file(pictures.join(kind.file(&outcome.name)));
            }
        }
    }
    std::fs::create_dir_all(&pictures).map_err(|source| AppError::Output { file: pictures.clone(), source })?;
    Ok(pictures)
}

/// Writes the report; the pictures are there already.
pub(crate) fn write(output: &Path, run: &Run, outcomes: &[Outcome]) -> Result<(), AppError> {
    atomic_write::write_atomic(&output.join(LINES), report_json::lines(run, outcomes).as_bytes())?;
    atomic_write::write_atomic(&output.join(JUNIT), report_junit::xml(run, outcomes).as_bytes())?;
    let picture = |name: &str, kind: Kind| std::fs::read(output.join(PICTURES).join(kind.file(name))).ok();
    atomic_write::write_atomic(&output.join(PAGE), report_html::page(run, outcomes, &picture).as_bytes())
}
