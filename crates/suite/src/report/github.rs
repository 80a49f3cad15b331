//! Annotations of GitHub Actions.

use rigview_core::util::text::one_line;
use std::path::Path;

/// Returns `true` if annotations are requested, or if this is a job of GitHub Actions.
pub fn is_github_job(is_requested: bool) -> bool {
    is_requested || std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
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
