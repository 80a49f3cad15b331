//! Annotations and the job summary of GitHub Actions.

use crate::app::AppError;
use crate::app::console::report::{self, Lines};
use crate::cli::TestArgs;
use rigview_core::util::text::{escaped, one_line};
use rigview_suite::report::{Place, annotation, is_github_job, path_in_repository};
use rigview_suite::report::{Run, ShotResult};
use std::fmt::Write as _;
use std::io::Write as _;

/// Maximum number of annotations; GitHub shows ten per step.
const MAX_ANNOTATIONS: usize = 10;
/// Maximum number of shots in the summary, which GitHub limits to 1 MiB.
const MAX_ROWS: usize = 200;
/// Maximum characters of a message in the summary.
const MAX_MESSAGE_CHARS: usize = 400;

/// Returns `true` if the reports for GitHub are requested, or if this is a job of GitHub Actions.
///
/// A shard is annotated on request only: the run that merges all shards annotates the same shots.
pub(crate) fn is_enabled(args: &TestArgs) -> bool {
    if args.shard.is_none() { is_github_job(args.github) } else { args.github }
}

/// Prints the annotations, and appends the summary to the file that `GITHUB_STEP_SUMMARY` names.
pub(crate) fn write(run: &Run, results: &[ShotResult]) -> Result<(), AppError> {
    let failed: Vec<&ShotResult> = results.iter().filter(|result| !result.is_settled()).collect();
    let mut lines = Lines::default();
    for result in failed.iter().take(MAX_ANNOTATIONS) {
        let file = path_in_repository(&result.suite);
        let title = format!("{}: {}", result.name, result.status.label());
        let place = Place { file: &file, line: Some(result.line) };
        lines.push(annotation("error", &place, &title, &result.message));
    }
    report::lines(&lines)?;
    append_summary(&summary(run, results.len(), &failed));
    Ok(())
}

/// Prints the annotation of an error that stops the run.
pub(crate) fn write_error(suite: &str, line: Option<usize>, message: &str) -> Result<(), AppError> {
    append_summary(&format!("### Image tests: {}\n\n{}\n\n", markdown(suite), markdown(message)));
    let place = Place { file: &path_in_repository(suite), line };
    report::line(annotation("error", &place, "image tests", message))
}

/// Escapes text for Markdown: no character of it is markup.
fn markdown(text: &str) -> String {
    let mut out = String::new();
    for c in one_line(text).chars() {
        if c.is_ascii_punctuation() { out += &format!("&#{};", c as u32) } else { out.push(c) }
    }
    out
}

fn summary(run: &Run, shots: usize, failed: &[&ShotResult]) -> String {
    let shard = run.shard.as_ref().map_or_else(String::new, |shard| format!(", part {}", markdown(shard)));
    let mut text = format!("### Image tests: {}{shard}\n\n", markdown(&run.suite));
    let _ = writeln!(text, "{} of {shots} shots did not pass; {}.\n", failed.len(), markdown(&run.facts()));
    if failed.is_empty() {
        return text;
    }
    text += "| status | shot | message |\n| --- | --- | --- |\n";
    for result in failed.iter().take(MAX_ROWS) {
        let message = markdown(&escaped(&result.message, MAX_MESSAGE_CHARS));
        let _ = writeln!(text, "| {} | {} | {message} |", result.status.label(), markdown(&result.name));
    }
    if failed.len() > MAX_ROWS {
        let _ = writeln!(text, "\nand {} more.", failed.len() - MAX_ROWS);
    }
    text += "\nThe report has the images. `rigview test SUITE --accept REPORT` writes them as goldens.\n\n";
    text
}

/// Appends to the summary of the job step. A failure is a notice: the report exists without it.
fn append_summary(text: &str) {
    let Some(file) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|file| !file.is_empty()) else { return };
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(&file);
    if let Err(error) = opened.and_then(|mut file| file.write_all(text.as_bytes())) {
        report::notice(format_args!("GITHUB_STEP_SUMMARY cannot be written: {error}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_add_commands_or_markup() {
        assert_eq!(
            annotation(
                "error",
                &Place { file: "a,b:c.toml", line: Some(7) },
                "x\n::error::y",
                "50 % off\r\n::warning::z"
            ),
            "::error file=a%2Cb%3Ac.toml,line=7,title=x %3A%3Aerror%3A%3Ay::50 %25 off  ::warning::z"
        );
        assert_eq!(markdown("a|<b>\n# [x](y)"), "a&#124;&#60;b&#62; &#35; &#91;x&#93;&#40;y&#41;");
    }
}
