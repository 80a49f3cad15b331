//! `rigview diff`.

use crate::app::AppError;
use crate::app::console::report;
use crate::app::files::model_file::compare_models;
use crate::cli::DiffArgs;
use rigview_check::diff::RigDiff;
use rigview_render::platform::oom_handler;
use rigview_suite::git;
use serde::Serialize;
use std::path::Path;

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
    let tolerances = args.tolerances();
    let new = args.after.as_ref().unwrap_or(&args.before);
    let (mut before, after) = (args.before.display().to_string(), new.display().to_string());
    let diff = match &args.against_git {
        None => compare_models([&args.before, new], &args.policy, &args.conversion, &tolerances)?,
        Some(revision) => {
            before = format!("{revision}:{before}");
            let usage = |reason| AppError::Usage(format!("{before}: {reason}"));
            let folder = tempfile::tempdir().map_err(|error| usage(error.to_string()))?;
            let old =
                git::extract_model(&args.before, revision, folder.path(), &args.policy.policy()).map_err(usage)?;
            compare_models([&old, new], &args.policy, &args.conversion, &tolerances)
                .map_err(|error| error.with_file_name(&old, Path::new(&before)))?
        }
    };
    if args.json {
        let output = Output { before: before.clone(), after: after.clone(), same: diff.is_empty(), diff: &diff };
        report::json(&output)?;
    } else {
        report::lines(&diff.lines().into_iter().map(|line| line.text).collect())?;
    }
    match diff.is_empty() {
        false => Err(AppError::Differs { before, after }),
        true if args.is_exact() && !diff.not_compared().is_empty() => Err(AppError::NotCompared { before, after }),
        true => Ok(()),
    }
}
