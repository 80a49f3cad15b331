//! `rigview FILE`: a window in which a model plays, with panels around it.

mod blend;
mod changes;
mod clock;
mod cost;
mod desk;
mod files;
mod key_times;
mod loader;
mod looks;
mod news;
mod outline;
mod pick;
mod places;
mod pointer;
mod ruler;
mod screen;
mod seam;
mod settings;
mod shown;
mod take_away;
mod title;
mod transport;
mod watch;
mod words;

use super::input::{Action, action, better_to_open};
use super::lighting::LightSetup;
use super::output::write_whole;
use super::stage::Stage;
use super::{AppError, report};
use crate::check::Issue;
use crate::cli::{CrowdArgs, PoseArgs, ViewArgs};
use crate::export::{self, Origin};
use crate::platform::PlatformError;
use changes::Summary;
use clock::Clock;
use cost::{Cost, Costs};
use desk::{Facts, Overlay};
use files::Files;
use loader::{Again, Checked, Loaded, Loader, Wish};
use looks::Looks;
use news::{Kind, News};
use pointer::Pointer;
use screen::Screen;
use settings::{Keeper, Settings};
use shown::Shown;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use title::Title;
use watch::Watch;
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop, EventLoopProxy};
use winit::window::{Fullscreen, WindowId};

/// How often a minimised window is asked whether it still is; not every system tells by itself.
const MINIMISED_INTERVAL: Duration = Duration::from_millis(500);

/// What other threads tell the window.
enum Event {
    /// A file has been read.
    Loaded(Box<Loaded>),
    /// A file on screen has been touched.
    Changed,
    /// A file has been looked through.
    Checked(Checked),
    /// A person has chosen a file, or none.
    Chosen(Option<PathBuf>),
}

/// Opens the window and keeps it until it is closed.
pub(super) fn run(args: &ViewArgs) -> Result<(), AppError> {
    let event_loop = EventLoop::with_user_event().build().map_err(PlatformError::no_display)?;
    let mut keeper = Keeper::new(!args.no_config);
    let mut settings = keeper.load();
    settings.panels.hidden |= args.bare;
    let mut view = View {
        args: args.clone(),
        light: LightSetup::open(&args.light, &args.pose.trust.trust().limits)?,
        loader: Loader::new(event_loop.create_proxy()),
        watch: Watch::new(event_loop.create_proxy()),
        proxy: event_loop.create_proxy(),
        asks: false,
        keeper,
        settings,
        files: Files::new(args.files.clone()),
        costs: Costs::default(),
        fade_secs: Cell::new(0.3),
        looks: Looks::of_args(&args.look),
        news: News::default(),
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
    /// Whether a person is being asked for a file.
    asks: bool,
    keeper: Keeper,
    settings: Settings,
    files: Files,
    looks: Looks,
    costs: Costs,
    /// How long going over to another clip is to take.
    fade_secs: Cell<f64>,
    news: News,
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
    /// Takes a file that has been read, or tells why there is none; the present one stays then.
    fn loaded(&mut self, loaded: Loaded) -> Result<(), AppError> {
        let in_time = self.loader.finish(&loaded);
        self.refresh();
        let (true, Some(screen)) = (in_time, &mut self.screen) else { return Ok(()) };
        let again = loaded.wish.again.clone();
        let shown = loaded.result.and_then(|stage| {
            tell_notices(&stage);
            let limits = loaded.wish.args.trust.trust().limits;
            let crowd = CrowdArgs { instances: stage.crowd.len() as u32, ..loaded.wish.args.crowd.clone() };
            let time = (loaded.wish.args.time, self.settings.frames_per_sec);
            Shown::new(*stage, time, (limits, crowd), screen)
        });
        match shown {
            Ok(mut shown) => {
                shown.variant = loaded.wish.variant_of(&shown.stage);
                let before = self.shown.take();
                self.news.forget_troubles();
                match before.filter(|_| again.is_some()) {
                    Some(before) => {
                        shown.succeed(&before);
                        let changes = Summary::new(&before.stage).changes(&Summary::new(&shown.stage));
                        self.news.tell(Kind::Done, changes, Instant::now());
                    }
                    None => {
                        shown.select_named(&self.args.look);
                        screen.desk.state.outline = Default::default();
                        shown.outline.open_first_levels(&mut screen.desk.state.outline);
                    }
                }
                self.files.go_to(&loaded.wish.file);
                files::remember(&mut self.settings.recent, &loaded.wish.file);
                self.watch.follow(loaded.files.0, loaded.files.1);
                self.problems = None;
                self.shown = Some(shown);
                self.clock.skip();
                Ok(())
            }
            Err(error) if self.shown.is_none() && self.loader.file().is_none() && self.files.place().is_none() => {
                Err(error)
            }
            // It may be half-written; the old one stays on screen, and it is tried once more.
            Err(_) if again.is_some_and(|again| again.by_itself) && self.watch.failed(Instant::now()) => Ok(()),
            Err(error) => {
                report::error(&error);
                self.news.tell(Kind::Trouble, report::line_of(&error), Instant::now());
                if let Some(file) = error.file() {
                    self.title.tell_trouble(file, Instant::now());
                }
                Ok(())
            }
        }
    }

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

    /// Does what a person asked for.
    fn act(&mut self, event_loop: &ActiveEventLoop, action: Action) {
        self.clock.refresh();
        match action {
            Action::Quit => event_loop.exit(),
            Action::Escape => {
                let closed = self.screen.as_mut().is_some_and(|screen| screen.desk.close_overlay());
                if !closed {
                    event_loop.exit();
                }
            }
            Action::Open(file) => {
                let best = self.dropped.take().filter(|dropped| !better_to_open(&file, dropped));
                self.dropped = Some(best.unwrap_or(file));
            }
            Action::AskForFile => self.ask_for_file(),
            Action::ChangeFile(places) => match self.files.step(places) {
                Some(file) => self.open(file),
                None => self.tell(Kind::Done, "One file is open; name several on the command line to step".to_owned()),
            },
            Action::Reload => self.reload(),
            Action::ShowScene(scene) => {
                if let Some(mut again) = self.again() {
                    again.scene = (None, scene.0);
                    self.read_again(again);
                }
            }
            Action::ShowVariant(variant) => {
                if let Some(again) = self.again() {
                    self.read_again(Again { variant, ..again });
                }
            }
            Action::TogglePanels => self.settings.panels.hidden = !self.settings.panels.hidden,
            Action::Toggle(panel) => self.settings.panels.toggle(panel),
            Action::ShowTab(tab) => self.settings.panels.show_tab(tab),
            Action::SetTheme(theme) => self.settings.theme = theme,
            Action::SetSurface(surface) => self.looks.set_surface(surface),
            Action::ToggleLook(switch) => self.looks.toggle(switch),
            Action::SetGhosts(ghosts) => self.looks.ghosts = ghosts,
            Action::SetBackdrop(backdrop) => self.settings.backdrop = backdrop,
            Action::NextBackdrop => self.settings.backdrop = self.settings.backdrop.next(),
            Action::PutAway(line) => self.news.put_away(line),
            Action::Find => self.toggle_overlay(Overlay::Palette),
            Action::ShowKeys => self.toggle_overlay(Overlay::Keys),
            Action::ToggleFullScreen => {
                if let Some(screen) = &self.screen {
                    let window = screen.gl_window.window();
                    let full = window.fullscreen().is_none().then_some(Fullscreen::Borderless(None));
                    window.set_fullscreen(full);
                }
            }
            Action::Copy { what, text } => self.copy(what, text),
            Action::CopyCommand => {
                if let Some(command) = self.shot_command() {
                    self.copy("command", command);
                }
            }
            Action::CopyPicture => self.copy_picture(),
            Action::SavePicture => self.save_picture(),
            action => self.act_on_model(&action),
        }
    }

    /// Does what concerns the model alone.
    fn act_on_model(&mut self, action: &Action) {
        if let Action::SetFrameRate(rate) = *action {
            self.settings.frames_per_sec = rate;
        }
        let (Some(shown), Some(screen)) = (&mut self.shown, &self.screen) else { return };
        if !shown.is_moving() {
            // The time spent paused is not played.
            self.clock.skip();
        }
        shown.act(action, screen.aspect());
        if matches!(action, Action::SetCrowd(_) | Action::PlayClip(_)) {
            self.costs.forget();
        }
        if !matches!(action, Action::Turn { .. } | Action::Pan { .. } | Action::Zoom(_)) {
            self.title.refresh();
        }
    }

    fn toggle_overlay(&mut self, overlay: Overlay) {
        if let Some(screen) = &mut self.screen {
            screen.desk.toggle(overlay);
        }
    }

    /// Asks for a file in a window of the system's own, which keeps nobody waiting.
    fn ask_for_file(&mut self) {
        if std::mem::replace(&mut self.asks, true) {
            return;
        }
        let mut dialog = rfd::AsyncFileDialog::new()
            .set_title("Open a model")
            .add_filter("glTF models", &["glb", "gltf", "vrm"])
            .add_filter("All files", &["*"]);
        if let Some(folder) = self.files.present().and_then(|file| std::path::absolute(file).ok()) {
            dialog = dialog.set_directory(folder.parent().unwrap_or(Path::new("/")));
        }
        let (chosen, proxy) = (dialog.pick_file(), self.proxy.clone());
        std::thread::spawn(move || {
            let file = pollster::block_on(chosen).map(|file| file.path().to_owned());
            let _ = proxy.send_event(Event::Chosen(file));
        });
    }

    /// Starts to open a file.
    fn open(&mut self, file: PathBuf) {
        // What was named for the first file need not exist in another.
        let args = PoseArgs { clip: None, scene: None, variant: None, time: 0.0, ..self.args.pose.clone() };
        self.loader.start(Wish { file, args, again: None });
        self.title.refresh();
    }

    /// Starts to open what was dropped.
    fn open_dropped(&mut self) {
        if let Some(file) = self.dropped.take() {
            self.open(file);
        }
    }

    /// What of the file on screen stays when it is read again.
    fn again(&self) -> Option<Again> {
        let stage = &self.shown.as_ref()?.stage;
        let model = stage.model();
        let clip = stage.clip.map(|clip| (model.clips[clip.get()].name.clone(), clip.0));
        let scene = (model.scenes[stage.scene.get()].name.clone(), stage.scene.0);
        Some(Again { clip, scene, variant: self.shown.as_ref()?.variant, by_itself: false })
    }

    /// Reads the file on screen again when it has been written anew; when to look again.
    fn follow_changes(&mut self, now: Instant) -> Option<Instant> {
        if self.watch.is_due(now)
            && let Some(again) = self.again()
        {
            self.read_again(Again { by_itself: true, ..again });
        }
        self.watch.next()
    }

    /// Reads the file on screen again; without one, the file that could not be opened.
    fn reload(&mut self) {
        match self.again() {
            Some(again) => self.read_again(again),
            None => {
                if let Some(file) = self.files.present().map(Path::to_owned) {
                    self.open(file);
                }
            }
        }
    }

    fn read_again(&mut self, again: Again) {
        let Some(shown) = &self.shown else { return };
        let file = shown.stage.file.clone();
        self.loader.start(Wish { file, args: self.args.pose.clone(), again: Some(again) });
        self.refresh();
    }

    fn copy(&mut self, what: &'static str, text: String) {
        if let Some(screen) = &mut self.screen {
            screen.desk.copy(text);
        }
        self.tell(Kind::Done, format!("{what} copied").replacen(|c: char| c.is_lowercase(), &upper(what), 1));
    }

    /// The command that makes the picture in the window.
    fn shot_command(&self) -> Option<String> {
        let (shown, screen) = (self.shown.as_ref()?, self.screen.as_ref()?);
        let size = [screen.target.width(), screen.target.height()];
        let asked = (&self.args.pose, &self.args.light, self.args.samples);
        let args = take_away::shot_args(shown, asked, self.settings.backdrop, size);
        Some(args.command(&shown.stage.file))
    }

    fn copy_picture(&mut self) {
        if let Some(screen) = &mut self.screen {
            let size = [screen.target.width() as usize, screen.target.height() as usize];
            match screen.target.read_rgba() {
                Ok(rgba) => {
                    screen.desk.copy_picture(size, &rgba);
                    self.tell(Kind::Done, "Picture copied".to_owned());
                }
                Err(error) => self.tell(Kind::Trouble, report::line_of(&error)),
            }
        }
    }

    /// Writes the picture beside the model.
    fn save_picture(&mut self) {
        let (Some(shown), Some(screen)) = (&self.shown, &self.screen) else { return };
        let gpu = screen.gl_window.gpu();
        let origin = Origin {
            software: Some(concat!("rigview ", env!("CARGO_PKG_VERSION")).to_owned()),
            renderer: Some(gpu.renderer().to_owned()),
            driver: Some(gpu.version().to_owned()),
            command: self.shot_command(),
        };
        let file = take_away::free_name(&shown.stage.file);
        let written = screen.target.read_rgba().map_err(AppError::from).and_then(|rgba| {
            write_whole(&file, &export::png(screen.target.width(), screen.target.height(), &rgba, &origin))
        });
        match written {
            Ok(()) => self.tell(Kind::Done, format!("Written to {}", file.display())),
            Err(error) => self.tell(Kind::Trouble, report::line_of(&error)),
        }
    }

    /// Draws and shows one picture.
    fn draw(&mut self, event_loop: &ActiveEventLoop) -> Result<(), AppError> {
        let Some(screen) = &mut self.screen else { return Ok(()) };
        // A crowd may take seconds to draw again; until then the window need not be black.
        screen.present_unseen()?;
        let begun = Instant::now();
        let elapsed_secs = self.clock.begin(begun);
        if let Some(shown) = &mut self.shown {
            shown.advance(elapsed_secs);
        }
        let laying_out = Instant::now();
        self.lay_out(event_loop);
        let panels = laying_out.elapsed();
        let Some(screen) = &mut self.screen else { return Ok(()) };
        let backdrop = self.settings.backdrop;
        let aspect_before = screen.fit_target()?;
        let mut cost = Cost::default();
        match &mut self.shown {
            Some(shown) => {
                if let Some(aspect_before) = aspect_before {
                    shown.reshape(aspect_before, screen.aspect());
                    shown.forget_picture();
                }
                shown.look = self.looks.args(shown.stage.model(), shown.joint());
                cost = shown.draw(backdrop, &self.light, screen)?;
            }
            None => screen.draw_nothing(shown::background(backdrop))?,
        }
        let presenting = Instant::now();
        screen.present()?;
        let now = Instant::now();
        if self.shown.as_ref().is_some_and(Shown::is_moving) {
            self.costs.note(Cost { panels, present: now - presenting, ..cost }, now);
        }
        self.clock.end(begun, Instant::now(), screen.gl_window.refresh_interval());
        Ok(())
    }

    /// Lays the panels out, and does what a person asks for by them.
    fn lay_out(&mut self, event_loop: &ActiveEventLoop) {
        let Some(screen) = &mut self.screen else { return };
        let facts = Facts {
            shown: self.shown.as_ref(),
            loading: self.loader.file(),
            files: &self.files,
            settings: &self.settings,
            looks: &self.looks,
            costs: &self.costs,
            fade_secs: &self.fade_secs,
            news: &self.news,
            problems: self.problems.as_deref(),
            hovered: self.hovered,
            can_drop: !is_wayland(event_loop),
        };
        let mut actions = Vec::new();
        let size = screen.gl_window.size();
        screen.place = screen.desk.lay_out(screen.gl_window.window(), size, &facts, &mut actions);
        let now = Instant::now();
        self.desk_due = screen.desk.again_after.map(|delay| now + delay);
        let widths = (screen.desk.state.tree_width, screen.desk.state.side_width);
        let panels = &mut self.settings.panels;
        panels.tree_width = widths.0.unwrap_or(panels.tree_width);
        panels.side_width = widths.1.unwrap_or(panels.side_width);
        for action in actions {
            self.act(event_loop, action);
        }
    }

    /// Shows a new window as soon as there is something to see; when to look again.
    fn show_window(&mut self, event_loop: &ActiveEventLoop, now: Instant) -> Result<Option<Instant>, AppError> {
        let due = self.screen.as_ref().and_then(Screen::shows_itself_at);
        let (true, Some(_)) = (self.shown.is_some() || due.is_some_and(|due| due <= now), due) else {
            return Ok(due);
        };
        self.draw(event_loop)?;
        if let Some(screen) = &mut self.screen {
            screen.show();
        }
        self.clock.refresh();
        Ok(None)
    }

    /// Sets the title; when to look again.
    fn retitle(&mut self, now: Instant) -> Option<Instant> {
        if let (Some(screen), Some(title)) =
            (&self.screen, self.title.update(now, self.shown.as_ref(), self.loader.file()))
        {
            screen.gl_window.window().set_title(title);
        }
        self.title.next()
    }

    /// Lets lines go that have been there long enough; when to look again.
    fn forget_news(&mut self, now: Instant) -> Option<Instant> {
        // Over the model alone, nothing stays.
        let all = self.settings.panels.hidden;
        if self.news.forget_old(now, all) {
            self.clock.refresh();
        }
        self.news.next(all)
    }

    /// Asks for the next picture if it is due; when to look again.
    fn pace(&mut self, now: Instant) -> Option<Instant> {
        let screen = self.screen.as_ref()?;
        let moving = self.shown.as_ref().is_some_and(Shown::is_moving);
        if self.hidden {
            return None;
        }
        if self.desk_due.is_some_and(|due| due <= now) {
            self.desk_due = None;
            self.clock.refresh();
        }
        let Some(due) = self.clock.next(now, moving) else { return self.desk_due };
        if due > now {
            return Some(due);
        }
        if moving && screen.gl_window.window().is_minimized() == Some(true) {
            self.clock.skip();
            return Some(now + MINIMISED_INTERVAL);
        }
        screen.gl_window.window().request_redraw();
        None
    }
}

/// The first letter of a word, large.
fn upper(word: &str) -> String {
    word.chars().take(1).flat_map(char::to_uppercase).collect()
}

/// Tells what of a file is not shown as it should be.
fn tell_notices(stage: &Stage) {
    report::notices(&stage.file, &stage.loaded.notices);
    if stage.layout.draws.is_empty() {
        report::notice(format_args!("{}: the scene has no mesh: there is nothing to see", stage.file.display()));
    }
}

/// Whether the window is one of Wayland, where winit hears of no dropped files.
fn is_wayland(event_loop: &ActiveEventLoop) -> bool {
    #[cfg(all(unix, not(target_vendor = "apple")))]
    {
        use winit::platform::wayland::ActiveEventLoopExtWayland;
        event_loop.is_wayland()
    }
    #[cfg(not(all(unix, not(target_vendor = "apple"))))]
    {
        let _ = event_loop;
        false
    }
}

impl ApplicationHandler<Event> for View {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.screen.is_none() {
            match Screen::new(event_loop, self.settings.window, self.args.samples) {
                Ok(screen) => {
                    // It is said once, and of one window.
                    let _ = self.loader.blocks.set(screen.block_support());
                    self.screen = Some(screen);
                }
                Err(error) => return self.fail(event_loop, error),
            }
        }
        self.refresh();
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, event: Event) {
        match event {
            Event::Loaded(loaded) => {
                if let Err(error) = self.loaded(*loaded) {
                    self.fail(event_loop, error);
                }
            }
            Event::Checked(Checked { file, issues }) => {
                if self.shown.as_ref().is_some_and(|shown| shown.stage.file == file) {
                    self.problems = Some(issues);
                    self.clock.refresh();
                }
            }
            Event::Changed => self.watch.touched(Instant::now()),
            Event::Chosen(file) => {
                self.asks = false;
                if let Some(file) = file {
                    self.open(file);
                }
            }
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        if event == WindowEvent::RedrawRequested {
            if let Err(error) = self.draw(event_loop) {
                self.fail(event_loop, error);
            }
            return;
        }
        let mut typed = false;
        if let Some(screen) = &mut self.screen {
            typed = matches!(event, WindowEvent::KeyboardInput { .. }) && screen.desk.wants_keys();
            if screen.desk.hear(screen.gl_window.window(), &event) {
                self.clock.refresh();
            }
        }
        match event {
            WindowEvent::Resized(size) => {
                if let Some(screen) = &mut self.screen {
                    screen.gl_window.resize(size);
                    let window = screen.gl_window.window();
                    if window.fullscreen().is_none() && !window.is_maximized() {
                        let size = size.to_logical(window.scale_factor());
                        self.settings.window = [size.width, size.height];
                    }
                }
                self.clock.refresh();
            }
            WindowEvent::Destroyed => {
                // There is nothing left to draw on.
                event_loop.exit();
                (self.shown, self.screen) = (None, None);
            }
            WindowEvent::Occluded(hidden) => {
                self.hidden = hidden;
                self.clock.skip();
                self.clock.refresh();
            }
            WindowEvent::HoveredFile(_) | WindowEvent::HoveredFileCancelled => {
                self.hovered = matches!(event, WindowEvent::HoveredFile(_));
                self.clock.refresh();
            }
            event if !typed => {
                if matches!(event, WindowEvent::DroppedFile(_)) {
                    self.hovered = false;
                }
                let Some(screen) = &self.screen else { return };
                let desk = &screen.desk;
                let input = self.pointer.input(&event, screen.place, |place| desk.is_over_model(place));
                if let Some(action) = input.and_then(action) {
                    self.act(event_loop, action);
                }
            }
            _ => {}
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        if event_loop.exiting() {
            return;
        }
        let now = Instant::now();
        self.open_dropped();
        let shown_at = match self.show_window(event_loop, now) {
            Ok(shown_at) => shown_at,
            Err(error) => return self.fail(event_loop, error),
        };
        let changed_at = self.follow_changes(now);
        let next = [shown_at, changed_at, self.retitle(now), self.forget_news(now), self.pace(now)];
        let next = next.into_iter().flatten().min();
        event_loop.set_control_flow(next.map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        self.keeper.save(&self.settings);
        // While the event loop still has its connection to the display.
        self.shown = None;
        self.screen = None;
    }
}
