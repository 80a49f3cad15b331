//! `rigview diff`.

use crate::app::AppError;
use crate::app::console::report;
use crate::app::files::model_file::compare_models;
use crate::cli::DiffArgs;
use rigview_check::diff::RigDiff;
use rigview_render::platform::oom_handler;
use serde::Serialize;

/// Output of `--json`.
#[derive(Serialize)]
struct Output<'a> {
    before: String,
    after: String,
    same: bool,
    #[serde(flatten)]
    diff: &'a RigDiff,
}

pub(crate) fn run(args: &DiffArgs) -> Result<(), AppError> {
    // 1 means that the files differ.
    oom_handler::set_exit_code(2);
    let diff = compare_models([&args.before, &args.after], &args.policy)?;
    let (before, after) = (args.before.display().to_string(), args.after.display().to_string());
    if args.json {
        let output = Output { before: before.clone(), after: after.clone(), same: diff.is_empty(), diff: &diff };
        report::json(&output)?;
    } else {
        report::lines(&diff.lines().into_iter().map(|line| line.text).collect())?;
    }
    if diff.is_empty() { Ok(()) } else { Err(AppError::Differs { before, after }) }
}
