//! `rigview test --isolate`: a process per model, so that a crash fails one shot.

use super::child_process::ChildProcess;
use super::monitor::Monitor;
use super::planned_shot::PlannedShot;
use super::report_files::{ReportError, read_link_free, refuse_link, write_file};
use super::reports::{self, IMAGES_FOLDER, LINES};
use super::runner::groups;
use super::time_limits::{GRACE, TimeLimits};
use crate::app::AppError;
use crate::cli::TestArgs;
use rigview_render::image_file::PngMetadata;
use rigview_suite::report::{ENDED_DURING_SHOT, ImageBudget, ImageKind, Report, ShotResult, Status};
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Maximum number of shots of a process, whose names are arguments.
const MAX_SHOTS: usize = 100;
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Renders and compares all shots. Returns the results, and the renderer.
pub(crate) fn run_all(
    args: &TestArgs,
    planned: &[PlannedShot],
    time_limits: &TimeLimits,
    monitor: &Monitor,
    report_error: &ReportError,
) -> Result<(PngMetadata, Vec<ShotResult>), AppError> {
    let (mut metadata, mut results, budget) = (PngMetadata::default(), Vec::new(), ImageBudget::default());
    for group in groups(planned, |_| true) {
        let mut left: Vec<&PlannedShot> = group.into_iter().map(|index| &planned[index]).collect();
        let mut count = MAX_SHOTS;
        while !left.is_empty() {
            let has_failed = |result: &ShotResult| !result.is_ok();
            if time_limits.is_over() || (args.fail_fast && results.last().is_some_and(has_failed)) {
                return Ok((metadata, results));
            }
            let shots = &left[..count.min(left.len())];
            let (found, renderer) = run(args, shots, &budget, time_limits, monitor, report_error)?;
            if renderer.renderer.is_some() {
                metadata = renderer;
                monitor.set_metadata(&metadata);
            }
            // After a crash, the first shot without a result runs alone, so that no other one can be the cause.
            count = if found.len() < shots.len() { 1 } else { MAX_SHOTS };
            left.retain(|planned| found.iter().all(|result| result.name != planned.name));
            found.iter().for_each(|result| monitor.finish(result));
            results.extend(found);
        }
    }
    Ok((metadata, results))
}

/// Runs `shots`, of one model, in a process. Returns those with a result, and the renderer.
fn run(
    args: &TestArgs,
    shots: &[&PlannedShot],
    budget: &ImageBudget,
    time_limits: &TimeLimits,
    monitor: &Monitor,
    report_error: &ReportError,
) -> Result<(Vec<ShotResult>, PngMetadata), AppError> {
    let output = args.output.as_path();
    let failed = |source| AppError::output(output, source);
    monitor.begin(&shots[0].name);
    // Not on the disk of the report, which may be full: the results of the process are in its report.
    let folder = tempfile::Builder::new().prefix("rigview-isolated-").tempdir();
    let folder = folder.map_err(|source| AppError::output(&std::env::temp_dir(), source))?;
    let mut command = Command::new(std::env::current_exe().map_err(failed)?);
    let names = shots.iter().map(|planned| planned.name.as_str());
    command.args(args.isolated(names, folder.path(), time_limits.left()));
    // This process reports to GitHub.
    command.env_remove("GITHUB_ACTIONS").env_remove("GITHUB_STEP_SUMMARY");
    let lines = folder.path().join(LINES);
    monitor.state().child = Some(ChildProcess::start(command, folder).map_err(failed)?);
    let running = "the process is taken after its end";
    let (mut last_bytes, mut last_progress, mut is_late) = (0, Instant::now(), false);
    let status = loop {
        if let Some(status) = monitor.state().child.as_mut().expect(running).child.try_wait().map_err(failed)? {
            break status;
        }
        let bytes = lines.metadata().map_or(0, |file| file.len());
        if bytes != last_bytes {
            (last_bytes, last_progress) = (bytes, Instant::now());
        }
        let max_secs = time_limits.shot_secs.map(|secs| secs + GRACE.as_secs_f64());
        if max_secs.is_some_and(|secs| last_progress.elapsed().as_secs_f64() > secs) {
            is_late = true;
            monitor.state().child.as_mut().expect(running).kill();
        }
        sleep(POLL_INTERVAL);
    };
    let child = monitor.state().child.take().expect(running);
    let reason = match is_late {
        true => "the process hangs, and was ended".to_owned(),
        false => format!("the process ended ({status}){}", child.last_error()),
    };
    let Report { run, shots: mut results, .. } = reports::read(child.folder.path()).unwrap_or_default();
    results.retain(|result| shots.iter().any(|planned| planned.name == result.name));
    let is_ended = |result: &ShotResult| result.message == ENDED_DURING_SHOT;
    if results.is_empty() && !time_limits.is_over() {
        // It ended while it loaded the model.
        results = shots.iter().map(|planned| ShotResult { status: Status::Error, ..planned.result() }).collect();
        results.iter_mut().for_each(|result| result.message.clone_from(&reason));
    } else if shots.len() > 1 {
        results.retain(|result| !is_ended(result));
    }
    for result in &mut results {
        let planned = shots.iter().find(|planned| planned.name == result.name);
        if let Some(planned) = planned.filter(|_| is_ended(result)) {
            *result = ShotResult { status: Status::Error, message: reason.clone(), ..planned.result() };
            *result = std::mem::take(result).with_expectation(&planned.shot);
        }
        move_images(child.folder.path(), result, budget, output, report_error)?;
    }
    let text = |text: String| Some(text).filter(|text| !text.is_empty());
    Ok((results, PngMetadata { renderer: text(run.renderer), driver: text(run.driver), ..PngMetadata::default() }))
}

/// Moves the images of a shot to the report in `output`, within its `budget`, as far as the disk has room.
fn move_images(
    folder: &Path,
    result: &mut ShotResult,
    budget: &ImageBudget,
    output: &Path,
    report_error: &ReportError,
) -> Result<(), AppError> {
    let paths =
        |name: &str, kind: ImageKind| [folder, output].map(|folder| folder.join(IMAGES_FOLDER).join(kind.file(name)));
    let is_kept = match result.status {
        Status::Passed => {
            let [golden, _] = paths(&result.name, ImageKind::Golden);
            golden.metadata().is_ok_and(|file| budget.takes_golden(file.len() as usize))
        }
        _ => budget.takes_comparison(),
    };
    result.images.retain(|kind| is_kept || matches!(kind, ImageKind::Actual | ImageKind::Thumbnail));
    let mut moved = Vec::new();
    for kind in std::mem::take(&mut result.images) {
        let [from, to] = paths(&result.name, kind);
        refuse_link(&to)?;
        if std::fs::rename(&from, &to).is_ok() {
            moved.push(kind);
            continue;
        }
        // Another file system.
        let bytes = read_link_free(&from).map_err(|source| AppError::output(&to, source))?;
        let written = write_file(&to, &bytes).map(|()| Some(kind));
        moved.extend(report_error.unless_full(written)?);
        let _ = std::fs::remove_file(&from);
    }
    result.images = moved;
    Ok(())
}
