//! `rigview test`: renders the shots of a suite and compares them with golden images.

use super::inputs::InputHashes;
use super::model_changes::ModelChanges;
use super::monitor::Monitor;
use super::planned_shot::{PlannedRun, PlannedShot};
use super::report_files::ReportError;
use super::stray_goldens::{self, StrayGoldens, display_names};
use super::summary::finish;
use super::time_limits::TimeLimits;
use super::{
    accept, changed_since, compare_golden, init, isolate, merge, report_github, reports, runner, update_goldens,
};
use crate::app::AppError;
use crate::app::console::progress::Progress;
use crate::app::console::report::{self, Lines};
use crate::app::offscreen::OffscreenRenderer;
use crate::cli::{DenyTest, TestArgs};
use crate::request::is_model_file;
use rigview_core::util::text::counted;
use rigview_render::image_file::png_size;
use rigview_render::platform::{oom_handler, shutdown};
use rigview_suite::report::{ImageBudget, ImageKind, Run, ShotResult, Status};
use rigview_suite::suite::uncovered;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

pub(crate) fn run(args: &TestArgs) -> Result<(), AppError> {
    // 1 means that an image changed.
    oom_handler::set_exit_code(3);
    if let Some(suite) = &args.init {
        return init::run(suite, args);
    }
    if args.merge {
        return merge::run(args);
    }
    if !args.accept.is_empty() {
        return accept::run(args);
    }
    test(args).map_err(|error| match error {
        known @ (AppError::Suite { .. } | AppError::Usage(_) | AppError::TestsDiffer(_) | AppError::TestsBroken(_)) => {
            known
        }
        other => AppError::CannotTest(Box::new(other)),
    })
}

fn test(args: &TestArgs) -> Result<(), AppError> {
    let last_failed = if args.last_failed { reports::last_failed(&args.output)? } else { HashSet::new() };
    if args.last_failed && last_failed.is_empty() {
        report::notice(format_args!("no shot of the former report failed; running all shots"));
    }
    if args.dry_run && args.update.is_none() && !args.prune {
        return list(args, &last_failed);
    }
    if args.last_failed {
        // An error in the suite keeps the former report.
        PlannedRun::open(&args.files, args)?;
    }
    reports::check_inputs(&args.output, args.files.iter().map(PathBuf::as_path))?;
    let report_error = ReportError::default();
    let images = reports::prepare(&args.output, &report_error)?;
    let mut run = Run {
        suite: suite_names(&args.files),
        shard: args.shard.map(|shard| shard.to_string()),
        updating: args.update.is_some(),
        dry_run: args.dry_run,
        ..Run::started_now()
    };
    let mut results = Vec::new();
    let result = run_suites(args, &last_failed, (images, report_error), &mut run, &mut results);
    if let Err(error) = &result {
        reports::write_failed(args, &run, &results, error)?;
    }
    result
}

fn suite_names(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// Keeps the selected shots and goldens of shots that are gone. Returns their number before the shard is selected.
fn select(
    args: &TestArgs,
    last_failed: &HashSet<String>,
    planned: &mut Vec<PlannedShot>,
    strays: &mut StrayGoldens,
) -> Result<usize, AppError> {
    let (all, gone) = (planned.len(), &mut strays.gone);
    let filters = args.filters_for(planned.iter().flat_map(PlannedShot::names));
    planned.retain(|planned| planned.is_selected(&filters));
    gone.retain(|gone| {
        filters.is_empty() || filters.iter().any(|filter| gone.names().iter().any(|name| filter.matches(name)))
    });
    if planned.is_empty() && gone.is_empty() {
        let message = format!("--filter matches none of the {}", counted(all, "shot", "shots"));
        return Err(AppError::Usage(message));
    }
    if !last_failed.is_empty() {
        planned.retain(|planned| last_failed.contains(&planned.name));
        gone.retain(|gone| last_failed.contains(&gone.names()[0]));
        if planned.is_empty() && gone.is_empty() {
            return Err(AppError::Usage("no shot that failed in the former report is selected".to_owned()));
        }
    }
    if let Some(revision) = &args.changed_since {
        changed_since::retain(planned, revision)?;
        if planned.is_empty() {
            report::notice(format_args!("no shot has changed since {revision}"));
        }
    }
    let filtered = planned.len() + gone.len();
    if let Some(shard) = args.shard {
        planned.retain(|planned| shard.contains(&planned.shot.name));
        gone.retain(|gone| shard.contains(&gone.names()[1]));
        if planned.is_empty() && filtered > 0 {
            report::notice(format_args!("part {shard} has no shots"));
        }
    }
    Ok(filtered)
}

/// Prints the selected shots with their goldens, and the obsolete goldens. Renders nothing.
fn list(args: &TestArgs, last_failed: &HashSet<String>) -> Result<(), AppError> {
    let PlannedRun { suites, shots: mut planned, .. } = PlannedRun::open(&args.files, args)?;
    let needs_renderer = suites.iter().any(|suite| suite.needs_renderer());
    let renderer = if needs_renderer { Some(OffscreenRenderer::new()?.renderer_name()) } else { None };
    let mut strays = stray_goldens::find(&suites, &planned, renderer.as_deref())?;
    select(args, last_failed, &mut planned, &mut strays)?;
    let (mut lines, mut missing, mut skipped) = (Lines::default(), 0, 0);
    for planned in &planned {
        let (shot, golden) = (&planned.shot, planned.golden(renderer.as_deref()));
        let exists = golden.is_file();
        let (label, detail) = match &shot.skip {
            Some(reason) => ("skipped", reason.clone()),
            None if exists => ("golden", golden.display().to_string()),
            None => ("missing", format!("{} does not exist", golden.display())),
        };
        missing += usize::from(shot.skip.is_none() && !exists);
        skipped += usize::from(shot.skip.is_some());
        lines.push(format_args!("{label:<8} {}: {detail}", planned.name));
    }
    for result in strays.gone.iter().map(|gone| gone.result(0)) {
        lines.push(format_args!("{:<8} {}: {}", result.status.label(), result.name, result.message));
    }
    for name in display_names(&strays.obsolete, &suites) {
        lines.push(format_args!("obsolete {name}: a golden without a shot"));
    }
    let shots = counted(planned.len(), "shot", "shots");
    let counts = format!("{shots}, {missing} without a golden, {skipped} skipped, {} obsolete", strays.obsolete.len());
    lines.push(format_args!("{}: {counts}", suite_names(&args.files)));
    report::lines(&lines)
}

/// Fills `run` and `results`, renders, compares and writes the report, whose images are in the folder `images`.
fn run_suites(
    args: &TestArgs,
    last_failed: &HashSet<String>,
    (images, report_error): (PathBuf, ReportError),
    run: &mut Run,
    results: &mut Vec<ShotResult>,
) -> Result<(), AppError> {
    let started = Instant::now();
    let PlannedRun { suites, hash, shots: mut planned } = PlannedRun::open(&args.files, args)?;
    for planned in &planned {
        reports::check_inputs(&args.output, planned.input_files().iter().map(|file| &*file.path))?;
    }
    run.suite_hash = hash;
    let needs_renderer = suites.iter().any(|suite| suite.needs_renderer());
    let renderer = if needs_renderer { OffscreenRenderer::new().ok().map(|it| it.renderer_name()) } else { None };
    let inputs = InputHashes::default();
    let mut strays = stray_goldens::find(&suites, &planned, renderer.as_deref())?;
    stray_goldens::follow_renamed_models(&mut planned, &mut strays, &inputs, renderer.as_deref());
    run.shots_in_suite = planned.len() + strays.gone.len();
    if args.deny.contains(&DenyTest::Uncovered) {
        let models: Vec<_> =
            planned.iter().flat_map(|shot| shot.request.scene.models_of_shot(&shot.request.file)).collect();
        run.uncovered = uncovered(&models, is_model_file).map_err(|error| AppError::Usage(error.to_string()))?;
    }
    run.shots_filtered = select(args, last_failed, &mut planned, &mut strays)?;
    run.shots_chosen = planned.len() + strays.gone.len();
    *results = planned.iter().map(PlannedShot::result).collect();
    // Remains if the process is killed, with the lines of the monitor.
    report_error.unless_full(reports::write_unfinished(&args.output, run, results, "not run: the run was stopped"))?;
    let monitor = Arc::new(Monitor::start(&args.output, run, results, started, &report_error)?);
    let time_limits = TimeLimits::start(args, &monitor);
    let stopped = Arc::clone(&monitor);
    shutdown::on_signal(move || stopped.stop("the run was stopped", shutdown::EXIT_INTERRUPTED));
    let compare = compare_golden::GoldenComparer {
        images,
        update: args.update,
        dry_run: args.dry_run,
        same_renderer: args.deny.contains(&DenyTest::OtherRenderer),
        report_images: args.report_images,
        budget: ImageBudget::default(),
        report_error,
        skip_unchanged: args.skip_unchanged,
        inputs,
        model_changes: ModelChanges::default(),
    };
    let default_jobs = || std::thread::available_parallelism().map_or(1, |processors| processors.get().min(4));
    let jobs = args.jobs.map_or_else(default_jobs, |jobs| jobs as usize);
    let progress = Progress::logged({
        let monitor = Arc::clone(&monitor);
        move || monitor.progress()
    });
    planned.retain(|planned| planned.shot.skip.is_none());
    let (metadata, compared) = match args.isolate {
        true => isolate::run_all(args, &planned, &time_limits, &monitor, &compare.report_error)?,
        false => runner::run_all(&planned, &compare, jobs, args.fail_fast, &time_limits, &monitor)?,
    };
    monitor.close();
    drop(progress);
    run.renderer = metadata.renderer.unwrap_or_default();
    run.driver = metadata.driver.unwrap_or_default();
    run.wall_secs = started.elapsed().as_secs_f64();
    let mut compared: HashMap<String, ShotResult> =
        compared.into_iter().map(|result| (result.name.clone(), result)).collect();
    for result in results.iter_mut() {
        if let Some(compared) = compared.remove(&result.name) {
            *result = compared;
        }
    }
    let not_run: Vec<ShotResult> = results.extract_if(.., |result| result.status == Status::NotRun).collect();
    let has_errors = strays.has_broken_models || results.iter().any(|result| result.status == Status::Error);
    let prunes = args.prune && !has_errors;
    if args.prune && has_errors {
        report::notice(format_args!("no golden is deleted, since models cannot be read or rendered"));
    }
    for (index, gone) in strays.gone.iter().enumerate() {
        let mut result = gone.result(run.shots_in_suite + index);
        if let Some(bytes) = gone.golden.read(renderer.as_deref()).filter(|bytes| png_size(bytes).is_some()) {
            compare.write_image(ImageKind::Golden, &bytes, &mut result);
        }
        result.updated = (prunes && gone.golden.prune(renderer.as_deref(), args.dry_run)).then(|| "deleted".to_owned());
        results.push(result);
    }
    let (pruned, kept): (Vec<_>, Vec<_>) =
        strays.obsolete.into_iter().partition(|golden| prunes && golden.prune(renderer.as_deref(), args.dry_run));
    run.pruned_goldens = display_names(&pruned, &suites);
    run.obsolete_goldens = display_names(&kept, &suites);
    update_goldens::flush_stores(suites.iter())?;
    report_github::mark_changed_models(args, results);
    let written = reports::write(&args.output, run, results, &not_run);
    let finished = finish(args, run, results);
    compare.report_error.into_result().and(written).and(finished)
}
