//! Suites of image tests.
//!
//! A suite is a TOML file. Each `[[shot]]` lists models or globs, and options under the names of `rigview shot`. An option
//! with several values makes as many shots. Size, shots and searched folders are bounded; errors have a line.

mod confinement;
mod coverage;
mod error;
mod expansion;
mod glob;
mod mask;
mod parse;
mod relative_path;
mod renderer_name;
mod select;
mod shot;
mod shot_name;
mod starter;
#[allow(clippy::module_inception, reason = "it defines the type `Suite`")]
mod suite;
#[cfg(test)]
mod tests;
mod value;

pub use confinement::{Trust, is_beneath};
pub use coverage::{ModelOfShot, uncovered};
pub use error::{SuiteError, SuiteErrorKind};
pub use expansion::MAX_SHOTS;
pub use glob::{is_pattern, matches};
pub use mask::MaskRegion;
pub use relative_path::relative_path;
pub use renderer_name::renderer_name;
pub use select::{Filter, Shard};
pub use shot::{InputFile, Shot, ShotKind};
pub use shot_name::{is_valid as is_shot_name, prefixes};
pub use starter::{added_shots, starter_suite};
pub use suite::{MAX_FILE_BYTES, Suite, folder_of, from_text, hash, open};
