//! Menu bar, with the state of the open file at its right end.

use crate::app::console::progress::image_count;
use crate::app::viewer::actions::{Action, COMMANDS};
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
    &[Action::ToggleRotateGizmo, Action::ClearPoseOverrides],
    &[Action::SelectParent, Action::Select(None)],
    &[Action::ToggleIsolation, Action::HideSelection, Action::ShowAllParts],
];

static PLAYBACK: &MenuGroups = &[
    &[Action::TogglePlay, Action::ToggleReverse],
    &[Action::StepFrames(1), Action::StepFrames(-1), Action::StepKeys(1), Action::StepKeys(-1)],
    &[Action::GoToStart, Action::GoToEnd, Action::ToggleLoopBlink],
    &[Action::ChoosePlayRange, Action::SetPlayRange(None), Action::ZoomTimeline(None)],
    &[Action::StepClip(1), Action::StepClip(-1), Action::PlayClip(None)],
    &[Action::StepSpeed(1), Action::StepSpeed(-1), Action::SetSpeed(1.0)],
    &[
        Action::SetLoopMode(LoopMode::Loop),
        Action::SetLoopMode(LoopMode::Once),
        Action::SetLoopMode(LoopMode::PingPong),
    ],
];

static VIEW: &MenuGroups = &[
    &[Action::FrameSelection, Action::FrameModel, Action::Reset, Action::Zoom(1.0), Action::Zoom(-1.0)],
    &[Action::ToggleOrthographic, Action::AddBookmark],
    &[
        Action::SetViewDirection(ViewDirection::Front),
        Action::SetViewDirection(ViewDirection::Back),
        Action::SetViewDirection(ViewDirection::Left),
        Action::SetViewDirection(ViewDirection::Right),
        Action::SetViewDirection(ViewDirection::Top),
        Action::SetViewDirection(ViewDirection::Bottom),
    ],
    &[
        Action::SetBackdrop(Backdrop::Studio),
        Action::SetBackdrop(Backdrop::White),
        Action::SetBackdrop(Backdrop::Gray),
        Action::SetBackdrop(Backdrop::Black),
        Action::SetBackdrop(Backdrop::Environment),
    ],
];

static WINDOW: &MenuGroups = &[
    &[
        Action::TogglePanels,
        Action::TogglePanel(Panel::Outliner),
        Action::TogglePanel(Panel::Sidebar),
        Action::TogglePanel(Panel::Timeline),
        Action::TogglePanel(Panel::DopeSheet),
        Action::TogglePanel(Panel::Curves),
        Action::ToggleFullScreen,
    ],
    &[
        Action::SetNavigation(Navigation::Blender),
        Action::SetNavigation(Navigation::Maya),
        Action::SetNavigation(Navigation::Trackpad),
    ],
    &[Action::SetTheme(Theme::System), Action::SetTheme(Theme::Dark), Action::SetTheme(Theme::Light)],
    &[Action::StepUiScale(1), Action::StepUiScale(-1), Action::StepUiScale(0)],
];

static HELP: &MenuGroups = &[&[Action::ToggleCommandPalette, Action::ToggleShortcuts]];

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
    items(ui, &[Action::OpenFileDialog], ctx, actions);
    ui.menu_button(format!("{MENU_INDENT}Open recent"), |ui| {
        if ctx.settings.recent.is_empty() {
            ui.weak("No recent files");
        }
        for file in &ctx.settings.recent {
            if ui.add(Button::new(file_name(file))).on_hover_text(file.display().to_string()).clicked() {
                actions.push(Action::Open(file.clone()));
                ui.close();
            }
        }
    });
    items(ui, &[Action::Reload, Action::OpenImportClipsDialog], ctx, actions);
    items(ui, &[Action::OpenCompareDialog, Action::CompareWithVersion], ctx, actions);
    if ctx.comparison.is_some() {
        items(ui, &[Action::CloseComparison], ctx, actions);
    }
    if ctx.files.position().is_some() {
        items(ui, &[Action::StepFile(1), Action::StepFile(-1)], ctx, actions);
    }
    ui.separator();
    let exports = [Action::SaveImage, Action::CopyImage, Action::ToggleExportDialog, Action::CopyCommandLine];
    items(ui, &exports, ctx, actions);
    ui.separator();
    items(ui, &[Action::Quit], ctx, actions);
}

fn edit_menu(ui: &mut Ui, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    items(ui, &[Action::Undo, Action::Redo], ctx, actions);
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
                actions.push(Action::GoToEdit(position));
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
    items(ui, commands().filter(|action| matches!(action, Action::SetViewMode(_))), ctx, actions);
    ui.separator();
    let is_overlay = |action: &&Action| matches!(action, Action::ToggleOverlay(_) | Action::ToggleShadowCatcher);
    items(ui, commands().filter(is_overlay), ctx, actions);
    ui.separator();
    let quality = [Action::ToggleOcclusion, Action::ToggleLevelOfDetail, Action::ToggleHighQuality];
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
