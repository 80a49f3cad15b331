//! Annotations of GitHub Actions.

use super::{Run, ShotResult};
use rigview_core::util::text::{escaped, one_line};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

/// Maximum number of shots in the summary, which GitHub limits to 1 MiB.
const MAX_ROWS: usize = 200;
/// Maximum number of annotations of a step that GitHub shows, of each level.
pub const MAX_ANNOTATIONS: usize = 10;
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

/// Returns the annotations of shots that did not pass, sorted by [`rank`](super::Status::rank): one per model, as many as GitHub shows.
///
/// They are at the model's file if git has changed it, else at the line of the suite. The last one names the number of the others.
pub fn shot_annotations(failed: &[&ShotResult]) -> Vec<String> {
    let mut groups: Vec<Vec<&ShotResult>> = Vec::new();
    let mut group_of = HashMap::new();
    for &result in failed {
        let index = *group_of.entry((&result.suite, &result.model)).or_insert(groups.len());
        if index == groups.len() {
            groups.push(Vec::new());
        }
        groups[index].push(result);
    }
    let annotated = groups.iter().enumerate().take(MAX_ANNOTATIONS).map(|(index, group)| {
        let first = group[0];
        let place = match first.is_model_changed {
            true => Place { file: &path_in_repository(&first.model), line: None },
            false => Place { file: &path_in_repository(&first.suite), line: Some(first.line) },
        };
        let shots =
            if group.len() == 1 { first.name.clone() } else { format!("{} shots of {}", group.len(), first.model) };
        let mut message = match group.len() {
            1 => first.message.clone(),
            _ => format!("{}: {}", first.name, first.message),
        };
        let others: usize = groups[MAX_ANNOTATIONS.min(groups.len())..].iter().map(Vec::len).sum();
        if index == MAX_ANNOTATIONS - 1 && others > 0 {
            message += &format!("; {others} more in the summary of the job and in the report");
        }
        annotation("error", &place, &format!("{shots}: {}", first.status.label()), &message)
    });
    annotated.collect()
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
    use super::super::Status;
    use super::*;

    #[test]
    fn annotations_are_one_per_model_and_the_last_one_counts_the_others() {
        let shot = |model: usize, status, is_model_changed| ShotResult {
            name: format!("m{model}-t0"),
            model: format!("m{model}.glb"),
            suite: "suite.toml".to_owned(),
            line: 3,
            message: "it differs".to_owned(),
            status,
            is_model_changed,
            ..ShotResult::default()
        };
        let mut shots: Vec<ShotResult> = (0..14).map(|model| shot(model, Status::New, false)).collect();
        shots.extend([
            shot(20, Status::Changed, true),
            shot(20, Status::Changed, true),
            shot(21, Status::Error, false),
        ]);
        let mut failed: Vec<&ShotResult> = shots.iter().collect();
        failed.sort_by_key(|shot| shot.status.rank());
        let lines = shot_annotations(&failed);
        assert_eq!(lines.len(), MAX_ANNOTATIONS);
        assert_eq!(lines[0], "::error file=suite.toml,line=3,title=m21-t0%3A error::it differs");
        assert_eq!(lines[1], "::error file=m20.glb,title=2 shots of m20.glb%3A changed::m20-t0: it differs");
        assert!(lines[9].ends_with("::it differs; 6 more in the summary of the job and in the report"), "{}", lines[9]);
        assert!(shot_annotations(&failed[..3]).iter().all(|line| !line.contains("more in")));
    }

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
