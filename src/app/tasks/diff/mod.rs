//! Differences between two rigs.

mod clips;
mod joints;
pub(crate) mod line;
mod meshes_and_materials;
#[cfg(test)]
mod tests;
mod text;
mod weights;

use crate::app::AppError;
use crate::app::files::model_file::open_model;
use crate::request::ImportRequest;
use rigview_core::import::{ImageLoading, ImportOptions};
use rigview_core::model::Model;
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

fn open(file: &Path, request: &ImportRequest) -> Result<Model, AppError> {
    let options = ImportOptions { images: ImageLoading::Skip, policy: request.policy(), ..ImportOptions::default() };
    let loaded = open_model(file, &options).map_err(|error| AppError::CannotCompare(Box::new(error)))?;
    Ok(loaded.model)
}
