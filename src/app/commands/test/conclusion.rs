//! Summary and exit status of a run.

use super::result::{Run, ShotResult, Status};
use super::{report_text, reports};
use crate::app::AppError;
use crate::app::console::report;
use std::path::Path;

/// Prints the summary. Returns an error unless all shots passed or their goldens were written.
pub(crate) fn finish(output: &Path, run: &Run, results: &[ShotResult]) -> Result<(), AppError> {
    report::text(&report_text::summary(run, results))?;
    let count = |status: Status| results.iter().filter(|result| result.status == status).count();
    let see_page = format!("; see {}", output.join(reports::PAGE).display());
    let [changed, new, failed] = [Status::Changed, Status::New, Status::Error].map(count);
    let shots = results.len();
    if failed > 0 {
        return Err(AppError::TestsBroken {
            message: format!("{failed} of {shots} images cannot be rendered{see_page}"),
        });
    }
    if run.updating {
        let updated = results.iter().filter(|result| result.updated.is_some()).count();
        report::notice(format_args!("{updated} of {shots} goldens written; review them before you commit{see_page}"));
        return Ok(());
    }
    let mut problems = Vec::new();
    if changed > 0 {
        problems.push(format!("{changed} of {shots} images changed"));
    }
    if new > 0 {
        problems.push(format!("{new} of {shots} have no golden (--update writes them)"));
    }
    if problems.is_empty() { Ok(()) } else { Err(AppError::TestsDiffer { message: problems.join(", ") + &see_page }) }
}
