//! One picture: time passes, panels are laid out, the model is drawn, all of it is shown.

use super::event_loop::is_wayland;
use super::ui::{GizmoContext, UiContext};
use crate::app::AppError;
use crate::app::cpu_time::Clock;
use crate::app::viewer::app::App;
use crate::app::viewer::state::document::Document;
use crate::app::viewer::state::frame_stats::FrameTimings;
use crate::app::viewer::state::notifications::Severity;
use crate::app::viewer::window::surface::WindowSurface;
use std::time::{Duration, Instant};
use winit::event_loop::ActiveEventLoop;

/// A first picture of more vertices than this may keep a person waiting.
const MANY_VERTICES: u64 = 2_000_000;

/// Playing stops by itself when a picture takes longer than this: nothing else would be heard of.
const MAX_FRAME_TIME: Duration = Duration::from_secs(3);

impl App {
    /// Draws and shows one picture.
    pub(crate) fn draw(&mut self, event_loop: &ActiveEventLoop) -> Result<(), AppError> {
        let Some(surface) = &mut self.surface else { return Ok(()) };
        // A crowd may take seconds to draw again; until then the window need not be black.
        surface.present_pending()?;
        let begun = Instant::now();
        let elapsed_secs = self.pacer.begin(begun);
        if let Some(document) = &mut self.document {
            document.advance(elapsed_secs);
        }
        if !self.is_hidden() {
            self.tell_of_waiting(event_loop)?;
        }
        let laying_out = Clock::start();
        self.lay_out(event_loop);
        let panels = laying_out.elapsed(Clock::Cpu);
        let Some(surface) = &mut self.surface else { return Ok(()) };
        let backdrop = self.settings.backdrop;
        let aspect_before = surface.fit_target()?;
        let mut cost = FrameTimings::default();
        match &mut self.document {
            Some(document) => {
                if let Some(aspect_before) = aspect_before {
                    document.reshape(aspect_before, surface.aspect());
                    document.forget_picture();
                }
                document.look = self.view_options.args(document.scene.model(), document.joint());
                cost = document.draw(backdrop, &self.light, &mut surface.renderer, &mut surface.target)?;
                if let Some(comparison) = &mut self.comparison {
                    comparison.draw(document, (backdrop, &self.light), surface, begun)?;
                }
            }
            None => surface.draw_empty(backdrop.background())?,
        }
        let presenting = Instant::now();
        let paint = surface.present()?;
        let now = Instant::now();
        if self.document.as_ref().is_some_and(Document::is_moving) {
            let present = (now - presenting).saturating_sub(paint);
            self.frame_stats.note(FrameTimings { panels, paint, present, ..cost }, surface.gui.is_empty(), now);
        }
        if now - begun > MAX_FRAME_TIME
            && let Some(document) = self.document.as_mut().filter(|document| document.is_moving())
        {
            document.playback.playing = false;
            let words =
                format!("Paused, because a frame takes {:.0} s. Press Space to play.", (now - begun).as_secs_f64());
            self.notifications.push(Severity::Info, words, now);
            self.pacer.refresh();
        }
        self.pacer.end(begun, Instant::now(), surface.gl_window.refresh_interval());
        Ok(())
    }

    /// Whether the window is still hidden: the first picture is [`reveal_window`](Self::show_window)'s to draw, which does not let
    /// a person wait for it without a window.
    pub(crate) fn is_hidden(&self) -> bool {
        self.surface.as_ref().is_some_and(|surface| surface.reveal_deadline().is_some())
    }

    /// Tells, before the first picture of a model that may take long to draw, that it is being drawn.
    fn tell_of_waiting(&mut self, event_loop: &ActiveEventLoop) -> Result<(), AppError> {
        let vertices = self.document.as_ref().map_or(0, Document::vertices_to_come);
        if vertices <= MANY_VERTICES {
            return Ok(());
        }
        self.notifications.push(Severity::Info, waiting_words(vertices), Instant::now());
        self.lay_out(event_loop);
        match &mut self.surface {
            Some(surface) => surface.present().map(|_| ()),
            None => Ok(()),
        }
    }

    /// Lays the panels out, and does what a person asks for by them.
    pub(crate) fn lay_out(&mut self, event_loop: &ActiveEventLoop) {
        let Some(surface) = &mut self.surface else { return };
        let ctx = UiContext {
            document: self.document.as_ref(),
            loading: self.loader.file(),
            images: self.loader.images(),
            files: &self.files,
            comparison: self.comparison.as_ref(),
            settings: &self.settings,
            view_options: &self.view_options,
            frame_stats: &self.frame_stats,
            export: self.export_job.as_ref(),
            gizmo: GizmoContext {
                enabled: self.gizmo_enabled,
                drag: self.gizmo_drag.as_ref().map(|gizmo_drag| &gizmo_drag.drag),
            },
            shadow_catcher: self.request.light.shadow_catcher,
            notifications: &self.notifications,
            issues: self.problems.as_deref(),
            drag_hover: self.drag_hover,
            can_drop: !is_wayland(event_loop),
        };
        let mut actions = Vec::new();
        let size = surface.gl_window.size();
        surface.place = surface.gui.run(surface.gl_window.window(), size, &ctx, &mut actions);
        let now = Instant::now();
        self.ui_repaint_at = surface.gui.repaint_after.map(|delay| now + delay);
        let widths = (surface.gui.state.outliner_width, surface.gui.state.side_width);
        let panels = &mut self.settings.panels;
        panels.tree_width = widths.0.unwrap_or(panels.tree_width);
        panels.side_width = widths.1.unwrap_or(panels.side_width);
        for action in actions {
            self.act(event_loop, action);
        }
    }

    /// Shows a new window as soon as there is something to see; when to look again.
    pub(crate) fn reveal_window(
        &mut self,
        event_loop: &ActiveEventLoop,
        now: Instant,
    ) -> Result<Option<Instant>, AppError> {
        let due = self.surface.as_ref().and_then(WindowSurface::reveal_deadline);
        let (true, Some(_)) = (self.document.is_some() || due.is_some_and(|due| due <= now), due) else {
            return Ok(due);
        };
        let vertices = self.document.as_ref().map_or(0, |document| document.vertices());
        if vertices > MANY_VERTICES {
            // A slow driver may take half a minute: the window need not hide so long.
            self.notify(Severity::Info, waiting_words(vertices));
            let waiting = self.document.take();
            let aspect = |view: &Self| view.surface.as_ref().map_or(1.0, WindowSurface::aspect);
            let aspect_before = aspect(self);
            self.draw(event_loop)?;
            self.document = waiting;
            let aspect = aspect(self);
            if let Some(document) = &mut self.document {
                document.reshape(aspect_before, aspect);
                // Whatever was on the target before is gone.
                document.forget_picture();
            }
        } else {
            self.draw(event_loop)?;
        }
        if let Some(surface) = &mut self.surface {
            surface.show();
        }
        self.pacer.refresh();
        Ok(None)
    }
}

fn waiting_words(vertices: u64) -> String {
    format!("Drawing {:.1} million vertices...", vertices as f64 * 1e-6)
}
