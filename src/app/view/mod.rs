//! `rigview FILE`: a window in which a model plays.

mod clock;
mod pointer;
mod screen;
mod shown;
mod title;

use super::input::{Action, action};
use super::stage::Stage;
use super::{AppError, report};
use crate::cli::{PoseArgs, ViewArgs};
use crate::import::ImageLoading;
use crate::pose::Playback;
use crate::render::Target;
use crate::scene::Orbit;
use clock::Clock;
use pointer::Pointer;
use screen::Screen;
use shown::Shown;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use title::title;
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop, EventLoopProxy};
use winit::window::WindowId;

/// Size of a new window, in units of the display's scale.
const WINDOW_SIZE: [f64; 2] = [1280.0, 720.0];

/// The title follows the time no more often than this; window managers are slow at it.
const TITLE_INTERVAL: Duration = Duration::from_millis(100);

/// A pause of the program longer than this (sleep, a stopped window) does not move the clip on.
const LONGEST_FRAME: Duration = Duration::from_millis(250);

/// Opens the window and keeps it until it is closed.
pub(super) fn run(args: &ViewArgs) -> Result<(), AppError> {
    let event_loop = EventLoop::with_user_event().build().map_err(crate::platform::PlatformError::no_display)?;
    let mut view = View {
        samples: args.samples,
        pose_args: args.pose.clone(),
        proxy: event_loop.create_proxy(),
        loading: None,
        shown: None,
        screen: None,
        pointer: Pointer::default(),
        clock: Clock::default(),
        failure: None,
    };
    // A file is always given here: the command line requires one.
    if let Some(file) = &args.file {
        view.load(file, args.pose.clone());
    }
    event_loop.run_app(&mut view).map_err(crate::platform::PlatformError::no_display)?;
    view.failure.map_or(Ok(()), Err)
}

/// What other threads tell the window.
enum Message {
    /// The file that was being loaded is ready, or is not to be had.
    Loaded(Result<Box<Stage>, AppError>),
}

/// The window and what it shows.
struct View {
    samples: u32,
    pose_args: PoseArgs,
    proxy: EventLoopProxy<Message>,
    /// The file that a thread is reading.
    loading: Option<PathBuf>,
    // Dropped before the screen, whose context it uses.
    shown: Option<Shown>,
    screen: Option<Screen>,
    pointer: Pointer,
    clock: Clock,
    failure: Option<AppError>,
}

impl View {
    /// Starts reading a file; the present one stays until it is ready.
    fn load(&mut self, file: &Path, args: PoseArgs) {
        self.loading = Some(file.to_owned());
        let (file, proxy) = (file.to_owned(), self.proxy.clone());
        std::thread::spawn(move || {
            // The last net: whatever goes wrong in a thread, the window hears of it.
            let opened = std::panic::catch_unwind(|| Stage::open(&file, &args, ImageLoading::Decode));
            let result = opened.unwrap_or_else(|_| Err(AppError::Crashed { file: file.clone() }));
            // The window may be gone by now; then nobody waits.
            let _ = proxy.send_event(Message::Loaded(result.map(Box::new)));
        });
    }

    /// Takes a file that has been read, or tells why there is none.
    fn loaded(&mut self, event_loop: &ActiveEventLoop, result: Result<Box<Stage>, AppError>) {
        self.loading = None;
        match result {
            Ok(stage) => {
                report::notices(&stage.file, &stage.loaded.notices);
                let aspect = self.screen.as_ref().map_or(16.0 / 9.0, Screen::aspect);
                let orbit = Orbit::framing(&stage.hull, aspect);
                let playback = Playback { time_secs: self.pose_args.time, playing: true };
                self.shown = Some(Shown { gpu_model: None, stage: *stage, orbit, playback, posed_secs: None });
                self.clock.last_frame = None;
            }
            Err(error) if self.shown.is_none() => return self.fail(event_loop, error),
            Err(error) => report::error(&error),
        }
        self.refresh();
    }

    /// Closes with an error.
    fn fail(&mut self, event_loop: &ActiveEventLoop, error: impl Into<AppError>) {
        self.failure = Some(error.into());
        event_loop.exit();
    }

    /// Asks for a new picture and title.
    fn refresh(&mut self) {
        self.clock.last_title = None;
        if let Some(screen) = &self.screen {
            screen.gl_window.window().request_redraw();
        }
    }

    /// Whether pictures must follow each other by themselves.
    fn is_moving(&self) -> bool {
        !self.clock.hidden
            && self.shown.as_ref().is_some_and(|shown| shown.playback.playing && shown.stage.duration_secs() > 0.0)
    }

    /// Does what a person asked for.
    fn act(&mut self, event_loop: &ActiveEventLoop, action: Action) {
        match &action {
            Action::Quit => return event_loop.exit(),
            Action::Open(file) => {
                // What was named for the first file need not exist in another.
                self.pose_args = PoseArgs { clip: None, scene: None, time: 0.0, ..self.pose_args.clone() };
                self.load(file, self.pose_args.clone());
            }
            _ => {}
        }
        let aspect = self.screen.as_ref().map_or(16.0 / 9.0, Screen::aspect);
        if let Some(shown) = &mut self.shown {
            let was_playing = shown.playback.playing;
            shown.act(&action, aspect, self.pose_args.time);
            if !was_playing {
                // The time spent paused is not played.
                self.clock.last_frame = None;
            }
        }
        self.refresh();
    }

    /// Draws and shows one picture.
    fn draw(&mut self) -> Result<(), AppError> {
        let Some(screen) = &mut self.screen else { return Ok(()) };
        let now = Instant::now();
        let elapsed = self.clock.last_frame.map_or(Duration::ZERO, |last| now - last);
        self.clock.last_frame = Some(now);

        let size = screen.gl_window.size();
        if [screen.target.width(), screen.target.height()] != size {
            screen.gl_window.resize();
            screen.target = Target::new(screen.gl_window.gpu(), size[0], size[1], self.samples)?;
        }
        if let Some(shown) = &mut self.shown {
            let elapsed_secs = if elapsed <= LONGEST_FRAME { elapsed.as_secs_f64() } else { 0.0 };
            shown.playback.advance(elapsed_secs, shown.stage.duration_secs());
            shown.draw(screen)?;
        } else {
            screen.draw_nothing()?;
        }
        screen.target.blit_to_screen(size[0], size[1]);
        screen.gl_window.swap()?;
        self.clock.pace(now, screen.gl_window.refresh_interval());
        self.retitle(now);
        Ok(())
    }

    fn retitle(&mut self, now: Instant) {
        if self.clock.last_title.is_some_and(|last| now - last < TITLE_INTERVAL) {
            return;
        }
        self.clock.last_title = Some(now);
        if let Some(screen) = &self.screen {
            screen.gl_window.window().set_title(&title(self.shown.as_ref(), self.loading.as_deref()));
        }
    }
}

impl ApplicationHandler<Message> for View {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.screen.is_none() {
            match Screen::new(event_loop, &title(self.shown.as_ref(), self.loading.as_deref()), self.samples) {
                Ok(screen) => self.screen = Some(screen),
                Err(error) => return self.fail(event_loop, error),
            }
            // A file may have been faster than the window; it was framed for another shape then.
            if let (Some(shown), Some(screen)) = (&mut self.shown, &self.screen) {
                shown.orbit = Orbit::framing(&shown.stage.hull, screen.aspect());
            }
        }
        self.refresh();
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, message: Message) {
        match message {
            Message::Loaded(result) => self.loaded(event_loop, result),
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        match event {
            WindowEvent::RedrawRequested => {
                if let Err(error) = self.draw() {
                    self.fail(event_loop, error);
                }
            }
            WindowEvent::Resized(_) | WindowEvent::ScaleFactorChanged { .. } => self.refresh(),
            WindowEvent::Occluded(hidden) => {
                self.clock.hidden = hidden;
                self.clock.last_frame = None;
                self.refresh();
            }
            event => {
                let height = self.screen.as_ref().map_or(1.0, |screen| f64::from(screen.gl_window.size()[1]));
                if let Some(action) = self.pointer.input(&event, height).and_then(action) {
                    self.act(event_loop, action);
                }
            }
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        if !self.is_moving() {
            self.clock.next_frame = None;
            return event_loop.set_control_flow(ControlFlow::Wait);
        }
        let due = self.clock.next_frame.unwrap_or_else(Instant::now);
        if due <= Instant::now() {
            if let Some(screen) = &self.screen {
                screen.gl_window.window().request_redraw();
            }
            event_loop.set_control_flow(ControlFlow::Wait);
        } else {
            event_loop.set_control_flow(ControlFlow::WaitUntil(due));
        }
    }
}
