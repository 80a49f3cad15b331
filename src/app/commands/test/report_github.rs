//! Annotations and the job summary of GitHub Actions.

use crate::app::AppError;
use crate::app::console::report::{self, Lines};
use crate::cli::TestArgs;
use rigview_suite::git::Revision;
use rigview_suite::report::{
    Place, Run, ShotResult, annotation, error_summary, is_github_job, job_summary, path_in_repository, shot_annotations,
};
use std::io::Write as _;
use std::path::Path;

/// Returns `true` in a job of GitHub Actions, except for a shard: the run that merges all shards annotates the same shots.
pub(crate) fn is_enabled(args: &TestArgs) -> bool {
    args.shard.is_none() && is_github_job()
}

/// Prints the annotations, and appends the summary to the file that `GITHUB_STEP_SUMMARY` names.
pub(crate) fn write(run: &Run, results: &[ShotResult]) -> Result<(), AppError> {
    let mut failed: Vec<&ShotResult> = results.iter().filter(|result| !result.is_ok()).collect();
    failed.sort_by_key(|result| result.status.rank());
    let mut lines = Lines::default();
    shot_annotations(&failed).iter().for_each(|annotation| lines.push_annotation(annotation));
    report::lines(&lines)?;
    append_summary(&job_summary(run, results.len(), &failed));
    Ok(())
}

/// Marks the results whose model git has changed, in a job of GitHub Actions: since the revision of `--changed-since`, else since the
/// base of the pull request, else since the parent of the commit. None without git or its history.
pub(crate) fn mark_changed_models(args: &TestArgs, results: &mut [ShotResult]) {
    if !is_github_job() {
        return;
    }
    let base = std::env::var("GITHUB_BASE_REF").ok().filter(|base| !base.is_empty());
    let base = base.map_or_else(|| "HEAD^".to_owned(), |base| format!("origin/{base}"));
    let revision = args.changed_since.as_ref().unwrap_or(&base);
    let files = Revision::open(Path::new("."), revision).and_then(|revision| revision.changed_files());
    let Ok(files) = files else { return };
    for result in results {
        let model = Path::new(&result.model).canonicalize();
        result.is_model_changed = model.is_ok_and(|file| !files.unchanged.contains(&file));
    }
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
