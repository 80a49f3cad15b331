//! The name of the modifier key.

pub(crate) mod modifier_key;
