//! Lints of an imported rig, each with a fix in Blender's terms: what a validator does not report.

mod clips;
mod cost;
mod joints;
mod lights;
mod lints;
mod machines;
mod meshes;
mod rest_rig;
#[cfg(test)]
mod tests;

pub(super) use joints::subtrees;
pub(super) use lints::check;
