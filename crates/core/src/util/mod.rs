//! Helpers without a layer of their own; every other module may use them.

pub mod fallible;
pub mod git_lfs;
pub mod hash;
pub mod panic_guard;
pub mod parallel;
pub mod regular_file;
pub mod text;
