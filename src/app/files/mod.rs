//! Atomic writes and the disk cache.

pub(crate) mod atomic_write;
pub(crate) mod environment_cache;
pub(crate) mod output_path;
