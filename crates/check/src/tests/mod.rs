//! Tests of the checks as a whole.

mod codes;
mod mills;
mod robustness;
pub(super) mod valid_file;
mod vrm;
