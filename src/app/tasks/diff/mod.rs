//! `rigview diff`: differences between two rigs.

mod clips;
mod joints;
mod meshes_and_materials;
#[cfg(test)]
mod tests;
mod text;
mod weights;

use crate::app::AppError;
use crate::app::console::report;
use crate::cli::DiffArgs;
use crate::import::{self, ImageLoading, ImportOptions};
use crate::model::Model;
use crate::request::ImportRequest;
use serde::Serialize;
use std::path::Path;

/// Differences between two models, matched by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct RigDiff {
    joints: joints::JointsDiff,
    weights: Vec<weights::WeightsDiff>,
    clips: clips::ClipsDiff,
    meshes: meshes_and_materials::Changes,
    materials: meshes_and_materials::Changes,
}

impl RigDiff {
    pub(crate) fn of(before: &Model, after: &Model) -> Self {
        let matched = joints::Matched::new(before, after);
        Self {
            joints: joints::JointsDiff::of(before, after, &matched),
            weights: weights::differences(before, after, &matched),
            clips: clips::ClipsDiff::of(before, after, &matched),
            meshes: meshes_and_materials::meshes(before, after),
            materials: meshes_and_materials::materials(before, after),
        }
    }

    /// Reads two files and compares their models.
    pub(crate) fn of_files(files: [&Path; 2], request: &ImportRequest) -> Result<Self, AppError> {
        let (before, after) = rayon::join(|| open(files[0], request), || open(files[1], request));
        Ok(Self::of(&before?, &after?))
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

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
    let diff = RigDiff::of_files([&args.before, &args.after], &(&args.policy).into())?;
    if args.json {
        let output = Output {
            before: args.before.display().to_string(),
            after: args.after.display().to_string(),
            same: diff.is_empty(),
            diff: &diff,
        };
        let json = serde_json::to_string_pretty(&output).expect("plain data with text keys");
        report::text(&(json + "\n"))?;
    } else {
        report::text(&diff.text())?;
    }
    if diff.is_empty() {
        return Ok(());
    }
    Err(AppError::Differs { before: args.before.display().to_string(), after: args.after.display().to_string() })
}

fn open(file: &Path, request: &ImportRequest) -> Result<Model, AppError> {
    let options = ImportOptions { images: ImageLoading::Skip, policy: request.policy(), ..ImportOptions::default() };
    match import::open(file, &options) {
        Ok(loaded) => Ok(loaded.model),
        Err(error) => Err(AppError::CannotCompare(Box::new(AppError::File {
            file: file.to_owned(),
            source: Box::new(error.into()),
        }))),
    }
}
