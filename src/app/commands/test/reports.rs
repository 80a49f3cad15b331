//! The report of a run in its folder: `report.jsonl` has all results, and the other formats are written from them.

use super::report_files::{ReportError, read_link_free, refuse_link, write_file};
use super::report_github;
use crate::app::AppError;
use crate::app::console::json_text::json_line;
use crate::app::console::report;
use crate::cli::TestArgs;
use rigview_core::util::text::counted;
use rigview_suite::report::{ImageKind, Line, Report, Run, ShotResult, Status, parse_lines};
use std::collections::HashSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};

pub(super) const LINES: &str = "report.jsonl";
const JUNIT: &str = "junit.xml";
pub(crate) const PAGE: &str = "report.html";
pub(crate) const IMAGES_FOLDER: &str = "images";

/// Creates the folder, deletes the previous report, and returns the folder of the images.
///
/// A run that fails or is stopped must not leave the results of the run before it.
pub(crate) fn prepare(output: &Path, report_error: &ReportError) -> Result<PathBuf, AppError> {
    let images = output.join(IMAGES_FOLDER);
    refuse_link(output)?;
    refuse_link(&images)?;
    if let Ok(previous) = read_lines(output) {
        for result in previous.shots {
            for kind in result.images {
                // The file may be gone already.
                let _ = std::fs::remove_file(images.join(kind.file(&result.name)));
            }
        }
    }
    for name in [LINES, JUNIT, PAGE] {
        let file = output.join(name);
        if let Err(source) = std::fs::remove_file(&file)
            && file.symlink_metadata().is_ok()
        {
            return Err(AppError::output(&file, source));
        }
    }
    let is_new = !output.exists();
    std::fs::create_dir_all(&images).map_err(|source| AppError::output(&images, source))?;
    if is_new {
        report_error.unless_full(write_file(&output.join(".gitignore"), b"*\n"))?;
    }
    Ok(images)
}

/// Refuses the folder `output` if a file of the report is one of the `inputs`, or if one of them is among its images.
pub(crate) fn check_inputs<'a>(output: &Path, inputs: impl Iterator<Item = &'a Path>) -> Result<(), AppError> {
    let folder = output.canonicalize().unwrap_or_else(|_| output.to_owned());
    let reserved = [LINES, JUNIT, PAGE, IMAGES_FOLDER].map(|name| folder.join(name));
    for input in inputs {
        if let Ok(path) = input.canonicalize()
            && reserved.iter().any(|reserved| path.starts_with(reserved))
        {
            return Err(refused(output, format_args!("the report would replace the input file {}", input.display())));
        }
    }
    Ok(())
}

/// The error for a report in `folder` that cannot be used.
pub(crate) fn refused(folder: &Path, message: impl Display) -> AppError {
    AppError::Usage(format!("{}: {message}", folder.display()))
}

pub(crate) fn read(folder: &Path) -> Result<Report, AppError> {
    refuse_link(&folder.join(IMAGES_FOLDER))?;
    read_lines(folder).map_err(|reason| refused(folder, format_args!("not a report: {reason}")))
}

fn read_lines(folder: &Path) -> Result<Report, String> {
    let bytes = read_link_free(&folder.join(LINES)).map_err(|error| error.to_string())?;
    parse_lines(&String::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned())?)
}

/// Returns the names of the shots that did not pass, or did not run, in the former report in this folder.
pub(crate) fn last_failed(output: &Path) -> Result<HashSet<String>, AppError> {
    let Report { run, shots, not_run } = read_lines(output)
        .map_err(|reason| refused(output, format_args!("--last-failed needs the report of a former run: {reason}")))?;
    if !not_run.is_empty() {
        let missing = counted(not_run.len(), "shot has", "shots have");
        report::notice(format_args!("the former run stopped early: {missing} no result, and --last-failed runs them"));
    }
    let is_failed = |result: &ShotResult| match result.status {
        Status::Changed | Status::New => run.dry_run || result.updated.is_none(),
        _ => !result.is_ok(),
    };
    Ok(shots.into_iter().filter(is_failed).map(|result| result.name).chain(not_run).collect())
}

/// Writes the report files; the images exist already. Of shots that did not run, `report.jsonl` has the names.
pub(crate) fn write(output: &Path, run: &Run, results: &[ShotResult], not_run: &[ShotResult]) -> Result<(), AppError> {
    let lines = results.iter().map(|result| json_line(&Line::<&Run, _>::Shot(result)));
    let planned = not_run.iter().map(|shot| json_line(&Line::<&Run, &ShotResult>::Planned { name: shot.name.clone() }));
    let run_line = json_line(&Line::<_, &ShotResult>::Run(run));
    let lines: String = std::iter::once(run_line).chain(planned).chain(lines).collect();
    write_file(&output.join(LINES), lines.as_bytes())?;
    let all: Vec<&ShotResult> = results.iter().chain(not_run).collect();
    write_junit(output, run, &all, "not run: the run stopped before this shot")?;
    let image = |name: &str, kind: ImageKind| read_link_free(&output.join(IMAGES_FOLDER).join(kind.file(name))).ok();
    write_file(&output.join(PAGE), rigview_suite::report::page(run, results, &image).as_bytes())
}

/// `reason` is that of shots that did not run.
fn write_junit(output: &Path, run: &Run, results: &[&ShotResult], reason: &str) -> Result<(), AppError> {
    let text = rigview_suite::report::junit(run, results, reason, &output.join(IMAGES_FOLDER));
    write_file(&output.join(JUNIT), text.as_bytes())
}

/// Writes a JUnit report without results of `shots`, or with one error if there are no shots.
pub(crate) fn write_unfinished(output: &Path, run: &Run, shots: &[ShotResult], reason: &str) -> Result<(), AppError> {
    let suite = ShotResult {
        suite: run.suite.clone(),
        name: "suite".to_owned(),
        status: Status::NotRun,
        ..ShotResult::default()
    };
    let shots = if shots.is_empty() { std::slice::from_ref(&suite) } else { shots };
    write_junit(output, run, &shots.iter().collect::<Vec<_>>(), reason)
}

/// Reports the error of a run that failed before it wrote its results.
pub(crate) fn write_failed(args: &TestArgs, run: &Run, shots: &[ShotResult], error: &AppError) -> Result<(), AppError> {
    if args.output.join(PAGE).exists() {
        return Ok(());
    }
    let message = report::line_of(error);
    // The run fails with its own error, even if this report cannot be written.
    let _ = write_unfinished(&args.output, run, shots, &message);
    if report_github::is_enabled(args) {
        let (suite, line) = match error {
            AppError::Suite { file, source } => (file.display().to_string(), source.line),
            _ => (run.suite.clone(), None),
        };
        report_github::write_error(&suite, line, &message)?;
    }
    Ok(())
}
