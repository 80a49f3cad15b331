//! A report for the terminal.

use super::result::{Outcome, Run, Status};
use crate::util::text::lines;
use std::fmt::Write;

/// Strays that are named.
const STRAYS: usize = 5;

/// A line for each shot that is not as it should be or became a golden, and one for all.
pub(crate) fn summary(run: &Run, outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    for outcome in outcomes {
        let Outcome { name, status, message, blessed, .. } = outcome;
        match (blessed.as_deref(), status) {
            (Some("new"), _) => writeln!(text, "taken    {name}: new"),
            (Some(_), Status::Same) if outcome.same_driver.is_none() => {
                writeln!(text, "taken    {name}: looks the same; now it tells what drew it")
            }
            (Some(_), Status::Same) => writeln!(text, "taken    {name}: looks the same, but another renderer drew it"),
            (Some(_), _) => writeln!(text, "taken    {name}: {message}"),
            (None, Status::Same) => Ok(()),
            (None, Status::Failed) if run.blessing => writeln!(text, "refused  {name}: {message}"),
            (None, _) => writeln!(text, "{:<8} {name}: {message}", status.word()),
        }
        .expect("text");
    }
    for stray in run.strays.iter().take(STRAYS) {
        writeln!(text, "stray    {stray}: a golden that belongs to no shot").expect("text");
    }
    if run.strays.len() > STRAYS {
        writeln!(text, "stray    and {} more", run.strays.len() - STRAYS).expect("text");
    }
    let counts = [Status::Same, Status::Differs, Status::Missing, Status::Failed].into_iter().filter_map(|status| {
        let count = outcomes.iter().filter(|outcome| outcome.status == status).count();
        (count > 0 || status == Status::Same).then(|| format!("{count} {}", status.word()))
    });
    let counts = counts.collect::<Vec<_>>().join(", ");
    let part = match &run.shard {
        Some(shard) => format!(" (part {shard} of {} shots)", run.shots_in_suite),
        None if run.shots_chosen < run.shots_in_suite => {
            format!(" ({} of {} shots chosen)", run.shots_chosen, run.shots_in_suite)
        }
        None => String::new(),
    };
    let stopped = match run.shots_chosen.saturating_sub(outcomes.len()) {
        0 => String::new(),
        left => format!(", {left} not taken"),
    };
    writeln!(
        text,
        "{}{part}: {counts}{stopped}; {:.1} s on {}, {}",
        run.suite, run.wall_secs, run.renderer, run.driver
    )
    .expect("text");
    lines(&text)
}
