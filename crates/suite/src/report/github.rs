//! Annotations of GitHub Actions.

use super::{Run, ShotResult};
use rigview_core::util::text::{escaped, one_line};
use std::fmt::Write as _;
use std::path::Path;

/// Maximum number of shots in the summary, which GitHub limits to 1 MiB.
const MAX_ROWS: usize = 200;
/// Maximum characters of a message in the summary.
const MAX_MESSAGE_CHARS: usize = 400;

/// Returns `true` if this is a job of GitHub Actions, which gets annotations.
pub fn is_github_job() -> bool {
    std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// The path relative to the repository, if the current folder is in it.
pub fn path_in_repository(file: &str) -> String {
    let in_folder = || {
        let workspace = Path::new(&std::env::var_os("GITHUB_WORKSPACE")?).canonicalize().ok()?;
        let path = Path::new(file).canonicalize().ok()?;
        Some(path.strip_prefix(workspace).ok()?.to_str()?.to_owned())
    };
    in_folder().unwrap_or_else(|| file.to_owned())
}

/// File and line of an annotation.
pub struct Place<'a> {
    /// Path in the repository.
    pub file: &'a str,
    /// Line, from 1.
    pub line: Option<usize>,
}

/// Returns an annotation of `level`: `error`, `warning` or `notice`.
pub fn annotation(level: &str, place: &Place<'_>, title: &str, message: &str) -> String {
    let Place { file, line } = place;
    let line = line.map_or_else(String::new, |line| format!(",line={line}"));
    format!("::{level} file={}{line},title={}::{}", property(file), property(title), data(message))
}

/// Escapes the text of a workflow command.
fn data(text: &str) -> String {
    one_line(text).replace('%', "%25")
}

/// Escapes a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Escapes text for Markdown: no character of it is markup.
fn markdown(text: &str) -> String {
    let mut out = String::new();
    for c in one_line(text).chars() {
        if c.is_ascii_punctuation() { out += &format!("&#{};", c as u32) } else { out.push(c) }
    }
    out
}

/// Returns the summary of a job with `shots` results, of which `failed` did not pass, as Markdown.
pub fn job_summary(run: &Run, shots: usize, failed: &[&ShotResult]) -> String {
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

/// Returns the summary of a job that an error stopped.
pub fn error_summary(suite: &str, message: &str) -> String {
    format!("### Image tests: {}\n\n{}\n\n", markdown(suite), markdown(message))
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
