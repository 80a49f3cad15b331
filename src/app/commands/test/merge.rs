//! `rigview test --merge`: merges the reports of all shards.

use super::report_files::{ReportError, read_link_free, write_file};
use super::reports::{self, IMAGES_FOLDER, refused};
use super::summary::finish;
use crate::app::AppError;
use crate::cli::TestArgs;
use rigview_suite::report::{Run, ShotResult, Status};
use rigview_suite::suite::Shard;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Merges the reports in `folders` into one report in `output`.
pub(crate) fn run(args: &TestArgs) -> Result<(), AppError> {
    let (folders, output) = (&args.files, args.output.as_path());
    let output_folder = output.canonicalize().ok();
    let is_output = |folder: &&PathBuf| output_folder.is_some() && folder.canonicalize().ok() == output_folder;
    if let Some(folder) = folders.iter().find(is_output) {
        return Err(refused(folder, "the merged report needs a different folder"));
    }
    let report_error = ReportError::default();
    let images = reports::prepare(output, &report_error)?;
    report_error.into_result()?;
    let mut merged = Run { suite: "merge".to_owned(), ..Run::started_now() };
    let result = merge(args, &images, &mut merged);
    if let Err(error) = &result {
        reports::write_failed(args, &merged, &[], error)?;
    }
    result
}

fn merge(args: &TestArgs, images: &Path, merged: &mut Run) -> Result<(), AppError> {
    let (folders, output) = (&args.files, args.output.as_path());
    let (mut parts, mut not_run) = (Vec::new(), Vec::new());
    for folder in folders {
        let report = reports::read(folder)?;
        not_run.extend(report.not_run);
        parts.push((folder, report.run, report.shots));
    }
    let first = parts[0].1.clone();
    *merged = Run {
        shard: None,
        shots_chosen: 0,
        updating: false,
        wall_secs: 0.0,
        obsolete_goldens: Vec::new(),
        uncovered: Vec::new(),
        pruned_goldens: Vec::new(),
        ..first.clone()
    };
    let (mut shards, mut incomplete) = (Vec::<u32>::new(), Vec::new());
    let mut seen: HashMap<&str, &Path> = HashMap::new();
    for (folder, run, results) in &parts {
        if run.suite != first.suite || run.suite_hash != first.suite_hash {
            let message = "belongs to another suite, or another version of it, than the first report";
            return Err(refused(folder, message));
        }
        if run.rigview != first.rigview {
            let message = format!("is from rigview {}, the first report from rigview {}", run.rigview, first.rigview);
            return Err(refused(folder, message));
        }
        if results.len() != run.shots_chosen {
            let (count, folder) = (results.len(), folder.display());
            incomplete.push(format!("{folder}: has {count} of {} shots; did its job stop?", run.shots_chosen));
        }
        let parse_shard = |shard: &Option<String>| shard.as_ref().and_then(|shard| shard.parse::<Shard>().ok());
        match (parse_shard(&run.shard), parse_shard(&first.shard)) {
            (Some(shard), Some(other)) if shard.count == other.count => shards.push(shard.number),
            (None, None) => {}
            _ => {
                let message = "the suite was split into a different number of shards than in the first report";
                return Err(refused(folder, message));
            }
        }
        // A part without shots has no renderer.
        if merged.renderer.is_empty() {
            (merged.renderer, merged.driver) = (run.renderer.clone(), run.driver.clone());
        } else if (&run.renderer, &run.driver) != (&merged.renderer, &merged.driver) && !run.renderer.is_empty() {
            merged.renderer = "several renderers".to_owned();
            merged.driver = "see the shots".to_owned();
        }
        for result in results {
            if let Some(other) = seen.insert(&result.name, folder) {
                let message = format!("the shot `{}` is also in {}", result.name, other.display());
                return Err(refused(folder, message));
            }
        }
        merged.shots_chosen += run.shots_chosen;
        merged.updating |= run.updating;
        if run.started < merged.started {
            merged.started.clone_from(&run.started);
        }
        // The shards ran in parallel.
        merged.wall_secs = merged.wall_secs.max(run.wall_secs);
        merged.obsolete_goldens.extend(run.obsolete_goldens.iter().cloned());
        merged.uncovered.extend(run.uncovered.iter().cloned());
    }
    if let Some(shard) = first.shard.as_ref().and_then(|shard| shard.parse::<Shard>().ok()) {
        let missing: Vec<String> = (1..=shard.count)
            .filter(|number| !shards.contains(number))
            .map(|number| format!("{number}/{}", shard.count))
            .collect();
        if !missing.is_empty() {
            incomplete.push(format!("the reports of shards are missing: {}; did their jobs fail?", missing.join(", ")));
        } else if merged.shots_chosen != first.shots_filtered {
            incomplete.push(format!("the reports have {} of {} shots", merged.shots_chosen, first.shots_filtered));
        }
        // Shots without a report did not run.
        merged.shots_chosen = first.shots_filtered;
    }
    merged.shots_filtered = merged.shots_chosen;
    // Each shard lists those of the whole suite.
    for names in [&mut merged.obsolete_goldens, &mut merged.uncovered] {
        names.sort();
        names.dedup();
    }
    for (folder, _, results) in &parts {
        copy_images(folder, results, images)?;
    }
    let mut results: Vec<ShotResult> = parts.into_iter().flat_map(|(_, _, results)| results).collect();
    results.sort_by_key(|result| result.index);
    not_run.extend((!incomplete.is_empty()).then(|| "merge".to_owned()));
    let suite = merged.suite.clone();
    let missing = |name| ShotResult { suite: suite.clone(), name, status: Status::NotRun, ..ShotResult::default() };
    let missing: Vec<ShotResult> = not_run.into_iter().map(missing).collect();
    reports::write(output, merged, &results, &missing)?;
    let finished = finish(args, merged, &results);
    match incomplete.as_slice() {
        [] => finished,
        reasons => {
            let see_page = format!("; see {}", output.join(reports::PAGE).display());
            Err(AppError::TestsBroken(reasons.join("; ") + &see_page))
        }
    }
}

fn copy_images(folder: &Path, results: &[ShotResult], images: &Path) -> Result<(), AppError> {
    for result in results {
        for kind in &result.images {
            let file = kind.file(&result.name);
            // The page works without a missing image.
            if let Ok(bytes) = read_link_free(&folder.join(IMAGES_FOLDER).join(&file)) {
                write_file(&images.join(&file), &bytes)?;
            }
        }
    }
    Ok(())
}
