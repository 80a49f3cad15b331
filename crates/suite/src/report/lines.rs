//! The lines of `report.jsonl`.

use super::{Run, ShotResult, Status};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The message of a shot that had begun when its process was killed.
pub const ENDED_DURING_SHOT: &str = "the process ended during this shot";

/// A line of the report: one for the run, one per shot. Until the run ends, also one for each shot that is planned or begins.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Line<T, S> {
    /// The run.
    Run(T),
    /// The result of a shot.
    Shot(S),
    /// The run includes a shot. Without a result, it did not run.
    Planned {
        /// Name of the shot.
        name: String,
    },
    /// The rendering of a shot begins.
    Begun {
        /// Name of the shot.
        name: String,
    },
}

/// A parsed report.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The run.
    pub run: Run,
    /// The results.
    pub shots: Vec<ShotResult>,
    /// Names of the shots of the run that have no result.
    pub not_run: Vec<String>,
}

/// Parses a report. A shot that has begun and has no result is an error.
///
/// # Errors
/// If the text is no report, or the name of a shot is not a file name.
pub fn parse_lines(text: &str) -> Result<Report, String> {
    let (mut run, mut results, mut begun, mut planned) = (None, Vec::<ShotResult>::new(), Vec::new(), Vec::new());
    // A process that is killed can leave a part of a line.
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    for (number, line) in text[..whole].lines().enumerate() {
        match serde_json::from_str::<Line<Run, ShotResult>>(line).map_err(|e| format!("line {}: {e}", number + 1))? {
            Line::Run(found) => run = Some(found),
            Line::Shot(shot) if is_file_name(&shot.name) => results.push(shot),
            Line::Begun { name } if is_file_name(&name) => begun.push(name),
            Line::Planned { name } if is_file_name(&name) => planned.push(name),
            Line::Shot(_) | Line::Begun { .. } | Line::Planned { .. } => {
                return Err(format!("line {}: the name of the shot is not a valid file name", number + 1));
            }
        }
    }
    let run: Run = run.ok_or("no line describes the run")?;
    let names: HashSet<&str> = results.iter().map(|result| result.name.as_str()).collect();
    begun.retain(|name| !names.contains(name.as_str()));
    let begun_names: HashSet<&String> = begun.iter().collect();
    planned.retain(|name| !names.contains(name.as_str()) && !begun_names.contains(name));
    results.extend(begun.into_iter().map(|name| ShotResult {
        name,
        suite: run.suite.clone(),
        status: Status::Error,
        message: ENDED_DURING_SHOT.to_owned(),
        ..ShotResult::default()
    }));
    Ok(Report { run, shots: results, not_run: planned })
}

/// Returns `true` if files of this name cannot leave their folder.
fn is_file_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-'))
}
