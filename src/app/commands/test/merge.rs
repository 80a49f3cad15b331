//! The reports of all shards as one.

use super::conclusion::finish;
use super::result::{Outcome, Run};
use super::{compare_golden, report_json, reports};
use crate::app::AppError;
use crate::app::files::atomic_write;
use crate::suite::Shard;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Reads the reports in `folders` and writes one of them all to `output`.
pub(crate) fn run(folders: &[PathBuf], output: &Path) -> Result<(), AppError> {
    let usage = |message: String| AppError::TestUsage { message };
    let mut parts: Vec<(&Path, Run, Vec<Outcome>)> = Vec::new();
    for folder in folders {
        if same_place(folder, output) {
            return Err(usage(format!("{}: the merged report needs a folder of its own", folder.display())));
        }
        let (run, outcomes) = report_json::read(folder)
            .map_err(|reason| usage(format!("{}: is no report: {reason}", folder.display())))?;
        parts.push((folder, run, outcomes));
    }
    let first = parts[0].1.clone();
    let mut merged =
        Run { shard: None, shots_chosen: 0, blessing: false, wall_secs: 0.0, strays: Vec::new(), ..first.clone() };
    let mut shards: Vec<u32> = Vec::new();
    let mut seen: HashMap<&str, &Path> = HashMap::new();
    for (folder, run, outcomes) in &parts {
        if (&run.suite, run.shots_in_suite) != (&first.suite, first.shots_in_suite) {
            let message = "is of another suite, or of another state of it, than the first report";
            return Err(usage(format!("{}: {message}", folder.display())));
        }
        let of = |shard: &Option<String>| shard.as_ref().and_then(|shard| shard.parse::<Shard>().ok());
        match (of(&run.shard), of(&first.shard)) {
            (Some(shard), Some(other)) if shard.count == other.count => shards.push(shard.number),
            (None, None) => {}
            _ => {
                return Err(usage(format!(
                    "{}: the suite was cut otherwise than for the first report",
                    folder.display()
                )));
            }
        }
        if (&run.renderer, &run.driver) != (&first.renderer, &first.driver) && !run.renderer.is_empty() {
            merged.renderer = "several renderers".to_owned();
            merged.driver = "see the shots".to_owned();
        }
        for outcome in outcomes {
            if let Some(other) = seen.insert(&outcome.name, folder) {
                let (name, other) = (&outcome.name, other.display());
                return Err(usage(format!("{}: {other} has the shot `{name}` too", folder.display())));
            }
        }
        merged.shots_chosen += run.shots_chosen;
        merged.blessing |= run.blessing;
        // They ran side by side.
        merged.wall_secs = merged.wall_secs.max(run.wall_secs);
        merged.strays.extend(run.strays.iter().cloned());
    }
    if let Some(shard) = first.shard.as_ref().and_then(|shard| shard.parse::<Shard>().ok()) {
        let missing: Vec<String> = (1..=shard.count)
            .filter(|number| !shards.contains(number))
            .map(|number| format!("{number}/{}", shard.count))
            .collect();
        if !missing.is_empty() {
            let message = format!("the reports of shards are missing: {}; did their jobs fail?", missing.join(", "));
            return Err(AppError::TestsBroken { message });
        }
    }
    let pictures = reports::prepare(output)?;
    for (folder, _, outcomes) in &parts {
        for outcome in outcomes {
            for kind in &outcome.pictures {
                let file = kind.file(&outcome.name);
                // A picture that is gone is missing on the page; the numbers are not.
                if let Ok(bytes) = compare_golden::read(&folder.join(reports::PICTURES).join(&file)) {
                    atomic_write::write_atomic(&pictures.join(&file), &bytes)?;
                }
            }
        }
    }
    let mut outcomes: Vec<Outcome> = parts.into_iter().flat_map(|(_, _, outcomes)| outcomes).collect();
    outcomes.sort_by(|a, b| (a.line, &a.name).cmp(&(b.line, &b.name)));
    reports::write(output, &merged, &outcomes)?;
    finish(output, &merged, &outcomes)
}

fn same_place(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
