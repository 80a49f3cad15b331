//! Differences between two models, of everything that the importer reads. What was not compared is part of the result.
//!
//! ```no_run
//! use rigview_check::diff::{RigDiff, Tolerances};
//! use rigview_core::import::{ImportOptions, open};
//!
//! # fn main() -> Result<(), rigview_core::import::OpenError> {
//! let options = ImportOptions::default();
//! let (before, after) = (open("before.glb".as_ref(), &options)?, open("after.glb".as_ref(), &options)?);
//! for line in RigDiff::of_files(&before, &after, &Tolerances::default()).lines() {
//!     println!("{}", line.text);
//! }
//! # Ok(())
//! # }
//! ```

mod clips;
mod context;
mod file_data;
mod joints;
mod line;
mod materials;
mod meshes;
mod names;
mod scenes;
#[cfg(test)]
mod single_change_tests;
#[cfg(test)]
mod tests;
mod text;
mod tolerances;
mod values;
mod weights;

use context::Context;
pub use line::{DiffItem, DiffLine, DiffTarget};
use rigview_core::import::Imported;
use rigview_core::model::Model;
use serde::Serialize;
pub use tolerances::Tolerances;
use values::{Change, Changes, Comparer};

/// Differences between two models; its JSON is that of `rigview diff --json`.
///
/// Joints are matched by path, name or place, other items by name: the second of two equal names matches the second one. Everything
/// that a [`Model`] has is compared, with [`Tolerances`]. Of vertices, keys and texels, a difference has the number and the largest.
/// The order of nodes and of items with different names has no meaning. The time is proportional to the sizes of both models.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RigDiff {
    tolerances: Tolerances,
    /// What the models or files have, and was not compared.
    not_compared: Vec<String>,
    joints: joints::JointsDiff,
    weights: Vec<weights::WeightsDiff>,
    clips: clips::ClipsDiff,
    skins: Changes,
    meshes: Changes,
    materials: Changes,
    variants: Changes,
    textures: Changes,
    images: Changes,
    cameras: Changes,
    lights: Changes,
    scenes: Changes,
    human_bones: Changes,
    expressions: Changes,
    /// JSON that the importer does not read, and diagnostics of the import, by JSON Pointer.
    other: Vec<Change>,
}

impl RigDiff {
    /// Compares two models. Of the files, it compares only what the models have; of images, the texels in memory.
    pub fn of(before: &Model, after: &Model, tolerances: &Tolerances) -> Self {
        let context = Context::new([before, after]);
        let mut diff = Self::of_context(&context, tolerances);
        diff.images = materials::images(&context, &mut Comparer::new(*tolerances));
        if materials::lacks_texels(&context) {
            diff.not_compared.push("texels that are not in memory".to_owned());
        }
        diff.not_compared.push("data of the files that the models do not have".to_owned());
        diff
    }

    /// Compares two files: their models, encoded images, `extras`, and extensions that the importer does not read.
    ///
    /// The images of the models may be skipped. Image files are read again.
    pub fn of_files(before: &Imported, after: &Imported, tolerances: &Tolerances) -> Self {
        let (context, files) = (Context::new([&before.model, &after.model]), [before, after]);
        let mut diff = Self::of_context(&context, tolerances);
        let (images, unread) = file_data::images(&context, files);
        diff.images = images;
        diff.other = file_data::other(&context, files);
        diff.not_compared = file_data::not_compared(files);
        diff.not_compared.extend(unread);
        diff
    }

    /// Compares all but images.
    fn of_context(context: &Context<'_>, tolerances: &Tolerances) -> Self {
        // An exhaustive pattern: a new field does not compile until it is compared.
        let Model {
            skeleton: _,
            // All files of a format have the same.
            has_unknown_unit: _,
            hidden_joints: _,
            // Files have none.
            joint_masks: _,
            skins: _,
            meshes: _,
            materials: _,
            variants: _,
            textures: _,
            images: _,
            clips: _,
            cameras: _,
            lights: _,
            scenes: _,
            human_bones: _,
            expressions: _,
            default_scene: _,
            // Compared as JSON.
            gaze: _,
            face_joints: _,
            faces_negative_z: _,
            non_exhaustive: (),
        } = context.models[0];
        let mut comparer = Comparer::new(*tolerances);
        let (meshes, weights) = meshes::differences(context, &mut comparer);
        Self {
            tolerances: *tolerances,
            not_compared: Vec::new(),
            joints: joints::JointsDiff::of(context.models, &context.joints, &mut comparer),
            weights,
            clips: clips::ClipsDiff::of(context, &mut comparer),
            skins: scenes::skins(context, &mut comparer),
            meshes,
            materials: materials::materials(context, &mut comparer),
            variants: scenes::variants(context),
            textures: materials::textures(context, &mut comparer),
            images: Changes::default(),
            cameras: scenes::cameras(context, &mut comparer),
            lights: scenes::lights(context, &mut comparer),
            scenes: scenes::scenes(context, &mut comparer),
            human_bones: scenes::human_bones(context, &mut comparer),
            expressions: scenes::expressions(context, &mut comparer),
            other: Vec::new(),
        }
    }

    /// Returns `true` if no difference was found. See [`not_compared`](Self::not_compared).
    pub fn is_empty(&self) -> bool {
        let not_compared = self.not_compared.clone();
        *self == Self { tolerances: self.tolerances, not_compared, ..Self::default() }
    }

    /// Returns what was not compared, one line each: elements that the importer could not read or does not support.
    pub fn not_compared(&self) -> &[String] {
        &self.not_compared
    }
}
