//! Profiles: the rules of a project, as a TOML file.
//!
//! A profile has maxima, the names that a skeleton and its clips must have, permitted materials, and the severities of codes.
//!
//! ```
//! use rigview_check::profile::Profile;
//!
//! let text = "name = 'mobile'\n[limits]\ntriangles = 15000\nheight = { min = 1.4, max = 2.2 }\n[rules]\nNODE_EMPTY = 'off'";
//! let profile = Profile::from_toml(text)?;
//! assert_eq!(profile.name(), "mobile");
//! let error = Profile::from_toml("[limits]\npolygons = 15000").unwrap_err();
//! assert!(error.starts_with("line 2: unknown variant `polygons`, expected one of `file-bytes`, "), "{error}");
//! # Ok::<(), String>(())
//! ```

mod draft;
mod file;
mod limits;
mod measures;
mod reference_skeleton;
mod rules;
#[cfg(test)]
mod tests;

pub use draft::ProfileDraft;
pub use file::Profile;
pub(crate) use file::Rules;
pub(crate) use rules::check;
