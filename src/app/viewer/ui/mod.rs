//! The panels around the model, drawn with egui over the picture.
//!
//! Panels read what is shown and say what is to be done as [`Action`]s; nothing is changed from here but the desk's own
//! state: what is typed, open, scrolled.

mod clips;
mod command_palette;
mod compare;
mod crowd;
mod export;
mod fonts;
mod icons;
mod input_batches;
mod joint_marker;
mod menu_bar;
mod notifications;
mod outliner;
mod problems;
mod properties;
mod rotate_gizmo_overlay;
mod shortcuts;
mod theme;
mod timeline;
mod view_options_panel;
mod widgets;

use crate::app::AppError;
use crate::app::viewer::actions::Action;
use crate::app::viewer::analysis::outline::OutlineState;
use crate::app::viewer::analysis::rotate_gizmo::Drag;
use crate::app::viewer::app::Asked;
use crate::app::viewer::jobs::exporter::Making;
use crate::app::viewer::state::comparison::Beside;
use crate::app::viewer::state::document::Shown;
use crate::app::viewer::state::file_list::Files;
use crate::app::viewer::state::frame_stats::Costs;
use crate::app::viewer::state::notifications::Notifications;
use crate::app::viewer::state::settings::Settings;
use crate::app::viewer::state::view_options::Looks;
use crate::app::viewer::state::{Selection, Tab};
use crate::check::Issue;
use crate::gpu::GpuError;
use crate::platform::PlatformError;
use crate::platform::window::GlWindowContext;
use egui::{ClippedPrimitive, Context, Order, Panel, Rect, TexturesDelta, ViewportId};
use egui_glow::Painter;
use std::path::Path;
use std::time::Duration;
use winit::event::WindowEvent;
use winit::window::Window;

/// Pointer presses this near to a panel belong to its edge, in points.
const EDGE: f32 = 5.0;

/// What the panels tell of.
pub(crate) struct UiContext<'a> {
    pub(crate) shown: Option<&'a Shown>,
    /// The file that is being read.
    pub(crate) loading: Option<&'a Path>,
    /// How many of its images are decoded, and how many are to be.
    pub(crate) images: (usize, usize),
    pub(crate) files: &'a Files,
    /// The file that the one on screen is compared with.
    pub(crate) beside: Option<&'a Beside>,
    pub(crate) settings: &'a Settings,
    pub(crate) looks: &'a Looks,
    pub(crate) costs: &'a Costs,
    /// What is being made beside the window.
    pub(crate) making: Option<&'a Making>,
    /// Whether rings are shown around the selected joint, and the one in the hand.
    pub(crate) rings: (bool, Option<&'a Drag>),
    /// Whether models stand on ground.
    pub(crate) on_ground: bool,
    /// How long going over to another clip is to take.
    pub(crate) fade_secs: &'a std::cell::Cell<f64>,
    pub(crate) news: &'a Notifications,
    /// What is odd about the file on screen; `None` while it is being looked for.
    pub(crate) problems: Option<&'a [Issue]>,
    /// Whether a file is held over the window.
    pub(crate) hovered: bool,
    /// Whether files can be dropped on windows here.
    pub(crate) can_drop: bool,
}

/// What lies over everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Overlay {
    /// Nothing.
    #[default]
    None,
    /// The command palette.
    Palette,
    /// The list of keys.
    Keys,
    /// Pictures, sheets and films to be made.
    TakeAway,
}

/// What is typed, open and scrolled.
#[derive(Default)]
pub(crate) struct GuiState {
    pub(crate) overlay: Overlay,
    palette: command_palette::PaletteState,
    export: export::ExportState,
    pub(crate) outline: OutlineState,
    /// What the tree has scrolled to last.
    revealed: Option<Selection>,
    timeline: timeline::TimelineState,
    /// A background's color that is being typed.
    color: Option<String>,
    /// Widths that the panels have been given.
    pub(crate) tree_width: Option<f32>,
    pub(crate) side_width: Option<f32>,
}

/// The panels with what paints them. It is let go before the window's context.
pub(crate) struct Gui {
    context: Context,
    winit: egui_winit::State,
    painter: Painter,
    pub(crate) state: GuiState,
    /// The part of the window that the panels leave, in points.
    free: Rect,
    /// Whether there was nothing to lay out last.
    bare: bool,
    /// What was laid out last.
    primitives: Vec<ClippedPrimitive>,
    textures: TexturesDelta,
    /// When it wants to be laid out again.
    pub(crate) again_after: Option<Duration>,
}

impl Gui {
    /// The desk of a window.
    pub(crate) fn new(gl_window: &GlWindowContext) -> Result<Self, AppError> {
        let context = Context::default();
        theme::apply(&context);
        fonts::install(&context);
        // A crash of one panel's layout must not be told in red boxes to a person.
        context.options_mut(|options| {
            options.zoom_with_keyboard = false;
            options.warn_on_id_clash = cfg!(debug_assertions);
        });
        let limit = gl_window.gpu().limits().texture_size as usize;
        let window = gl_window.window();
        let winit =
            egui_winit::State::new(context.clone(), ViewportId::ROOT, window, None, window.theme(), Some(limit));
        let painter = Painter::new(gl_window.gpu().shared_functions(), "", None, false)
            .map_err(|error| GpuError::Create { object: "painter of panels", reason: error.to_string() })
            .map_err(PlatformError::from)?;
        Ok(Self {
            context,
            winit,
            painter,
            state: GuiState::default(),
            free: Rect::EVERYTHING,
            bare: true,
            primitives: Vec::new(),
            textures: TexturesDelta::default(),
            again_after: None,
        })
    }

    /// Hears of an event; whether the panels look different by it.
    pub(crate) fn hear(&mut self, window: &Window, event: &WindowEvent) -> bool {
        match event {
            // Keys are the viewer's, but for those that a person types into a field.
            WindowEvent::KeyboardInput { event, .. } if event.state.is_pressed() && !self.wants_keys() => false,
            // Files are the viewer's, and so is the size.
            WindowEvent::DroppedFile(_) | WindowEvent::HoveredFile(_) | WindowEvent::HoveredFileCancelled => false,
            event => {
                let changes = self.winit.on_window_event(window, event).repaint;
                if self.bare {
                    // Nobody looks at them until there are panels again.
                    self.winit.egui_input_mut().events.clear();
                }
                changes && !self.bare
            }
        }
    }

    /// Whether keys are typed into a field.
    pub(crate) fn wants_keys(&self) -> bool {
        self.context.text_edit_focused() || self.wants_keys_by_overlay()
    }

    fn wants_keys_by_overlay(&self) -> bool {
        self.state.overlay == Overlay::Palette
    }

    /// Whether something other than a panel is open that Escape closes.
    fn has_popup(&self) -> bool {
        egui::Popup::is_any_open(&self.context)
    }

    /// Closes what lies over the model; whether there was such a thing.
    pub(crate) fn close_overlay(&mut self) -> bool {
        if self.has_popup() {
            egui::Popup::close_all(&self.context);
            return true;
        }
        std::mem::take(&mut self.state.overlay) != Overlay::None
    }

    /// Opens an overlay, or closes it where it is open.
    pub(crate) fn toggle(&mut self, overlay: Overlay) {
        self.state.overlay = if self.state.overlay == overlay { Overlay::None } else { overlay };
        self.state.palette = command_palette::PaletteState::default();
    }

    /// Opens the palette with the path of a folder typed, to find a file for something.
    pub(crate) fn ask_for_path(&mut self, asked: Asked, folder: &Path) {
        self.state.overlay = Overlay::Palette;
        self.state.palette = command_palette::PaletteState::of_folder(asked, folder);
    }

    /// Whether a pointer at a place of the window, in pixels, is over the model.
    pub(crate) fn is_over_model(&self, [x, y]: [f64; 2]) -> bool {
        if self.free == Rect::EVERYTHING {
            return true;
        }
        let scale = f64::from(self.context.pixels_per_point());
        let place = egui::pos2((x / scale) as f32, (y / scale) as f32);
        let screen = self.context.viewport_rect();
        // Where the window itself ends, there is no panel's edge.
        let mut free = self.free;
        for (side, outer, inward) in [
            (&mut free.min.x, screen.min.x, EDGE),
            (&mut free.max.x, screen.max.x, -EDGE),
            (&mut free.min.y, screen.min.y, 0.0),
            (&mut free.max.y, screen.max.y, 0.0),
        ] {
            if (*side - outer).abs() > 0.5 {
                *side += inward;
            }
        }
        free.contains(place)
            && self.context.layer_id_at(place).is_none_or(|layer| layer.order == Order::Background)
            && !self.context.egui_is_using_pointer()
    }

    /// Whether there was nothing to lay out last.
    pub(crate) fn is_bare(&self) -> bool {
        self.bare
    }

    /// Whether there is anything to lay out.
    fn has_nothing(&self, facts: &UiContext<'_>) -> bool {
        facts.settings.panels.hidden
            && self.state.overlay == Overlay::None
            && facts.making.is_none()
            && facts.news.lines().is_empty()
            && !facts.hovered
    }

    /// Lays the panels out; the part of the window that they leave, `[left, top, width, height]` in pixels.
    ///
    /// What a person asks for by them is added to `actions`.
    pub(crate) fn lay_out(
        &mut self,
        window: &Window,
        size: [u32; 2],
        facts: &UiContext<'_>,
        actions: &mut Vec<Action>,
    ) -> [u32; 4] {
        self.bare = self.has_nothing(facts);
        if self.bare {
            self.primitives.clear();
            self.again_after = None;
            self.free = Rect::EVERYTHING;
            return [0, 0, size[0], size[1]];
        }
        theme::follow(&self.context, facts.settings.theme);
        let mut input = self.winit.take_egui_input(window);
        let scale = self.context.pixels_per_point();
        let points = egui::vec2(size[0] as f32, size[1] as f32) / scale.max(0.1);
        input.screen_rect = Some(Rect::from_min_size(egui::Pos2::ZERO, points));
        let had_keys = self.wants_keys_by_overlay();
        let state = &mut self.state;
        let mut free = Rect::EVERYTHING;
        let mut turns = input_batches::in_turns(input).into_iter();
        let mut take = |turn| self.context.run_ui(turn, |ui| free = lay_out(ui, state, facts, actions));
        let mut output = take(turns.next().unwrap_or_default());
        for turn in turns {
            self.winit.handle_platform_output(window, output.platform_output);
            self.textures.append(output.textures_delta);
            output = take(turn);
        }
        self.free = free;
        if !self.wants_keys_by_overlay() && had_keys {
            // The field of a palette that is gone must not go on listening.
            self.context.memory_mut(|memory| memory.stop_text_input());
        }
        // A handled Tab, click or slider must not keep the keyboard from the viewer.
        if !self.context.text_edit_focused() {
            self.context.memory_mut(|memory| {
                if let Some(focused) = memory.focused() {
                    memory.surrender_focus(focused);
                }
            });
        }
        self.winit.handle_platform_output(window, output.platform_output);
        self.textures.append(output.textures_delta);
        self.primitives = self.context.tessellate(output.shapes, output.pixels_per_point);
        self.again_after = output
            .viewport_output
            .get(&ViewportId::ROOT)
            .map(|viewport| viewport.repaint_delay)
            .filter(|delay| *delay < Duration::from_secs(3600));
        in_pixels(free, output.pixels_per_point, size)
    }

    /// Paints what was laid out last over a window of this size.
    pub(crate) fn paint(&mut self, size: [u32; 2]) {
        if self.primitives.is_empty() && self.textures.is_empty() {
            return;
        }
        let scale = self.context.pixels_per_point();
        self.painter.paint_and_update_textures(size, scale, &self.primitives, &mut self.textures);
    }

    /// Puts words on the clipboard.
    pub(crate) fn copy(&mut self, text: String) {
        self.winit.set_clipboard_text(text);
    }

    /// Puts a picture on the clipboard.
    pub(crate) fn copy_picture(&self, size: [usize; 2], rgba: &[u8]) {
        self.context.copy_image(egui::ColorImage::from_rgba_unmultiplied(size, rgba));
    }
}

impl Drop for Gui {
    fn drop(&mut self) {
        self.painter.destroy();
    }
}

/// Whole pixels that lie in `free`, at least one.
fn in_pixels(free: Rect, scale: f32, size: [u32; 2]) -> [u32; 4] {
    let side = |least: f32, most: f32, size: u32| {
        let most = ((most * scale).round().max(0.0) as u32).clamp(1, size.max(1));
        let least = ((least * scale).round().max(0.0) as u32).min(most - 1);
        (least, most - least)
    };
    let (left, width) = side(free.min.x, free.max.x, size[0]);
    let (top, height) = side(free.min.y, free.max.y, size[1]);
    [left, top, width, height]
}

/// All panels; the space that they leave.
fn lay_out(ui: &mut egui::Ui, state: &mut GuiState, facts: &UiContext<'_>, actions: &mut Vec<Action>) -> Rect {
    let panels = &facts.settings.panels;
    if !panels.hidden {
        Panel::top("bar").frame(theme::bar_frame(ui)).show(ui, |ui| menu_bar::show(ui, facts, actions));
        if panels.timeline {
            Panel::bottom("timeline")
                .frame(theme::bar_frame(ui))
                .show(ui, |ui| timeline::show(ui, &mut state.timeline, facts, actions));
        }
        let most = ui.available_width() * 0.4;
        if panels.tree && most > 60.0 {
            let panel = Panel::left("tree")
                .frame(theme::panel_frame(ui))
                .default_size(panels.tree_width)
                .size_range(60.0..=most.max(120.0));
            let response =
                panel.show(ui, |ui| outliner::show(ui, &mut state.outline, &mut state.revealed, facts, actions));
            state.tree_width = Some(response.response.rect.width());
        }
        if panels.side && most > 60.0 {
            let panel = Panel::right("side")
                .frame(theme::panel_frame(ui))
                .default_size(panels.side_width)
                .size_range(60.0..=most.max(120.0));
            let response = panel.show(ui, |ui| {
                menu_bar::tabs(ui, facts, actions);
                // Each is scrolled for itself.
                ui.push_id(panels.tab as u8, |ui| match panels.tab {
                    Tab::Clips => clips::show(ui, facts, actions),
                    Tab::Details => properties::show(ui, facts, actions),
                    Tab::Crowd => crowd::show(ui, facts, actions),
                    Tab::DebugView => view_options_panel::show(ui, &mut state.color, facts, actions),
                    Tab::Problems => problems::show(ui, facts, actions),
                    Tab::Compare => compare::show(ui, facts, actions),
                });
            });
            state.side_width = Some(response.response.rect.width());
        }
    }
    let free = ui.available_rect_before_wrap();
    if !panels.hidden {
        joint_marker::show(ui, free, facts);
        rotate_gizmo_overlay::show(ui, free, facts);
        compare::show_line(ui, free, facts, actions);
    }
    notifications::show(ui, free, facts, actions);
    export::show_progress(ui, free, facts, actions);
    match state.overlay {
        Overlay::None => {}
        Overlay::Palette => {
            if command_palette::show(ui, &mut state.palette, facts, actions) {
                state.overlay = Overlay::None;
            }
        }
        Overlay::TakeAway => {
            if export::show(ui, &mut state.export, facts, actions) {
                state.overlay = Overlay::None;
            }
        }
        Overlay::Keys => {
            if shortcuts::show(ui, facts.settings.navigation) {
                state.overlay = Overlay::None;
            }
        }
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_free_part_is_whole_pixels_inside_the_window() {
        let free = Rect::from_min_max(egui::pos2(100.4, 20.0), egui::pos2(400.2, 220.0));
        assert_eq!(in_pixels(free, 1.0, [500, 300]), [100, 20, 300, 200]);
        assert_eq!(in_pixels(free, 2.0, [1000, 600]), [201, 40, 599, 400]);
        let none = Rect::from_min_max(egui::pos2(50.0, 50.0), egui::pos2(40.0, -3.0));
        let [left, top, width, height] = in_pixels(none, 1.0, [60, 40]);
        assert!(width >= 1 && height >= 1 && left + width <= 60 && top + height <= 40);
    }

    /// Lays everything out without a window or a file; the space that is left, and what was asked for.
    fn laid_out(
        size: [f32; 2],
        settings: &Settings,
        overlay: Overlay,
        events: Vec<egui::Event>,
    ) -> (Rect, Vec<Action>) {
        let context = Context::default();
        theme::apply(&context);
        let mut state = GuiState { overlay, ..GuiState::default() };
        let (mut news, files, looks) = (Notifications::default(), Files::default(), Looks::default());
        let (costs, fade_secs) = (Costs::default(), std::cell::Cell::new(0.3));
        news.tell(
            crate::app::viewer::state::notifications::Kind::Trouble,
            "a file that is broken".to_owned(),
            std::time::Instant::now(),
        );
        let facts = UiContext {
            shown: None,
            loading: None,
            images: (0, 0),
            files: &files,
            beside: None,
            settings,
            looks: &looks,
            costs: &costs,
            making: None,
            rings: (false, None),
            on_ground: false,
            fade_secs: &fade_secs,
            news: &news,
            problems: None,
            hovered: false,
            can_drop: true,
        };
        let (mut free, mut actions) = (Rect::NOTHING, Vec::new());
        // Sizes settle first; then a hand needs a layout for each of its movements.
        let first = [Vec::new(), Vec::new()];
        for events in first.into_iter().chain(events.into_iter().map(|event| vec![event])) {
            let screen_rect = Some(Rect::from_min_size(egui::Pos2::ZERO, size.into()));
            let input = egui::RawInput { screen_rect, events, ..egui::RawInput::default() };
            let output = context.run_ui(input, |ui| free = lay_out(ui, &mut state, &facts, &mut actions));
            output.drop_without_applying_deltas();
        }
        (free, actions)
    }

    #[test]
    fn every_panel_lays_out_in_windows_of_any_size() {
        for size in [[1.0, 1.0], [60.0, 600.0], [400.0, 300.0], [1280.0, 800.0], [5000.0, 200.0]] {
            for tab in [Tab::Clips, Tab::DebugView, Tab::Details, Tab::Crowd, Tab::Problems, Tab::Compare] {
                let mut settings = Settings::default();
                settings.panels.show_tab(tab);
                for overlay in [Overlay::None, Overlay::Palette, Overlay::Keys, Overlay::TakeAway] {
                    let (free, actions) = laid_out(size, &settings, overlay, Vec::new());
                    assert!(free.max.x <= size[0] + 1.0 && free.min.y >= 0.0, "{size:?} {tab:?} {overlay:?}: {free:?}");
                    assert!(actions.is_empty(), "{actions:?}");
                }
            }
        }
    }

    #[test]
    fn panels_take_their_space_and_hidden_ones_none() {
        let mut settings = Settings::default();
        let (free, _) = laid_out([1280.0, 800.0], &settings, Overlay::None, Vec::new());
        assert!((600.0..900.0).contains(&free.width()) && (600.0..760.0).contains(&free.height()), "{free:?}");
        settings.panels.hidden = true;
        let (free, _) = laid_out([1280.0, 800.0], &settings, Overlay::None, Vec::new());
        assert_eq!(free.size(), egui::vec2(1280.0, 800.0));
    }

    #[test]
    fn a_press_on_a_button_asks_for_its_action() {
        let size = [1280.0, 800.0];
        let (free, _) = laid_out(size, &Settings::default(), Overlay::None, Vec::new());
        // Somewhere in the rows below the model.
        let places =
            (free.max.y as i32..size[1] as i32).step_by(6).flat_map(|y| (0..640).step_by(6).map(move |x| (x, y)));
        let plays = |(x, y): (i32, i32)| {
            let pos = egui::pos2(x as f32, y as f32);
            let button = |pressed| egui::Event::PointerButton {
                pos,
                button: egui::PointerButton::Primary,
                pressed,
                modifiers: egui::Modifiers::NONE,
            };
            let events = vec![egui::Event::PointerMoved(pos), button(true), button(false)];
            let (_, actions) = laid_out(size, &Settings::default(), Overlay::None, events);
            matches!(actions[..], [Action::TogglePlay])
        };
        let heard = places.filter(|place| plays(*place)).count();
        assert!((4..100).contains(&heard), "{heard}");
    }
}
