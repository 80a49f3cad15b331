//! Differences between two rigs: joints, weights, clips, meshes and materials.
//!
//! Not compared: vertex data other than skin weights, inverse bind matrices, tracks of morph weights and properties, and material
//! extensions.
//!
//! ```no_run
//! use rigview_check::diff::RigDiff;
//! use rigview_core::import::{ImportOptions, open};
//!
//! # fn main() -> Result<(), rigview_core::import::OpenError> {
//! let options = ImportOptions::default();
//! let (before, after) = (open("before.glb".as_ref(), &options)?, open("after.glb".as_ref(), &options)?);
//! for line in RigDiff::of(&before.model, &after.model).lines() {
//!     println!("{}", line.text);
//! }
//! # Ok(())
//! # }
//! ```

mod clips;
mod joints;
mod line;
mod meshes_and_materials;
#[cfg(test)]
mod tests;
mod text;
mod weights;

pub use line::{DiffItem, DiffLine, DiffTarget};
use rigview_core::model::Model;
use serde::Serialize;

/// Differences between two models; its JSON is that of `rigview diff --json`. Joints are matched by path, name or place, other items by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RigDiff {
    joints: joints::JointsDiff,
    weights: Vec<weights::WeightsDiff>,
    clips: clips::ClipsDiff,
    meshes: meshes_and_materials::Changes,
    materials: meshes_and_materials::Changes,
}

impl RigDiff {
    /// Compares two models.
    pub fn of(before: &Model, after: &Model) -> Self {
        let matched = joints::Matched::new(before, after);
        Self {
            joints: joints::JointsDiff::of(before, after, &matched),
            weights: weights::differences(before, after, &matched),
            clips: clips::ClipsDiff::of(before, after, &matched),
            meshes: meshes_and_materials::meshes(before, after),
            materials: meshes_and_materials::materials(before, after),
        }
    }

    /// Returns `true` if the models do not differ.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
