//! Welcome card of an empty window, and the drop hint while a file is dragged over the window.

use crate::app::files::shipped::SHIPPED;
use crate::app::viewer::actions::{Action, ExportAction, FileAction};
use crate::app::viewer::ui::context::UiContext;
use crate::app::viewer::ui::theme;
use egui::{Align2, Button, Rect, RichText, Ui};
use rigview_core::util::text::file_name;
use std::path::PathBuf;

/// Recent files that the card lists.
const MAX_RECENT: usize = 6;

pub(crate) fn show(ui: &Ui, viewport: Rect, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    if ctx.drag_hover {
        theme::card(ui, "drop hint", viewport.center(), Align2::CENTER_CENTER, |ui| {
            ui.label(RichText::new("Drop to open").heading());
        });
    } else if ctx.document.is_none() && ctx.jobs.loading.is_none() {
        theme::card(ui, "welcome", viewport.center(), Align2::CENTER_CENTER, |ui| {
            ui.set_max_width((viewport.width() - 48.0).clamp(120.0, 380.0));
            ui.vertical_centered(|ui| content(ui, ctx, actions));
        });
    }
}

fn content(ui: &mut Ui, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    let title =
        if ctx.jobs.can_drop { "Drop a .glb or .gltf file or a folder here" } else { "Open a .glb or .gltf file" };
    ui.label(RichText::new(title).heading());
    ui.add_space(4.0);
    if ui.add(Button::new("Open...")).clicked() {
        actions.push(Action::File(FileAction::OpenFileDialog));
    }
    if !ctx.jobs.can_drop {
        ui.weak("Dropping files is not supported on Wayland.");
    }
    if !SHIPPED.models.is_empty() {
        ui.add_space(8.0);
        ui.weak("Examples");
        file_links(ui, &SHIPPED.models, actions);
    }
    if !ctx.settings.recent.is_empty() {
        ui.add_space(8.0);
        ui.weak("Recent files");
        let count = ctx.settings.recent.len().min(MAX_RECENT);
        file_links(ui, &ctx.settings.recent[..count], actions);
    }
    if let Some(page) = &SHIPPED.guide {
        ui.add_space(8.0);
        if ui.link("Guide").on_hover_text(page.display().to_string()).clicked() {
            actions.push(Action::Export(ExportAction::OpenPage(page.clone())));
        }
    }
}

fn file_links(ui: &mut Ui, files: &[PathBuf], actions: &mut Vec<Action>) {
    for file in files {
        if ui.link(file_name(file)).on_hover_text(file.display().to_string()).clicked() {
            actions.push(Action::File(FileAction::Open(file.clone())));
        }
    }
}
