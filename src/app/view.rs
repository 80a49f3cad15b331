//! `rigview FILE`: a window in which a model plays.

use super::input::{Action, Buttons, Held, Input, Key, action};
use super::stage::Stage;
use super::{AppError, report};
use crate::cli::{PoseArgs, ViewArgs};
use crate::import::ImageLoading;
use crate::model::{ClipIndex, Model};
use crate::palette::{Packing, Palette, PaletteLayout};
use crate::platform::window::GlWindowContext;
use crate::pose::Playback;
use crate::render::{GpuModel, RenderOptions, Renderer, Target};
use crate::scene::{Background, Camera, Frame, Lighting, Orbit};
use nalgebra::Vector3;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalPosition;
use winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop, EventLoopProxy};
use winit::keyboard::{Key as WinitKey, ModifiersState, NamedKey};
use winit::window::WindowId;

/// Size of a new window, in units of the display's scale.
const WINDOW_SIZE: [f64; 2] = [1280.0, 720.0];

/// Frames in a second of the clip when stepping: Blender's default.
const STEP_FRAMES_PER_SEC: f64 = 24.0;

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

/// A window with all that draws on it; the context goes last.
struct Screen {
    /// What is drawn while there is no model.
    nothing: GpuModel,
    target: Target,
    renderer: Renderer,
    gl_window: GlWindowContext,
}

/// The model on screen.
struct Shown {
    gpu_model: Option<GpuModel>,
    stage: Stage,
    orbit: Orbit,
    playback: Playback,
    /// The time that the palette was made for.
    posed_secs: Option<f64>,
}

/// What the pointer is doing.
#[derive(Default)]
struct Pointer {
    position: Option<PhysicalPosition<f64>>,
    buttons: Buttons,
    held: Held,
}

/// When frames were shown.
#[derive(Default)]
struct Clock {
    last_frame: Option<Instant>,
    next_frame: Option<Instant>,
    last_title: Option<Instant>,
    hidden: bool,
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
        self.pace(now);
        self.retitle(now);
        Ok(())
    }

    /// Sets when the next picture is due: at once where showing waits for the display, else an interval from the last.
    fn pace(&mut self, started: Instant) {
        let Some(screen) = &self.screen else { return };
        let interval = screen.gl_window.refresh_interval();
        let due = self.clock.next_frame.unwrap_or(started) + interval;
        self.clock.next_frame = Some(if started.elapsed() >= interval.mul_f64(0.8) {
            Instant::now()
        } else {
            // Never in arrears: a late picture does not make the next one early.
            due.max(started)
        });
    }

    fn retitle(&mut self, now: Instant) {
        if self.clock.last_title.is_some_and(|last| now - last < TITLE_INTERVAL) {
            return;
        }
        self.clock.last_title = Some(now);
        if let Some(screen) = &self.screen {
            screen.gl_window.window().set_title(&self.title());
        }
    }

    /// File, clip and time.
    fn title(&self) -> String {
        let name = |file: &Path| {
            file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().replace(|c: char| c.is_control(), " ")
        };
        let loading = self.loading.as_ref().map(|file| format!("loading {}", name(file)));
        let shown = self.shown.as_ref().map(|shown| {
            let clip = match shown.stage.playing() {
                Some(clip) => format!(
                    "{} - {:.2} / {:.2} s{}",
                    clip.name.as_deref().unwrap_or("clip").replace(|c: char| c.is_control(), " "),
                    shown.playback.time_secs,
                    clip.duration_secs,
                    if shown.playback.playing { "" } else { " (paused)" },
                ),
                None => "rest pose".to_owned(),
            };
            format!("{} - {clip}", name(&shown.stage.file))
        });
        let parts: Vec<String> = [shown, loading].into_iter().flatten().collect();
        format!("{} - rigview", parts.join(" - "))
    }
}

impl Screen {
    fn new(event_loop: &ActiveEventLoop, title: &str, samples: u32) -> Result<Self, AppError> {
        let gl_window = GlWindowContext::new(event_loop, title, WINDOW_SIZE)?;
        let renderer = Renderer::new(gl_window.gpu(), RenderOptions::default())?;
        let [width, height] = gl_window.size();
        let target = Target::new(gl_window.gpu(), width, height, samples)?;
        if target.samples() != samples {
            report::notice(format_args!("--samples {samples} is not to be had here; {} it is", target.samples()));
        }
        let nothing = renderer.upload(&Model::default(), &PaletteLayout::default())?;
        Ok(Self { nothing, target, renderer, gl_window })
    }

    fn aspect(&self) -> f64 {
        let [width, height] = self.gl_window.size();
        f64::from(width) / f64::from(height)
    }

    /// Draws the backdrop alone.
    fn draw_nothing(&mut self) -> Result<(), AppError> {
        let layout = PaletteLayout::default();
        let palette = Palette::new(&layout, Packing::default());
        let camera = Camera::look_at(Vector3::z(), Vector3::zeros(), 1.0);
        let frame = Frame {
            layout: &layout,
            palette: &palette,
            camera,
            lighting: &Lighting::Studio,
            background: Background::Studio,
        };
        Ok(self.renderer.draw(&self.nothing, &frame, &mut self.target)?)
    }
}

impl Shown {
    fn act(&mut self, action: &Action, aspect: f64, start_secs: f64) {
        let hull = &self.stage.hull;
        match *action {
            Action::TogglePlay => self.playback.playing = !self.playback.playing,
            Action::Step(frames) => self.playback.step(frames, STEP_FRAMES_PER_SEC, self.stage.duration_secs()),
            Action::ChangeClip(places) => self.change_clip(places),
            Action::Frame => self.orbit.frame(hull, aspect),
            Action::Reset => {
                self.orbit = Orbit::framing(hull, aspect);
                self.playback = Playback { time_secs: start_secs, playing: true };
            }
            Action::Turn { right, up } => self.orbit.turn(right, up),
            Action::Pan { right, up } => self.orbit.pan(right, up),
            Action::Zoom(steps) => self.orbit.zoom(steps, hull.bounds()),
            Action::Open(_) | Action::Quit => {}
        }
    }

    /// Plays another clip from its start; the view stays.
    fn change_clip(&mut self, places: i32) {
        let count = self.stage.model().clips.len() as i64;
        if count == 0 {
            return;
        }
        let next = match self.stage.clip {
            Some(clip) => (i64::from(clip.0) + i64::from(places)).rem_euclid(count),
            None => 0,
        };
        self.stage.clip = Some(ClipIndex(next as u32));
        self.playback.time_secs = 0.0;
        self.posed_secs = None;
    }

    /// Draws the model at the playback's time onto the screen's target.
    fn draw(&mut self, screen: &mut Screen) -> Result<(), AppError> {
        if self.gpu_model.is_none() {
            self.gpu_model = Some(screen.renderer.upload(self.stage.model(), &self.stage.layout)?);
        }
        if self.posed_secs != Some(self.playback.time_secs) {
            self.stage.pose(self.playback.time_secs);
            self.posed_secs = Some(self.playback.time_secs);
        }
        if let Some(gpu_model) = &self.gpu_model {
            let frame = Frame {
                layout: &self.stage.layout,
                palette: &self.stage.palette,
                camera: self.orbit.camera(self.stage.bounds()),
                lighting: &Lighting::Studio,
                background: Background::Studio,
            };
            screen.renderer.draw(gpu_model, &frame, &mut screen.target)?;
        }
        Ok(())
    }
}

impl Pointer {
    /// What a window event says in the viewer's own words; `None` for what it does not care about.
    fn input(&mut self, event: &WindowEvent, height: f64) -> Option<Input> {
        match event {
            WindowEvent::CloseRequested => Some(Input::Close),
            WindowEvent::DroppedFile(file) => Some(Input::Drop(file.clone())),
            WindowEvent::KeyboardInput { event, .. } if event.state == ElementState::Pressed => {
                Some(Input::Key(key(&event.logical_key)?, self.held))
            }
            WindowEvent::ModifiersChanged(modifiers) => {
                let state = modifiers.state();
                let control = ModifiersState::CONTROL | ModifiersState::SUPER;
                self.held = Held { shift: state.shift_key(), control: state.intersects(control) };
                None
            }
            WindowEvent::MouseInput { state, button, .. } => {
                let down = *state == ElementState::Pressed;
                match button {
                    MouseButton::Left => self.buttons.left = down,
                    MouseButton::Middle => self.buttons.middle = down,
                    MouseButton::Right => self.buttons.right = down,
                    _ => {}
                }
                None
            }
            WindowEvent::Focused(false) => {
                (self.buttons, self.held) = (Buttons::default(), Held::default());
                None
            }
            WindowEvent::CursorMoved { position, .. } => {
                let before = self.position.replace(*position)?;
                (self.buttons != Buttons::default()).then(|| Input::Drag {
                    buttons: self.buttons,
                    held: self.held,
                    right: (position.x - before.x) / height,
                    up: (before.y - position.y) / height,
                })
            }
            WindowEvent::MouseWheel { delta: MouseScrollDelta::LineDelta(_, lines), .. } => {
                Some(Input::Wheel(f64::from(*lines)))
            }
            WindowEvent::MouseWheel { delta: MouseScrollDelta::PixelDelta(delta), .. } => {
                Some(Input::Swipe { held: self.held, right: delta.x / height, up: -delta.y / height })
            }
            WindowEvent::PinchGesture { delta, .. } => Some(Input::Pinch(*delta)),
            _ => None,
        }
    }
}

/// The viewer's name of a key.
fn key(key: &WinitKey) -> Option<Key> {
    Some(match key {
        WinitKey::Named(NamedKey::Space) => Key::Space,
        WinitKey::Named(NamedKey::ArrowLeft) => Key::Left,
        WinitKey::Named(NamedKey::ArrowRight) => Key::Right,
        WinitKey::Named(NamedKey::ArrowUp) => Key::Up,
        WinitKey::Named(NamedKey::ArrowDown) => Key::Down,
        WinitKey::Named(NamedKey::Escape) => Key::Escape,
        WinitKey::Character(text) => Key::Letter(text.chars().next()?.to_ascii_lowercase()),
        _ => return None,
    })
}

impl ApplicationHandler<Message> for View {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.screen.is_none() {
            match Screen::new(event_loop, &self.title(), self.samples) {
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
