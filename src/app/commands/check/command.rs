//! `rigview check`.

use super::checked::Checked;
use super::reports::{annotations, junit, sarif};
use crate::app::AppError;
use crate::app::console::{report, takes_escape_codes};
use crate::app::files::atomic_write::write_atomic;
use crate::app::files::model_file::open_model;
use crate::app::files::model_folder::model_files;
use crate::app::files::output_path::check_output;
use crate::cli::{CheckArgs, SARIF_EXTENSION, remedy};
use rigview_check::profile::ProfileDraft;
use rigview_check::{Baseline, Issue};
use rigview_core::import::{ImageLoading, ImportOptions};
use rigview_core::util::text::counted;
use rigview_suite::report::is_github_job;
use std::path::PathBuf;

/// Prints a profile that the files keep.
fn print_profile(files: &[PathBuf], args: &CheckArgs) -> Result<(), AppError> {
    let options = ImportOptions::default().with_images(ImageLoading::SizesOnly).with_policy(args.policy.policy());
    let mut draft = ProfileDraft::default();
    for file in files {
        draft.add(&open_model(file, &args.conversion, &options)?);
    }
    let name = files.first().and_then(|file| file.file_stem()).unwrap_or_default().to_string_lossy();
    report::lines(&draft.text(&name).lines().collect())
}

/// Checks all files; fails if one of them does.
pub(crate) fn run(args: &CheckArgs) -> Result<(), AppError> {
    if let Some(code) = args.explain {
        let (title, remedy) = (format!("{} ({})", code.name, code.severity), format!("Remedy: {}", remedy(code)));
        return report::lines(&[title.as_str(), code.meaning, &remedy].into_iter().collect());
    }
    let inputs = || args.files.iter().chain(&args.baseline).map(PathBuf::as_path);
    for output in &args.reports {
        check_output(output, inputs(), &args.policy.policy(), None)?;
    }
    let files = model_files(&args.files)?;
    if args.init {
        return print_profile(&files, args);
    }
    let baseline = args.baseline.as_deref().map_or_else(|| Ok(Baseline::default()), Baseline::open);
    let baseline = baseline.map_err(|error| AppError::Usage(report::line_of(&error)))?;
    let mut all = Vec::with_capacity(files.len());
    let colors = takes_escape_codes(&std::io::stdout()) && std::env::var_os("NO_COLOR").is_none();
    for file in &files {
        let checked = Checked::new(file, args, &baseline);
        // One object is easy to read by eye, many are easy to read line by line.
        match (args.json, files.len()) {
            (true, 1) => report::json(&checked)?,
            (true, _) => report::json_in_a_line(&checked)?,
            (false, count) => report::lines(&checked.lines(count > 1, colors))?,
        }
        all.push(checked);
    }
    for path in &args.reports {
        let is_sarif = path.extension().is_some_and(|extension| extension == SARIF_EXTENSION);
        write_atomic(path, if is_sarif { sarif(&all) } else { junit(&all) }.as_bytes())?;
    }
    let known: usize = all.iter().map(|checked| checked.known_count).sum();
    if known > 0 {
        report::notice(format_args!("{} of the baseline", counted(known, "issue", "issues")));
    }
    if is_github_job() {
        report::lines(&annotations(&all))?;
    }
    let error =
        |checked: Checked| AppError::CheckFailed { summary: Issue::summary(&checked.issues), file: checked.file };
    let mut errors = all.into_iter().filter(|checked| checked.failed).map(error).collect::<Vec<_>>();
    let last = errors.pop();
    errors.iter().for_each(|error| report::error(error));
    last.map_or(Ok(()), Err)
}
