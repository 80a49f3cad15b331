//! Formatting of output: JSON, XML, time stamps, and the name of the modifier key.

pub(crate) mod json;
pub(crate) mod modifier_key;
pub(crate) mod time;
pub(crate) mod xml;
