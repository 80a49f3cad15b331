//! What can be wrong with a file that lays a crowd out.

use thiserror::Error;

/// A layout file says something that it cannot mean.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}: {problem}")]
pub struct LayoutError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: LayoutProblem,
}

/// What is wrong with a layout file.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LayoutProblem {
    /// It is not of its format at all.
    #[error("{message}")]
    Malformed {
        /// What the reader of that format says.
        message: String,
    },
    /// A column that means nothing.
    #[error("there is no column `{name}`; those that are: x, y, z, yaw, scale, clip, phase, speed")]
    UnknownColumn {
        /// Its name.
        name: String,
    },
    /// A column twice.
    #[error("the column `{name}` is there twice")]
    DuplicateColumn {
        /// Its name.
        name: String,
    },
    /// No place to stand.
    #[error("the first line must name the columns, x and z among them, such as `x,z,yaw,clip`")]
    MissingPosition,
    /// A value that is none.
    #[error("`{value}` is no {what}")]
    InvalidValue {
        /// What was expected.
        what: &'static str,
        /// What is there.
        value: String,
    },
    /// Nobody at all.
    #[error("nobody is laid out: each line behind the first is one of the crowd")]
    NoInstances,
    /// Too many.
    #[error("more than {most} are laid out")]
    TooMany {
        /// How many may be.
        most: usize,
    },
}
