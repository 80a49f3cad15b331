//! `rigview test --init`: writes a starter suite, or adds models to one.

use crate::app::AppError;
use crate::app::console::report;
use crate::app::files::atomic_write;
use crate::app::files::model_file::open_model;
use crate::app::files::model_folder::model_files;
use crate::cli::{TestArgs, shot_option_names};
use rigview_core::import::{ImageLoading, ImportOptions};
use rigview_core::util::panic_guard::catch;
use rigview_core::util::regular_file::read_text;
use rigview_core::util::text::counted;
use rigview_suite::suite::{self, Suite, SuiteClip, SuiteErrorKind, SuiteModel, Trust};
use std::collections::HashSet;
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
    for model in model_files(&args.files)? {
        // A file that does not exist is an error of `open_model`.
        if !seen.insert(model.canonicalize().unwrap_or_else(|_| model.clone())) {
            continue;
        }
        match open(&model, folder, args) {
            Ok(model) => models.push(model),
            Err(error) => {
                report::notice(format_args!("skipped: {}", report::line_of(&error)));
                (skipped, last_error) = (skipped + 1, Some(error));
            }
        }
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

fn open(model: &Path, folder: &Path, args: &TestArgs) -> Result<SuiteModel, AppError> {
    let policy = args.policy.policy();
    let options = ImportOptions::default().with_images(ImageLoading::Skip).with_policy(policy);
    let loaded =
        catch(|| open_model(model, &options)).unwrap_or_else(|| Err(AppError::Crashed { file: model.to_owned() }))?;
    let clips = loaded.model.clips.iter().map(|clip| SuiteClip {
        name: clip.name.clone(),
        range_secs: [clip.first_key_secs, clip.duration_secs].map(f64::from),
    });
    Ok(SuiteModel { path: suite::relative_path(folder, model), clips: clips.collect() })
}
