//! The viewer application: winit events, timing and the parts that work together.

use super::actions::{Action, FileAction, PoseAction, WindowAction, action_of, dispatch::dispatch};
use super::frame::{FramePurpose, Graphics};
use super::jobs::environment_loader::EnvironmentLoader;
use super::jobs::event::UserEvent;
use super::jobs::exporter::ExportJob;
use super::jobs::running_jobs::{Jobs, event_sink};
use super::jobs::settings_store::SettingsStore;
use super::state::{AppState, Document, FrameTimings, NotificationKind};
use super::ui::JobStatus;
use super::window::frame_pacer::FramePacer;
use super::window::input::{InputState, position_in_heights};
use super::window::surface::is_wayland;
use super::window::title::WindowTitle;
use crate::app::AppError;
use crate::app::console::report;
use crate::app::files::atomic_write::remove_partial_output;
use crate::app::files::model_folder::expand_folders;
use crate::app::scene::lighting::LightSetup;
use crate::request::WindowRequest;
use rigview_check::profile::Profile;
use rigview_render::platform::clock::Clock;
use rigview_render::platform::{PlatformError, hold_report, open_event, shutdown, system_libraries};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use winit::application::ApplicationHandler;
use winit::event::{ElementState, MouseButton, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::window::WindowId;

/// Poll interval for the end of minimization, which some systems do not report.
const MINIMIZED_INTERVAL: Duration = Duration::from_millis(500);

/// The first frame of a model with more vertices than this may take seconds on a slow driver.
const MIN_SLOW_FRAME_VERTICES: u64 = 2_000_000;

/// An image waits this long for its programs.
const MAX_COMPILATION_WAIT: Duration = Duration::from_secs(20);

const COMPILATION_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// After the window is closed, an export has this long to end its current step and to delete its temporary file.
const MAX_EXPORT_WAIT: Duration = Duration::from_millis(200);

/// Opens the window and runs it until it is closed.
pub(crate) fn run(mut request: WindowRequest) -> Result<(), AppError> {
    if request.compare && request.files.len() != 2 {
        return Err(AppError::CompareTwo(request.files.len()));
    }
    let mut folder_errors = Vec::new();
    // Compared files, and models of one scene, are no list to step through.
    if !request.compare && request.scene.crowd.other_models.is_empty() {
        (request.files, folder_errors) = expand_folders(&request.files);
    }
    if request.files.is_empty() && !folder_errors.is_empty() && std::io::stderr().is_terminal() {
        return Err(folder_errors.remove(0));
    }
    // Each check reads it again.
    request.profile.as_deref().map(Profile::open).transpose().map_err(AppError::Usage)?;
    system_libraries::check()?;
    let event_loop = EventLoop::with_user_event().build().map_err(PlatformError::no_display)?;
    let events = event_loop.create_proxy();
    let sink = event_sink(events.clone());
    let mut settings_store = SettingsStore::new(!request.ignore_settings);
    let settings = settings_store.load();
    let environment = EnvironmentLoader::open(&request.view.light.environment(), &request.scene.import, sink.clone())?;
    let mut app = App {
        jobs: Jobs::new(events, settings_store, environment),
        state: AppState::new(request, settings),
        graphics: None,
        input: InputState::default(),
        pacer: FramePacer::default(),
        title: WindowTitle::default(),
        exit_error: None,
    };
    if let Some(file) = app.state.command_line.files.first().cloned() {
        app.load(file);
    }
    folder_errors.iter().for_each(|error| app.report_open_error(error));
    if app.state.command_line.compare {
        app.compare_with(app.state.command_line.files[1].clone());
    }
    let open_sink = sink.clone();
    open_event::on_open_files(move |files| _ = open_sink(UserEvent::OpenFiles(files)));
    shutdown::on_signal(move || _ = sink(UserEvent::Quit));
    event_loop.run_app(&mut app).map_err(PlatformError::no_display)?;
    app.exit_error.map_or(Ok(()), Err)
}

pub(crate) struct App {
    pub(crate) state: AppState,
    pub(crate) jobs: Jobs,
    /// `None` until the window exists.
    pub(crate) graphics: Option<Graphics>,
    input: InputState,
    pub(crate) pacer: FramePacer,
    pub(crate) title: WindowTitle,
    exit_error: Option<AppError>,
}

impl App {
    /// Ends the program, unless the context is lost: it is replaced before the next frame.
    fn fail(&mut self, event_loop: &ActiveEventLoop, error: AppError) {
        if self.graphics.as_ref().is_some_and(Graphics::is_lost) {
            return event_loop.set_control_flow(ControlFlow::Poll);
        }
        self.exit_error = Some(error);
        event_loop.exit();
    }

    /// Stops the export before the program ends. The window is closed.
    fn stop_export(&mut self) {
        if self.jobs.export.take().is_none_or(|export| export.stop_within(MAX_EXPORT_WAIT)) {
            return;
        }
        // A step of the export, such as a call of the driver, may take minutes.
        remove_partial_output();
        shutdown::exit_now(self.exit_error.as_ref().map_or(0, |error| {
            report::error(error);
            error.exit_code()
        }));
    }

    /// Requests a frame and a title update.
    pub(crate) fn refresh(&mut self) {
        self.title.refresh();
        self.pacer.refresh();
    }

    pub(crate) fn notify(&mut self, kind: NotificationKind, text: impl Into<String>) {
        self.state.now = Instant::now();
        self.state.notify(kind, text);
        self.pacer.refresh();
    }

    /// Reports that a file was written.
    pub(crate) fn notify_saved(&mut self, file: PathBuf) {
        self.state.notifications.push_saved(file, Instant::now());
        self.pacer.refresh();
    }

    /// Width over height of the viewport.
    pub(crate) fn aspect(&self) -> f64 {
        self.graphics.as_ref().map_or(1.0, |graphics| graphics.surface.aspect())
    }

    /// Applies an action and runs its effect.
    pub(crate) fn dispatch(&mut self, event_loop: &ActiveEventLoop, action: Action) {
        self.state.now = Instant::now();
        self.pacer.refresh();
        if !self.state.is_moving() {
            // Time while paused does not count.
            self.pacer.skip();
        }
        self.title.refresh();
        let closes = |graphics: &mut Graphics| graphics.gui.close_dialog() || graphics.surface.leave_full_screen();
        if action == Action::Window(WindowAction::Cancel) && self.graphics.as_mut().is_some_and(closes) {
            return;
        }
        let aspect = self.aspect();
        if let Some(effect) = dispatch(&mut self.state, action, aspect) {
            self.run_effect(event_loop, effect);
        }
    }

    /// Runs the panels and applies their actions.
    fn run_ui(&mut self, event_loop: &ActiveEventLoop) {
        let Some(graphics) = &mut self.graphics else { return };
        let jobs = JobStatus {
            loading: self.jobs.loader.file(),
            images: self.jobs.loader.images(),
            uploaded: graphics.uploads.first().map(|upload| upload.models.progress()),
            environment_loading: self.jobs.environment.running.is_some(),
            can_drop: !is_wayland(event_loop),
        };
        let (actions, repaint_after) = graphics.run_ui(&mut self.state, jobs);
        self.pacer.ui_repaint_at = repaint_after.map(|delay| Instant::now() + delay);
        for action in actions {
            self.dispatch(event_loop, action);
        }
    }

    /// Advances time, then draws and presents one frame.
    fn draw(&mut self, event_loop: &ActiveEventLoop) -> Result<(), AppError> {
        let Some(graphics) = &mut self.graphics else { return Ok(()) };
        // The next frame of a crowd may take seconds; the window should not stay black.
        if graphics.surface.take_pending_present() {
            graphics.present()?;
        }
        let begun = Instant::now();
        self.state.now = begun;
        let elapsed_secs = self.pacer.begin(begun);
        if let Some(document) = &mut self.state.document {
            document.advance(elapsed_secs);
            document.follow();
            let (surface, pointer) = (&graphics.surface, self.input.position);
            let [right, down] = pointer.map_or([0.5; 2], |pointer| position_in_heights(pointer, surface.viewport_rect));
            document.aim_heads(pointer.map(|_| [right / surface.aspect(), down]), surface.aspect());
        }
        if self.is_revealed() {
            self.announce_slow_frame(event_loop)?;
        }
        let ui_clock = Clock::start();
        self.run_ui(event_loop);
        let panels = ui_clock.elapsed(Clock::ThreadCpu);
        let light = self.light_setup();
        let Some(graphics) = &mut self.graphics else { return Ok(()) };
        let timings = graphics.draw(&mut self.state, &light, &self.jobs.sink, FramePurpose::Window, begun)?;
        let presenting = Instant::now();
        hold_report::end_step("draw");
        let paint = graphics.present()?;
        hold_report::end_step("present");
        if let Some(error) = graphics.surface.gl_window.gpu().take_error() {
            self.state.notify(NotificationKind::Error, format!("{error}; is the graphics driver up to date?"));
        }
        let now = Instant::now();
        if timings != FrameTimings::default() {
            let drawn = graphics.document.iter_mut().chain(&mut graphics.second);
            drawn.for_each(|gpu| gpu.adaptive.add(gpu.drawn_quality, now - begun));
        }
        if self.state.is_moving() {
            let present = (now - presenting).saturating_sub(paint);
            let timings = FrameTimings { panels, paint, present, ..timings };
            self.state.frame_stats.push(timings, graphics.gui.empty, now);
        }
        let refresh_interval = graphics.surface.gl_window.refresh_interval();
        if self.pacer.is_too_slow(now - begun)
            && let Some(document) = self.state.document.as_mut().filter(|document| document.is_moving())
        {
            document.playback.playing = false;
            let secs = (now - begun).as_secs_f64();
            self.notify(NotificationKind::Info, format!("Paused: a frame takes {secs:.0} s; press Space to continue"));
        }
        self.pacer.end(begun, Instant::now(), refresh_interval);
        Ok(())
    }

    fn light_setup(&mut self) -> LightSetup {
        let light = self.state.light();
        let environment = self.jobs.environment.load(&light.environment());
        LightSetup::new(light, environment)
    }

    /// Draws the current state as its command does, without presenting it.
    pub(crate) fn draw_image(&mut self) -> Result<(), AppError> {
        let (light, begun) = (self.light_setup(), Instant::now());
        self.state.document.iter_mut().for_each(Document::place_by_fade);
        let Some(graphics) = &mut self.graphics else { return Ok(()) };
        if self.state.document.is_some() && graphics.document.is_none() {
            return Err(AppError::Usage(
                "the graphics driver was reset; save again when the model is shown".to_owned(),
            ));
        }
        loop {
            graphics.draw(&mut self.state, &light, &self.jobs.sink, FramePurpose::Image, begun)?;
            // Surfaces have one color until their programs are compiled.
            if !graphics.surface.renderer.is_compiling() || begun.elapsed() > MAX_COMPILATION_WAIT {
                return Ok(());
            }
            std::thread::sleep(COMPILATION_POLL_INTERVAL);
        }
    }

    /// Returns `true` once the window is visible. Until then [`reveal_window`](Self::reveal_window) draws.
    fn is_revealed(&self) -> bool {
        self.graphics.as_ref().is_none_or(|graphics| graphics.surface.reveal_deadline().is_none())
    }

    /// Presents a notification before a first frame that may take long.
    fn announce_slow_frame(&mut self, event_loop: &ActiveEventLoop) -> Result<(), AppError> {
        let gpu = self.graphics.as_ref().and_then(|graphics| graphics.document.as_ref());
        let document = self.state.document.as_ref().filter(|document| gpu.is_some_and(|gpu| gpu.is_stale(document)));
        let vertices = document.map_or(0, |document| document.vertex_count());
        if vertices <= MIN_SLOW_FRAME_VERTICES {
            return Ok(());
        }
        self.state.notify(NotificationKind::Info, drawing_text(vertices));
        self.run_ui(event_loop);
        self.graphics.as_mut().map_or(Ok(()), |graphics| graphics.present().map(|_| ()))
    }

    /// Reveals a new window as soon as there is something to show. Returns the time of the next check.
    fn reveal_window(&mut self, event_loop: &ActiveEventLoop, now: Instant) -> Result<Option<Instant>, AppError> {
        let Some(due) = self.graphics.as_ref().and_then(|graphics| graphics.surface.reveal_deadline()) else {
            return Ok(None);
        };
        if self.state.document.is_none() && due > now {
            return Ok(Some(due));
        }
        let vertices = self.state.document.as_ref().map_or(0, |document| document.vertex_count());
        if vertices > MIN_SLOW_FRAME_VERTICES {
            // The first frame may take half a minute: reveal the window without the model.
            self.notify(NotificationKind::Info, drawing_text(vertices));
            let document = self.state.document.take();
            let aspect_before = self.aspect();
            self.draw(event_loop)?;
            self.state.document = document;
            let aspect = self.aspect();
            if let Some(document) = &mut self.state.document {
                document.camera.reshape(&document.scene, aspect_before, aspect);
            }
            self.graphics.iter_mut().for_each(Graphics::invalidate);
        } else {
            self.draw(event_loop)?;
        }
        let Some(graphics) = self.graphics.as_mut() else { return Ok(None) };
        if graphics.surface.renderer.has_skipped_frame() {
            return Ok(Some(now));
        }
        graphics.surface.reveal();
        self.pacer.refresh();
        Ok(None)
    }

    /// Returns the time of the next title update.
    fn update_title(&mut self, now: Instant) -> Option<Instant> {
        if let (Some(graphics), Some(title)) =
            (&self.graphics, self.title.update(now, self.state.document.as_ref(), self.jobs.loader.file()))
        {
            graphics.surface.window().set_title(title);
        }
        self.title.next()
    }

    /// Removes expired notifications. Returns the time of the next expiry.
    fn expire_notifications(&mut self, now: Instant) -> Option<Instant> {
        // Without panels, errors cannot be dismissed.
        let errors_expire = self.state.settings.panels.hidden;
        if self.state.notifications.remove_expired(now, errors_expire) {
            self.pacer.refresh();
        }
        self.state.notifications.next_expiry(errors_expire)
    }

    /// Requests the next frame if it is due. Returns the time of the next check.
    fn pace(&mut self, now: Instant) -> Option<Instant> {
        let graphics = self.graphics.as_ref()?;
        let window = graphics.surface.window();
        let moving = self.state.is_moving() || graphics.needs_redraw();
        let due = self.pacer.next(now, moving)?;
        if due > now {
            return Some(due);
        }
        if moving && window.is_minimized() == Some(true) {
            self.pacer.skip();
            return Some(now + MINIMIZED_INTERVAL);
        }
        window.request_redraw();
        None
    }

    /// Reads changed files again. Returns the time of the next check.
    fn poll_files(&mut self, now: Instant) -> Option<Instant> {
        // The reload would supersede a file that is still loading.
        if self.jobs.loader.file().is_none() && self.jobs.watcher.is_due(now) {
            if self.state.document.is_some() {
                self.reload_changed(true);
            } else if let Some(file) = self.jobs.watcher.files.first() {
                self.load(file.clone());
            }
        }
        let comparer = self.jobs.comparer.as_mut();
        let comparer_next = comparer.and_then(|comparer| {
            if comparer.watcher.is_due(now) {
                comparer.load(self.state.request_of_view());
            }
            comparer.watcher.next()
        });
        let watcher_next = self.jobs.watcher.next().filter(|_| self.jobs.loader.file().is_none());
        [watcher_next, comparer_next].into_iter().flatten().min()
    }

    /// Requests a frame for each blink of a comparison, and for a placed divider. Returns the time of the next blink.
    fn poll_blink(&mut self, now: Instant) -> Option<Instant> {
        let comparison = self.state.comparison.as_mut()?;
        if comparison.changed(now) {
            self.pacer.refresh();
        }
        comparison.next_blink(now)
    }

    /// Handles events of the rotate gizmo. Returns `true` if the event is consumed.
    fn handle_gizmo_event(&mut self, event_loop: &ActiveEventLoop, event: &WindowEvent) -> bool {
        let Some(graphics) = &self.graphics else { return false };
        match event {
            WindowEvent::MouseInput { state: ElementState::Pressed, button: MouseButton::Left, .. } => {
                let over_viewport = self.input.position.is_some_and(|p| graphics.gui.is_over_viewport([p.x, p.y]));
                let (true, Some(position), Some(document)) = (over_viewport, self.input.position, &self.state.document)
                else {
                    self.state.gizmo.drag = None;
                    return false;
                };
                // The second pane has no gizmo.
                if graphics.surface.pane_at(Some(position)) != graphics.surface.first_pane() {
                    return false;
                }
                let position = position_in_heights(position, graphics.surface.viewport_rect);
                self.state.gizmo.begin_drag(document, position, graphics.surface.aspect())
            }
            WindowEvent::MouseInput { state: ElementState::Released, button: MouseButton::Left, .. } => {
                if self.state.gizmo.drag.take().is_some() {
                    self.pacer.refresh();
                }
                false
            }
            WindowEvent::CursorMoved { position, .. } => {
                if self.state.document.as_ref().is_some_and(|document| document.looks_at_pointer) {
                    self.pacer.refresh();
                }
                let position = position_in_heights(*position, graphics.surface.viewport_rect);
                let snap = self.input.modifiers.control;
                let document = self.state.document.as_ref();
                let drag = document.and_then(|document| self.state.gizmo.drag_to(document, position, snap));
                if let Some((joint, transforms)) = drag {
                    self.dispatch(event_loop, Action::Pose(PoseAction::SetJointPoses(joint, transforms)));
                }
                false
            }
            WindowEvent::Focused(false) => {
                self.state.gizmo.drag = None;
                false
            }
            _ => false,
        }
    }

    /// Translates mouse, keyboard and drop events into actions.
    fn handle_input(&mut self, event_loop: &ActiveEventLoop, event: &WindowEvent) {
        if matches!(event, WindowEvent::DroppedFile(_)) {
            self.state.drag_hover = false;
        }
        if self.handle_gizmo_event(event_loop, event) {
            return;
        }
        let Some(graphics) = &self.graphics else { return };
        let is_over = |position| graphics.gui.is_over_viewport(position);
        let pane = graphics.surface.pane_at(self.input.position);
        let input = self.input.translate(event, graphics.surface.window().scale_factor(), pane, is_over);
        let navigation = self.state.settings.navigation;
        let takes_keys = matches!(event, WindowEvent::KeyboardInput { .. }) && graphics.gui.state.dialog.is_some();
        let action = input.and_then(|input| action_of(input, navigation));
        if let Some(action) = action.filter(|action| !takes_keys || action.is_of_dialogs()) {
            self.dispatch(event_loop, action);
        }
    }
}

impl ApplicationHandler<UserEvent> for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.graphics.is_none() {
            let events = self.jobs.events.clone();
            match Graphics::new(event_loop, self.state.settings.window, self.state.view.request.samples, events) {
                Ok(graphics) => {
                    // Set once: there is only one window.
                    let _ = self.jobs.loader.gpu.block_formats.set(graphics.surface.supported_block_formats());
                    let _ = self.jobs.loader.gpu.upload.set(graphics.surface.renderer.upload_options());
                    self.graphics = Some(graphics);
                }
                Err(error) => return self.fail(event_loop, error),
            }
        }
        self.refresh();
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, event: UserEvent) {
        if let Err(error) = self.handle_job_event(event_loop, event) {
            self.fail(event_loop, error);
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        if event == WindowEvent::RedrawRequested {
            if self.is_revealed()
                && let Err(error) = self.draw(event_loop)
            {
                self.fail(event_loop, error);
            }
            return;
        }
        // A shortcut acts after a click that precedes it.
        if matches!(event, WindowEvent::KeyboardInput { .. })
            && let Some(Graphics { gui, .. }) = &self.graphics
            && gui.winit.egui_input().events.iter().any(|event| matches!(event, egui::Event::PointerButton { .. }))
        {
            self.run_ui(event_loop);
        }
        let mut typed = false;
        if let Some(Graphics { gui, surface, .. }) = &mut self.graphics {
            typed = matches!(event, WindowEvent::KeyboardInput { .. }) && gui.uses_keyboard();
            if gui.on_window_event(surface.window(), &event) {
                self.pacer.refresh();
            }
        }
        if let WindowEvent::MouseInput { state: ElementState::Pressed, .. } = event {
            self.state.history.break_merge();
        }
        match event {
            WindowEvent::Resized(size) => {
                if let Some(graphics) = &mut self.graphics {
                    graphics.surface.gl_window.resize(size);
                    let window = graphics.surface.window();
                    if window.fullscreen().is_none() && !window.is_maximized() {
                        let size = size.to_logical(window.scale_factor());
                        self.state.settings.window = [size.width, size.height];
                    }
                }
                self.pacer.refresh();
            }
            WindowEvent::Destroyed => {
                event_loop.exit();
                self.graphics = None;
            }
            WindowEvent::Occluded(occluded) => {
                self.pacer.occluded = occluded;
                self.pacer.skip();
                self.pacer.refresh();
            }
            WindowEvent::HoveredFile(_) | WindowEvent::HoveredFileCancelled => {
                self.state.drag_hover = matches!(event, WindowEvent::HoveredFile(_));
                self.pacer.refresh();
            }
            event if !typed => self.handle_input(event_loop, &event),
            _ => {}
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        if event_loop.exiting() {
            return;
        }
        if let Err(error) = self.replace_lost_context() {
            return self.fail(event_loop, error);
        }
        self.upload_what_is_missing();
        let now = Instant::now();
        if let Some(path) = self.state.pending_open.take() {
            self.open(&[path]);
        }
        if self.jobs.loader.file().is_none()
            && let Some(motion) = self.state.pending_import.take()
        {
            let is_character = self.state.document.as_ref().is_some_and(Document::is_character);
            match is_character || self.state.pinned.is_some() {
                true => self.dispatch(event_loop, Action::File(FileAction::ImportClips(motion))),
                false => self.open(&[motion]),
            }
        }
        let upload_at = match self.advance_upload() {
            Ok(upload_at) => upload_at,
            Err(error) => return self.fail(event_loop, error),
        };
        hold_report::end_step("upload");
        let reveal_at = match self.reveal_window(event_loop, now) {
            Ok(reveal_at) => reveal_at,
            Err(error) => return self.fail(event_loop, error),
        };
        let wake_ups = [
            upload_at,
            reveal_at,
            self.poll_files(now),
            self.poll_blink(now),
            self.update_title(now),
            self.expire_notifications(now),
            self.pace(now),
        ];
        let next = wake_ups.into_iter().flatten().min();
        event_loop.set_control_flow(next.map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
        hold_report::end_turn();
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        self.jobs.export.iter().for_each(ExportJob::cancel);
        self.jobs.settings_store.save(&self.state.settings);
        // The context must go while the event loop is connected to the display.
        self.graphics = None;
        // Quit in the menu of macOS ends the process after this call.
        self.stop_export();
    }
}

fn drawing_text(vertices: u64) -> String {
    format!("Drawing {:.1} million vertices...", vertices as f64 * 1e-6)
}
