//! `rigview check`.

use super::checked::Checked;
use super::reports::{junit, sarif};
use crate::app::AppError;
use crate::app::console::report;
use crate::app::console::takes_escape_codes;
use crate::app::files::atomic_write::write_atomic;
use crate::app::util::json::{json_line, json_pretty};
use crate::cli::{CheckArgs, remedy};

/// Checks all files; fails if one of them does.
pub(crate) fn run(args: &CheckArgs) -> Result<(), AppError> {
    if let Some(code) = args.explain {
        return report::text(&format!(
            "{} ({})\n{}\nRemedy: {}\n",
            code.name,
            code.severity,
            code.meaning,
            remedy(code)
        ));
    }
    let mut all = Vec::with_capacity(args.files.len());
    let colors = takes_escape_codes(&std::io::stdout()) && std::env::var_os("NO_COLOR").is_none();
    for file in &args.files {
        let checked = Checked::new(file, args);
        let text = if args.json {
            // One object is easy to read by eye, many are easy to read line by line.
            if args.files.len() == 1 { json_pretty(&checked) } else { json_line(&checked) }
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
    let error = |checked: Checked| AppError::CheckFailed { summary: checked.summary(), file: checked.file };
    let mut errors = all.into_iter().filter(|checked| checked.failed).map(error).collect::<Vec<_>>();
    let last = errors.pop();
    errors.iter().for_each(|error| report::error(error));
    last.map_or(Ok(()), Err)
}
