//! The strip of files: thumbnails and names of the files of the command line or of the folder.

use crate::app::viewer::actions::{Action, FileAction};
use crate::app::viewer::ui::context::UiContext;
use crate::app::viewer::ui::thumbnails::{TILE, Thumbnails};
use egui::{Rect, ScrollArea, Ui, vec2};
use std::path::PathBuf;

/// State of the strip.
#[derive(Default)]
pub(crate) struct FilesState {
    /// The file that was scrolled to.
    current: Option<PathBuf>,
}

pub(crate) fn show(
    ui: &mut Ui,
    state: &mut FilesState,
    thumbnails: &Thumbnails,
    ctx: &UiContext<'_>,
    actions: &mut Vec<Action>,
) {
    let files = ctx.files.list();
    let [width, height] = TILE;
    ScrollArea::horizontal().auto_shrink(false).show_viewport(ui, |ui, visible| {
        ui.set_min_size(vec2(width * files.len() as f32, height));
        let origin = ui.min_rect().min;
        let rect_of = |index: usize| Rect::from_min_size(origin + vec2(width * index as f32, 0.0), vec2(width, height));
        let first = (visible.min.x / width).max(0.0) as usize;
        let shown = (visible.width() / width).ceil() as usize + 1;
        for (index, file) in files.iter().enumerate().skip(first).take(shown) {
            let rect = rect_of(index);
            let is_current = ctx.files.current() == Some(file);
            if thumbnails.tile(ui, rect, file, &ctx.files.label(index), is_current) {
                actions.push(Action::File(FileAction::Open(file.clone())));
            }
        }
        if state.current.as_deref() != ctx.files.current() {
            state.current = ctx.files.current().map(PathBuf::from);
            if let Some((number, _)) = ctx.files.position() {
                ui.scroll_to_rect(rect_of(number - 1), None);
            }
        }
    });
}
