//! A shot of a suite.

use super::mask::MaskRegion;
use crate::compare::Tolerances;
use std::path::PathBuf;
use std::sync::Arc;

/// A file that a shot depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// Its path.
    pub path: PathBuf,
    /// `true` if the shot also works without it, such as a map of joints beside a model.
    pub is_optional: bool,
}

/// What a shot checks.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ShotKind {
    /// A rendered image, compared with a golden.
    #[default]
    Image,
    /// Poses and weights of the model as text, compared with a golden.
    Pose {
        /// Tolerance of [`differences`](crate::pose::differences).
        tolerance: f64,
    },
    /// The issues of `rigview check`; it has no golden.
    Check {
        /// A profile with further rules, relative to the suite file.
        profile: Option<PathBuf>,
    },
}

/// One image to render and to compare, or another check of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shot {
    /// Letters, digits, `.`, `_` and `-`, so that it is a valid file name.
    pub name: String,
    /// Path of the model, relative to the suite file.
    pub model: String,
    /// What it checks.
    pub kind: ShotKind,
    /// Options of `rigview shot`, such as `--time=0.5`.
    pub options: Vec<String>,
    /// Line of each of the options in the suite file.
    pub option_lines: Vec<usize>,
    /// Tolerances of the comparison.
    pub limits: Tolerances,
    /// The reason for tolerances other than the defaults.
    pub reason: Option<String>,
    /// Regions that the comparison ignores.
    pub mask: Arc<[MaskRegion]>,
    /// The reason not to render it.
    pub skip: Option<String>,
    /// The reason why its image is expected to differ, or its model to be broken.
    pub expect_failure: Option<String>,
    /// Line of the `[[shot]]` in the suite file, from 1.
    pub line: usize,
}
