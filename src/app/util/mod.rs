//! Formatting of output: JSON, and the name of the modifier key.

pub(crate) mod json;
pub(crate) mod modifier_key;
