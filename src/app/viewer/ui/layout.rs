//! Arrangement of all panels, timeline and overlays in the window.

use super::context::UiContext;
use super::overlays::{
    chips, command_palette, comparison_divider, export_dialog, hints, joint_marker, key_light, legend, notifications,
    rotate_gizmo, shortcuts, toolbar, view_gizmo, welcome,
};
use super::panels::{
    clips, comparison, crowd, files, flex, issues, light, menu_bar, morph_weights, outliner, properties, retarget,
    tabs, textures, view_options,
};
use super::theme;
use super::thumbnails::Thumbnails;
use super::timeline::{panel as timeline, track};
use crate::app::viewer::state::{Dialog, FilePurpose, Tab};
use egui::{Frame, Panel, PanelState, Rect, Ui, UiBuilder, Vec2, vec2};
use std::path::Path;

/// Panels are hidden in windows that leave them less than this, in points.
const MIN_PANEL_WIDTH: f32 = 60.0;

/// The dope sheet shows a row at least, in points.
const MIN_TIMELINE_HEIGHT: f32 = 120.0;

/// The strip of files is hidden in windows that have less height than this without it, in points.
const MIN_VIEWPORT_HEIGHT: f32 = 300.0;

/// State of the UI itself: open dialogs, typed text, scroll positions.
#[derive(Default)]
pub(crate) struct GuiState {
    pub(crate) dialog: Option<Dialog>,
    palette: command_palette::PaletteState,
    export: export_dialog::ExportState,
    pub(crate) outliner: outliner::OutlinerState,
    timeline: track::TimelineState,
    clips: clips::ClipsState,
    issues: issues::IssuesState,
    flex: flex::FlexPanel,
    pub(crate) textures: textures::TexturesState,
    view_options: view_options::ViewOptionsState,
    files: files::FilesState,
    pub(crate) thumbnails: Thumbnails,
    /// Current widths of outliner and sidebar, in points.
    pub(crate) outliner_width: Option<f32>,
    pub(crate) sidebar_width: Option<f32>,
    /// Current height of the timeline with the dope sheet, in points.
    pub(crate) timeline_height: Option<f32>,
}

impl GuiState {
    pub(crate) fn new(thumbnails: Thumbnails) -> Self {
        Self { thumbnails, ..Self::default() }
    }

    /// Opens `dialog`, or closes it if it is open.
    pub(crate) fn toggle_dialog(&mut self, dialog: Dialog) {
        self.dialog = Some(dialog).filter(|_| self.dialog != Some(dialog));
        self.palette = command_palette::PaletteState::default();
        self.export = export_dialog::ExportState::default();
    }

    /// Opens the command palette with the path of `folder` typed.
    pub(crate) fn open_path_prompt(&mut self, purpose: FilePurpose, folder: &Path) {
        self.dialog = Some(Dialog::CommandPalette);
        self.palette = command_palette::PaletteState::with_folder(purpose, folder);
    }

    /// Returns `true` if there is nothing to lay out.
    pub(crate) fn is_empty(&self, ctx: &UiContext<'_>) -> bool {
        ctx.settings.panels.hidden
            && self.dialog.is_none()
            && ctx.export.is_none()
            && ctx.notifications.list.is_empty()
            && !ctx.drag_hover
    }
}

/// Lays out everything and returns the viewport: the rectangle that no panel covers, in points.
pub(crate) fn run(ui: &mut Ui, state: &mut GuiState, ctx: &UiContext<'_>) -> Rect {
    if !ctx.settings.panels.hidden {
        panels(ui, state, ctx);
    }
    let viewport = ui.available_rect_before_wrap();
    if !ctx.settings.panels.hidden {
        // The markers refer to the open file, in the first pane.
        let [first, second] = comparison_divider::panes(ui, viewport, ctx);
        chips::show(ui, first, ctx);
        joint_marker::show(ui, first, ctx);
        legend::show(ui, first, ctx);
        rotate_gizmo::show(ui, first, ctx);
        key_light::show(ui, first, ctx);
        comparison_divider::show(ui, viewport, ctx);
        view_gizmo::show(ui, second, ctx);
        toolbar::show(ui, second, ctx);
        hints::show(ui, second, ctx);
    }
    welcome::show(ui, viewport, &state.thumbnails, ctx);
    notifications::show(ui, viewport, ctx);
    export_dialog::show_progress(ui, viewport, ctx);
    let close = match state.dialog {
        None => false,
        Some(Dialog::CommandPalette) => command_palette::show(ui, &mut state.palette, ctx),
        Some(Dialog::Export) => export_dialog::show(ui, &mut state.export, ctx),
        Some(Dialog::Shortcuts) => shortcuts::show(ui, ctx.settings.navigation),
    };
    if close {
        state.dialog = None;
    }
    viewport
}

fn panels(ui: &mut Ui, state: &mut GuiState, ctx: &UiContext<'_>) {
    let panels = &ctx.settings.panels;
    Panel::top("menu bar").frame(theme::bar_frame(ui)).show(ui, |ui| menu_bar::show(ui, ctx));
    // A static model has nothing to play.
    let is_static = ctx.document.as_ref().is_some_and(|document| document.scene.model().clips.is_empty());
    if panels.timeline && !is_static {
        let frame = theme::bar_frame(ui);
        if panels.dope_sheet && ctx.document.is_some() {
            let max_height = (0.6 * ui.available_height()).max(MIN_TIMELINE_HEIGHT);
            let panel = Panel::bottom("dope sheet").resizable(true).default_size(panels.timeline_height);
            let panel = panel.size_range(MIN_TIMELINE_HEIGHT..=max_height).frame(frame);
            let response = panel.show(ui, |ui| timeline::show(ui, &mut state.timeline, ctx)).response;
            state.timeline_height = Some(response.rect.height());
        } else {
            let panel = Panel::bottom("timeline").frame(frame);
            panel.show(ui, |ui| timeline::show(ui, &mut state.timeline, ctx));
        }
    }
    if panels.files && ctx.files.position().is_some() && ui.available_height() > MIN_VIEWPORT_HEIGHT {
        let panel = Panel::bottom("files").frame(theme::bar_frame(ui));
        panel.show(ui, |ui| files::show(ui, &mut state.files, &state.thumbnails, ctx));
    }
    let max_width = ui.available_width() * 0.36;
    if max_width <= MIN_PANEL_WIDTH {
        return;
    }
    let widths = MIN_PANEL_WIDTH + tabs::WIDTH..=max_width.max(2.0 * MIN_PANEL_WIDTH);
    if panels.outliner {
        let max_width = (0.75 * max_width).max(2.0 * MIN_PANEL_WIDTH);
        let widths = MIN_PANEL_WIDTH..=max_width;
        forget_narrower(ui, "outliner", panels.outliner_width);
        let panel = Panel::left("outliner").default_size(panels.outliner_width).size_range(widths);
        let response = panel
            .frame(theme::bar_frame(ui).inner_margin(vec2(8.0, 6.0)))
            .show(ui, |ui| outliner::show(ui, &mut state.outliner, ctx))
            .response;
        state.outliner_width = remembered(response.rect.width(), panels.outliner_width, max_width);
    }
    if panels.sidebar {
        forget_narrower(ui, "side", panels.sidebar_width);
        let panel = Panel::right("side").default_size(panels.sidebar_width).size_range(widths);
        let response = panel
            .frame(Frame::new().fill(ui.visuals().panel_fill))
            .show(ui, |ui| {
                let rect = ui.max_rect();
                let start = rect.min.x + tabs::WIDTH;
                ui.painter().rect_filled(rect.with_max_x(start), 0.0, ui.visuals().extreme_bg_color);
                // What does not fit is cut, rather than drawn over the view.
                let part = |ui: &mut Ui, name: &str, rect: Rect, margin| {
                    let mut part = ui.new_child(UiBuilder::new().id_salt(name).max_rect(rect.shrink2(margin)));
                    part.shrink_clip_rect(rect);
                    part
                };
                tabs::show(&mut part(ui, "tabs", rect.with_max_x(start), Vec2::ZERO), ctx);
                side(&mut part(ui, "tab", rect.with_min_x(start), vec2(8.0, 6.0)), state, ctx);
                ui.advance_cursor_after_rect(rect);
            })
            .response;
        state.sidebar_width = remembered(response.rect.width(), panels.sidebar_width, max_width);
    }
}

/// Makes egui forget the width of a panel that a smaller window limited: the settings have the width that the user chose.
fn forget_narrower(ui: &Ui, panel: &str, width: f32) {
    let id = ui.scope_id().with(panel);
    if PanelState::load(ui.ctx(), id).is_some_and(|state| state.size().x + 1.0 < width) {
        ui.ctx().data_mut(|data| data.remove::<PanelState>(id));
    }
}

/// Returns the width of a panel to remember: not one that the window limits.
fn remembered(width: f32, former: f32, max: f32) -> Option<f32> {
    Some(width).filter(|width| *width + 1.0 < max || *width > former)
}

/// The shown tab of the sidebar.
fn side(ui: &mut Ui, state: &mut GuiState, ctx: &UiContext<'_>) {
    tabs::title(ui, ctx);
    let tab = ctx.settings.panels.tab;
    flex::stop_unless(tab == Tab::Flex, ctx);
    // Each tab keeps its own scroll position.
    ui.push_id(tab as u8, |ui| match tab {
        Tab::Clips => clips::show(ui, &mut state.clips, ctx),
        Tab::Properties => properties::show(ui, &mut state.textures, ctx),
        Tab::Morphs => morph_weights::show_by_node(ui, ctx),
        Tab::Crowd => crowd::show(ui, ctx),
        Tab::Shading => view_options::show(ui, &mut state.view_options, ctx),
        Tab::Light => light::show(ui, ctx),
        Tab::Problems => issues::show(ui, &mut state.issues, ctx),
        Tab::Flex => flex::show(ui, &mut state.flex, &state.thumbnails, ctx),
        Tab::Retarget => retarget::show(ui, ctx),
        Tab::Compare => comparison::show(ui, ctx),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::scene::LoadedScene;
    use crate::app::viewer::actions::tests::{document, empty_state};
    use crate::app::viewer::state::{AppState, Document, NotificationKind, Selection, Settings};
    use crate::app::viewer::ui::JobStatus;
    use crate::app::viewer::ui::tests::pointer_button;
    use crate::request::SceneRequest;
    use rigview_core::import::ImageLoading;
    use rigview_core::model::JointIndex;
    use std::path::PathBuf;

    const SIZE: [f32; 2] = [1280.0, 800.0];

    /// The state without a file, with an error.
    fn state(settings: &Settings) -> AppState {
        let mut state = AppState { settings: settings.clone(), ..empty_state() };
        state.notify(NotificationKind::Error, "broken file");
        state
    }

    /// Lays everything out without a window. Returns the viewport, and the number of shapes of the last layout. There are no actions.
    fn laid_out(state: &AppState, size: [f32; 2], dialog: Option<Dialog>, events: Vec<egui::Event>) -> (Rect, usize) {
        let context = egui::Context::default();
        theme::apply(&context);
        let mut gui = GuiState { dialog, ..GuiState::default() };
        let ctx = UiContext::new(state, JobStatus::default(), [640, 480]);
        let (mut viewport, mut shapes) = (Rect::NOTHING, 0);
        // Two layouts settle the sizes; then each event gets one.
        let settling = [Vec::new(), Vec::new()];
        for events in settling.into_iter().chain(events.into_iter().map(|event| vec![event])) {
            let screen_rect = Some(Rect::from_min_size(egui::Pos2::ZERO, size.into()));
            let input = egui::RawInput { screen_rect, events, ..egui::RawInput::default() };
            let output = context.run_ui(input, |ui| viewport = run(ui, &mut gui, &ctx));
            shapes = output.shapes.len();
            output.drop_without_applying_deltas();
        }
        assert_eq!(ctx.actions.into_inner(), []);
        (viewport, shapes)
    }

    #[test]
    fn every_tab_and_dialog_fits_windows_of_any_size() {
        for size in [[1.0, 1.0], [60.0, 600.0], [400.0, 300.0], SIZE, [5000.0, 200.0]] {
            for (tab, ..) in tabs::TABS {
                let mut state = state(&Settings::default());
                state.settings.panels.show_tab(tab);
                for dialog in [None, Some(Dialog::CommandPalette), Some(Dialog::Shortcuts), Some(Dialog::Export)] {
                    let (viewport, _) = laid_out(&state, size, dialog, Vec::new());
                    let fits = viewport.max.x <= size[0] + 1.0 && viewport.min.y >= 0.0;
                    assert!(fits, "{size:?} {tab:?} {dialog:?}: {viewport:?}");
                }
            }
        }
    }

    #[test]
    fn panels_have_their_widths_again_after_a_smaller_window() {
        let (state, context, mut gui) = (state(&Settings::default()), egui::Context::default(), GuiState::default());
        let ctx = UiContext::new(&state, JobStatus::default(), [640, 480]);
        let mut viewport_at = |width: f32| {
            let mut viewport = Rect::NOTHING;
            for _ in 0..3 {
                let screen_rect = Some(Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(width, 900.0)));
                let input = egui::RawInput { screen_rect, ..egui::RawInput::default() };
                context.run_ui(input, |ui| viewport = run(ui, &mut gui, &ctx)).drop_without_applying_deltas();
            }
            viewport
        };
        let wide = viewport_at(1600.0);
        assert!(viewport_at(700.0).width() < 400.0);
        assert_eq!(viewport_at(1600.0), wide);
    }

    #[test]
    fn every_menu_opens() {
        let button = |pos, pressed| pointer_button(pos, egui::PointerButton::Primary, pressed);
        let shapes = |x: f32| {
            let pos = egui::pos2(x, 13.0);
            let moved = egui::Event::PointerMoved(pos);
            let click = vec![moved.clone(), button(pos, true), button(pos, false), moved];
            laid_out(&state(&Settings::default()), SIZE, None, click).1
        };
        // The titles, from left to right. A missing command panics.
        for (title, x) in
            [("File", 20.0), ("Edit", 51.0), ("Playback", 98.0), ("View", 147.0), ("Shading", 226.0), ("Window", 315.0)]
        {
            assert!(shapes(x) > shapes(700.0) + 2, "{title}");
        }
    }

    #[test]
    fn width_in_a_small_window_is_not_remembered() {
        assert_eq!(remembered(172.0, 240.0, 172.0), None, "the window limits it");
        assert_eq!(remembered(150.0, 240.0, 172.0), Some(150.0), "the user made it smaller");
        assert_eq!(remembered(300.0, 240.0, 300.0), Some(300.0), "the user made it larger");
    }

    /// The state with a file of the test.
    fn state_with(file: &Path, settings: &Settings) -> AppState {
        let request = SceneRequest::default();
        let scene = LoadedScene::open(file, &request, ImageLoading::Skip).unwrap();
        AppState { document: Some(Document::new(scene, &request, 24.0, 1.0)), ..state(settings) }
    }

    #[test]
    fn static_model_has_no_timeline() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("static.gltf");
        let json = r#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{}]}"#;
        std::fs::write(&file, json).unwrap();
        let bottom = |state: AppState| laid_out(&state, SIZE, None, Vec::new()).0.max.y;
        assert_eq!(bottom(state_with(&file, &Settings::default())), SIZE[1]);
        let windmill = Some(document("windmill.glb"));
        assert!(bottom(AppState { document: windmill, ..state(&Settings::default()) }) < SIZE[1] - 60.0);
    }

    #[test]
    fn dope_sheet_and_curves_fit_windows_of_any_size() {
        let mut state = AppState { document: Some(document("hare.glb")), ..state(&Settings::default()) };
        for joint in [None, Some(JointIndex(3))] {
            state.document.as_mut().unwrap().select(joint.map(Selection::Joint));
            for (size, curves) in [([1.0, 1.0], false), ([400.0, 300.0], true), (SIZE, false), (SIZE, true)] {
                (state.settings.panels.dope_sheet, state.settings.panels.curves) = (true, curves);
                let (viewport, _) = laid_out(&state, size, None, Vec::new());
                assert!(viewport.max.y <= size[1] + 1.0 && viewport.min.y >= 0.0, "{size:?}: {viewport:?}");
                if size == SIZE {
                    assert!((viewport.max.y - (size[1] - 240.0)).abs() < 1.0, "{viewport:?}");
                }
            }
        }
    }

    /// Writes a file with a clip of ten seconds that moves each of `joints` by `keys` keys.
    fn write_animation(folder: &Path, joints: usize, keys: usize) -> PathBuf {
        let times = (0..keys).map(|key| key as f32 * 10.0 / (keys - 1) as f32);
        let values = (0..3 * keys).map(|i| i as f32);
        let bytes: Vec<u8> = times.chain(values).flat_map(f32::to_le_bytes).collect();
        std::fs::write(folder.join("keys.bin"), &bytes).unwrap();
        let list = |item: &dyn Fn(usize) -> String| (0..joints).map(item).collect::<Vec<_>>().join(",");
        let nodes = list(&|joint| format!(r#"{{"name": "joint {joint}"}}"#));
        let channels =
            list(&|joint| format!(r#"{{"sampler": 0, "target": {{"node": {joint}, "path": "translation"}}}}"#));
        let json = format!(
            r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [{}]}}], "nodes": [{nodes}],
            "animations": [{{"samplers": [{{"input": 0, "output": 1}}], "channels": [{channels}]}}],
            "buffers": [{{"uri": "keys.bin", "byteLength": {}}}],
            "bufferViews": [{{"buffer": 0, "byteLength": {}}}, {{"buffer": 0, "byteOffset": {}, "byteLength": {}}}],
            "accessors": [
            {{"bufferView": 0, "componentType": 5126, "count": {keys}, "type": "SCALAR", "min": [0], "max": [10]}},
            {{"bufferView": 1, "componentType": 5126, "count": {keys}, "type": "VEC3"}}]}}"#,
            list(&|joint| joint.to_string()),
            bytes.len(),
            4 * keys,
            4 * keys,
            12 * keys
        );
        let file = folder.join("animation.gltf");
        std::fs::write(&file, json).unwrap();
        file
    }

    #[test]
    fn dope_sheet_draws_no_more_for_more_joints_and_keys() {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = Settings::default();
        (settings.panels.outliner, settings.panels.sidebar) = (false, false);
        let mut shapes = |dope_sheet: bool, joints: usize, keys: usize| {
            settings.panels.dope_sheet = dope_sheet;
            let state = state_with(&write_animation(folder.path(), joints, keys), &settings);
            assert_eq!(state.document.as_ref().unwrap().analysis.key_times.row_count(), joints);
            laid_out(&state, SIZE, None, Vec::new()).1
        };
        let (closed, few, many) = (shapes(false, 40, 2000), shapes(true, 40, 2000), shapes(true, 500, 8000));
        assert!(few > closed + 20, "{few} and {closed} shapes");
        assert_eq!(few, many);
    }

    #[test]
    fn motion_table_draws_no_more_for_more_joints() {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = Settings::default();
        (settings.panels.outliner, settings.panels.timeline) = (false, false);
        let [few, many] = [40, 2000].map(|joints| {
            let state = state_with(&write_animation(folder.path(), joints, 5), &settings);
            assert_eq!(state.document.as_ref().unwrap().moving_parts().len(), joints);
            laid_out(&state, SIZE, None, Vec::new()).1
        });
        assert!(few > 60, "{few} shapes");
        assert_eq!(few, many);
    }

    #[test]
    fn viewport_excludes_visible_panels_only() {
        let mut settings = Settings::default();
        let (viewport, _) = laid_out(&state(&settings), SIZE, None, Vec::new());
        assert!((600.0..900.0).contains(&viewport.width()), "{viewport:?}");
        assert!((600.0..760.0).contains(&viewport.height()), "{viewport:?}");
        settings.panels.hidden = true;
        let (viewport, _) = laid_out(&state(&settings), SIZE, None, Vec::new());
        assert_eq!(viewport.size(), SIZE.into());
    }
}
