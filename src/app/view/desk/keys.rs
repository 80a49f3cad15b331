//! The list of every key.

use crate::app::input::COMMANDS;
use egui::{Align2, RichText, ScrollArea, Ui, Window, vec2};

/// What the pointer does, which no table of keys can tell.
const POINTER: [(&str, &str); 7] = [
    ("Drag", "Turn around the model"),
    ("Shift + drag, right button", "Move the view aside"),
    ("Ctrl + drag, wheel, pinch", "Go nearer or farther"),
    ("Middle button, two fingers", "The same, as in Blender"),
    ("Click", "Select the joint that moves what is there"),
    ("Drag on the timeline", "Go through the clip by hand"),
    ("Drop a file", "Open it"),
];

/// The list; whether it is to be closed.
pub(super) fn show(ui: &mut Ui) -> bool {
    let screen = ui.ctx().content_rect();
    let mut open = true;
    Window::new("Keys")
        .open(&mut open)
        .collapsible(false)
        .resizable(false)
        .anchor(Align2::CENTER_CENTER, vec2(0.0, 0.0))
        .max_height(screen.height() - 80.0)
        .show(ui.ctx(), |ui| {
            ScrollArea::vertical().max_height(screen.height() - 120.0).show(ui, |ui| {
                ui.set_max_width((screen.width() - 60.0).min(820.0));
                let columns = if screen.width() > 700.0 { 2 } else { 1 };
                ui.columns(columns, |columns| {
                    let mut groups: Vec<&str> = COMMANDS.iter().map(|command| command.group).collect();
                    groups.dedup();
                    let last = columns.len() - 1;
                    for group in groups {
                        // Time is the longest by far; the others share the other column with the pointer.
                        let column = if group == "Time" || group == "File" { 0 } else { last };
                        group_of_keys(&mut columns[column], group);
                    }
                    let ui = &mut columns[0];
                    title(ui, "Pointer");
                    egui::Grid::new("pointer").num_columns(2).spacing(vec2(12.0, 3.0)).show(ui, |ui| {
                        for (hand, does) in POINTER {
                            ui.label(RichText::new(hand).strong());
                            ui.label(does);
                            ui.end_row();
                        }
                    });
                });
            });
        });
    !open
}

fn title(ui: &mut Ui, text: &str) {
    ui.add_space(4.0);
    ui.label(RichText::new(text).heading());
    ui.add_space(2.0);
}

fn group_of_keys(ui: &mut Ui, group: &str) {
    title(ui, group);
    egui::Grid::new(group).num_columns(2).spacing(vec2(12.0, 3.0)).show(ui, |ui| {
        for command in COMMANDS.iter().filter(|command| command.group == group && !command.keys.is_empty()) {
            let keys: Vec<String> = command.keys.iter().map(ToString::to_string).collect();
            ui.label(RichText::new(keys.join("  ")).strong());
            ui.label(command.name).on_hover_text(command.help);
            ui.end_row();
        }
    });
    ui.add_space(4.0);
}
