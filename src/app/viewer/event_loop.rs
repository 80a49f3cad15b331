//! The events of the window system, and the pace of pictures between them.

use crate::app::viewer::actions::action;
use crate::app::viewer::app::{Asked, Event, View};
use crate::app::viewer::jobs::loader::{Checked, Slot};
use crate::app::viewer::state::document::Shown;
use crate::app::viewer::window::surface::Screen;
use std::time::{Duration, Instant};
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::window::WindowId;

/// How often a minimized window is asked whether it still is; not every system tells by itself.
const MINIMIZED_INTERVAL: Duration = Duration::from_millis(500);

/// A dialog that is closed sooner than this was never there.
const NO_HAND_IS_AS_FAST: Duration = Duration::from_millis(400);

impl View {
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
            return Some(now + MINIMIZED_INTERVAL);
        }
        screen.gl_window.window().request_redraw();
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

impl ApplicationHandler<Event> for View {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.screen.is_none() {
            match Screen::new(event_loop, self.settings.window, self.request.samples) {
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
            Event::Loaded(loaded) if loaded.slot == Slot::Second => self.loaded_beside(*loaded),
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
            Event::Changed => {
                // Whichever it was: those that are as they were are not read again.
                self.watch.touched(Instant::now());
                if let Some(beside) = &mut self.beside {
                    beside.watch.touched(Instant::now());
                }
            }
            Event::Step(steps) => self.made_steps(steps),
            Event::Made(result) => self.made(result),
            Event::Compared(compared) => {
                if let Some(beside) = &mut self.beside {
                    beside.take(compared);
                    self.clock.refresh();
                }
            }
            Event::Leave => event_loop.exit(),
            Event::Chosen(asked, file) => {
                let since = self.asks.take().map(|(_, since)| since);
                match (file, asked) {
                    (Some(file), Asked::Open) => self.open(file),
                    (Some(file), Asked::Compare) => self.compare_with(file),
                    (Some(file), Asked::Borrow) => self.borrow_from(file),
                    (None, _) if since.is_some_and(|since| since.elapsed() < NO_HAND_IS_AS_FAST) => {
                        self.ask_for_path(asked)
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
        if let Some(screen) = &mut self.screen {
            typed = matches!(event, WindowEvent::KeyboardInput { .. }) && screen.desk.wants_keyboard();
            if screen.desk.on_window_event(screen.gl_window.window(), &event) {
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
                (self.shown, self.beside, self.screen) = (None, None, None);
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
                if self.turn_by_hand(event_loop, &event) {
                    return;
                }
                let Some(screen) = &self.screen else { return };
                let desk = &screen.desk;
                let input = self.pointer.input(&event, screen.place, |place| desk.is_over_viewport(place));
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
        let shown_at = match self.show_window(event_loop, now) {
            Ok(shown_at) => shown_at,
            Err(error) => return self.fail(event_loop, error),
        };
        let changed_at = self.follow_changes(now);
        let [beside_at, blinks_at] = self.follow_beside(now);
        let next =
            [shown_at, changed_at, beside_at, blinks_at, self.retitle(now), self.forget_news(now), self.pace(now)];
        let next = next.into_iter().flatten().min();
        event_loop.set_control_flow(next.map_or(ControlFlow::Wait, ControlFlow::WaitUntil));
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        self.making = None;
        self.keeper.save(&self.settings);
        // While the event loop still has its connection to the display.
        (self.shown, self.beside) = (None, None);
        self.screen = None;
    }
}
