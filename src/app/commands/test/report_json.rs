//! A report for programs: a line of JSON for the run, and one for each shot.

use super::result::{Outcome, Run};
use super::{compare_golden, reports};
use serde::{Deserialize, Serialize};
use std::path::Path;

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Line<T, S> {
    Run(T),
    Shot(S),
}

/// The report's text.
pub(crate) fn lines(run: &Run, outcomes: &[Outcome]) -> String {
    let line = |line: Line<&Run, &Outcome>| serde_json::to_string(&line).expect("plain data becomes JSON") + "\n";
    let shots = outcomes.iter().map(|outcome| line(Line::Shot(outcome)));
    std::iter::once(line(Line::Run(run))).chain(shots).collect()
}

/// Reads the report in a folder. The error says why it is none.
pub(crate) fn read(folder: &Path) -> Result<(Run, Vec<Outcome>), String> {
    let bytes = compare_golden::read(&folder.join(reports::LINES)).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|_| "it is no text".to_owned())?;
    let (mut run, mut outcomes) = (None, Vec::new());
    for (number, line) in text.lines().enumerate() {
        match serde_json::from_str::<Line<Run, Outcome>>(line).map_err(|e| format!("line {}: {e}", number + 1))? {
            Line::Run(found) => run = Some(found),
            Line::Shot(shot) if is_file_name(&shot.name) => outcomes.push(shot),
            Line::Shot(_) => return Err(format!("line {}: the shot's name is no name", number + 1)),
        }
    }
    run.map(|run| (run, outcomes)).ok_or_else(|| "it tells of no run".to_owned())
}

/// Whether pictures of this name stay in their folder.
fn is_file_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-'))
}
