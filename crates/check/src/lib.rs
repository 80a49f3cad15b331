//! Validation of glTF files and lints of rigs: the library behind `rigview check`. [`diff`] compares two rigs.
//!
//! These checks work on the JSON itself, and add the diagnostics of [`rigview_core::import`]. Codes and
//! severities are those of the Khronos validator where it has the code; the rig lints have their own.
//!
//! Memory is bounded as in an import: recursion depth does not depend on the file, no allocation has a size that only the file
//! states, and the values that are read from shared bytes have a budget.

mod accessor_data;
mod accessor_view;
mod accessors;
mod animations;
mod baseline;
mod buffers;
mod check_file;
mod checked_file;
mod codes;
mod compressed_mesh;
mod container;
pub mod curves;
mod data_rules;
pub mod diff;
mod extensions;
pub mod flex;
mod formats;
mod images;
mod influences;
mod issue;
mod json_path;
mod json_values;
mod ktx2;
mod loop_seam;
mod mesh_materials;
mod meshes;
pub mod moving_parts;
pub mod names;
mod nodes;
mod object_rules;
pub mod profile;
mod reference_pass;
mod resources;
mod rig;
mod schema_validator;
mod source_map;
mod targets;
#[cfg(test)]
mod tests;
mod textures;
mod transforms;
mod tree;
mod unused;
mod vrm;

pub use baseline::{Baseline, BaselineError};
#[cfg(test)]
use check_file::check;
pub use check_file::{check_bytes, check_file, check_model};
pub use codes::{CODES, Code, LINTS_PAGE, Severity, severity};
pub use issue::{Issue, MAX_ISSUES_PER_CODE};
pub use loop_seam::{LoopDiscontinuity, PartSeam, loop_discontinuity, visible_speed_jump};
