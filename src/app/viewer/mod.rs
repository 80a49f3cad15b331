//! `rigview FILE`: a window in which a model plays, with panels around it.

mod compare_job;
mod comparison;
mod dispatch;
mod document;
mod event_loop;
mod export_args;
mod export_job;
mod file_list;
mod file_watcher;
mod format;
mod frame;
mod frame_pacer;
mod frame_stats;
mod gizmo_drag;
mod influence_stats;
mod issue_location;
mod key_times;
mod loader;
mod loading;
mod loop_seam;
mod matching;
mod notifications;
mod outline;
mod path_completion;
mod pick;
mod playback;
mod reload_summary;
mod rotate_gizmo;
mod ruler;
mod settings;
mod surface;
mod ui;
mod view_options;
mod window_input;
mod window_title;

use super::AppError;
use super::lighting::LightSetup;
use crate::check::Issue;
use crate::cli::ViewArgs;
use crate::platform::{PlatformError, shutdown, system_libraries};
use comparison::{Beside, Compared};
use document::Shown;
use export_job::Making;
use file_list::Files;
use file_watcher::Watch;
use frame_pacer::Clock;
use frame_stats::Costs;
use gizmo_drag::Turning;
use loader::{Checked, Loaded, Loader, Slot, Wish};
use notifications::{Kind, Notifications};
use settings::{Keeper, Settings};
use std::cell::Cell;
use std::path::PathBuf;
use std::time::Instant;
use surface::Screen;
use view_options::Looks;
use window_input::Pointer;
use window_title::Title;
use winit::event_loop::{ActiveEventLoop, EventLoop, EventLoopProxy};

/// What other threads tell the window.
enum Event {
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
enum Asked {
    /// To open it.
    #[default]
    Open,
    /// To compare the one on screen with it.
    Compare,
    /// To play its clips with the one on screen.
    Borrow,
}

/// Opens the window and keeps it until it is closed.
pub(super) fn run(args: &ViewArgs) -> Result<(), AppError> {
    if args.compare && args.files.len() != 2 {
        return Err(AppError::CompareTwo { count: args.files.len() });
    }
    system_libraries::check()?;
    let event_loop = EventLoop::with_user_event().build().map_err(PlatformError::no_display)?;
    let mut keeper = Keeper::new(!args.no_config);
    let mut settings = keeper.load();
    settings.panels.hidden |= args.bare;
    let mut view = View {
        args: args.clone(),
        light: LightSetup::open(&args.light, &args.pose.trust.trust().limits)?,
        loader: Loader::new(event_loop.create_proxy(), Slot::First),
        watch: Watch::new(event_loop.create_proxy()),
        proxy: event_loop.create_proxy(),
        asks: None,
        keeper,
        settings,
        files: Files::new(args.files[..args.files.len().min(if args.compare { 1 } else { usize::MAX })].to_vec()),
        beside: None,
        costs: Costs::default(),
        fade_secs: Cell::new(0.3),
        looks: Looks::of_args(&args.look),
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
    };
    if let Some(file) = args.files.first() {
        view.loader.start(Wish { file: file.clone(), args: args.pose.clone(), again: None });
    }
    if args.compare {
        view.compare_with(args.files[1].clone());
    }
    let proxy = event_loop.create_proxy();
    shutdown::on_signal(move || _ = proxy.send_event(Event::Leave));
    event_loop.run_app(&mut view).map_err(PlatformError::no_display)?;
    view.failure.map_or(Ok(()), Err)
}

/// The window and what it shows.
struct View {
    args: ViewArgs,
    light: LightSetup,
    loader: Loader,
    watch: Watch,
    proxy: EventLoopProxy<Event>,
    /// What a person is being asked for a file for, and since when.
    asks: Option<(Asked, Instant)>,
    keeper: Keeper,
    settings: Settings,
    files: Files,
    /// The file that the one on screen is compared with.
    beside: Option<Beside>,
    looks: Looks,
    costs: Costs,
    /// How long going over to another clip is to take.
    fade_secs: Cell<f64>,
    /// What is being made beside the window.
    making: Option<Making>,
    /// Whether rings are shown to turn the selected joint by.
    with_rings: bool,
    /// The ring in the hand.
    turning: Option<Turning>,
    news: Notifications,
    /// What is odd about the file on screen; `None` while it is being looked for.
    problems: Option<Vec<Issue>>,
    /// The file to open when all events at hand have been heard: several may be dropped at once.
    dropped: Option<PathBuf>,
    /// Whether a file is held over the window.
    hovered: bool,
    // Dropped before the screen, whose context it uses.
    shown: Option<Shown>,
    screen: Option<Screen>,
    pointer: Pointer,
    clock: Clock,
    /// When the panels want to be laid out again by themselves.
    desk_due: Option<Instant>,
    title: Title,
    /// Whether nobody can see the window.
    hidden: bool,
    failure: Option<AppError>,
}

impl View {
    /// Closes with an error.
    fn fail(&mut self, event_loop: &ActiveEventLoop, error: AppError) {
        self.failure = Some(error);
        event_loop.exit();
    }

    /// Asks for a new picture and title.
    fn refresh(&mut self) {
        self.title.refresh();
        self.clock.refresh();
    }

    /// Tells a line.
    fn tell(&mut self, kind: Kind, text: String) {
        self.news.tell(kind, text, Instant::now());
        self.clock.refresh();
    }
}
