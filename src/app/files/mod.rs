//! Files that the program writes and keeps.

pub(crate) mod atomic_write;
pub(crate) mod environment_cache;
