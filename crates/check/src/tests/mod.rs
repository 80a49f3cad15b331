//! Tests of the checks as a whole.

mod codes;
mod machines;
pub(crate) mod mills;
mod robustness;
pub(super) mod valid_file;
mod vrm;
