//! Image comparison, and suites of image tests.

pub mod compare;
// `rigview-suite` needs the Rust version of the program.
pub mod suite;
