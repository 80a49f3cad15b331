//! egui in the window: input events, layout, painting and the clipboard.

use super::context::UiContext;
use super::layout::{self, GuiState};
use super::thumbnails::Thumbnails;
use super::{fonts, input_batches, theme};
use crate::app::AppError;
use crate::app::viewer::jobs::event::UserEvent;
use crate::app::viewer::state::Dialog;
use egui::{ClippedPrimitive, Context, FontProvider, Order, Rect, TexturesDelta, ViewportId};
use egui_glow::Painter;
#[cfg(feature = "accessibility")]
use egui_winit::accesskit_winit;
use rigview_render::gpu::{Gpu, GpuError};
use rigview_render::platform::PlatformError;
use rigview_render::platform::window::GlWindowContext;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, EventLoopProxy};
use winit::window::Window;

/// Pointer presses this near to a panel belong to its resize handle, in points.
const RESIZE_MARGIN: f32 = 5.0;

/// The egui context with its painter. Must be dropped before the window's GL context.
pub(crate) struct Gui {
    pub(crate) context: Context,
    pub(crate) winit: egui_winit::State,
    /// The context of the painter.
    gpu: Rc<Gpu>,
    painter: Painter,
    system_fonts: Arc<dyn FontProvider>,
    pub(crate) state: GuiState,
    /// The part of the window that no panel covers, in points.
    viewport: Rect,
    /// The last layout had nothing to draw.
    pub(crate) empty: bool,
    primitives: Vec<ClippedPrimitive>,
    textures: TexturesDelta,
    /// Keys go to the panels, not to the viewer's shortcuts.
    keyboard_in_panels: bool,
    /// Delay after which egui requests another layout.
    pub(crate) repaint_after: Option<Duration>,
}

impl Gui {
    /// `events` receives requests of other threads and of screen readers. The window is still hidden.
    #[cfg_attr(
        not(feature = "accessibility"),
        expect(unused_variables, reason = "only AccessKit needs the event loop")
    )]
    pub(crate) fn new(
        event_loop: &ActiveEventLoop,
        gl_window: &GlWindowContext,
        events: EventLoopProxy<UserEvent>,
    ) -> Result<Self, AppError> {
        let context = Context::default();
        theme::apply(&context);
        context.options_mut(|options| {
            options.zoom_with_keyboard = false;
            // Users must not see egui's red boxes.
            options.warn_on_id_clash = cfg!(debug_assertions);
        });
        let limit = gl_window.gpu().limits().texture_size as usize;
        let window = gl_window.window();
        #[cfg_attr(not(feature = "accessibility"), expect(unused_mut, reason = "only AccessKit changes it"))]
        let mut winit =
            egui_winit::State::new(context.clone(), ViewportId::ROOT, window, None, window.theme(), Some(limit));
        #[cfg(feature = "accessibility")]
        winit.init_accesskit(event_loop, window, events.clone());
        let wake = move || _ = events.send_event(UserEvent::Repaint);
        let system_fonts = fonts::install(&context, wake.clone());
        let thumbnails = Thumbnails::new(&context, wake);
        Ok(Self {
            context,
            winit,
            gpu: Rc::clone(gl_window.gpu()),
            painter: new_painter(gl_window)?,
            system_fonts,
            state: GuiState::new(thumbnails),
            viewport: Rect::EVERYTHING,
            empty: true,
            primitives: Vec::new(),
            textures: TexturesDelta::default(),
            keyboard_in_panels: false,
            repaint_after: None,
        })
    }

    /// Draws with another context after the former one was lost, with all textures.
    pub(crate) fn replace_context(&mut self, gl_window: &GlWindowContext) -> Result<(), AppError> {
        self.painter = new_painter(gl_window)?;
        self.gpu = Rc::clone(gl_window.gpu());
        self.primitives.clear();
        self.textures = TexturesDelta::default();
        // Draws all glyphs again.
        self.context.set_font_providers(vec![Arc::clone(&self.system_fonts)]);
        self.state.textures.free();
        self.state.thumbnails.forget(None);
        Ok(())
    }

    /// Passes an event to egui. Returns `true` if the panels must be redrawn.
    pub(crate) fn on_window_event(&mut self, window: &Window, event: &WindowEvent) -> bool {
        match event {
            // Outside text fields, keys are shortcuts of the viewer.
            WindowEvent::KeyboardInput { event, .. } if event.state.is_pressed() && !self.keeps_focus() => false,
            // The viewer handles dropped files.
            WindowEvent::DroppedFile(_) | WindowEvent::HoveredFile(_) | WindowEvent::HoveredFileCancelled => false,
            event => {
                let repaint = self.winit.on_window_event(window, event).repaint;
                if self.empty {
                    // Without a layout, events would accumulate.
                    self.winit.egui_input_mut().events.clear();
                }
                repaint && !self.empty
            }
        }
    }

    /// Moves the keyboard focus to the first control of the panels.
    pub(crate) fn focus_panels(&mut self) {
        self.keyboard_in_panels = true;
        let (key, modifiers) = (egui::Key::Tab, egui::Modifiers::NONE);
        let tab = egui::Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers };
        self.winit.egui_input_mut().events.push(tab);
    }

    /// Handles an event of a screen reader.
    #[cfg(feature = "accessibility")]
    pub(crate) fn on_accessibility_event(&mut self, event: accesskit_winit::WindowEvent) {
        match event {
            accesskit_winit::WindowEvent::InitialTreeRequested => self.context.enable_accesskit(),
            accesskit_winit::WindowEvent::ActionRequested(request) => {
                self.keyboard_in_panels = true;
                self.winit.on_accesskit_action_request(request);
            }
            accesskit_winit::WindowEvent::AccessibilityDeactivated => self.context.disable_accesskit(),
        }
    }

    /// Returns `true` while a text field or a control of the panels has the keyboard focus.
    pub(crate) fn uses_keyboard(&self) -> bool {
        self.keyboard_in_panels || self.context.text_edit_focused() || self.state.dialog == Some(Dialog::CommandPalette)
    }

    /// Returns `true` if the focused control gets keys. A clicked button or slider of the panels must not keep them from the viewer.
    fn keeps_focus(&self) -> bool {
        let has_focus = || self.context.memory(|memory| memory.focused().is_some());
        self.uses_keyboard() || (self.state.dialog.is_some() && has_focus())
    }

    /// Closes the open menu, or else the open dialog. Returns `false` if there was neither.
    pub(crate) fn close_dialog(&mut self) -> bool {
        if egui::Popup::is_any_open(&self.context) {
            egui::Popup::close_all(&self.context);
            return true;
        }
        self.state.dialog.take().is_some()
    }

    /// Returns `true` if a position in the window, in pixels, is over the model and not over a panel or overlay.
    pub(crate) fn is_over_viewport(&self, [x, y]: [f64; 2]) -> bool {
        if self.viewport == Rect::EVERYTHING {
            return true;
        }
        let scale = f64::from(self.context.pixels_per_point());
        let position = egui::pos2((x / scale) as f32, (y / scale) as f32);
        let screen = self.context.viewport_rect();
        // An edge of the window has no resize handle.
        let mut inner = self.viewport;
        for (edge, window_edge, inset) in
            [(&mut inner.min.x, screen.min.x, RESIZE_MARGIN), (&mut inner.max.x, screen.max.x, -RESIZE_MARGIN)]
        {
            if (*edge - window_edge).abs() > 0.5 {
                *edge += inset;
            }
        }
        if screen.max.y - inner.max.y > 0.5 {
            inner.max.y -= RESIZE_MARGIN;
        }
        inner.contains(position)
            && self.context.layer_id_at(position).is_none_or(|layer| layer.order == Order::Background)
            && !self.context.egui_is_using_pointer()
    }

    /// Lays out all panels.
    ///
    /// Returns the viewport: the part of the window that no panel covers, `[left, top, width, height]` in pixels.
    pub(crate) fn run(&mut self, window: &Window, size: [u32; 2], ctx: &UiContext<'_>) -> [u32; 4] {
        self.empty = self.state.is_empty(ctx);
        if self.empty {
            self.primitives.clear();
            self.repaint_after = None;
            self.viewport = Rect::EVERYTHING;
            return [0, 0, size[0], size[1]];
        }
        theme::follow(&self.context, ctx.settings.theme);
        self.context.set_zoom_factor(ctx.settings.ui_scale as f32);
        let mut input = self.winit.take_egui_input(window);
        let scale = self.context.pixels_per_point();
        let points = egui::vec2(size[0] as f32, size[1] as f32) / scale.max(0.1);
        input.screen_rect = Some(Rect::from_min_size(egui::Pos2::ZERO, points));
        let palette_was_open = self.state.dialog == Some(Dialog::CommandPalette);
        let mut batches = input_batches::split(input).into_iter();
        let mut run_batch =
            |batch| self.context.run_ui(batch, |ui| self.viewport = layout::run(ui, &mut self.state, ctx));
        let mut output = run_batch(batches.next().unwrap_or_default());
        for batch in batches {
            self.winit.handle_platform_output(window, output.platform_output);
            self.textures.append(output.textures_delta);
            output = run_batch(batch);
        }
        if palette_was_open && self.state.dialog != Some(Dialog::CommandPalette) {
            // The closed palette's field would keep the text focus.
            self.context.memory_mut(|memory| memory.stop_text_input());
        }
        self.keyboard_in_panels &= self.context.memory(|memory| memory.focused().is_some());
        if !self.keeps_focus() {
            self.context.memory_mut(|memory| {
                if let Some(focused) = memory.focused() {
                    memory.surrender_focus(focused);
                }
            });
        }
        self.winit.handle_platform_output(window, output.platform_output);
        self.textures.append(output.textures_delta);
        self.primitives = self.context.tessellate(output.shapes, output.pixels_per_point);
        self.repaint_after = output
            .viewport_output
            .get(&ViewportId::ROOT)
            .map(|viewport| viewport.repaint_delay)
            .filter(|delay| *delay < Duration::from_secs(3600));
        pixel_rect(self.viewport, output.pixels_per_point, size)
    }

    /// Paints the last layout over a window of `size` pixels.
    pub(crate) fn paint(&mut self, size: [u32; 2]) {
        if self.primitives.is_empty() && self.textures.is_empty() {
            return;
        }
        let scale = self.context.pixels_per_point();
        self.painter.paint_and_update_textures(size, scale, &self.primitives, &mut self.textures);
    }
}

impl Drop for Gui {
    fn drop(&mut self) {
        if !self.gpu.is_lost() {
            self.painter.destroy();
        }
    }
}

fn new_painter(gl_window: &GlWindowContext) -> Result<Painter, AppError> {
    Ok(Painter::new(gl_window.gpu().shared_functions(), "", None, false)
        .map_err(|error| GpuError::Create { object: "painter of panels", reason: error.to_string() })
        .map_err(PlatformError::from)?)
}

/// Rounds `rect` to whole pixels inside a window of `size`: `[left, top, width, height]`, at least one pixel.
fn pixel_rect(rect: Rect, scale: f32, size: [u32; 2]) -> [u32; 4] {
    let span = |min: f32, max: f32, size: u32| {
        let max = ((max * scale).round().max(0.0) as u32).clamp(1, size.max(1));
        let min = ((min * scale).round().max(0.0) as u32).min(max - 1);
        (min, max - min)
    };
    let (left, width) = span(rect.min.x, rect.max.x, size[0]);
    let (top, height) = span(rect.min.y, rect.max.y, size[1]);
    [left, top, width, height]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixel_rect_lies_inside_the_window() {
        let rect = Rect::from_min_max(egui::pos2(100.4, 20.0), egui::pos2(400.2, 220.0));
        assert_eq!(pixel_rect(rect, 1.0, [500, 300]), [100, 20, 300, 200]);
        assert_eq!(pixel_rect(rect, 2.0, [1000, 600]), [201, 40, 599, 400]);
        let inverted = Rect::from_min_max(egui::pos2(50.0, 50.0), egui::pos2(40.0, -3.0));
        let [left, top, width, height] = pixel_rect(inverted, 1.0, [60, 40]);
        assert!(width >= 1 && height >= 1 && left + width <= 60 && top + height <= 40);
    }
}
