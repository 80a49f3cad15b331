//! Menu bar, with the state of the open file at its right end.

use crate::app::progress::of_images;
use crate::app::viewer::actions::{Action, COMMANDS};
use crate::app::viewer::state::{Backdrop, LOOP_MODES, Navigation, Panel, Theme, ViewDirection};
use crate::app::viewer::ui::context::UiContext;
use crate::app::viewer::ui::widgets::{MENU_INDENT, count_label, menu_item, menu_toggle};
use crate::scene::ViewMode;
use crate::util::text::file_name;
use egui::{Align, Button, Label, Layout, RichText, Ui};

pub(crate) fn show(ui: &mut Ui, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    egui::MenuBar::new().ui(ui, |ui| {
        ui.menu_button("File", |ui| file_menu(ui, ctx, actions));
        ui.menu_button("Playback", |ui| playback_menu(ui, ctx, actions));
        ui.menu_button("View", |ui| view_menu(ui, ctx, actions));
        ui.menu_button("Shading & Overlays", |ui| shading_menu(ui, ctx, actions));
        ui.menu_button("Window", |ui| window_menu(ui, ctx, actions));
        ui.menu_button("Help", |ui| {
            menu_item(ui, &Action::ToggleCommandPalette, actions);
            menu_item(ui, &Action::ToggleShortcuts, actions);
        });
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| file_status(ui, ctx));
    });
}

fn file_menu(ui: &mut Ui, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    menu_item(ui, &Action::OpenFileDialog, actions);
    ui.menu_button(format!("{MENU_INDENT}Open Recent"), |ui| {
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
    menu_item(ui, &Action::Reload, actions);
    menu_item(ui, &Action::OpenImportClipsDialog, actions);
    menu_item(ui, &Action::OpenCompareDialog, actions);
    if ctx.comparison.is_some() {
        menu_item(ui, &Action::CloseComparison, actions);
    }
    if ctx.files.place().is_some() {
        menu_item(ui, &Action::StepFile(1), actions);
        menu_item(ui, &Action::StepFile(-1), actions);
    }
    ui.separator();
    for action in [Action::SaveImage, Action::CopyImage, Action::ToggleExportDialog, Action::CopyCommandLine] {
        menu_item(ui, &action, actions);
    }
    ui.separator();
    menu_item(ui, &Action::Quit, actions);
}

fn playback_menu(ui: &mut Ui, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    let playback = ctx.document.map(|document| document.playback);
    menu_item(ui, &Action::TogglePlay, actions);
    menu_toggle(ui, &Action::ToggleReverse, playback.is_some_and(|playback| playback.backwards), actions);
    ui.separator();
    for action in [
        Action::StepFrames(1),
        Action::StepFrames(-1),
        Action::StepKeys(1),
        Action::StepKeys(-1),
        Action::GoToStart,
        Action::GoToEnd,
        Action::StepClip(1),
        Action::StepClip(-1),
        Action::PlayClip(None),
    ] {
        menu_item(ui, &action, actions);
    }
    ui.separator();
    for action in [Action::StepSpeed(1), Action::StepSpeed(-1), Action::SetSpeed(1.0)] {
        menu_item(ui, &action, actions);
    }
    ui.separator();
    for (loop_mode, _) in LOOP_MODES {
        let checked = playback.is_some_and(|playback| playback.loop_mode == loop_mode);
        menu_toggle(ui, &Action::SetLoopMode(loop_mode), checked, actions);
    }
}

fn view_menu(ui: &mut Ui, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    for action in [Action::FrameModel, Action::Reset, Action::Zoom(1.0), Action::Zoom(-1.0)] {
        menu_item(ui, &action, actions);
    }
    ui.separator();
    for side in [
        ViewDirection::Front,
        ViewDirection::Back,
        ViewDirection::Left,
        ViewDirection::Right,
        ViewDirection::Top,
        ViewDirection::Bottom,
    ] {
        menu_item(ui, &Action::SetViewDirection(side), actions);
    }
    ui.separator();
    menu_toggle(ui, &Action::ToggleRotateGizmo, ctx.gizmo.enabled, actions);
    menu_item(ui, &Action::ClearPoseOverrides, actions);
    ui.separator();
    for (backdrop, _) in Backdrop::ALL {
        menu_toggle(ui, &Action::SetBackdrop(backdrop), ctx.settings.backdrop == backdrop, actions);
    }
}

fn shading_menu(ui: &mut Ui, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    for mode in ViewMode::ALL {
        menu_toggle(ui, &Action::SetViewMode(mode), ctx.view_options.surface == mode, actions);
    }
    ui.separator();
    for command in COMMANDS {
        match command.action {
            Action::ToggleOverlay(overlay) => {
                menu_toggle(ui, &command.action, ctx.view_options.has(overlay), actions);
            }
            Action::ToggleShadowCatcher => menu_toggle(ui, &command.action, ctx.shadow_catcher, actions),
            _ => {}
        }
    }
}

fn window_menu(ui: &mut Ui, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    let panels = &ctx.settings.panels;
    menu_item(ui, &Action::TogglePanels, actions);
    for (panel, visible) in [(Panel::Tree, panels.tree), (Panel::Side, panels.side), (Panel::Timeline, panels.timeline)]
    {
        menu_toggle(ui, &Action::TogglePanel(panel), visible, actions);
    }
    menu_item(ui, &Action::ToggleFullScreen, actions);
    ui.separator();
    for (navigation, _) in Navigation::ALL {
        menu_toggle(ui, &Action::SetNavigation(navigation), ctx.settings.navigation == navigation, actions);
    }
    ui.separator();
    for theme in [Theme::System, Theme::Dark, Theme::Light] {
        menu_toggle(ui, &Action::SetTheme(theme), ctx.settings.theme == theme, actions);
    }
}

/// The size of the open file, or the progress of loading one.
fn file_status(ui: &mut Ui, ctx: &UiContext<'_>) {
    let mut text;
    if let Some(file) = ctx.loading {
        ui.add(egui::Spinner::new().size(14.0));
        text = format!("Loading {}{}", file_name(file), of_images(ctx.images));
    } else if let Some(document) = ctx.document {
        let model = document.scene.model();
        text = format!(
            "{}   {}",
            count_label(model.skeleton.len() as u64, "joint", "joints"),
            count_label(document.scene.layout.vertex_count(model), "vertex", "vertices")
        );
        if let Some((number, count)) = ctx.files.place_of(&document.scene.file) {
            text = format!("File {number} of {count}   {text}");
        }
    } else {
        return;
    }
    ui.add(Label::new(RichText::new(text).weak()).truncate());
}
