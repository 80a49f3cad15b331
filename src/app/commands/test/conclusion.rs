//! Summary and exit status of a run.

use super::result::{Outcome, Run, Status};
use super::{report_text, reports};
use crate::app::AppError;
use crate::app::console::report;
use std::path::Path;

/// Tells how it went, and whether it went well.
pub(crate) fn finish(output: &Path, run: &Run, outcomes: &[Outcome]) -> Result<(), AppError> {
    report::text(&report_text::summary(run, outcomes))?;
    let count = |status: Status| outcomes.iter().filter(|outcome| outcome.status == status).count();
    let page = output.join(reports::PAGE);
    let look = format!("; see {}", page.display());
    let [differing, missing, failed] = [Status::Differs, Status::Missing, Status::Failed].map(count);
    let shots = outcomes.len();
    if failed > 0 {
        return Err(AppError::TestsBroken { message: format!("{failed} of {shots} pictures cannot be taken{look}") });
    }
    if run.blessing {
        let taken = outcomes.iter().filter(|outcome| outcome.blessed.is_some()).count();
        let message =
            format!("{taken} of {shots} pictures were taken as goldens: look at them, and run again without --update");
        return Err(AppError::TestsDiffer { message });
    }
    let mut problems = Vec::new();
    if differing > 0 {
        problems.push(format!("{differing} of {shots} pictures differ"));
    }
    if missing > 0 {
        problems.push(format!("{missing} of {shots} have no golden (--update takes them)"));
    }
    if problems.is_empty() { Ok(()) } else { Err(AppError::TestsDiffer { message: problems.join(", ") + &look }) }
}
