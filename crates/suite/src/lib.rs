//! Image comparison, suites of image tests, and their reports.

pub mod compare;
pub mod git;
pub mod pose;
pub mod report;
// `rigview-suite` needs the Rust version of the program.
pub mod suite;
