//! Atomic writes, the disk cache, models and their folders, converters, maps of rigs, and the files that come with the program.

pub(crate) mod atomic_write;
pub(crate) mod caches;
pub(crate) mod converter;
pub(crate) mod file_stamp;
pub(crate) mod model_file;
pub(crate) mod model_folder;
pub(crate) mod output_path;
pub(crate) mod rig_map_file;
pub(crate) mod shipped;
