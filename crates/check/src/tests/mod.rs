//! Tests of the checks as a whole.

mod codes;
mod ktx2;
mod machines;
pub(crate) mod mills;
mod robustness;
pub(super) mod valid_file;
mod vrm;
