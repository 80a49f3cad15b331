//! Image comparison, suites of image tests, and their reports.

pub mod changes;
pub mod compare;
pub mod git;
pub mod golden_record;
pub mod pose;
pub mod report;
pub mod store;
pub mod stray_goldens;
// `rigview-suite` needs the Rust version of the program.
pub mod suite;
