//! Formatting of output: JSON, XML, and the name of the modifier key.

pub(crate) mod json;
pub(crate) mod modifier_key;
pub(crate) mod xml;
