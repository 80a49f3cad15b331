//! Work on other threads.

pub(crate) mod comparer;
pub(crate) mod export_args;
pub(crate) mod exporter;
pub(crate) mod file_watcher;
pub(crate) mod loader;
