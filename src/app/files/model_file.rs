//! Opening and checking of model files, with messages that name the options of the console.

use crate::app::AppError;
use crate::cli::{issue_advice, policy_advice};
use crate::request::ImportRequest;
use rigview_check::diff::{RigDiff, Tolerances};
use rigview_check::flex::FlexCheck;
use rigview_check::profile::Profile;
use rigview_check::{Issue, check_file};
use rigview_core::import::{self, ImageLoading, ImportOptions, ImportPolicy, Imported};
use std::path::Path;

/// Opens a model; the error names the file.
pub(crate) fn open_model(file: &Path, options: &ImportOptions) -> Result<Imported, AppError> {
    let mut loaded = import::open(file, options).map_err(|error| AppError::in_file(file, *error.source))?;
    for diagnostic in &mut loaded.diagnostics {
        diagnostic.message += &policy_advice(diagnostic.policy_change);
    }
    Ok(loaded)
}

/// Checks a model, with its joints in poses for `flex`, and by a profile.
pub(crate) fn check_model(
    file: &Path,
    policy: &ImportPolicy,
    flex: Option<&mut FlexCheck<'_>>,
    profile: Option<&Profile>,
) -> Vec<Issue> {
    let mut issues = check_file(file, policy, flex, profile);
    for issue in &mut issues {
        issue.message += issue_advice(issue.code);
        issue.message += &policy_advice(issue.policy_change);
    }
    issues
}

/// Opens two files, and compares them. Images are compared without decoding.
pub(crate) fn compare_models(
    files: [&Path; 2],
    request: &ImportRequest,
    tolerances: &Tolerances,
) -> Result<RigDiff, AppError> {
    let options = ImportOptions::default().with_images(ImageLoading::Skip).with_policy(request.policy());
    let open = |file| open_model(file, &options).map_err(|error| AppError::CannotCompare(Box::new(error)));
    let (before, after) = rayon::join(|| open(files[0]), || open(files[1]));
    Ok(RigDiff::of_files(&before?, &after?, tolerances))
}
