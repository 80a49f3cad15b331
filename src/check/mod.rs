//! Validation of glTF files and lints of rigs: the library behind `rigview check`.
//!
//! [`crate::import`] stops at the first fault. These checks work on the JSON itself and continue, so that one fault hides
//! no other. Codes and severities are those of the Khronos validator where it has the code; the rig lints have their own.
//!
//! The bounds of an import hold: no recursion along the file, no allocation of a size that the file states, and a budget
//! for values that accessors share.

mod accessor_data;
mod accessor_view;
mod accessors;
mod animations;
mod buffers;
mod check_file;
mod checked_file;
mod container;
mod core_schemas;
mod data_rules;
mod extension_schemas;
mod extensions;
mod formats;
mod images;
mod influences;
mod issue;
mod json_path;
mod json_values;
mod mesh_materials;
mod meshes;
mod nodes;
mod object_rules;
mod reference_pass;
mod resources;
mod rig;
mod schema;
mod schema_validator;
mod source_map;
mod targets;
#[cfg(test)]
mod tests;
mod textures;
mod transforms;
mod tree;

pub use check_file::{check_bytes, check_file};
pub use issue::{Issue, MAX_ISSUES_PER_CODE, Severity, severity};
