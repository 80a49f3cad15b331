//! Lints of an imported rig, each with a fix in Blender's terms: what a validator does not report.

mod clips;
mod copies;
mod cost;
mod joints;
mod lights;
mod lints;
mod machines;
mod meshes;
mod rest_rig;
#[cfg(test)]
mod tests;
mod up_axis;

pub(super) use joints::subtrees;
pub(super) use lints::check;
pub(crate) use rest_rig::rest_size;
