//! `rigview FILE`: a window in which a model plays, with panels around it.

use crate::app::AppError;
use crate::app::scene::lighting::LightSetup;
use crate::app::viewer::jobs::exporter::ExportJob;
use crate::app::viewer::jobs::file_watcher::FileWatcher;
use crate::app::viewer::jobs::loader::{CheckResult, LoadRequest, LoadResult, Loader, Slot};
use crate::app::viewer::state::comparison::{CompareResult, ComparisonState};
use crate::app::viewer::state::document::Document;
use crate::app::viewer::state::file_list::FileList;
use crate::app::viewer::state::frame_stats::FrameStats;
use crate::app::viewer::state::gizmo::GizmoDrag;
use crate::app::viewer::state::notifications::{Notifications, Severity};
use crate::app::viewer::state::settings::{Settings, SettingsStore};
use crate::app::viewer::state::view_options::ViewOptions;
use crate::app::viewer::window::frame_pacer::FramePacer;
use crate::app::viewer::window::input::PointerState;
use crate::app::viewer::window::surface::WindowSurface;
use crate::app::viewer::window::title::Title;
use crate::check::Issue;
use crate::platform::{PlatformError, shutdown, system_libraries};
use crate::request::ViewRequest;
use std::path::PathBuf;
use std::time::Instant;
use winit::event_loop::{ActiveEventLoop, EventLoop, EventLoopProxy};

/// Results of jobs and requests of the operating system.
pub(crate) enum UserEvent {
    /// A load request is finished.
    Loaded(Box<LoadResult>),
    /// A watched file was written.
    FileChanged,
    /// The check of a file is finished.
    Checked(CheckResult),
    /// Finished and total steps of the export job.
    ExportProgress([usize; 2]),
    ExportFinished(Result<(), AppError>),
    /// The comparison of two files is finished.
    Compared(CompareResult),
    /// The open file dialog was closed; `None` if it was cancelled.
    FileChosen(FileDialogPurpose, Option<PathBuf>),
    /// A termination signal.
    Quit,
}

/// Purpose of the open file dialog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FileDialogPurpose {
    #[default]
    Open,
    Compare,
    ImportClips,
}

/// Opens the window and keeps it until it is closed.
pub(crate) fn run(request: ViewRequest) -> Result<(), AppError> {
    if request.compare && request.files.len() != 2 {
        return Err(AppError::CompareTwo { count: request.files.len() });
    }
    system_libraries::check()?;
    let event_loop = EventLoop::with_user_event().build().map_err(PlatformError::no_display)?;
    let mut settings_store = SettingsStore::new(!request.ignore_settings);
    let mut settings = settings_store.load();
    settings.panels.hidden |= request.hide_panels;
    let mut view = App {
        light: LightSetup::open(&request.light, &request.scene.import.policy().limits)?,
        loader: Loader::new(event_loop.create_proxy(), Slot::First),
        watch: FileWatcher::new(event_loop.create_proxy()),
        proxy: event_loop.create_proxy(),
        open_dialog: None,
        settings_store,
        settings,
        files: FileList::new(
            request.files[..request.files.len().min(if request.compare { 1 } else { usize::MAX })].to_vec(),
        ),
        comparison: None,
        frame_stats: FrameStats::default(),
        view_options: ViewOptions::from_request(&request.debug_view),
        export_job: None,
        gizmo_enabled: false,
        gizmo_drag: None,
        notifications: Notifications::default(),
        problems: None,
        dropped_file: None,
        drag_hover: false,
        document: None,
        surface: None,
        pointer: PointerState::default(),
        pacer: FramePacer::default(),
        ui_repaint_at: None,
        title: Title::default(),
        occluded: false,
        exit_error: None,
        request,
    };
    if let Some(file) = view.request.files.first().cloned() {
        view.loader.start(LoadRequest { file, args: view.request.scene.clone(), again: None });
    }
    if view.request.compare {
        view.compare_with(view.request.files[1].clone());
    }
    let proxy = event_loop.create_proxy();
    shutdown::on_signal(move || _ = proxy.send_event(UserEvent::Quit));
    event_loop.run_app(&mut view).map_err(PlatformError::no_display)?;
    view.exit_error.map_or(Ok(()), Err)
}

/// The window and what it shows.
pub(crate) struct App {
    pub(crate) request: ViewRequest,
    pub(crate) light: LightSetup,
    pub(crate) loader: Loader,
    pub(crate) watch: FileWatcher,
    pub(crate) proxy: EventLoopProxy<UserEvent>,
    /// What a person is being asked for a file for, and since when.
    pub(crate) open_dialog: Option<(FileDialogPurpose, Instant)>,
    pub(crate) settings_store: SettingsStore,
    pub(crate) settings: Settings,
    pub(crate) files: FileList,
    /// The file that the one on screen is compared with.
    pub(crate) comparison: Option<ComparisonState>,
    pub(crate) view_options: ViewOptions,
    pub(crate) frame_stats: FrameStats,
    /// What is being made beside the window.
    pub(crate) export_job: Option<ExportJob>,
    /// Whether rings are shown to turn the selected joint by.
    pub(crate) gizmo_enabled: bool,
    /// The ring in the hand.
    pub(crate) gizmo_drag: Option<GizmoDrag>,
    pub(crate) notifications: Notifications,
    /// What is odd about the file on screen; `None` while it is being looked for.
    pub(crate) problems: Option<Vec<Issue>>,
    /// The file to open when all events at hand have been heard: several may be dropped at once.
    pub(crate) dropped_file: Option<PathBuf>,
    /// Whether a file is held over the window.
    pub(crate) drag_hover: bool,
    // Dropped before the screen, whose context it uses.
    pub(crate) document: Option<Document>,
    pub(crate) surface: Option<WindowSurface>,
    pub(crate) pointer: PointerState,
    pub(crate) pacer: FramePacer,
    /// When the panels want to be laid out again by themselves.
    pub(crate) ui_repaint_at: Option<Instant>,
    pub(crate) title: Title,
    /// Whether nobody can see the window.
    pub(crate) occluded: bool,
    pub(crate) exit_error: Option<AppError>,
}

impl App {
    /// Closes with an error.
    pub(crate) fn fail(&mut self, event_loop: &ActiveEventLoop, error: AppError) {
        self.exit_error = Some(error);
        event_loop.exit();
    }

    /// Asks for a new picture and title.
    pub(crate) fn refresh(&mut self) {
        self.title.refresh();
        self.pacer.refresh();
    }

    /// Tells a line.
    pub(crate) fn notify(&mut self, severity: Severity, text: String) {
        self.notifications.push(severity, text, Instant::now());
        self.pacer.refresh();
    }
}
