//! Tests of the checks as a whole.

mod codes;
pub(crate) mod mills;
mod robustness;
pub(super) mod valid_file;
mod vrm;
