//! Helpers without a layer of their own; every other module may use them.

pub(crate) mod hash;
pub(crate) mod json;
#[cfg(feature = "viewer")]
pub(crate) mod modifier_key;
pub(crate) mod panic_guard;
pub(crate) mod parallel;
pub(crate) mod regular_file;
pub(crate) mod text;
pub(crate) mod time;
pub(crate) mod xml;
