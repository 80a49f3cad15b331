//! Former results of shots, from the reports of earlier runs.

use super::{FormerResult, History, parse_lines};
use rigview_core::util::regular_file::open_regular;
use std::io::Read;
use std::path::Path;
use walkdir::WalkDir;

/// Maximum number of runs; the newest are kept.
const MAX_RUNS: usize = 50;
/// Maximum number of files and folders that are searched.
const MAX_VISITED: usize = 20_000;
/// Maximum depth of a report in the folder, such as that of a downloaded artifact.
const MAX_DEPTH: usize = 4;
/// Maximum bytes of all reports.
const MAX_BYTES: u64 = 512 << 20;

/// Reads each `report.jsonl` in `folder` and below. Files that are no reports are skipped.
///
/// Runs beyond the newest 50, and what follows 20,000 files or 512 MiB of reports, are ignored.
pub fn history(folder: &Path) -> History {
    let files = WalkDir::new(folder).max_depth(MAX_DEPTH).sort_by_file_name().into_iter().take(MAX_VISITED).flatten();
    let (mut runs, mut bytes_left) = (Vec::new(), MAX_BYTES);
    for file in files.filter(|file| file.file_name() == "report.jsonl" && file.file_type().is_file()) {
        let Ok(Some(opened)) = open_regular(file.path()) else { continue };
        let mut text = String::new();
        if opened.take(bytes_left).read_to_string(&mut text).is_err() {
            continue;
        }
        bytes_left -= text.len() as u64;
        let Ok((run, results)) = parse_lines(&text) else { continue };
        let results = results.into_iter().map(|result| (result.name, result.status));
        runs.push((run.started, run.rigview, results.collect::<Vec<_>>()));
        if runs.len() > MAX_RUNS {
            // The parts of a run have one start.
            runs.sort_by(|a, b| b.0.cmp(&a.0));
            runs.truncate(MAX_RUNS);
        }
    }
    runs.sort_by(|a, b| a.0.cmp(&b.0));
    let mut history = History::new();
    for (started, rigview, results) in runs {
        for (name, status) in results {
            let result = FormerResult { started: started.clone(), status, rigview: rigview.clone() };
            history.entry(name).or_default().push(result);
        }
    }
    history
}

#[cfg(test)]
mod tests {
    use super::super::{Line, Run, ShotResult, Status};
    use super::*;

    #[test]
    fn newest_runs_are_kept_in_order_and_other_files_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let write = |number: usize, text: &str| {
            let inside = folder.path().join(format!("run-{}", 1000 - number)).join("artifact");
            std::fs::create_dir_all(&inside).unwrap();
            std::fs::write(inside.join("report.jsonl"), text).unwrap();
        };
        for number in 0..60 {
            let run = Run { started: format!("2026-01-01T00:00:{number:02}Z"), ..Run::default() };
            let status = if number == 59 { Status::Changed } else { Status::Passed };
            let shot = ShotResult { name: "fox".to_owned(), status, ..ShotResult::default() };
            let lines = [Line::Run(run), Line::Shot(shot)].map(|line| serde_json::to_string(&line).unwrap());
            write(number, &(lines.join("\n") + "\n"));
        }
        write(60, "not a report");
        write(61, "{\"kind\":\"shot\",\"name\":\"../../x\"}\n");
        let found = history(folder.path()).remove("fox").unwrap();
        assert_eq!((found.len(), found[0].started.as_str()), (MAX_RUNS, "2026-01-01T00:00:10Z"));
        assert_eq!(found.iter().filter(|result| result.status == Status::Changed).count(), 1);
        assert_eq!(found[MAX_RUNS - 1].status, Status::Changed, "the newest is last");
        assert!(history(&folder.path().join("missing")).is_empty());
    }
}
