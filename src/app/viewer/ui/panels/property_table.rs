//! Titles, tables and copyable blocks of the properties panel.

use crate::app::viewer::actions::{Action, ExportAction};
use egui::{Align, Grid, Label, Layout, RichText, Ui, vec2};

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

/// Adds lines of numbers with a title and a button that copies them.
pub(super) fn copyable_block(ui: &mut Ui, title: &'static str, lines: &[String], actions: &mut Vec<Action>) {
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        ui.label(RichText::new(title).strong());
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if ui.small_button("Copy").clicked() {
                actions.push(Action::Export(ExportAction::CopyText { what: title, text: lines.join("\n") }));
            }
        });
    });
    for line in lines {
        ui.add(Label::new(RichText::new(line).monospace().size(11.0)).selectable(true));
    }
}
