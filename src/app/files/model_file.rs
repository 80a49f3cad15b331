//! Opening and checking of model files, with messages that name the options of the console.

use crate::app::files::converter::{Converted, convert};
use crate::app::{AppError, FileError};
use crate::cli::{issue_advice, policy_advice};
use crate::request::{ConversionRequest, ImportRequest, is_convertible};
use rigview_check::diff::{RigDiff, Tolerances};
use rigview_check::flex::FlexCheck;
use rigview_check::profile::Profile;
use rigview_check::{Issue, Severity, check_file};
use rigview_core::import::{Diagnostic, ImageLoading, ImportOptions, ImportPolicy, Imported, ModelFile};
use rigview_core::model::{Clip, Model};
use rigview_core::util::text::{counted, line_of_causes};
use std::collections::BTreeSet;
use std::path::Path;

/// Opens a model, converted if it has another format; the error names the file.
pub(crate) fn open_model(
    file: &Path,
    conversion: &ConversionRequest,
    options: &ImportOptions,
) -> Result<Imported, AppError> {
    let mut loaded = import_model(file, conversion, options).map_err(|error| AppError::in_file(file, error))?;
    for diagnostic in &mut loaded.diagnostics {
        diagnostic.message += &policy_advice(diagnostic.policy_change);
    }
    Ok(loaded)
}

/// Imports a model, converted if it has another format.
pub(crate) fn import_model(
    file: &Path,
    conversion: &ConversionRequest,
    options: &ImportOptions,
) -> Result<Imported, FileError> {
    if !is_convertible(file) {
        return Ok(ModelFile::read(file, &options.policy.limits)?.import(options)?);
    }
    let Converted { file, program } = convert(file, conversion, &options.policy.limits)?;
    let mut loaded = file.import(options).map_err(|error| {
        let problem = format!("the output of {program}: {}", line_of_causes(&error));
        FileError::NotConverted(problem)
    })?;
    loaded.diagnostics.insert(0, Diagnostic::new("", conversion_notice(&program, &loaded.model)));
    Ok(loaded)
}

/// Returns the diagnostics of a file that are about its skeleton or clips, with its name, for the model that gets its clips.
pub(crate) fn motion_diagnostics(file: &Path, imported: &[Diagnostic]) -> Vec<Diagnostic> {
    let in_file = |diagnostic: &Diagnostic| Diagnostic::new("", format!("{}: {}", file.display(), diagnostic.message));
    imported.iter().filter(|found| found.is_about_motion()).map(in_file).collect()
}

/// Returns the notice of a converted model. A converter may lose more than it reports, so that the notice has what is left.
fn conversion_notice(program: &str, model: &Model) -> String {
    let joints: BTreeSet<_> = model.skins.iter().flat_map(|skin| &skin.joints).collect();
    let parts = [
        counted(model.meshes.len(), "mesh", "meshes"),
        counted(joints.len(), "skin joint", "skin joints"),
        counted(model.clips.len(), "clip", "clips"),
    ];
    let keys: usize = model.clips.iter().map(Clip::key_count).sum();
    let secs: f32 = model.clips.iter().map(|clip| clip.duration_secs).sum();
    let motion = if model.clips.is_empty() { String::new() } else { format!(" of {secs:.3} s with {keys} keys") };
    format!("converted to glTF by {program}, which may lose data; the result has {}{motion}", parts.join(", "))
}

/// Checks a model, with its joints in poses for `flex`, and by a profile.
pub(crate) fn check_model(
    file: &Path,
    conversion: &ConversionRequest,
    policy: &ImportPolicy,
    flex: Option<&mut FlexCheck<'_>>,
    profile: Option<&Profile>,
) -> Vec<Issue> {
    let mut issues = match is_convertible(file) {
        false => check_file(file, policy, flex, profile),
        true => match convert(file, conversion, &policy.limits) {
            Ok(converted) => rigview_check::check_model(file, converted.file, policy, flex, profile),
            Err(error) => vec![Issue {
                severity: Severity::Error,
                code: "IO_ERROR",
                pointer: String::new(),
                line: None,
                message: error.to_string(),
                policy_change: None,
            }],
        },
    };
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
    conversion: &ConversionRequest,
    tolerances: &Tolerances,
) -> Result<RigDiff, AppError> {
    let options = ImportOptions::default().with_images(ImageLoading::Skip).with_policy(request.policy());
    let open = |file| {
        let mut loaded = open_model(file, conversion, &options)?;
        // The notice about the program is no property of the model.
        loaded.diagnostics.drain(..usize::from(is_convertible(file)));
        Ok(loaded)
    };
    let open = |file| open(file).map_err(|error| AppError::CannotCompare(Box::new(error)));
    let (before, after) = rayon::join(|| open(files[0]), || open(files[1]));
    Ok(RigDiff::of_files(&before?, &after?, tolerances))
}
