//! Background jobs: each reports its results as a `UserEvent`.

pub(crate) mod comparer;
pub(crate) mod environment_loader;
pub(crate) mod event;
pub(crate) mod export_args;
pub(crate) mod exporter;
pub(crate) mod file_dialog;
pub(crate) mod file_manager;
pub(crate) mod file_watcher;
pub(crate) mod latest_worker;
pub(crate) mod loader;
pub(crate) mod running_jobs;
pub(crate) mod settings_store;
pub(crate) mod simplifier;
