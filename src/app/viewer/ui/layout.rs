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
use crate::app::viewer::actions::Action;
use crate::app::viewer::state::file_list::FilePurpose;
use crate::app::viewer::state::{Dialog, Tab};
use egui::{Frame, Panel, Rect, Ui, UiBuilder, Vec2, vec2};
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
            && ctx.notifications.list().is_empty()
            && !ctx.drag_hover
    }
}

/// Lays out everything and returns the viewport: the rectangle that no panel covers, in points.
pub(crate) fn run(ui: &mut Ui, state: &mut GuiState, ctx: &UiContext<'_>, actions: &mut Vec<Action>) -> Rect {
    if !ctx.settings.panels.hidden {
        panels(ui, state, ctx, actions);
    }
    let viewport = ui.available_rect_before_wrap();
    if !ctx.settings.panels.hidden {
        // The markers refer to the open file, in the first pane.
        let [first, second] = comparison_divider::panes(ui, viewport, ctx);
        chips::show(ui, first, ctx, actions);
        joint_marker::show(ui, first, ctx);
        legend::show(ui, first, ctx, actions);
        rotate_gizmo::show(ui, first, ctx);
        key_light::show(ui, first, ctx, actions);
        comparison_divider::show(ui, viewport, ctx, actions);
        view_gizmo::show(ui, second, ctx, actions);
        toolbar::show(ui, second, ctx, actions);
        hints::show(ui, second, ctx, actions);
    }
    welcome::show(ui, viewport, &state.thumbnails, ctx, actions);
    notifications::show(ui, viewport, ctx, actions);
    export_dialog::show_progress(ui, viewport, ctx, actions);
    let close = match state.dialog {
        None => false,
        Some(Dialog::CommandPalette) => command_palette::show(ui, &mut state.palette, ctx, actions),
        Some(Dialog::Export) => export_dialog::show(ui, &mut state.export, ctx, actions),
        Some(Dialog::Shortcuts) => shortcuts::show(ui, ctx.settings.navigation),
    };
    if close {
        state.dialog = None;
    }
    viewport
}

fn panels(ui: &mut Ui, state: &mut GuiState, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    let panels = &ctx.settings.panels;
    Panel::top("menu bar").frame(theme::bar_frame(ui)).show(ui, |ui| menu_bar::show(ui, ctx, actions));
    // A static model has nothing to play.
    let is_static = ctx.document.is_some_and(|document| document.scene.model().clips.is_empty());
    if panels.timeline && !is_static {
        let frame = theme::bar_frame(ui);
        if panels.dope_sheet && ctx.document.is_some() {
            let max_height = (0.6 * ui.available_height()).max(MIN_TIMELINE_HEIGHT);
            let panel = Panel::bottom("dope sheet").resizable(true).default_size(panels.timeline_height);
            let panel = panel.size_range(MIN_TIMELINE_HEIGHT..=max_height).frame(frame);
            let response = panel.show(ui, |ui| timeline::show(ui, &mut state.timeline, ctx, actions)).response;
            state.timeline_height = Some(response.rect.height());
        } else {
            let panel = Panel::bottom("timeline").frame(frame);
            panel.show(ui, |ui| timeline::show(ui, &mut state.timeline, ctx, actions));
        }
    }
    if panels.files && ctx.files.position().is_some() && ui.available_height() > MIN_VIEWPORT_HEIGHT {
        let panel = Panel::bottom("files").frame(theme::bar_frame(ui));
        panel.show(ui, |ui| files::show(ui, &mut state.files, &state.thumbnails, ctx, actions));
    }
    let max_width = ui.available_width() * 0.36;
    if max_width <= MIN_PANEL_WIDTH {
        return;
    }
    let widths = MIN_PANEL_WIDTH + tabs::WIDTH..=max_width.max(2.0 * MIN_PANEL_WIDTH);
    if panels.outliner {
        let max_width = (0.75 * max_width).max(2.0 * MIN_PANEL_WIDTH);
        let widths = MIN_PANEL_WIDTH..=max_width;
        let panel = Panel::left("outliner").default_size(panels.outliner_width).size_range(widths);
        let response = panel
            .frame(theme::panel_frame(ui))
            .show(ui, |ui| outliner::show(ui, &mut state.outliner, ctx, actions))
            .response;
        state.outliner_width = remembered(response.rect.width(), panels.outliner_width, max_width);
    }
    if panels.sidebar {
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
                tabs::show(&mut part(ui, "tabs", rect.with_max_x(start), Vec2::ZERO), ctx, actions);
                side(&mut part(ui, "tab", rect.with_min_x(start), vec2(8.0, 6.0)), state, ctx, actions);
                ui.advance_cursor_after_rect(rect);
            })
            .response;
        state.sidebar_width = remembered(response.rect.width(), panels.sidebar_width, max_width);
    }
}

/// Returns the width of a panel to remember: not one that the window limits.
fn remembered(width: f32, former: f32, max: f32) -> Option<f32> {
    Some(width).filter(|width| *width + 1.0 < max || *width > former)
}

/// The shown tab of the sidebar.
fn side(ui: &mut Ui, state: &mut GuiState, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    tabs::title(ui, ctx);
    let tab = ctx.settings.panels.tab;
    flex::stop_unless(tab == Tab::Flex, ctx, actions);
    // Each tab keeps its own scroll position.
    ui.push_id(tab as u8, |ui| match tab {
        Tab::Clips => clips::show(ui, &mut state.clips, ctx, actions),
        Tab::Properties => properties::show(ui, &mut state.textures, ctx, actions),
        Tab::Morphs => morph_weights::show_by_node(ui, ctx, actions),
        Tab::Crowd => crowd::show(ui, ctx, actions),
        Tab::Shading => view_options::show(ui, &mut state.view_options, ctx, actions),
        Tab::Light => light::show(ui, ctx, actions),
        Tab::Problems => issues::show(ui, &mut state.issues, ctx, actions),
        Tab::Flex => flex::show(ui, &mut state.flex, &state.thumbnails, ctx, actions),
        Tab::Retarget => retarget::show(ui, ctx, actions),
        Tab::Compare => comparison::show(ui, ctx, actions),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::scene::LoadedScene;
    use crate::app::viewer::actions::PlaybackAction;
    use crate::app::viewer::state::document::Document;
    use crate::app::viewer::state::file_list::FileList;
    use crate::app::viewer::state::frame_stats::FrameStats;
    use crate::app::viewer::state::history::History;
    use crate::app::viewer::state::notifications::{NotificationKind, Notifications};
    use crate::app::viewer::state::settings::Settings;
    use crate::app::viewer::state::{Selection, ViewState};
    use crate::app::viewer::ui::context::{GizmoContext, JobStatus};
    use crate::request::{SceneRequest, ViewRequest};
    use rigview_core::import::ImageLoading;
    use rigview_core::model::JointIndex;
    use std::path::PathBuf;

    const SIZE: [f32; 2] = [1280.0, 800.0];

    /// Lays everything out without a window or a document; returns the viewport and the actions.
    fn laid_out(
        size: [f32; 2],
        settings: &Settings,
        dialog: Option<Dialog>,
        events: Vec<egui::Event>,
    ) -> (Rect, Vec<Action>) {
        let (viewport, actions, _) = laid_out_with(None, size, settings, dialog, events);
        (viewport, actions)
    }

    /// Returns the number of shapes of the last layout, too.
    fn laid_out_with(
        document: Option<&Document>,
        size: [f32; 2],
        settings: &Settings,
        dialog: Option<Dialog>,
        events: Vec<egui::Event>,
    ) -> (Rect, Vec<Action>, usize) {
        let context = egui::Context::default();
        theme::apply(&context);
        let mut state = GuiState { dialog, ..GuiState::default() };
        let mut notifications = Notifications::default();
        notifications.push(NotificationKind::Error, "broken file".to_owned(), std::time::Instant::now());
        let ctx = UiContext {
            document,
            jobs: JobStatus::default(),
            files: &FileList::default(),
            is_pinned: false,
            shown_file: None,
            comparison: None,
            has_before_reload: false,
            view_size: [640, 480],
            settings,
            view: &ViewState::new(&ViewRequest::default()),
            frame_stats: &FrameStats::default(),
            export: None,
            history: &History::default(),
            gizmo: GizmoContext::default(),
            exposure_ev: 0.0,
            notifications: &notifications,
            issues: None,
            profile_file: None,
            profile: None,
            drag_hover: false,
        };
        let (mut viewport, mut actions, mut shapes) = (Rect::NOTHING, Vec::new(), 0);
        // Two layouts settle the sizes; then each event gets one.
        let settling = [Vec::new(), Vec::new()];
        for events in settling.into_iter().chain(events.into_iter().map(|event| vec![event])) {
            let screen_rect = Some(Rect::from_min_size(egui::Pos2::ZERO, size.into()));
            let input = egui::RawInput { screen_rect, events, ..egui::RawInput::default() };
            let output = context.run_ui(input, |ui| viewport = run(ui, &mut state, &ctx, &mut actions));
            shapes = output.shapes.len();
            output.drop_without_applying_deltas();
        }
        (viewport, actions, shapes)
    }

    #[test]
    fn every_tab_and_dialog_fits_windows_of_any_size() {
        for size in [[1.0, 1.0], [60.0, 600.0], [400.0, 300.0], SIZE, [5000.0, 200.0]] {
            for (tab, ..) in tabs::TABS {
                let mut settings = Settings::default();
                settings.panels.show_tab(tab);
                for dialog in [None, Some(Dialog::CommandPalette), Some(Dialog::Shortcuts), Some(Dialog::Export)] {
                    let (viewport, actions) = laid_out(size, &settings, dialog, Vec::new());
                    let fits = viewport.max.x <= size[0] + 1.0 && viewport.min.y >= 0.0;
                    assert!(fits, "{size:?} {tab:?} {dialog:?}: {viewport:?}");
                    assert!(actions.is_empty(), "{actions:?}");
                }
            }
        }
    }

    #[test]
    fn every_menu_opens() {
        let button = |pos, pressed| {
            let (button, modifiers) = (egui::PointerButton::Primary, egui::Modifiers::NONE);
            egui::Event::PointerButton { pos, button, pressed, modifiers }
        };
        let shapes = |x: f32| {
            let pos = egui::pos2(x, 13.0);
            let moved = egui::Event::PointerMoved(pos);
            let click = vec![moved.clone(), button(pos, true), button(pos, false), moved];
            laid_out_with(None, SIZE, &Settings::default(), None, click).2
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

    fn document(file: &Path) -> Document {
        let request = SceneRequest::default();
        let scene = LoadedScene::open(file, &request, ImageLoading::Skip).unwrap();
        Document::new(scene, &request, 24.0, 1.0)
    }

    #[test]
    fn static_model_has_no_timeline() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("static.gltf");
        let json = r#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{}]}"#;
        std::fs::write(&file, json).unwrap();
        let windmill = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/windmill.glb");
        let bottom =
            |file: &Path| laid_out_with(Some(&document(file)), SIZE, &Settings::default(), None, Vec::new()).0.max.y;
        assert_eq!(bottom(&file), SIZE[1]);
        assert!(bottom(&windmill) < SIZE[1] - 60.0);
    }

    #[test]
    fn dope_sheet_and_curves_fit_windows_of_any_size() {
        let mut document = document(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/hare.glb"));
        for joint in [None, Some(JointIndex(3))] {
            document.select(joint.map(Selection::Joint));
            for (size, curves) in [([1.0, 1.0], false), ([400.0, 300.0], true), (SIZE, false), (SIZE, true)] {
                let mut settings = Settings::default();
                (settings.panels.dope_sheet, settings.panels.curves) = (true, curves);
                let (viewport, actions, _) = laid_out_with(Some(&document), size, &settings, None, Vec::new());
                assert!(viewport.max.y <= size[1] + 1.0 && viewport.min.y >= 0.0, "{size:?}: {viewport:?}");
                assert!(actions.is_empty(), "{actions:?}");
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
            let document = document(&write_animation(folder.path(), joints, keys));
            assert_eq!(document.analysis.key_times.row_count(), joints);
            laid_out_with(Some(&document), SIZE, &settings, None, Vec::new()).2
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
            let document = document(&write_animation(folder.path(), joints, 5));
            assert_eq!(document.moving_parts().len(), joints);
            laid_out_with(Some(&document), SIZE, &settings, None, Vec::new()).2
        });
        assert!(few > 60, "{few} shapes");
        assert_eq!(few, many);
    }

    #[test]
    fn viewport_excludes_visible_panels_only() {
        let mut settings = Settings::default();
        let (viewport, _) = laid_out(SIZE, &settings, None, Vec::new());
        assert!((600.0..900.0).contains(&viewport.width()), "{viewport:?}");
        assert!((600.0..760.0).contains(&viewport.height()), "{viewport:?}");
        settings.panels.hidden = true;
        let (viewport, _) = laid_out(SIZE, &settings, None, Vec::new());
        assert_eq!(viewport.size(), SIZE.into());
    }

    #[test]
    fn click_on_play_button_returns_its_action() {
        let (viewport, _) = laid_out(SIZE, &Settings::default(), None, Vec::new());
        // The play button is somewhere in the rows below the viewport.
        let rows = (viewport.max.y as i32..SIZE[1] as i32).step_by(6);
        let positions = rows.flat_map(|y| (0..640).step_by(6).map(move |x| egui::pos2(x as f32, y as f32)));
        let plays = |pos: &egui::Pos2| {
            let button = |pressed| egui::Event::PointerButton {
                pos: *pos,
                button: egui::PointerButton::Primary,
                pressed,
                modifiers: egui::Modifiers::NONE,
            };
            let events = vec![egui::Event::PointerMoved(*pos), button(true), button(false)];
            let (_, actions) = laid_out(SIZE, &Settings::default(), None, events);
            matches!(actions[..], [Action::Playback(PlaybackAction::TogglePlay)])
        };
        let hits = positions.filter(plays).count();
        assert!((4..100).contains(&hits), "{hits}");
    }
}
