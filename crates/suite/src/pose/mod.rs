//! Numeric goldens: rest pose, bind pose, weights and clips of a model as text, and comparison of two such texts.
//!
//! The text has one line per joint and key time, so that a changed key is one changed line in a pull request.

mod compare;
mod describe;
#[cfg(test)]
mod tests;

pub use compare::{DEFAULT_TOLERANCE, differences};
pub use describe::{MAX_LINES, describe};

/// First line of the text. The number is that of the format.
pub const HEADER: &str = "rigview pose 1";
