//! `rigview test --init`: writes a starter suite, or adds models to one.

use crate::app::AppError;
use crate::app::console::report;
use crate::app::files::atomic_write;
use crate::app::files::model_folder::model_files;
use crate::cli::{TestArgs, shot_option_names};
use rigview_core::import::{self, ImageLoading, ImportOptions};
use rigview_core::util::panic_guard::catch;
use rigview_core::util::regular_file::read_text;
use rigview_core::util::text::counted;
use rigview_suite::suite::{self, Suite, SuiteErrorKind, Trust};
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// Writes a suite for the models of `args`, or adds those that are new to an existing suite.
pub(crate) fn run(file: &Path, args: &TestArgs) -> Result<(), AppError> {
    let folder = suite::folder_of(file);
    let in_suite = |source| AppError::Suite { file: file.to_owned(), source };
    let (mut text, mut known) = (String::new(), Suite::default());
    if file.symlink_metadata().is_ok() {
        known = suite::open(file, &shot_option_names(), Trust::Trusted).map_err(in_suite)?;
        text = read_text(file, suite::MAX_FILE_BYTES)
            .map_err(|source| in_suite(SuiteErrorKind::Unreadable { source }.into()))?;
    }
    let mut seen: HashSet<PathBuf> =
        known.shots.iter().filter_map(|shot| folder.join(&shot.model).canonicalize().ok()).collect();
    let (mut models, mut skipped, mut last_error) = (Vec::new(), 0, None);
    for argument in &args.files {
        let (mut added, is_skipped) = (Vec::new(), skipped);
        for model in model_files(std::slice::from_ref(argument))? {
            // A file that does not exist is an error of `check_readable`.
            if !seen.insert(model.canonicalize().unwrap_or_else(|_| model.clone())) {
                continue;
            }
            match check_readable(&model, args) {
                Ok(()) => added.push(suite::relative_path(folder, &model)),
                Err(error) => {
                    report::notice(format_args!("skipped: {}", report::line_of(&error)));
                    (skipped, last_error) = (skipped + 1, Some(error));
                }
            }
        }
        // A pattern also finds the models that are added later.
        let pattern = pattern_of(argument, folder, &added).filter(|_| text.is_empty() && skipped == is_skipped);
        models.extend(pattern.map_or(added, |pattern| vec![pattern]));
    }
    if let Some(error) = last_error.filter(|_| models.is_empty() && known.shots.is_empty()) {
        return Err(error);
    }
    let added = if text.is_empty() { suite::starter_suite(&models) } else { suite::added_shots(&models, &known) };
    if !text.is_empty() && !text.ends_with('\n') && !added.is_empty() {
        text.push('\n');
    }
    text += &added;
    // Validate the suite before it is written.
    let shots = suite::from_text(&text, folder, &shot_option_names(), Trust::Trusted).map_err(in_suite)?.shots;
    if !added.is_empty() {
        atomic_write::write_atomic(file, text.as_bytes())?;
    }
    let name = file.display();
    let count = counted(shots.len() - known.shots.len(), "shot", "shots");
    let skipped = if skipped == 0 { String::new() } else { format!(", {} skipped", counted(skipped, "file", "files")) };
    let new = if known.shots.is_empty() { "" } else { " added" };
    report::line(format_args!("{name}: {count}{new}{skipped}; `rigview test {name} --update` writes the goldens"))
}

fn check_readable(model: &Path, args: &TestArgs) -> Result<(), AppError> {
    let policy = args.policy.policy();
    let options = ImportOptions::default().with_images(ImageLoading::Skip).with_policy(policy);
    let open = || import::open(model, &options).map(drop).map_err(|error| AppError::in_file(model, *error.source));
    let loaded = catch(open);
    loaded.unwrap_or_else(|| Err(AppError::Crashed(model.to_owned())))
}

/// Returns the pattern, relative to the suite's folder, that matches exactly the `models` of a folder or of a pattern.
fn pattern_of(argument: &Path, folder: &Path, models: &[String]) -> Option<String> {
    let pattern = if argument.is_dir() {
        let extensions: BTreeSet<&str> = models.iter().filter_map(|model| Some(model.rsplit_once('.')?.1)).collect();
        let extensions: Vec<&str> = extensions.into_iter().collect();
        let extension = if let [one] = *extensions { one.to_owned() } else { format!("{{{}}}", extensions.join(",")) };
        match suite::relative_path(folder, argument).trim_end_matches('/') {
            "" | "." => format!("**/*.{extension}"),
            folder => format!("{folder}/**/*.{extension}"),
        }
    } else {
        argument.to_str().filter(|text| suite::is_pattern(text) && folder == Path::new("."))?.to_owned()
    };
    let found: BTreeSet<String> = suite::matches(&pattern, folder).ok()?.into_iter().collect();
    (found == models.iter().cloned().collect()).then_some(pattern)
}
