//! Report for the terminal.

use super::result::{Run, ShotResult, Status};
use rigview_core::util::text::one_line;
use std::fmt::Write;

const MAX_LISTED_OBSOLETE: usize = 5;

/// Returns one line per shot that did not pass or was updated, and one line for the run.
pub(crate) fn summary(run: &Run, results: &[ShotResult]) -> String {
    let mut text = String::new();
    for result in results {
        let ShotResult { status, updated, .. } = result;
        let (name, message) = (one_line(&result.name), one_line(&result.message));
        let written = if run.dry_run { "to write" } else { "written " };
        match (updated.as_deref(), status) {
            (Some("new"), _) => writeln!(text, "{written} {name}: new"),
            (Some(_), Status::Passed) if result.same_driver.is_none() => {
                writeln!(text, "{written} {name}: unchanged; driver metadata added")
            }
            (Some(_), Status::Passed) => {
                writeln!(text, "{written} {name}: unchanged, but rendered by another renderer")
            }
            (Some(_), _) => writeln!(text, "{written} {name}: {message}"),
            (None, Status::Passed | Status::Skipped) => Ok(()),
            (None, _) => writeln!(text, "{:<8} {name}: {message}", status.label()),
        }
        .expect("writing to a string");
    }
    for name in &run.pruned_goldens {
        let deleted = if run.dry_run { "to delete" } else { "deleted " };
        writeln!(text, "{deleted} {}: a golden without a shot", one_line(name)).expect("writing to a string");
    }
    for name in run.obsolete_goldens.iter().take(MAX_LISTED_OBSOLETE) {
        writeln!(text, "obsolete {}: a golden without a shot", one_line(name)).expect("writing to a string");
    }
    if run.obsolete_goldens.len() > MAX_LISTED_OBSOLETE {
        writeln!(text, "obsolete and {} more", run.obsolete_goldens.len() - MAX_LISTED_OBSOLETE)
            .expect("writing to a string");
    }
    let counts = Status::ALL.into_iter().filter_map(|status| {
        let count = results.iter().filter(|result| result.status == status).count();
        (count > 0 || status == Status::Passed).then(|| format!("{count} {}", status.label()))
    });
    let counts = counts.collect::<Vec<_>>().join(", ");
    let part = match &run.shard {
        Some(shard) => format!(" (part {shard} of {} shots)", run.shots_in_suite),
        None if run.shots_chosen < run.shots_in_suite => {
            format!(" ({} of {} shots chosen)", run.shots_chosen, run.shots_in_suite)
        }
        None => String::new(),
    };
    let stopped = match run.shots_chosen.saturating_sub(results.len()) {
        0 => String::new(),
        left => format!(", {left} not run"),
    };
    let other_renderer = match results.iter().filter(|result| result.same_driver == Some(false)).count() {
        0 => String::new(),
        count => format!(", {count} with the golden of another renderer"),
    };
    let run = format!("{}{part}: {counts}{stopped}{other_renderer}; {}", run.suite, facts(run));
    text + &one_line(&run) + "\n"
}

/// Duration and renderer of a run.
pub(crate) fn facts(run: &Run) -> String {
    match run.renderer.as_str() {
        "" => format!("{:.1} s", run.wall_secs),
        renderer => format!("{:.1} s on {renderer}, {}", run.wall_secs, run.driver),
    }
}
