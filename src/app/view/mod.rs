//! `rigview FILE`: a window in which a model plays.

mod clock;
mod loader;
mod pointer;
mod screen;
mod shown;
mod title;

use super::input::{Action, action, better_to_open};
use super::lighting::LightSetup;
use super::stage::Stage;
use super::{AppError, report};
use crate::cli::{PoseArgs, ViewArgs};
use crate::platform::PlatformError;
use clock::Clock;
use loader::{Loaded, Loader};
use pointer::Pointer;
use screen::Screen;
use shown::Shown;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use title::Title;
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::window::WindowId;

/// How often a minimised window is asked whether it still is; not every system tells by itself.
const MINIMISED_INTERVAL: Duration = Duration::from_millis(500);

/// Opens the window and keeps it until it is closed.
pub(super) fn run(args: &ViewArgs) -> Result<(), AppError> {
    let event_loop = EventLoop::with_user_event().build().map_err(PlatformError::no_display)?;
    let mut view = View {
        samples: args.samples,
        pose_args: args.pose.clone(),
        light: LightSetup::open(&args.light, &args.pose.trust.trust().limits)?,
        loader: Loader::new(event_loop.create_proxy()),
        dropped: None,
        shown: None,
        screen: None,
        pointer: Pointer::default(),
        clock: Clock::default(),
        title: Title::default(),
        hidden: false,
        failure: None,
    };
    // A file is always given here: the command line requires one.
    if let Some(file) = &args.file {
        view.loader.start(file.clone(), args.pose.clone());
    }
    event_loop.run_app(&mut view).map_err(PlatformError::no_display)?;
    view.failure.map_or(Ok(()), Err)
}

/// The window and what it shows.
struct View {
    samples: u32,
    pose_args: PoseArgs,
    light: LightSetup,
    loader: Loader,
    /// The file to open when all events at hand have been heard: several may be dropped at once.
    dropped: Option<PathBuf>,
    // Dropped before the screen, whose context it uses.
    shown: Option<Shown>,
    screen: Option<Screen>,
    pointer: Pointer,
    clock: Clock,
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
        let (true, Some(screen)) = (in_time, &self.screen) else { return Ok(()) };
        let shown = loaded.result.and_then(|stage| {
            tell_notices(&stage);
            Shown::new(*stage, loaded.start_secs, screen)
        });
        match shown {
            Ok(shown) => {
                self.shown = Some(shown);
                self.clock.skip();
                Ok(())
            }
            Err(error) if self.shown.is_none() && self.loader.file().is_none() => Err(error),
            Err(error) => {
                report::error(&error);
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

    /// Does what a person asked for.
    fn act(&mut self, event_loop: &ActiveEventLoop, action: Action) {
        match (&action, &mut self.shown, &self.screen) {
            (Action::Quit, ..) => event_loop.exit(),
            (Action::Open(file), ..) => {
                let best = self.dropped.take().filter(|dropped| !better_to_open(file, dropped));
                self.dropped = Some(best.unwrap_or_else(|| file.clone()));
            }
            (_, Some(shown), Some(screen)) => {
                if !shown.is_moving() {
                    // The time spent paused is not played.
                    self.clock.skip();
                }
                shown.act(&action, screen.aspect());
                self.clock.refresh();
                if !matches!(action, Action::Turn { .. } | Action::Pan { .. } | Action::Zoom(_)) {
                    self.title.refresh();
                }
            }
            _ => {}
        }
    }

    /// Starts to open what was dropped.
    fn open_dropped(&mut self) {
        if let Some(file) = self.dropped.take() {
            // What was named for the first file need not exist in another.
            let args = PoseArgs { clip: None, scene: None, variant: None, time: 0.0, ..self.pose_args.clone() };
            self.loader.start(file, args);
            self.title.refresh();
        }
    }

    /// Draws and shows one picture.
    fn draw(&mut self) -> Result<(), AppError> {
        let Some(screen) = &mut self.screen else { return Ok(()) };
        // A crowd may take seconds to draw again; until then the window need not be black.
        screen.present_unseen()?;
        let begun = Instant::now();
        let elapsed_secs = self.clock.begin(begun);
        let aspect_before = screen.fit_target()?;
        match &mut self.shown {
            Some(shown) => {
                if let Some(aspect_before) = aspect_before {
                    shown.reshape(aspect_before, screen.aspect());
                }
                shown.draw(elapsed_secs, &self.light, screen)?;
            }
            None => screen.draw_nothing()?,
        }
        screen.present()?;
        self.clock.end(begun, Instant::now(), screen.gl_window.refresh_interval());
        Ok(())
    }

    /// Shows a new window as soon as there is something to see; when to look again.
    fn show_window(&mut self, now: Instant) -> Result<Option<Instant>, AppError> {
        let due = self.screen.as_ref().and_then(Screen::shows_itself_at);
        let (true, Some(_)) = (self.shown.is_some() || due.is_some_and(|due| due <= now), due) else {
            return Ok(due);
        };
        self.draw()?;
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

    /// Asks for the next picture if it is due; when to look again.
    fn pace(&mut self, now: Instant) -> Option<Instant> {
        let screen = self.screen.as_ref()?;
        let moving = self.shown.as_ref().is_some_and(Shown::is_moving);
        if self.hidden {
            return None;
        }
        let due = self.clock.next(now, moving)?;
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

/// Tells what of a file is not shown as it should be.
fn tell_notices(stage: &Stage) {
    report::notices(&stage.file, &stage.loaded.notices);
    if stage.layout.draws.is_empty() {
        report::notice(format_args!("{}: the scene has no mesh: there is nothing to see", stage.file.display()));
    }
}

impl ApplicationHandler<Loaded> for View {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.screen.is_none() {
            match Screen::new(event_loop, self.samples) {
                Ok(screen) => self.screen = Some(screen),
                Err(error) => return self.fail(event_loop, error),
            }
        }
        self.refresh();
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, loaded: Loaded) {
        if let Err(error) = self.loaded(loaded) {
            self.fail(event_loop, error);
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        match event {
            WindowEvent::RedrawRequested => {
                if let Err(error) = self.draw() {
                    self.fail(event_loop, error);
                }
            }
            WindowEvent::Resized(size) => {
                if let Some(screen) = &mut self.screen {
                    screen.gl_window.resize(size);
                }
                self.clock.refresh();
            }
            WindowEvent::Destroyed => {
                // There is nothing left to draw on.
                self.act(event_loop, Action::Quit);
                (self.shown, self.screen) = (None, None);
            }
            WindowEvent::Occluded(hidden) => {
                self.hidden = hidden;
                self.clock.skip();
                self.clock.refresh();
            }
            event => {
                let height = self.screen.as_ref().map_or(1.0, |screen| f64::from(screen.target.height()));
                if let Some(action) = self.pointer.input(&event, height).and_then(action) {
                    self.act(event_loop, action);
                }
            }
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        if event_loop.exiting() {
            return;
        }
        let now = Instant::now();
        self.open_dropped();
        let shown_at = match self.show_window(now) {
            Ok(shown_at) => shown_at,
            Err(error) => return self.fail(event_loop, error),
        };
        let next = [shown_at, self.retitle(now), self.pace(now)].into_iter().flatten().min();
        event_loop.set_control_flow(next.map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        // While the event loop still has its connection to the display.
        self.shown = None;
        self.screen = None;
    }
}
