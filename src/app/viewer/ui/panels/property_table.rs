//! Titles, tables and copyable blocks of the properties panel.

use crate::app::viewer::actions::{ExportAction, SelectionAction};
use crate::app::viewer::state::Selection;
use crate::app::viewer::ui::UiContext;
use crate::app::viewer::ui::widgets::ListRow;
use egui::{Align, Color32, Grid, Label, Layout, RichText, ScrollArea, TextStyle, Ui, vec2};
use rigview_check::curves::aligned;

/// Smallest digits of a block, relative to the text size.
const MIN_DIGIT_SCALE: f32 = 0.6;

pub(super) fn title(ui: &mut Ui, kind: &str, name: &str) {
    ui.add(Label::new(RichText::new(name).heading()).truncate());
    ui.weak(kind);
}

/// Adds names with their values.
pub(super) fn table(ui: &mut Ui, id: &str, rows: &[(&str, String)]) {
    Grid::new(id).num_columns(2).spacing(vec2(10.0, 3.0)).show(ui, |ui| {
        for (name, value) in rows {
            ui.weak(*name);
            ui.add(Label::new(value).selectable(true).wrap());
            ui.end_row();
        }
    });
}

/// Adds a row that selects a part of the file.
pub(super) fn part_row(ui: &mut Ui, name: &str, note: &str, part: Selection, ctx: &UiContext<'_>) {
    let row = ListRow { name, note, indent: 4.0, ..ListRow::default() };
    ctx.push_if(row.show(ui).on_hover_text("Select").clicked(), SelectionAction::Select(Some(part)));
}

/// Adds lines of rounded numbers with a title. A button copies those with all digits, which a tooltip shows.
pub(super) fn copyable_block(
    ui: &mut Ui,
    title: &'static str,
    lines: impl Fn(fn(f64) -> String) -> Vec<String>,
    ctx: &UiContext<'_>,
) {
    let exact = lines(|x| x.to_string()).join("\n");
    copyable_title(ui, title, &exact, ctx);
    let text = lines(aligned).join("\n");
    // Matrices get smaller digits in a narrow panel; what is still too wide scrolls.
    let font = TextStyle::Monospace.resolve(ui.style());
    let width = ui.painter().layout_no_wrap(text.clone(), font.clone(), Color32::WHITE).size().x;
    let scale = (ui.available_width() / width.max(1.0)).clamp(MIN_DIGIT_SCALE, 1.0);
    let rounded = Label::new(RichText::new(text).monospace().size(font.size * scale)).selectable(true).extend();
    let scroll_area = ScrollArea::horizontal().id_salt(ui.next_auto_id());
    scroll_area.show(ui, |ui| ui.add(rounded)).inner.on_hover_text(exact);
}

/// Adds a title with a button that copies `text`.
pub(super) fn copyable_title(ui: &mut Ui, title: &'static str, text: &str, ctx: &UiContext<'_>) {
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        ui.label(RichText::new(title).strong());
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if ui.small_button("Copy").on_hover_text(text).clicked() {
                ctx.push(ExportAction::CopyText { what: title, text: text.to_owned() });
            }
        });
    });
}
