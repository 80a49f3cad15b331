//! Image comparison, suites of image tests, and their reports.

pub mod changes;
pub mod compare;
pub mod git;
pub mod pose;
pub mod report;
pub mod store;
// `rigview-suite` needs the Rust version of the program.
pub mod suite;
