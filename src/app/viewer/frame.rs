//! One picture: time passes, panels are laid out, the model is drawn, all of it is shown.

use super::event_loop::is_wayland;
use super::ui::{GizmoContext, UiContext};
use crate::app::AppError;
use crate::app::cpu_time::Clock;
use crate::app::viewer::app::View;
use crate::app::viewer::state::document::{self, Shown};
use crate::app::viewer::state::frame_stats::Cost;
use crate::app::viewer::state::notifications::Kind;
use crate::app::viewer::window::surface::Screen;
use std::time::{Duration, Instant};
use winit::event_loop::ActiveEventLoop;

/// A first picture of more vertices than this may keep a person waiting.
const MANY_VERTICES: u64 = 2_000_000;

/// Playing stops by itself when a picture takes longer than this: nothing else would be heard of.
const SLOWEST: Duration = Duration::from_secs(3);

impl View {
    /// Draws and shows one picture.
    pub(crate) fn draw(&mut self, event_loop: &ActiveEventLoop) -> Result<(), AppError> {
        let Some(screen) = &mut self.screen else { return Ok(()) };
        // A crowd may take seconds to draw again; until then the window need not be black.
        screen.present_unseen()?;
        let begun = Instant::now();
        let elapsed_secs = self.clock.begin(begun);
        if let Some(shown) = &mut self.shown {
            shown.advance(elapsed_secs);
        }
        if !self.is_hidden() {
            self.tell_of_waiting(event_loop)?;
        }
        let laying_out = Clock::start();
        self.lay_out(event_loop);
        let panels = laying_out.elapsed(Clock::Cpu);
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
                cost = shown.draw(backdrop, &self.light, &mut screen.renderer, &mut screen.target)?;
                if let Some(beside) = &mut self.beside {
                    beside.draw(shown, (backdrop, &self.light), screen, begun)?;
                }
            }
            None => screen.draw_nothing(document::background(backdrop))?,
        }
        let presenting = Instant::now();
        let paint = screen.present()?;
        let now = Instant::now();
        if self.shown.as_ref().is_some_and(Shown::is_moving) {
            let present = (now - presenting).saturating_sub(paint);
            self.costs.note(Cost { panels, paint, present, ..cost }, screen.desk.is_empty(), now);
        }
        if now - begun > SLOWEST
            && let Some(shown) = self.shown.as_mut().filter(|shown| shown.is_moving())
        {
            shown.transport.playing = false;
            let words = format!("Paused: a picture takes {:.0} s here; Space plays on", (now - begun).as_secs_f64());
            self.news.tell(Kind::Done, words, now);
            self.clock.refresh();
        }
        self.clock.end(begun, Instant::now(), screen.gl_window.refresh_interval());
        Ok(())
    }

    /// Whether the window is still hidden: the first picture is [`show_window`](Self::show_window)'s to draw, which does not let
    /// a person wait for it without a window.
    pub(crate) fn is_hidden(&self) -> bool {
        self.screen.as_ref().is_some_and(|screen| screen.shows_itself_at().is_some())
    }

    /// Tells, before the first picture of a model that may take long to draw, that it is being drawn.
    fn tell_of_waiting(&mut self, event_loop: &ActiveEventLoop) -> Result<(), AppError> {
        let vertices = self.shown.as_ref().map_or(0, Shown::vertices_to_come);
        if vertices <= MANY_VERTICES {
            return Ok(());
        }
        self.news.tell(Kind::Done, waiting_words(vertices), Instant::now());
        self.lay_out(event_loop);
        match &mut self.screen {
            Some(screen) => screen.present().map(|_| ()),
            None => Ok(()),
        }
    }

    /// Lays the panels out, and does what a person asks for by them.
    pub(crate) fn lay_out(&mut self, event_loop: &ActiveEventLoop) {
        let Some(screen) = &mut self.screen else { return };
        let ctx = UiContext {
            document: self.shown.as_ref(),
            loading: self.loader.file(),
            images: self.loader.images(),
            files: &self.files,
            comparison: self.beside.as_ref(),
            settings: &self.settings,
            view_options: &self.looks,
            frame_stats: &self.costs,
            export: self.making.as_ref(),
            gizmo: GizmoContext { enabled: self.with_rings, drag: self.turning.as_ref().map(|turning| &turning.drag) },
            shadow_catcher: self.request.light.shadow_catcher,
            notifications: &self.news,
            issues: self.problems.as_deref(),
            drag_hover: self.hovered,
            can_drop: !is_wayland(event_loop),
        };
        let mut actions = Vec::new();
        let size = screen.gl_window.size();
        screen.place = screen.desk.run(screen.gl_window.window(), size, &ctx, &mut actions);
        let now = Instant::now();
        self.desk_due = screen.desk.repaint_after.map(|delay| now + delay);
        let widths = (screen.desk.state.outliner_width, screen.desk.state.side_width);
        let panels = &mut self.settings.panels;
        panels.tree_width = widths.0.unwrap_or(panels.tree_width);
        panels.side_width = widths.1.unwrap_or(panels.side_width);
        for action in actions {
            self.act(event_loop, action);
        }
    }

    /// Shows a new window as soon as there is something to see; when to look again.
    pub(crate) fn show_window(
        &mut self,
        event_loop: &ActiveEventLoop,
        now: Instant,
    ) -> Result<Option<Instant>, AppError> {
        let due = self.screen.as_ref().and_then(Screen::shows_itself_at);
        let (true, Some(_)) = (self.shown.is_some() || due.is_some_and(|due| due <= now), due) else {
            return Ok(due);
        };
        let vertices = self.shown.as_ref().map_or(0, |shown| shown.vertices());
        if vertices > MANY_VERTICES {
            // A slow driver may take half a minute: the window need not hide so long.
            self.tell(Kind::Done, waiting_words(vertices));
            let waiting = self.shown.take();
            let aspect = |view: &Self| view.screen.as_ref().map_or(1.0, Screen::aspect);
            let aspect_before = aspect(self);
            self.draw(event_loop)?;
            self.shown = waiting;
            let aspect = aspect(self);
            if let Some(shown) = &mut self.shown {
                shown.reshape(aspect_before, aspect);
                // Whatever was on the target before is gone.
                shown.forget_picture();
            }
        } else {
            self.draw(event_loop)?;
        }
        if let Some(screen) = &mut self.screen {
            screen.show();
        }
        self.clock.refresh();
        Ok(None)
    }
}

fn waiting_words(vertices: u64) -> String {
    format!("Drawing {:.1} million vertices...", vertices as f64 * 1e-6)
}
