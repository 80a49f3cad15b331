//! All jobs of the viewer.

use super::comparer::Comparer;
use super::environment_loader::EnvironmentLoader;
use super::event::{EventSink, UserEvent, ViewportSide};
use super::exporter::ExportJob;
use super::file_watcher::FileWatcher;
use super::latest_worker::LatestWorker;
use super::loader::{CheckJob, Loader, checker};
use super::settings_store::SettingsStore;
use crate::app::viewer::state::file_list::FilePurpose;
use std::sync::Arc;
use std::time::Instant;
use winit::event_loop::EventLoopProxy;

pub(crate) struct Jobs {
    pub(crate) loader: Loader,
    /// A check may take long; the next file does not wait for it.
    pub(crate) checker: LatestWorker<CheckJob>,
    pub(crate) watcher: FileWatcher,
    pub(crate) comparer: Option<Comparer>,
    pub(crate) environment: EnvironmentLoader,
    pub(crate) export: Option<ExportJob>,
    /// Purpose and start of the open file dialog.
    pub(crate) file_dialog: Option<(FilePurpose, Instant)>,
    pub(crate) settings_store: SettingsStore,
    pub(crate) sink: EventSink,
    pub(crate) events: EventLoopProxy<UserEvent>,
}

impl Jobs {
    /// Jobs that report to `events`; none is running.
    pub(crate) fn new(
        events: EventLoopProxy<UserEvent>,
        settings_store: SettingsStore,
        environment: EnvironmentLoader,
    ) -> Self {
        let sink = event_sink(events.clone());
        Self {
            loader: Loader::new(sink.clone(), ViewportSide::First),
            checker: checker(sink.clone()),
            watcher: FileWatcher::new(sink.clone()),
            comparer: None,
            environment,
            export: None,
            file_dialog: None,
            settings_store,
            sink,
            events,
        }
    }
}

/// A sink that sends the events to the main thread.
pub(crate) fn event_sink(events: EventLoopProxy<UserEvent>) -> EventSink {
    Arc::new(move |event| events.send_event(event).is_ok())
}
