//! Atomic writes, the disk cache and the models of a folder.

pub(crate) mod atomic_write;
pub(crate) mod environment_cache;
pub(crate) mod model_folder;
pub(crate) mod output_path;
