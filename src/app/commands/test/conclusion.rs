//! Summary and exit status of a run.

use super::result::{Run, ShotResult, Status};
use super::{report_github, report_text, reports};
use crate::app::AppError;
use crate::app::console::report;
use crate::cli::{DenyTest, TestArgs};
use rigview_core::util::text::{counted, one_line};

/// Prints the summary. Returns an error unless all shots passed, or their goldens were written or listed.
///
/// Annotates the job of GitHub Actions.
pub(crate) fn finish(args: &TestArgs, run: &Run, results: &[ShotResult]) -> Result<(), AppError> {
    let output = &args.output;
    report::text(&report_text::summary(run, results))?;
    if report_github::is_enabled(args.github, args.shard.is_some()) {
        report_github::write(run, results)?;
    }
    let empty: Vec<&str> = results.iter().filter(|result| result.is_empty).map(|result| result.name.as_str()).collect();
    if let [first, others @ ..] = empty.as_slice() {
        let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
        let first = one_line(first);
        report::notice(format_args!("nothing of the model is in view in {first}{more}; check camera, clip and time"));
    }
    let count = |status| results.iter().filter(|result| result.status == status && !result.is_settled()).count();
    let see_page = format!("; see {}", output.join(reports::PAGE).display());
    let [changed, new, unstable, failed] = [Status::Changed, Status::New, Status::Unstable, Status::Error].map(count);
    let shots = results.len();
    if let Some(limit) = args.timeout.filter(|limit| run.wall_secs >= *limit && shots < run.shots_chosen) {
        let message = format!(
            "the time limit of {limit} s is exceeded: {} of {} shots did not run{see_page}",
            run.shots_chosen - shots,
            run.shots_chosen
        );
        return Err(AppError::TestsBroken { message });
    }
    if failed > 0 {
        return Err(AppError::TestsBroken {
            message: format!("{} cannot be rendered{see_page}", of_images(failed, shots)),
        });
    }
    if run.updating {
        match results.iter().filter(|result| result.updated.is_some()).count() {
            0 => report::notice(format_args!("no golden to write")),
            updated if run.dry_run => {
                report::notice(format_args!("{} to write{see_page}", counted(updated, "golden", "goldens")));
            }
            updated => report::notice(format_args!(
                "{} written; review before you commit{see_page}",
                counted(updated, "golden", "goldens")
            )),
        }
    }
    let mut problems = Vec::new();
    if changed > 0 {
        problems.push(format!("{} changed", of_images(changed, shots)));
    }
    if new > 0 {
        let (have, it) = if new == 1 { ("has", "it") } else { ("have", "them") };
        problems.push(format!("{} {have} no golden (--update writes {it})", of_images(new, shots)));
    }
    if unstable > 0 {
        problems.push(format!("{} unstable", of_images(unstable, shots)));
    }
    if args.deny == Some(DenyTest::Obsolete) && !run.obsolete_goldens.is_empty() {
        let goldens = counted(run.obsolete_goldens.len(), "obsolete golden", "obsolete goldens");
        problems.push(format!("{goldens} (--prune deletes those of rigview)"));
    }
    if problems.is_empty() { Ok(()) } else { Err(AppError::TestsDiffer { message: problems.join(", ") + &see_page }) }
}

/// `1 image` if that is all, otherwise `1 of 3 images`.
fn of_images(count: usize, all: usize) -> String {
    let images = counted(all, "image", "images");
    if count == all { images } else { format!("{count} of {images}") }
}
