//! Errors of layout files.

use thiserror::Error;

/// A layout file is invalid.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}: {problem}")]
pub struct LayoutError {
    /// Line number, from 1.
    pub line: usize,
    /// The problem.
    pub problem: LayoutProblem,
}

/// A problem in a layout file.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LayoutProblem {
    /// The file is not valid CSV or JSON.
    #[error("{message}")]
    Malformed {
        /// Message of the parser.
        message: String,
    },
    /// A column is unknown.
    #[error("unknown column `{name}`; expected x, y, z, yaw, scale, clip, phase, speed")]
    UnknownColumn {
        /// Its name.
        name: String,
    },
    /// A column occurs twice.
    #[error("column `{name}` occurs twice")]
    DuplicateColumn {
        /// Its name.
        name: String,
    },
    /// A position column is missing.
    #[error("the first line must name the columns, x and z among them, such as `x,z,yaw,clip`")]
    MissingPosition,
    /// A value is invalid.
    #[error("`{value}` is not a {what}")]
    InvalidValue {
        /// The expected kind of value.
        what: &'static str,
        /// The value.
        value: String,
    },
    /// The file has no instances.
    #[error("layout has no instances: each line after the first is one instance")]
    NoInstances,
    /// The file has too many instances.
    #[error("layout has more than {max} instances")]
    TooMany {
        /// The maximum.
        max: usize,
    },
}
