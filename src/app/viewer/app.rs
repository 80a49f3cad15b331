//! `rigview FILE`: a window in which a model plays, with panels around it.

use crate::app::AppError;
use crate::app::lighting::LightSetup;
use crate::app::viewer::jobs::exporter::Making;
use crate::app::viewer::jobs::file_watcher::Watch;
use crate::app::viewer::jobs::loader::{Checked, Loaded, Loader, Slot, Wish};
use crate::app::viewer::state::comparison::{Beside, Compared};
use crate::app::viewer::state::document::Shown;
use crate::app::viewer::state::file_list::Files;
use crate::app::viewer::state::frame_stats::Costs;
use crate::app::viewer::state::gizmo::Turning;
use crate::app::viewer::state::notifications::{Kind, Notifications};
use crate::app::viewer::state::settings::{Keeper, Settings};
use crate::app::viewer::state::view_options::Looks;
use crate::app::viewer::window::frame_pacer::Clock;
use crate::app::viewer::window::input::Pointer;
use crate::app::viewer::window::surface::Screen;
use crate::app::viewer::window::title::Title;
use crate::check::Issue;
use crate::platform::{PlatformError, shutdown, system_libraries};
use crate::request::ViewRequest;
use std::path::PathBuf;
use std::time::Instant;
use winit::event_loop::{ActiveEventLoop, EventLoop, EventLoopProxy};

/// What other threads tell the window.
pub(crate) enum Event {
    /// A file has been read.
    Loaded(Box<Loaded>),
    /// A file on screen has been touched.
    Changed,
    /// A file has been looked through.
    Checked(Checked),
    /// So many steps of what is being made are done, of so many.
    Step([usize; 2]),
    /// What was being made is done, or cannot be.
    Made(Result<(), AppError>),
    /// Two files have been compared.
    Compared(Compared),
    /// A person has chosen a file for something, or none.
    Chosen(Asked, Option<PathBuf>),
    /// The system, or somebody at a terminal, asks the program to end.
    Leave,
}

/// What a person is asked for a file for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Asked {
    /// To open it.
    #[default]
    Open,
    /// To compare the one on screen with it.
    Compare,
    /// To play its clips with the one on screen.
    Borrow,
}

/// Opens the window and keeps it until it is closed.
pub(crate) fn run(request: ViewRequest) -> Result<(), AppError> {
    if request.compare && request.files.len() != 2 {
        return Err(AppError::CompareTwo { count: request.files.len() });
    }
    system_libraries::check()?;
    let event_loop = EventLoop::with_user_event().build().map_err(PlatformError::no_display)?;
    let mut keeper = Keeper::new(!request.ignore_settings);
    let mut settings = keeper.load();
    settings.panels.hidden |= request.hide_panels;
    let mut view = View {
        light: LightSetup::open(&request.light, &request.scene.import.policy().limits)?,
        loader: Loader::new(event_loop.create_proxy(), Slot::First),
        watch: Watch::new(event_loop.create_proxy()),
        proxy: event_loop.create_proxy(),
        asks: None,
        keeper,
        settings,
        files: Files::new(
            request.files[..request.files.len().min(if request.compare { 1 } else { usize::MAX })].to_vec(),
        ),
        beside: None,
        costs: Costs::default(),
        looks: Looks::of_args(&request.debug_view),
        making: None,
        with_rings: false,
        turning: None,
        news: Notifications::default(),
        problems: None,
        dropped: None,
        hovered: false,
        shown: None,
        screen: None,
        pointer: Pointer::default(),
        clock: Clock::default(),
        desk_due: None,
        title: Title::default(),
        hidden: false,
        failure: None,
        request,
    };
    if let Some(file) = view.request.files.first().cloned() {
        view.loader.start(Wish { file, args: view.request.scene.clone(), again: None });
    }
    if view.request.compare {
        view.compare_with(view.request.files[1].clone());
    }
    let proxy = event_loop.create_proxy();
    shutdown::on_signal(move || _ = proxy.send_event(Event::Leave));
    event_loop.run_app(&mut view).map_err(PlatformError::no_display)?;
    view.failure.map_or(Ok(()), Err)
}

/// The window and what it shows.
pub(crate) struct View {
    pub(crate) request: ViewRequest,
    pub(crate) light: LightSetup,
    pub(crate) loader: Loader,
    pub(crate) watch: Watch,
    pub(crate) proxy: EventLoopProxy<Event>,
    /// What a person is being asked for a file for, and since when.
    pub(crate) asks: Option<(Asked, Instant)>,
    pub(crate) keeper: Keeper,
    pub(crate) settings: Settings,
    pub(crate) files: Files,
    /// The file that the one on screen is compared with.
    pub(crate) beside: Option<Beside>,
    pub(crate) looks: Looks,
    pub(crate) costs: Costs,
    /// What is being made beside the window.
    pub(crate) making: Option<Making>,
    /// Whether rings are shown to turn the selected joint by.
    pub(crate) with_rings: bool,
    /// The ring in the hand.
    pub(crate) turning: Option<Turning>,
    pub(crate) news: Notifications,
    /// What is odd about the file on screen; `None` while it is being looked for.
    pub(crate) problems: Option<Vec<Issue>>,
    /// The file to open when all events at hand have been heard: several may be dropped at once.
    pub(crate) dropped: Option<PathBuf>,
    /// Whether a file is held over the window.
    pub(crate) hovered: bool,
    // Dropped before the screen, whose context it uses.
    pub(crate) shown: Option<Shown>,
    pub(crate) screen: Option<Screen>,
    pub(crate) pointer: Pointer,
    pub(crate) clock: Clock,
    /// When the panels want to be laid out again by themselves.
    pub(crate) desk_due: Option<Instant>,
    pub(crate) title: Title,
    /// Whether nobody can see the window.
    pub(crate) hidden: bool,
    pub(crate) failure: Option<AppError>,
}

impl View {
    /// Closes with an error.
    pub(crate) fn fail(&mut self, event_loop: &ActiveEventLoop, error: AppError) {
        self.failure = Some(error);
        event_loop.exit();
    }

    /// Asks for a new picture and title.
    pub(crate) fn refresh(&mut self) {
        self.title.refresh();
        self.clock.refresh();
    }

    /// Tells a line.
    pub(crate) fn tell(&mut self, kind: Kind, text: String) {
        self.news.tell(kind, text, Instant::now());
        self.clock.refresh();
    }
}
