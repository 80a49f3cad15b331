//! Messages on standard error, results on standard output.

use crate::app::AppError;
use crate::app::console::json_text::{json_line, json_pretty};
use rigview_core::util::text::one_line;
use rigview_render::platform::console;
use rigview_suite::report::is_github_job;
use serde::Serialize;
use std::error::Error;
use std::fmt::Display;

pub(crate) fn notices(notices: &[String]) {
    notices.iter().for_each(|message| notice(format_args!("{message}")));
}

pub(crate) fn notice(message: std::fmt::Arguments<'_>) {
    print_line(&format!("notice: {message}"));
}

/// Prints an error with its sources to standard error, as one line.
pub(crate) fn error(error: &dyn Error) {
    print_line(&format!("error: {}", line_of(error)));
}

/// Shows an error in a dialog and waits for the user, if standard error is hidden.
///
/// Linux needs `zenity` for the dialog, and shows nothing without it. Call it on the main thread; macOS needs that.
pub(crate) fn show_hidden_error(error: &AppError) {
    if console::is_stderr_hidden() {
        rfd::MessageDialog::new()
            .set_level(rfd::MessageLevel::Error)
            .set_title("rigview")
            .set_description(line_of(error))
            .show();
    }
}

/// Write errors are ignored.
fn print_line(line: &str) {
    use std::io::Write;
    let _ = std::io::stderr().lock().write_all(format!("{}\n", printed(&shortened(line.to_owned()))).as_bytes());
}

/// Returns an error with its sources, outer to inner, as one line.
pub(crate) fn line_of(error: &dyn Error) -> String {
    let mut line = without_code(&error.to_string());
    let mut source = error.source();
    while let Some(error) = source {
        line += ": ";
        line += &without_code(&error.to_string());
        source = error.source();
    }
    shortened(one_line(&line))
}

/// Maximum bytes of the line of an error. The messages cut names; this bounds what one of them may miss.
const MAX_LINE_BYTES: usize = 4000;

/// Removes the middle of a longer line, so that it keeps its start and its remedy.
fn shortened(line: String) -> String {
    if line.len() <= MAX_LINE_BYTES {
        return line;
    }
    let (start, end) =
        (line.floor_char_boundary(MAX_LINE_BYTES / 2), line.ceil_char_boundary(line.len() - MAX_LINE_BYTES / 4));
    format!("{} ... {}", &line[..start], &line[end..])
}

/// Returns a line as it is printed: unprintable characters are replaced, and in a job of GitHub Actions a name does not become a
/// workflow command. That is a line that begins with `::`, or has `##[` anywhere.
fn printed(line: &str) -> String {
    let line = one_line(line);
    if is_github_job() { without_commands(&line) } else { line }
}

fn without_commands(line: &str) -> String {
    let line = line.replace("##[", "## [");
    match line.trim_start().starts_with("::") {
        true => line.replacen("::", ": :", 1),
        false => line,
    }
}

/// Removes the number of a system error, as in `No such file or directory (os error 2)`.
fn without_code(text: &str) -> String {
    match text.rsplit_once(" (os error ") {
        Some((reason, code)) if code.strip_suffix(')').is_some_and(|code| code.parse::<i32>().is_ok()) => {
            reason.to_owned()
        }
        _ => text.to_owned(),
    }
}

/// Lines for standard output.
///
/// Unprintable characters of a line are replaced, so that a name in a file can neither control a terminal nor begin a line.
#[derive(Default)]
pub(crate) struct Lines(String);

impl Lines {
    pub(crate) fn push(&mut self, line: impl Display) {
        self.0 += &printed(&line.to_string());
        self.0.push('\n');
    }

    /// Adds a workflow command of GitHub Actions.
    pub(crate) fn push_annotation(&mut self, annotation: &str) {
        self.0 += &one_line(annotation);
        self.0.push('\n');
    }

    /// Adds a line whose first word `label` has the attributes `color`, the parameters of an SGR escape code.
    pub(crate) fn push_colored(&mut self, color: &'static str, label: &str, line: impl Display) {
        self.0 += &format!("\x1b[{color}m{}\x1b[0m ", printed(label));
        self.push(line);
    }
}

impl<T: Display> FromIterator<T> for Lines {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut lines = Self::default();
        items.into_iter().for_each(|item| lines.push(item));
        lines
    }
}

/// Prints a result to standard output.
pub(crate) fn lines(lines: &Lines) -> Result<(), AppError> {
    self::bytes(lines.0.as_bytes())
}

/// Prints one line to standard output.
pub(crate) fn line(line: impl Display) -> Result<(), AppError> {
    lines(&Lines::from_iter([line]))
}

/// Prints a result to standard output as indented JSON.
pub(crate) fn json(value: &impl Serialize) -> Result<(), AppError> {
    self::bytes(json_pretty(value).as_bytes())
}

/// Prints a result to standard output as one line of JSON.
pub(crate) fn json_in_a_line(value: &impl Serialize) -> Result<(), AppError> {
    self::bytes(json_line(value).as_bytes())
}

/// Writes bytes without text of a file, such as a shell script or an image, to standard output.
///
/// A closed pipe (`rigview info ... | head`) is not an error.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), AppError> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(AppError::Stdout),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_workflow_commands() {
        for (name, expected) in [
            ("::warning::x", ": :warning::x"),
            ("  ::error::x", "  : :error::x"),
            ("a ##[error]x", "a ## [error]x"),
            ("a::b #[x]", "a::b #[x]"),
        ] {
            assert_eq!(without_commands(name), expected);
        }
    }

    #[test]
    fn long_lines_keep_start_and_remedy() {
        let line = shortened(format!("start {} remedy", "\u{e4}".repeat(100_000)));
        assert!(line.len() <= MAX_LINE_BYTES && line.starts_with("start ") && line.ends_with(" remedy"), "{line}");
        assert_eq!(shortened("short".to_owned()), "short");
    }
}
