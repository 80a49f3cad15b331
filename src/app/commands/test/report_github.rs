//! Annotations and the job summary of GitHub Actions.

use crate::app::AppError;
use crate::app::console::report::{self, Lines};
use crate::cli::TestArgs;
use rigview_suite::report::{
    Place, Run, ShotResult, annotation, error_summary, is_github_job, job_summary, path_in_repository,
};
use std::io::Write as _;

/// Maximum number of annotations; GitHub shows ten per step.
const MAX_ANNOTATIONS: usize = 10;

/// Returns `true` in a job of GitHub Actions, except for a shard: the run that merges all shards annotates the same shots.
pub(crate) fn is_enabled(args: &TestArgs) -> bool {
    args.shard.is_none() && is_github_job()
}

/// Prints the annotations, and appends the summary to the file that `GITHUB_STEP_SUMMARY` names.
pub(crate) fn write(run: &Run, results: &[ShotResult]) -> Result<(), AppError> {
    let failed: Vec<&ShotResult> = results.iter().filter(|result| !result.is_settled()).collect();
    let mut lines = Lines::default();
    for result in failed.iter().take(MAX_ANNOTATIONS) {
        let file = path_in_repository(&result.suite);
        let title = format!("{}: {}", result.name, result.status.label());
        let place = Place { file: &file, line: Some(result.line) };
        lines.push_annotation(&annotation("error", &place, &title, &result.message));
    }
    report::lines(&lines)?;
    append_summary(&job_summary(run, results.len(), &failed));
    Ok(())
}

/// Prints the annotation of an error that stops the run.
pub(crate) fn write_error(suite: &str, line: Option<usize>, message: &str) -> Result<(), AppError> {
    append_summary(&error_summary(suite, message));
    let place = Place { file: &path_in_repository(suite), line };
    let mut lines = Lines::default();
    lines.push_annotation(&annotation("error", &place, "image tests", message));
    report::lines(&lines)
}

/// Appends to the summary of the job step. A failure is a notice: the report exists without it.
fn append_summary(text: &str) {
    let Some(file) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|file| !file.is_empty()) else { return };
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(&file);
    if let Err(error) = opened.and_then(|mut file| file.write_all(text.as_bytes())) {
        report::notice(format_args!("GITHUB_STEP_SUMMARY cannot be written: {error}"));
    }
}
