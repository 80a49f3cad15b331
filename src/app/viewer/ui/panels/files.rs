//! The strip of files: thumbnails and names of the files of the command line or of the folder.

use crate::app::viewer::actions::FileAction;
use crate::app::viewer::ui::UiContext;
use crate::app::viewer::ui::thumbnails::{TILE, Thumbnails};
use crate::app::viewer::ui::widgets::on_click;
use egui::{Button, Rect, ScrollArea, TextEdit, Ui, vec2};
use std::path::PathBuf;

/// Width of filter and pin before the tiles, in points.
const CONTROLS_WIDTH: f32 = 116.0;

/// State of the strip.
#[derive(Default)]
pub(crate) struct FilesState {
    /// The file that was scrolled to.
    current: Option<PathBuf>,
}

pub(crate) fn show(ui: &mut Ui, state: &mut FilesState, thumbnails: &Thumbnails, ctx: &UiContext<'_>) {
    ui.horizontal_top(|ui| {
        ui.allocate_ui(vec2(CONTROLS_WIDTH, TILE[1]), |ui| ui.vertical(|ui| controls(ui, ctx)));
        // The wheel scrolls, too.
        ui.style_mut().always_scroll_the_only_direction = true;
        tiles(ui, state, thumbnails, ctx);
    });
}

fn controls(ui: &mut Ui, ctx: &UiContext<'_>) {
    let mut filter = ctx.files.filter().to_owned();
    let field = TextEdit::singleline(&mut filter).hint_text("Filter").desired_width(CONTROLS_WIDTH);
    ctx.push_if(ui.add(field).changed(), FileAction::SetFileFilter(filter));
    let (shown, all) = (ctx.files.shown().len(), ctx.files.list().len());
    ui.weak(if shown == all { format!("{all} files") } else { format!("{shown} of {all} files") });
    let pin = Button::new("Pin the model").selected(ctx.pinned.is_some());
    on_click(ui.add_enabled(ctx.document.is_some(), pin), FileAction::TogglePin, ctx);
}

fn tiles(ui: &mut Ui, state: &mut FilesState, thumbnails: &Thumbnails, ctx: &UiContext<'_>) {
    let shown = ctx.files.shown();
    let [width, height] = TILE;
    ScrollArea::horizontal().auto_shrink(false).show_viewport(ui, |ui, visible| {
        ui.set_min_size(vec2(width * shown.len() as f32, height));
        let origin = ui.min_rect().min;
        let rect_of = |place: usize| Rect::from_min_size(origin + vec2(width * place as f32, 0.0), vec2(width, height));
        let first = (visible.min.x / width).max(0.0) as usize;
        let count = (visible.width() / width).ceil() as usize + 1;
        for (place, index) in shown.iter().enumerate().skip(first).take(count) {
            let file = &ctx.files.list()[*index];
            let is_current = ctx.files.current() == Some(file);
            if thumbnails.tile(ui, rect_of(place), file, ctx.files.label(*index), is_current) {
                ctx.push(FileAction::Open(file.clone()));
            }
        }
        if state.current.as_deref() != ctx.files.current() {
            state.current = ctx.files.current().map(PathBuf::from);
            let current = ctx.files.position().map(|(number, _)| number - 1);
            if let Some(place) = current.and_then(|current| shown.iter().position(|index| *index == current)) {
                ui.scroll_to_rect(rect_of(place), None);
            }
        }
    });
}
