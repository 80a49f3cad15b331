//! Menu bar, with the state of the open file at its right end.

use crate::app::console::progress::image_count;
use crate::app::viewer::actions::{
    Action, COMMANDS, CameraAction, ComparisonAction, ExportAction, FileAction, HistoryAction, LightAction,
    PlaybackAction, PoseAction, SelectionAction, ShadingAction, WindowAction,
};
use crate::app::viewer::state::{Backdrop, Navigation, Panel, Theme, ViewDirection};
use crate::app::viewer::ui::command_state::{is_checked, is_enabled};
use crate::app::viewer::ui::context::UiContext;
use crate::app::viewer::ui::widgets::{MENU_INDENT, count_label, menu_item};
use egui::{Align, Button, Label, Layout, RichText, Ui};
use rigview_core::pose::LoopMode;
use rigview_core::util::text::file_name;

/// Longer lists of edits scroll, in points.
const MAX_HISTORY_HEIGHT: f32 = 360.0;

/// Items of a menu; a separator stands between the groups.
type MenuGroups = [&'static [Action]];

static EDIT: &MenuGroups = &[
    &[Action::Shading(ShadingAction::ToggleRotateGizmo), Action::Pose(PoseAction::ClearPoseOverrides)],
    &[Action::Selection(SelectionAction::SelectParent), Action::Selection(SelectionAction::Select(None))],
    &[
        Action::Selection(SelectionAction::ToggleIsolation),
        Action::Selection(SelectionAction::HideSelection),
        Action::Selection(SelectionAction::ShowAllParts),
    ],
];

static PLAYBACK: &MenuGroups = &[
    &[Action::Playback(PlaybackAction::TogglePlay), Action::Playback(PlaybackAction::ToggleReverse)],
    &[
        Action::Playback(PlaybackAction::StepFrames(1)),
        Action::Playback(PlaybackAction::StepFrames(-1)),
        Action::Playback(PlaybackAction::StepKeys(1)),
        Action::Playback(PlaybackAction::StepKeys(-1)),
    ],
    &[
        Action::Playback(PlaybackAction::GoToStart),
        Action::Playback(PlaybackAction::GoToEnd),
        Action::Playback(PlaybackAction::ToggleLoopBlink),
    ],
    &[
        Action::Playback(PlaybackAction::ChoosePlayRange),
        Action::Playback(PlaybackAction::SetPlayRange(None)),
        Action::Playback(PlaybackAction::ZoomTimeline(None)),
    ],
    &[
        Action::Playback(PlaybackAction::StepClip(1)),
        Action::Playback(PlaybackAction::StepClip(-1)),
        Action::Playback(PlaybackAction::PlayClip(None)),
    ],
    &[
        Action::Playback(PlaybackAction::StepSpeed(1)),
        Action::Playback(PlaybackAction::StepSpeed(-1)),
        Action::Playback(PlaybackAction::SetSpeed(1.0)),
    ],
    &[
        Action::Playback(PlaybackAction::SetLoopMode(LoopMode::Loop)),
        Action::Playback(PlaybackAction::SetLoopMode(LoopMode::Once)),
        Action::Playback(PlaybackAction::SetLoopMode(LoopMode::PingPong)),
    ],
];

static VIEW: &MenuGroups = &[
    &[
        Action::Camera(CameraAction::FrameSelection),
        Action::Camera(CameraAction::FrameModel),
        Action::Camera(CameraAction::Reset),
        Action::Camera(CameraAction::Zoom(1.0)),
        Action::Camera(CameraAction::Zoom(-1.0)),
    ],
    &[Action::Camera(CameraAction::ToggleOrthographic), Action::Camera(CameraAction::AddBookmark)],
    &[
        Action::Camera(CameraAction::SetViewDirection(ViewDirection::Front)),
        Action::Camera(CameraAction::SetViewDirection(ViewDirection::Back)),
        Action::Camera(CameraAction::SetViewDirection(ViewDirection::Left)),
        Action::Camera(CameraAction::SetViewDirection(ViewDirection::Right)),
        Action::Camera(CameraAction::SetViewDirection(ViewDirection::Top)),
        Action::Camera(CameraAction::SetViewDirection(ViewDirection::Bottom)),
    ],
    &[
        Action::Shading(ShadingAction::SetBackdrop(Backdrop::Studio)),
        Action::Shading(ShadingAction::SetBackdrop(Backdrop::White)),
        Action::Shading(ShadingAction::SetBackdrop(Backdrop::Gray)),
        Action::Shading(ShadingAction::SetBackdrop(Backdrop::Black)),
        Action::Shading(ShadingAction::SetBackdrop(Backdrop::Environment)),
    ],
];

static WINDOW: &MenuGroups = &[
    &[
        Action::Window(WindowAction::TogglePanels),
        Action::Window(WindowAction::TogglePanel(Panel::Outliner)),
        Action::Window(WindowAction::TogglePanel(Panel::Sidebar)),
        Action::Window(WindowAction::TogglePanel(Panel::Timeline)),
        Action::Window(WindowAction::TogglePanel(Panel::DopeSheet)),
        Action::Window(WindowAction::TogglePanel(Panel::Curves)),
        Action::Window(WindowAction::ToggleFullScreen),
    ],
    &[
        Action::Window(WindowAction::SetNavigation(Navigation::Blender)),
        Action::Window(WindowAction::SetNavigation(Navigation::Maya)),
        Action::Window(WindowAction::SetNavigation(Navigation::Trackpad)),
    ],
    &[
        Action::Window(WindowAction::SetTheme(Theme::System)),
        Action::Window(WindowAction::SetTheme(Theme::Dark)),
        Action::Window(WindowAction::SetTheme(Theme::Light)),
    ],
    &[
        Action::Window(WindowAction::StepUiScale(1)),
        Action::Window(WindowAction::StepUiScale(-1)),
        Action::Window(WindowAction::StepUiScale(0)),
    ],
];

static HELP: &MenuGroups =
    &[&[Action::Window(WindowAction::ToggleCommandPalette), Action::Window(WindowAction::ToggleShortcuts)]];

pub(crate) fn show(ui: &mut Ui, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    egui::MenuBar::new().ui(ui, |ui| {
        ui.menu_button("File", |ui| file_menu(ui, ctx, actions));
        ui.menu_button("Edit", |ui| edit_menu(ui, ctx, actions));
        ui.menu_button("Playback", |ui| menu(ui, PLAYBACK, ctx, actions));
        ui.menu_button("View", |ui| menu(ui, VIEW, ctx, actions));
        ui.menu_button("Shading & Overlays", |ui| shading_menu(ui, ctx, actions));
        ui.menu_button("Window", |ui| menu(ui, WINDOW, ctx, actions));
        ui.menu_button("Help", |ui| menu(ui, HELP, ctx, actions));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| file_status(ui, ctx));
    });
}

fn menu(ui: &mut Ui, groups: &MenuGroups, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    for (i, group) in groups.iter().enumerate() {
        if i > 0 {
            ui.separator();
        }
        items(ui, *group, ctx, actions);
    }
}

fn items<'a>(ui: &mut Ui, items: impl IntoIterator<Item = &'a Action>, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    for action in items {
        menu_item(ui, action, is_enabled(action, ctx), is_checked(action, ctx), actions);
    }
}

fn file_menu(ui: &mut Ui, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    items(ui, &[Action::File(FileAction::OpenFileDialog)], ctx, actions);
    ui.menu_button(format!("{MENU_INDENT}Open recent"), |ui| {
        if ctx.settings.recent.is_empty() {
            ui.weak("No recent files");
        }
        for file in &ctx.settings.recent {
            if ui.add(Button::new(file_name(file))).on_hover_text(file.display().to_string()).clicked() {
                actions.push(Action::File(FileAction::Open(file.clone())));
                ui.close();
            }
        }
    });
    items(ui, &[Action::File(FileAction::Reload), Action::File(FileAction::OpenImportClipsDialog)], ctx, actions);
    items(
        ui,
        &[
            Action::Comparison(ComparisonAction::OpenCompareDialog),
            Action::Comparison(ComparisonAction::CompareBeforeReload),
        ],
        ctx,
        actions,
    );
    if ctx.comparison.is_some() {
        items(ui, &[Action::Comparison(ComparisonAction::CloseComparison)], ctx, actions);
    }
    if ctx.files.position().is_some() {
        items(ui, &[Action::File(FileAction::StepFile(1)), Action::File(FileAction::StepFile(-1))], ctx, actions);
    }
    ui.separator();
    let exports = [
        Action::Export(ExportAction::SaveImage),
        Action::Export(ExportAction::CopyImage),
        Action::Export(ExportAction::ToggleExportDialog),
        Action::Export(ExportAction::CopyCommandLine),
    ];
    items(ui, &exports, ctx, actions);
    ui.separator();
    items(ui, &[Action::Window(WindowAction::Quit)], ctx, actions);
}

fn edit_menu(ui: &mut Ui, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    items(ui, &[Action::History(HistoryAction::Undo), Action::History(HistoryAction::Redo)], ctx, actions);
    let history = ctx.history;
    ui.add_enabled_ui(history.labels().len() > 0, |ui| {
        ui.menu_button(format!("{MENU_INDENT}Edit history"), |ui| {
            let labels = std::iter::once("Original state").chain(history.labels());
            let mut chosen = None;
            egui::ScrollArea::vertical().max_height(MAX_HISTORY_HEIGHT).stick_to_bottom(true).show(ui, |ui| {
                for (position, label) in labels.enumerate() {
                    // Undone steps are dimmed.
                    let text = RichText::new(label);
                    let text = if position > history.position() { text.weak() } else { text };
                    if ui.add(Button::new(text).selected(position == history.position())).clicked() {
                        chosen = Some(position);
                    }
                }
            });
            if let Some(position) = chosen {
                actions.push(Action::History(HistoryAction::GoToEdit(position)));
                ui.close();
            }
        });
    });
    ui.separator();
    menu(ui, EDIT, ctx, actions);
}

/// All view modes, then all overlays.
fn shading_menu(ui: &mut Ui, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    let commands = || COMMANDS.iter().map(|command| &command.action);
    items(
        ui,
        commands().filter(|action| matches!(action, Action::Shading(ShadingAction::SetViewMode(_)))),
        ctx,
        actions,
    );
    ui.separator();
    let is_overlay = |action: &&Action| {
        matches!(
            action,
            Action::Shading(ShadingAction::ToggleOverlay(_)) | Action::Light(LightAction::ToggleShadowCatcher)
        )
    };
    items(ui, commands().filter(is_overlay), ctx, actions);
    ui.separator();
    let quality = [
        Action::Light(LightAction::ToggleOcclusion),
        Action::Shading(ShadingAction::ToggleLevelOfDetail),
        Action::Shading(ShadingAction::ToggleHighQuality),
    ];
    items(ui, quality.iter(), ctx, actions);
}

/// The size of the open file, or the progress of loading one.
fn file_status(ui: &mut Ui, ctx: &UiContext<'_>) {
    let mut text;
    if let Some(file) = ctx.loading {
        ui.add(egui::Spinner::new().size(14.0));
        text = format!("Loading {}{}", file_name(file), image_count(ctx.images));
    } else if let Some(document) = ctx.document {
        let model = document.scene.model();
        text = format!(
            "{}   {}",
            count_label(model.skeleton.len() as u64, "joint", "joints"),
            count_label(document.scene.layout().vertex_count(model), "vertex", "vertices")
        );
        if let Some((number, count)) = ctx.files.position_of(&document.scene.file) {
            text = format!("File {number} of {count}   {text}");
        }
    } else {
        return;
    }
    ui.add(Label::new(RichText::new(text).weak()).truncate());
}
