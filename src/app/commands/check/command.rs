//! `rigview check`: what is wrong with files, for people and for programs.

use super::reports::{junit, sarif};
use crate::app::AppError;
use crate::app::console::report;
use crate::app::files::atomic_write::write_atomic;
use crate::check::{self, Issue, Severity};
use crate::cli::CheckArgs;
use crate::request::ImportRequest;
use crate::util::panic_guard::catch;
use crate::util::text::{counted, one_line};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::Path;

/// The issues of one file.
#[derive(Serialize)]
pub(crate) struct Checked {
    /// The file as it was named.
    pub(crate) file: String,
    /// What is wrong with it, in file order.
    pub(crate) issues: Vec<Issue>,
    /// Whether it counts as failed.
    #[serde(skip)]
    pub(crate) failed: bool,
}

/// Checks all files; fails if one of them does.
pub(crate) fn run(args: &CheckArgs) -> Result<(), AppError> {
    let mut all = Vec::with_capacity(args.files.len());
    let colors = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    for file in &args.files {
        let checked = Checked::new(file, args);
        let text = if args.json {
            // One object is easy to read by eye, many are easy to read line by line.
            let json = if args.files.len() == 1 { serde_json::to_string_pretty } else { serde_json::to_string };
            json(&checked).expect("plain data becomes JSON") + "\n"
        } else {
            checked.text(args.files.len() > 1, colors)
        };
        report::text(&text)?;
        all.push(checked);
    }
    for (path, text) in [(&args.sarif, sarif as fn(&[Checked]) -> String), (&args.junit, junit)] {
        if let Some(path) = path {
            write_atomic(path, text(&all).as_bytes())?;
        }
    }
    let error = |checked: Checked| AppError::Faulty { summary: checked.summary(), file: checked.file };
    let mut errors = all.into_iter().filter(|checked| checked.failed).map(error).collect::<Vec<_>>();
    let last = errors.pop();
    errors.iter().for_each(|error| report::error(error));
    last.map_or(Ok(()), Err)
}

impl Checked {
    fn new(file: &Path, args: &CheckArgs) -> Self {
        let trust = ImportRequest::from(&args.policy).policy();
        let mut issues = catch(|| check::check_file(file, &trust)).unwrap_or_else(|| {
            let message = "rigview itself broke on this file; please report it with the file".to_owned();
            vec![Issue {
                severity: Severity::Error,
                code: "RIGVIEW_CRASHED",
                pointer: String::new(),
                line: None,
                message,
            }]
        });
        issues.retain(|issue| !args.allow.iter().any(|code| code == issue.code));
        let least = if args.deny.is_some() { Severity::Warning } else { Severity::Error };
        let failed = issues.iter().any(|issue| issue.severity >= least);
        Self { file: file.display().to_string(), issues, failed }
    }

    /// How many issues there are of each severity that matters.
    pub(crate) fn summary(&self) -> String {
        let count = |severity| self.issues.iter().filter(|issue| issue.severity == severity).count();
        let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
        match (errors, warnings) {
            (errors, 0) => counted(errors, "error", "errors"),
            (errors, warnings) => {
                format!("{}, {}", counted(errors, "error", "errors"), counted(warnings, "warning", "warnings"))
            }
        }
    }

    /// A line for each issue, below the file's name where there are several files.
    fn text(&self, named: bool, colors: bool) -> String {
        let mut out = String::new();
        if named || colors && self.issues.is_empty() {
            let nothing = if self.issues.is_empty() { ": nothing to tell" } else { "" };
            let _ = writeln!(out, "{}{nothing}", one_line(&self.file));
        }
        for issue in &self.issues {
            let severity = issue.severity.to_string();
            let severity = match (colors, issue.severity) {
                (false, _) => severity,
                (true, Severity::Error) => format!("\x1b[1;31m{severity}\x1b[0m"),
                (true, Severity::Warning) => format!("\x1b[1;33m{severity}\x1b[0m"),
                (true, Severity::Info) => format!("\x1b[36m{severity}\x1b[0m"),
            };
            let _ = writeln!(out, "{severity} {}", line(issue));
        }
        out
    }
}

/// An issue as a line, but for its severity.
pub(crate) fn line(issue: &Issue) -> String {
    let space = if issue.pointer.is_empty() { "" } else { " " };
    format!("{}{space}{}: {}", issue.code, one_line(&issue.pointer), issue.message)
}
