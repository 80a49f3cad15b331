//! The events of the window system, and the pace of pictures between them.

use crate::app::viewer::actions::action;
use crate::app::viewer::app::{App, FileDialogPurpose, UserEvent};
use crate::app::viewer::jobs::loader::{CheckResult, Slot};
use crate::app::viewer::state::document::Document;
use crate::app::viewer::window::surface::WindowSurface;
use std::time::{Duration, Instant};
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::window::WindowId;

/// How often a minimized window is asked whether it still is; not every system tells by itself.
const MINIMIZED_INTERVAL: Duration = Duration::from_millis(500);

/// A dialog that is closed sooner than this was never there.
const DIALOG_UNAVAILABLE_THRESHOLD: Duration = Duration::from_millis(400);

impl App {
    /// Sets the title; when to look again.
    fn update_title(&mut self, now: Instant) -> Option<Instant> {
        if let (Some(surface), Some(title)) =
            (&self.surface, self.title.update(now, self.document.as_ref(), self.loader.file()))
        {
            surface.gl_window.window().set_title(title);
        }
        self.title.next()
    }

    /// Lets lines go that have been there long enough; when to look again.
    fn expire_notifications(&mut self, now: Instant) -> Option<Instant> {
        // Over the model alone, nothing stays.
        let all = self.settings.panels.hidden;
        if self.notifications.remove_expired(now, all) {
            self.pacer.refresh();
        }
        self.notifications.next_expiry(all)
    }

    /// Asks for the next picture if it is due; when to look again.
    fn pace(&mut self, now: Instant) -> Option<Instant> {
        let surface = self.surface.as_ref()?;
        let moving = self.document.as_ref().is_some_and(Document::is_moving);
        if self.occluded {
            return None;
        }
        if self.ui_repaint_at.is_some_and(|due| due <= now) {
            self.ui_repaint_at = None;
            self.pacer.refresh();
        }
        let Some(due) = self.pacer.next(now, moving) else { return self.ui_repaint_at };
        if due > now {
            return Some(due);
        }
        if moving && surface.gl_window.window().is_minimized() == Some(true) {
            self.pacer.skip();
            return Some(now + MINIMIZED_INTERVAL);
        }
        surface.gl_window.window().request_redraw();
        None
    }
}

/// Whether the window is one of Wayland, where winit hears of no dropped files.
pub(crate) fn is_wayland(event_loop: &ActiveEventLoop) -> bool {
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

impl ApplicationHandler<UserEvent> for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.surface.is_none() {
            match WindowSurface::new(event_loop, self.settings.window, self.request.samples) {
                Ok(surface) => {
                    // It is said once, and of one window.
                    let _ = self.loader.blocks.set(surface.block_support());
                    self.surface = Some(surface);
                }
                Err(error) => return self.fail(event_loop, error),
            }
        }
        self.refresh();
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, event: UserEvent) {
        match event {
            UserEvent::Loaded(loaded) if loaded.slot == Slot::Second => self.loaded_beside(*loaded),
            UserEvent::Loaded(loaded) => {
                if let Err(error) = self.loaded(*loaded) {
                    self.fail(event_loop, error);
                }
            }
            UserEvent::Checked(CheckResult { file, issues }) => {
                if self.document.as_ref().is_some_and(|document| document.scene.file == file) {
                    self.problems = Some(issues);
                    self.pacer.refresh();
                }
            }
            UserEvent::FileChanged => {
                // Whichever it was: those that are as they were are not read again.
                self.watch.touched(Instant::now());
                if let Some(comparison) = &mut self.comparison {
                    comparison.watch.touched(Instant::now());
                }
            }
            UserEvent::ExportProgress(steps) => self.made_steps(steps),
            UserEvent::ExportFinished(result) => self.made(result),
            UserEvent::Compared(compared) => {
                if let Some(comparison) = &mut self.comparison {
                    comparison.take(compared);
                    self.pacer.refresh();
                }
            }
            UserEvent::Quit => event_loop.exit(),
            UserEvent::FileChosen(asked, file) => {
                let since = self.open_dialog.take().map(|(_, since)| since);
                match (file, asked) {
                    (Some(file), FileDialogPurpose::Open) => self.open(file),
                    (Some(file), FileDialogPurpose::Compare) => self.compare_with(file),
                    (Some(file), FileDialogPurpose::ImportClips) => self.import_clips_from(file),
                    (None, _) if since.is_some_and(|since| since.elapsed() < DIALOG_UNAVAILABLE_THRESHOLD) => {
                        self.show_path_prompt(asked)
                    }
                    (None, _) => {}
                }
            }
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        if event == WindowEvent::RedrawRequested {
            if self.is_hidden() {
                return;
            }
            if let Err(error) = self.draw(event_loop) {
                self.fail(event_loop, error);
            }
            return;
        }
        let mut typed = false;
        if let Some(surface) = &mut self.surface {
            typed = matches!(event, WindowEvent::KeyboardInput { .. }) && surface.gui.wants_keyboard();
            if surface.gui.on_window_event(surface.gl_window.window(), &event) {
                self.pacer.refresh();
            }
        }
        match event {
            WindowEvent::Resized(size) => {
                if let Some(surface) = &mut self.surface {
                    surface.gl_window.resize(size);
                    let window = surface.gl_window.window();
                    if window.fullscreen().is_none() && !window.is_maximized() {
                        let size = size.to_logical(window.scale_factor());
                        self.settings.window = [size.width, size.height];
                    }
                }
                self.pacer.refresh();
            }
            WindowEvent::Destroyed => {
                // There is nothing left to draw on.
                event_loop.exit();
                (self.document, self.comparison, self.surface) = (None, None, None);
            }
            WindowEvent::Occluded(hidden) => {
                self.occluded = hidden;
                self.pacer.skip();
                self.pacer.refresh();
            }
            WindowEvent::HoveredFile(_) | WindowEvent::HoveredFileCancelled => {
                self.drag_hover = matches!(event, WindowEvent::HoveredFile(_));
                self.pacer.refresh();
            }
            event if !typed => {
                if matches!(event, WindowEvent::DroppedFile(_)) {
                    self.drag_hover = false;
                }
                if self.handle_gizmo_event(event_loop, &event) {
                    return;
                }
                let Some(surface) = &self.surface else { return };
                let gui = &surface.gui;
                let input = self.pointer.input(&event, surface.place, |place| gui.is_over_viewport(place));
                let navigation = self.settings.navigation;
                if let Some(action) = input.and_then(|input| action(input, navigation)) {
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
        let shown_at = match self.reveal_window(event_loop, now) {
            Ok(shown_at) => shown_at,
            Err(error) => return self.fail(event_loop, error),
        };
        let changed_at = self.poll_file_changes(now);
        let [beside_at, blinks_at] = self.poll_comparison(now);
        let next = [
            shown_at,
            changed_at,
            beside_at,
            blinks_at,
            self.update_title(now),
            self.expire_notifications(now),
            self.pace(now),
        ];
        let next = next.into_iter().flatten().min();
        event_loop.set_control_flow(next.map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        self.export_job = None;
        self.settings_store.save(&self.settings);
        // While the event loop still has its connection to the display.
        (self.document, self.comparison) = (None, None);
        self.surface = None;
    }
}
