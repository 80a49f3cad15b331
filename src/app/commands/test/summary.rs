//! Summary for the terminal, and exit status of a run.

use super::{alike_shots, golden_camera, report_github, reports};
use crate::app::AppError;
use crate::app::console::report::{self, Lines};
use crate::cli::{DenyTest, TestArgs};
use rigview_core::util::text::counted;
use rigview_suite::report::{Run, ShotResult, Status};

/// Of obsolete goldens, and of models and clips without a shot.
const MAX_LISTED: usize = 5;

/// Prints the summary. Returns an error unless all shots passed, or their goldens were written or listed.
///
/// Annotates the job of GitHub Actions.
pub(crate) fn finish(args: &TestArgs, run: &Run, results: &[ShotResult]) -> Result<(), AppError> {
    let output = &args.output;
    report::lines(&summary(run, results))?;
    if report_github::is_enabled(args) {
        report_github::write(run, results)?;
    }
    let shots_with = |is_one: fn(&ShotResult) -> bool| {
        let mut found = results.iter().filter(|result| is_one(result)).map(|result| &result.name);
        found.next().map(|first| match found.count() {
            0 => first.clone(),
            others => format!("{first} and {others} more"),
        })
    };
    if let Some(shots) = shots_with(|result| result.is_empty) {
        report::notice(format_args!("nothing of the model is in view in {shots}; check camera, clip and time"));
    }
    if let Some(shots) = shots_with(|result| result.notices.iter().any(|notice| notice == golden_camera::MOVED)) {
        report::notice(format_args!("the automatic camera would move in {shots}; --update moves it"));
    }
    if let Some(shots) = shots_with(|result| result.notices.iter().any(|notice| notice.starts_with(alike_shots::ALIKE)))
    {
        report::notice(format_args!(
            "another time of the same clip looks alike in {shots}; choose another time, or a camera near to what moves"
        ));
    }
    let count = |status| results.iter().filter(|result| result.status == status && !result.is_ok()).count();
    let see_page = format!("; see {}", output.join(reports::PAGE).display());
    let [changed, new, gone, failed] = [Status::Changed, Status::New, Status::Gone, Status::Error].map(count);
    let shots = results.len();
    if let Some(limit) =
        args.timeout.map(|timeout| timeout.run_secs).filter(|limit| run.wall_secs >= *limit && shots < run.shots_chosen)
    {
        let (not_run, all) = (run.shots_chosen - shots, run.shots_chosen);
        let message =
            format!("the time limit of {limit} s is exceeded: {not_run} of {all} shots did not run{see_page}");
        return Err(AppError::TestsBroken(message));
    }
    if failed > 0 {
        let message = format!("{} cannot be rendered{see_page}", of_images(failed, shots));
        return Err(AppError::TestsBroken(message));
    }
    if run.updating {
        let is_written = |result: &&ShotResult| result.updated.is_some() && result.status != Status::Gone;
        let updated = results.iter().filter(is_written).count();
        report_updated(updated, run.dry_run, "no golden to write", &see_page);
    }
    let denied = |deny, names: &[String]| if args.deny.contains(&deny) { names.len() } else { 0 };
    let uncovered = denied(DenyTest::Uncovered, &run.uncovered);
    let obsolete = denied(DenyTest::Obsolete, &run.obsolete_goldens);
    let it = |count| if count == 1 { "it" } else { "them" };
    let have = if new == 1 { "has" } else { "have" };
    let problems = [
        (changed, format!("{} changed", of_images(changed, shots))),
        (new, format!("{} {have} no golden (--update writes {})", of_images(new, shots), it(new))),
        (gone, format!("the model or clip of {} is gone (--prune deletes {})", of_images(gone, shots), it(gone))),
        (uncovered, counted(uncovered, "model or clip", "models and clips") + " without a shot"),
        (obsolete, counted(obsolete, "obsolete golden", "obsolete goldens") + " (--prune deletes those of rigview)"),
    ];
    let problems: Vec<String> =
        problems.into_iter().filter(|(count, _)| *count > 0).map(|(_, problem)| problem).collect();
    if problems.is_empty() { Ok(()) } else { Err(AppError::TestsDiffer(problems.join(", ") + &see_page)) }
}

/// `1 image` if that is all, otherwise `1 of 3 images`.
fn of_images(count: usize, all: usize) -> String {
    let images = counted(all, "image", "images");
    if count == all { images } else { format!("{count} of {images}") }
}

/// Prints the number of goldens that were written, or that `--dry-run` lists. `see_page` follows it.
pub(crate) fn report_updated(count: usize, dry_run: bool, none: &str, see_page: &str) {
    let goldens = counted(count, "golden", "goldens");
    match count {
        0 => report::notice(format_args!("{none}")),
        _ if dry_run => report::notice(format_args!("{goldens} to write{see_page}")),
        _ => report::notice(format_args!("{goldens} written; review before you commit{see_page}")),
    }
}

/// Returns one line per shot that did not pass or was updated, and one line for the run.
fn summary(run: &Run, results: &[ShotResult]) -> Lines {
    let mut lines = Lines::default();
    for result in results {
        let ShotResult { status, updated, .. } = result;
        let written = if run.dry_run { "to write" } else { "written " };
        let (label, message) = match (updated.as_deref(), status) {
            (Some("deleted"), _) => (if run.dry_run { "to delete" } else { "deleted " }, result.message.as_str()),
            (Some(moved @ ("new" | "moved")), _) => (written, moved),
            (Some(_), Status::Passed) if result.same_driver.is_none() => (written, "unchanged; driver metadata added"),
            (Some(_), Status::Passed) => (written, "unchanged, but rendered by another renderer"),
            (Some(_), _) => (written, result.message.as_str()),
            (None, Status::Passed | Status::Skipped) => continue,
            (None, _) => (status.label(), result.message.as_str()),
        };
        lines.push(format_args!("{label:<8} {}: {message}", result.name));
    }
    let deleted = if run.dry_run { "to delete" } else { "deleted " };
    for name in &run.pruned_goldens {
        lines.push(format_args!("{deleted} {name}: a golden without a shot"));
    }
    for (label, names, what) in [
        ("obsolete", &run.obsolete_goldens, ": a golden without a shot"),
        ("uncovered", &run.uncovered, " has no shot"),
    ] {
        names.iter().take(MAX_LISTED).for_each(|name| lines.push(format_args!("{label} {name}{what}")));
        if names.len() > MAX_LISTED {
            lines.push(format_args!("{label} and {} more", names.len() - MAX_LISTED));
        }
    }
    let counts = Status::ALL.into_iter().filter_map(|status| {
        let count = results.iter().filter(|result| result.status == status).count();
        (count > 0 || status == Status::Passed).then(|| format!("{count} {}", status.label()))
    });
    let mut counts = counts.collect::<Vec<_>>().join(", ");
    let part = match &run.shard {
        Some(shard) => format!(" (part {shard} of {} shots)", run.shots_in_suite),
        None if run.shots_chosen < run.shots_in_suite => {
            format!(" ({} of {} shots chosen)", run.shots_chosen, run.shots_in_suite)
        }
        None => String::new(),
    };
    let unchanged = results.iter().filter(|result| result.is_unchanged).count();
    let other_renderer = results.iter().filter(|result| result.same_driver == Some(false)).count();
    for (count, what) in [
        (run.shots_chosen.saturating_sub(results.len()), "not run"),
        (unchanged, "unchanged and not drawn"),
        (other_renderer, "with the golden of another renderer"),
    ] {
        if count > 0 {
            counts += &format!(", {count} {what}");
        }
    }
    lines.push(format_args!("{}{part}: {counts}; {}", run.suite, run.facts()));
    lines
}
