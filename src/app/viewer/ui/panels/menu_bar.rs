//! Menu bar, with the state of the open file at its right end.

use crate::app::console::progress::image_count;
use crate::app::viewer::actions::{
    Action, COMMANDS, FileAction, HistoryAction, ShadingAction, UiCommand, command_named,
};
use crate::app::viewer::state::document::FlexState;
use crate::app::viewer::ui::UiContext;
use crate::app::viewer::ui::command_state::{is_checked, is_enabled};
use crate::app::viewer::ui::widgets::{MENU_INDENT, count_label, menu_item};
use egui::{Align, Button, Id, Label, Layout, RichText, ScrollArea, Ui};
use rigview_core::util::text::file_name;
use rigview_render::render::ModelStatistics;

/// Work that lasts longer has a sign, in seconds.
const MAX_SILENT_SECS: f64 = 0.3;

/// Longer lists of edits scroll, in points.
const MAX_HISTORY_HEIGHT: f32 = 360.0;

/// Names of the commands of a menu; a separator stands between the groups.
type MenuGroups = [&'static [&'static str]];

static EDIT: &MenuGroups = &[
    &["Rotate gizmo", "Mirror pose", "Clear pose overrides"],
    &["Select parent", "Deselect"],
    &["Isolate selection", "Hide selection", "Show all hidden parts"],
];

static PLAYBACK: &MenuGroups = &[
    &["Play/pause", "Play in reverse"],
    &["Next frame", "Previous frame", "Next key", "Previous key"],
    &["First frame", "Last frame", "Blink first/last frame"],
    &["Set play range", "Clear play range", "Show whole clip"],
    &["Next clip", "Previous clip", "Rest pose", "Play in place"],
    &["Faster", "Slower", "Normal speed (1x)"],
    &["Loop", "Play once", "Ping-pong"],
];

static VIEW: &MenuGroups = &[
    &["Frame selection", "Frame all", "Reset view and playback", "Zoom in", "Zoom out"],
    &["Orthographic view", "Follow the model", "Add view bookmark"],
    &["Front view", "Back view", "Model left view", "Model right view", "Top view", "Bottom view"],
    &["Background: studio", "Background: white", "Background: gray", "Background: black", "Background: environment"],
];

static WINDOW: &MenuGroups = &[
    &["Toggle panels", "Outliner", "Sidebar", "Timeline", "Dope sheet", "Curves", "Full screen"],
    &["Navigation: Blender", "Navigation: Maya", "Navigation: trackpad"],
    &["Theme: system", "Theme: dark", "Theme: light"],
    &["Larger interface", "Smaller interface", "Normal interface size"],
];

static HELP: &MenuGroups = &[&["Command palette", "Keyboard shortcuts"]];

pub(crate) fn show(ui: &mut Ui, ctx: &UiContext<'_>) {
    egui::MenuBar::new().ui(ui, |ui| {
        ui.menu_button("File", |ui| file_menu(ui, ctx));
        ui.menu_button("Edit", |ui| edit_menu(ui, ctx));
        ui.menu_button("Playback", |ui| menu(ui, PLAYBACK, ctx));
        ui.menu_button("View", |ui| menu(ui, VIEW, ctx));
        ui.menu_button("Shading & Overlays", |ui| shading_menu(ui, ctx));
        ui.menu_button("Window", |ui| menu(ui, WINDOW, ctx));
        ui.menu_button("Help", |ui| menu(ui, HELP, ctx));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| file_status(ui, ctx));
    });
}

fn menu(ui: &mut Ui, groups: &MenuGroups, ctx: &UiContext<'_>) {
    for (i, names) in groups.iter().enumerate() {
        if i > 0 {
            ui.separator();
        }
        items(ui, names, ctx);
    }
}

/// Adds the commands of these names.
fn items(ui: &mut Ui, names: &[&str], ctx: &UiContext<'_>) {
    commands(ui, names.iter().map(|name| command_named(name)), ctx);
}

fn commands(ui: &mut Ui, commands: impl Iterator<Item = &'static UiCommand>, ctx: &UiContext<'_>) {
    for command in commands {
        let action = &command.action;
        menu_item(ui, action, is_enabled(action, ctx), is_checked(action, ctx), ctx);
    }
}

fn file_menu(ui: &mut Ui, ctx: &UiContext<'_>) {
    items(ui, &["Open..."], ctx);
    ui.menu_button(format!("{MENU_INDENT}Open recent"), |ui| {
        if ctx.settings.recent.is_empty() {
            ui.weak("No recent files");
        }
        for file in &ctx.settings.recent {
            if ui.add(Button::new(file_name(file))).on_hover_text(file.display().to_string()).clicked() {
                ctx.push(FileAction::Open(file.clone()));
                ui.close();
            }
        }
    });
    items(
        ui,
        &["Reload", "Pin the model", "Import clips from...", "Compare with...", "Compare with version before reload"],
        ctx,
    );
    if ctx.comparison.is_some() {
        items(ui, &["Stop comparing"], ctx);
    }
    if ctx.files.position().is_some() {
        items(ui, &["Next file", "Previous file"], ctx);
    }
    ui.separator();
    items(ui, &["Save image", "Copy image", "Export...", "Copy as command line"], ctx);
    ui.separator();
    items(ui, &["Quit"], ctx);
}

fn edit_menu(ui: &mut Ui, ctx: &UiContext<'_>) {
    items(ui, &["Undo", "Redo"], ctx);
    let history = &ctx.history;
    ui.add_enabled_ui(history.labels().len() > 0, |ui| {
        ui.menu_button(format!("{MENU_INDENT}Edit history"), |ui| {
            let labels = std::iter::once("Original state").chain(history.labels());
            let mut chosen = None;
            ScrollArea::vertical().max_height(MAX_HISTORY_HEIGHT).stick_to_bottom(true).show(ui, |ui| {
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
                ctx.push(HistoryAction::GoToEdit(position));
                ui.close();
            }
        });
    });
    ui.separator();
    menu(ui, EDIT, ctx);
}

/// All view modes, then all overlays.
fn shading_menu(ui: &mut Ui, ctx: &UiContext<'_>) {
    let is_mode = |action: &Action| matches!(action, Action::Shading(ShadingAction::ToggleViewMode(_)));
    let is_overlay = |action: &Action| matches!(action, Action::Shading(ShadingAction::ToggleOverlay(_)));
    // Without the menu bar and the margins.
    let max_height = ui.ctx().content_rect().height() - 60.0;
    ScrollArea::vertical().max_height(max_height).min_scrolled_height(max_height).show(ui, |ui| {
        commands(ui, COMMANDS.iter().filter(|command| is_mode(&command.action)), ctx);
        ui.separator();
        commands(ui, COMMANDS.iter().filter(|command| is_overlay(&command.action)), ctx);
        items(ui, &["Shadow on the ground"], ctx);
        ui.separator();
        items(ui, &["Occlusion", "Level of detail", "High quality when still"], ctx);
    });
}

/// The work in progress, once it has lasted for a moment, and how far it is.
fn lasting_work(ui: &Ui, ctx: &UiContext<'_>) -> Option<(String, String)> {
    let (id, now) = (Id::unique("work in progress"), ui.input(|input| input.time));
    let work = work(ctx);
    let what = work.as_ref().map(|(what, _)| what.clone());
    let since = ui.data_mut(|data| {
        let last = data.get_temp_mut_or_default::<(Option<String>, f64)>(id);
        if last.0 != what {
            *last = (what, now);
        }
        last.1
    });
    let left_secs = MAX_SILENT_SECS - (now - since);
    if work.is_some() && left_secs > 0.0 {
        ui.ctx().request_repaint_after_secs(left_secs as f32);
    }
    work.filter(|_| left_secs <= 0.0)
}

/// What a thread works on, and how far it is.
fn work(ctx: &UiContext<'_>) -> Option<(String, String)> {
    if let Some(file) = ctx.jobs.loading {
        let progress = match ctx.jobs.uploaded {
            Some(part) => format!(": {:.0} % uploaded", 100.0 * part),
            None => image_count(ctx.jobs.images),
        };
        return Some((format!("Loading {}", file_name(file)), progress));
    }
    if ctx.jobs.environment_loading {
        return Some(("Loading the environment".to_owned(), String::new()));
    }
    let document = ctx.document.as_ref()?;
    if let FlexState::Measuring([done, total], _) = &document.flex {
        return Some(("Measuring the poses".to_owned(), format!(": {done} of {total} joints")));
    }
    if let Some(comparison) = ctx.comparison.as_ref().filter(|comparison| comparison.differences.is_none()) {
        return Some((format!("Comparing with {}", file_name(&comparison.file)), String::new()));
    }
    ctx.issues.is_none().then(|| (format!("Checking {}", file_name(&document.scene.file)), String::new()))
}

/// The size of the open file, or the progress of loading one, or of its image.
fn file_status(ui: &mut Ui, ctx: &UiContext<'_>) {
    let mut text;
    if let Some((what, progress)) = lasting_work(ui, ctx) {
        ui.add(egui::Spinner::new().size(14.0));
        text = what + &progress;
    } else if let Some(progress) = ctx.document.as_ref().and_then(|document| document.refinement.as_ref()) {
        text = progress.clone();
    } else if let Some(document) = &ctx.document {
        let ModelStatistics { skin_joints, triangles, vertices, .. } = document.statistics;
        let scene = &document.scene;
        let joints = if scene.is_skeleton() { scene.model().skeleton.len() } else { skin_joints };
        let counts =
            [(joints, "joint", "joints"), (triangles, "triangle", "triangles"), (vertices, "vertex", "vertices")];
        let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, one, many)| count_label(count as u64, one, many)).collect();
        text = counts.join("   ");
        if let Some((number, count)) = ctx.shown_file().and_then(|file| ctx.files.position_of(file)) {
            text = format!("File {number} of {count}   {text}");
        }
    } else {
        return;
    }
    ui.add(Label::new(RichText::new(text).weak()).truncate());
}
