//! Report as JSON Lines: one line for the run, one per shot.

use super::report_files;
use super::result::{Run, ShotResult};
use crate::app::util::json::json_line;
use serde::{Deserialize, Serialize};
use std::path::Path;

pub(crate) const FILE_NAME: &str = "report.jsonl";

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Line<T, S> {
    Run(T),
    Shot(S),
}

pub(crate) fn lines(run: &Run, results: &[ShotResult]) -> String {
    let shots = results.iter().map(|result| json_line(&Line::<&Run, _>::Shot(result)));
    std::iter::once(json_line(&Line::<_, &ShotResult>::Run(run))).chain(shots).collect()
}

/// Reads the report in a folder.
pub(crate) fn read(folder: &Path) -> Result<(Run, Vec<ShotResult>), String> {
    let bytes = report_files::read(&folder.join(FILE_NAME)).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned())?;
    let (mut run, mut results) = (None, Vec::new());
    for (number, line) in text.lines().enumerate() {
        match serde_json::from_str::<Line<Run, ShotResult>>(line).map_err(|e| format!("line {}: {e}", number + 1))? {
            Line::Run(found) => run = Some(found),
            Line::Shot(shot) if is_file_name(&shot.name) => results.push(shot),
            Line::Shot(_) => return Err(format!("line {}: the name of the shot is not a valid file name", number + 1)),
        }
    }
    run.map(|run| (run, results)).ok_or_else(|| "no line describes the run".to_owned())
}

/// Returns `true` if files of this name cannot leave their folder.
fn is_file_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-'))
}
