//! Welcome card of an empty window, and the drop hint while a file is dragged over the window.

use crate::app::files::shipped::SHIPPED;
use crate::app::viewer::actions::{ExportAction, FileAction};
use crate::app::viewer::state::FilePurpose;
use crate::app::viewer::ui::thumbnails::{TILE, Thumbnails};
use crate::app::viewer::ui::{UiContext, theme};
use egui::{Align, Align2, Button, Layout, Rect, RichText, Sense, Ui, vec2};
use rigview_core::util::text::file_name;
use std::path::PathBuf;

/// Recent files that the card lists.
const MAX_RECENT: usize = 6;

pub(crate) fn show(ui: &Ui, viewport: Rect, thumbnails: &Thumbnails, ctx: &UiContext<'_>) {
    if ctx.drag_hover {
        theme::card(ui, "drop hint", viewport.center(), Align2::CENTER_CENTER, |ui| {
            ui.label(RichText::new("Drop to open").heading());
        });
    } else if ctx.document.is_none() && ctx.jobs.loading.is_none() {
        theme::card(ui, "welcome", viewport.center(), Align2::CENTER_CENTER, |ui| {
            ui.set_max_width((viewport.width() - 48.0).clamp(120.0, 380.0));
            ui.vertical_centered(|ui| content(ui, thumbnails, ctx));
        });
    }
}

fn content(ui: &mut Ui, thumbnails: &Thumbnails, ctx: &UiContext<'_>) {
    let title =
        if ctx.jobs.can_drop { "Drop a .glb or .gltf file or a folder here" } else { "Open a .glb or .gltf file" };
    ui.label(RichText::new(title).heading());
    ui.add_space(4.0);
    ctx.push_if(ui.add(Button::new("Open...")).clicked(), FileAction::Choose(FilePurpose::Open));
    if !ctx.jobs.can_drop {
        ui.weak("Dropping files is not supported on Wayland.");
    }
    if !SHIPPED.models.is_empty() {
        ui.add_space(8.0);
        ui.weak("Examples");
        file_tiles(ui, thumbnails, &SHIPPED.models, ctx);
    }
    if !ctx.settings.recent.is_empty() {
        ui.add_space(8.0);
        ui.weak("Recent files");
        let count = ctx.settings.recent.len().min(MAX_RECENT);
        file_tiles(ui, thumbnails, &ctx.settings.recent[..count], ctx);
    }
    if let Some(page) = &SHIPPED.guide {
        ui.add_space(8.0);
        if ui.link("Guide").on_hover_text(page.display().to_string()).clicked() {
            ctx.push(ExportAction::OpenPage(page.clone()));
        }
    }
}

fn file_tiles(ui: &mut Ui, thumbnails: &Thumbnails, files: &[PathBuf], ctx: &UiContext<'_>) {
    let columns = (ui.available_width() / TILE[0]).max(1.0) as usize;
    let width = TILE[0] * columns.min(files.len()) as f32;
    ui.allocate_ui_with_layout(vec2(width, TILE[1]), Layout::left_to_right(Align::Min).with_main_wrap(true), |ui| {
        ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
        for file in files {
            let (rect, _) = ui.allocate_exact_size(TILE.into(), Sense::hover());
            if thumbnails.tile(ui, rect, file, &file_name(file), false) {
                ctx.push(FileAction::Open(file.clone()));
            }
        }
    });
}
