//! `rigview test --accept`: writes the images of reports as goldens.

use super::planned_shot::{PlannedRun, PlannedShot};
use super::report_files::read_link_free;
use super::reports::{self, IMAGES_FOLDER, refused};
use super::summary::report_updated;
use super::update_goldens;
use crate::app::AppError;
use crate::app::console::report;
use crate::cli::TestArgs;
use rigview_core::util::text::{counted, one_line};
use rigview_render::image_file::{self, DecodedPng, PngMetadata};
use rigview_suite::report::{ImageKind, Report, Run, ShotCommand, ShotResult, Status};
use rigview_suite::suite::{self, ShotKind};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The suite if the command line names none: the file that `--init` writes.
const DEFAULT_SUITE: &str = "suite.toml";

/// Writes the changed and new images of the reports as goldens. Writes nothing if an image is refused.
pub(crate) fn run(args: &TestArgs) -> Result<(), AppError> {
    let default = [PathBuf::from(DEFAULT_SUITE)];
    let files = if args.files.is_empty() { default.as_slice() } else { &args.files };
    let shots = PlannedRun::open(files, args)?.shots;
    let planned: HashMap<&str, &PlannedShot> = shots.iter().map(|planned| (planned.name.as_str(), planned)).collect();
    let (mut results, mut count) = (Vec::new(), 0);
    let mut seen: HashMap<String, &PathBuf> = HashMap::new();
    for folder in &args.accept {
        let (run, shots) = read(folder)?;
        count += shots.len();
        for result in shots {
            if let Some(other) = seen.insert(result.name.clone(), folder) {
                let message = format!("the shot `{}` is also in {}", result.name, other.display());
                return Err(refused(folder, message));
            }
            results.push((folder.as_path(), run.clone(), result));
        }
    }
    let in_report: Vec<String> = results.iter().map(|(_, _, result)| result.name.clone()).collect();
    let names = shots.iter().flat_map(PlannedShot::names).chain(in_report.iter().map(String::as_str));
    let filters = args.filters_for(names);
    results.retain(|(_, _, result)| match planned.get(result.name.as_str()) {
        Some(planned) => planned.is_selected(&filters),
        None => filters.is_empty() || filters.iter().any(|filter| filter.matches(&result.name)),
    });
    if results.is_empty() && count > 0 && !filters.is_empty() {
        let message = format!("--filter matches none of the {} of the report", counted(count, "shot", "shots"));
        return Err(AppError::Usage(message));
    }
    let broken = results.iter().filter(|(_, _, result)| result.status == Status::Error).count();
    results.retain(|(_, _, result)| matches!(result.status, Status::Changed | Status::New));
    let is_text = |planned: &&PlannedShot| planned.shot.kind != ShotKind::Image;
    let is_check = |planned: &&PlannedShot| matches!(planned.shot.kind, ShotKind::Check { .. });
    results.retain(|(_, _, result)| !planned.get(result.name.as_str()).is_some_and(is_check));
    let texts = results.extract_if(.., |(_, _, result)| planned.get(result.name.as_str()).is_some_and(is_text)).count();
    if texts > 0 {
        report::notice(format_args!("{} of poses skipped; --update writes them", counted(texts, "result", "results")));
    }
    // All images are checked before one golden is written. They are read again, since all could fill the memory.
    for (folder, run, result) in &results {
        actual_image(&planned, folder, run, result).map_err(|message| refused(folder, message))?;
    }
    for (folder, run, result) in &results {
        let (planned, png) = actual_image(&planned, folder, run, result).map_err(|message| refused(folder, message))?;
        let renderer = png.metadata.renderer.as_deref();
        if !args.dry_run {
            let (golden, bytes) = (
                planned.golden(renderer),
                image_file::encode_small_png(png.width, png.height, &png.rgba, &png.metadata),
            );
            update_goldens::write_golden(planned, &golden, &bytes).map_err(AppError::TestsBroken)?;
        }
        let message = if result.status == Status::New { "new" } else { &result.message };
        let written = if args.dry_run { "to write" } else { "written " };
        report::line(format_args!("{written} {}: {message}", result.name))?;
    }
    update_goldens::flush_stores(shots.iter().map(|planned| &planned.suite))?;
    if broken > 0 {
        let message = format!("{} of the report could not be rendered", counted(broken, "shot", "shots"));
        return Err(AppError::TestsBroken(message));
    }
    report_updated(results.len(), args.dry_run, "the report has no changed and no new images; no golden to write", "");
    Ok(())
}

/// Reads a report of this version of rigview.
fn read(folder: &Path) -> Result<(Run, Vec<ShotResult>), AppError> {
    let Report { run, shots, .. } = reports::read(folder)?;
    let own = env!("CARGO_PKG_VERSION");
    if run.rigview != own {
        let message = format!("is from rigview {}, this is rigview {own}", one_line(&run.rigview));
        return Err(refused(folder, message));
    }
    Ok((run, shots))
}

/// Returns the image that a shot has rendered, with the shot. Fails unless it belongs to the same shot of this suite.
fn actual_image<'a>(
    planned: &HashMap<&str, &'a PlannedShot>,
    folder: &Path,
    run: &Run,
    result: &ShotResult,
) -> Result<(&'a PlannedShot, DecodedPng), String> {
    let name = &result.name;
    let planned = *planned.get(name.as_str()).ok_or_else(|| format!("the shot `{name}` is not in the suite"))?;
    if result.shot_hash != suite::hash(std::slice::from_ref(&planned.shot)) {
        return Err(format!("the suite has another model, other options or other limits for the shot `{name}`"));
    }
    let file = ImageKind::Actual.file(name);
    let unreadable = |reason: String| format!("the image {file} cannot be read: {reason}");
    let bytes = read_link_free(&folder.join(IMAGES_FOLDER).join(&file));
    let bytes = bytes.map_err(|error| unreadable(error.to_string()))?;
    let size = planned.request.size;
    if image_file::png_size(&bytes).is_some_and(|found| found != size) {
        return Err(format!("the image {file} does not have {} x {} pixels", size[0], size[1]));
    }
    let png = image_file::decode_png(&bytes).map_err(unreadable)?;
    let PngMetadata { software, command, .. } = &png.metadata;
    // Images have the quotation marks of POSIX shells, and reports those of the system of the run.
    let is_of_run = software.as_deref() == Some(&format!("rigview {}", run.rigview))
        && command.as_ref().is_none_or(|command| ShotCommand::parse(command) == ShotCommand::parse(&result.command));
    if !is_of_run {
        return Err(format!("the image {file} is from another run than the report"));
    }
    Ok((planned, png))
}
