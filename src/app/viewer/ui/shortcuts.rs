//! The list of every key.

use crate::app::viewer::actions::COMMANDS;
use crate::app::viewer::state::Navigation;
use egui::{Align2, RichText, ScrollArea, Ui, Window, vec2};

/// What the pointer does, which no table of keys can tell.
const POINTER: [(&str, &str); 4] = [
    ("Drag a ring", "Turn the selected joint; Y shows the rings"),
    ("Click", "Select the joint that moves what is there"),
    ("Drag on the timeline", "Go through the clip by hand"),
    ("Drop a file", "Open it"),
];

/// Which groups stand in which column; the pointer's own comes last.
const COLUMNS: [&[&str]; 4] = [&["Time", "Compare"], &["Look", "File"], &["View", "Window"], &[]];

/// The list; whether it is to be closed.
pub(crate) fn show(ui: &mut Ui, navigation: Navigation) -> bool {
    let screen = ui.ctx().content_rect();
    let (width, height) = ((screen.width() - 60.0).min(1180.0), (screen.height() - 80.0).min(680.0));
    let mut open = true;
    Window::new("Keys")
        .open(&mut open)
        .collapsible(false)
        .resizable(false)
        .anchor(Align2::CENTER_CENTER, vec2(0.0, 0.0))
        .fixed_size(vec2(width.max(120.0), height.max(80.0)))
        .show(ui.ctx(), |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                let count = match width {
                    1100.0.. => 4,
                    500.0.. => 2,
                    _ => 1,
                };
                ui.columns(count, |columns| {
                    for (i, groups) in COLUMNS.iter().enumerate() {
                        for group in *groups {
                            group_of_keys(&mut columns[i % count], group);
                        }
                    }
                    let ui = &mut columns[(COLUMNS.len() - 1) % count];
                    let name =
                        Navigation::ALL.iter().find(|(known, _)| *known == navigation).map_or("", |(_, name)| name);
                    title(ui, &format!("Pointer, as in {name}"));
                    egui::Grid::new("pointer").num_columns(1).spacing(vec2(10.0, 1.0)).show(ui, |ui| {
                        for (hand, does) in navigation.in_words().iter().chain(&POINTER) {
                            ui.label(RichText::new(*hand).strong());
                            ui.end_row();
                            ui.label(*does);
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
    egui::Grid::new(group).num_columns(2).min_col_width(84.0).spacing(vec2(10.0, 1.0)).show(ui, |ui| {
        for command in COMMANDS.iter().filter(|command| command.group == group && !command.keys.is_empty()) {
            let keys: Vec<String> = command.keys.iter().map(ToString::to_string).collect();
            ui.label(RichText::new(keys.join("  ")).strong());
            ui.label(command.name).on_hover_text(command.help);
            ui.end_row();
        }
    });
    ui.add_space(4.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_has_its_column() {
        let listed: Vec<&str> = COLUMNS.iter().flat_map(|groups| groups.iter().copied()).collect();
        assert!(COMMANDS.iter().all(|command| listed.contains(&command.group)));
    }
}
