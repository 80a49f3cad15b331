//! Keyboard shortcuts dialog.

use crate::app::viewer::actions::COMMANDS;
use crate::app::viewer::state::Navigation;
use crate::app::viewer::ui::widgets::{SCROLL_BAR_WIDTH, dialog};
use egui::{Align, Align2, Grid, Label, Layout, RichText, ScrollArea, Ui, Vec2, Window, vec2};

/// Pointer actions that do not depend on the navigation preset.
const POINTER: [(&str, &str); 4] = [
    ("Click", "Select the joint with the largest weight under the cursor"),
    ("Drag a gizmo ring", "Rotate the selected joint (Y toggles the gizmo)"),
    ("Drag on the timeline", "Scrub through the clip; with Shift between frames"),
    ("Drop a file", "Open it"),
];

/// Widths of the keys of a command, in points.
const MIN_KEYS_WIDTH: f32 = 84.0;
const MAX_KEYS_WIDTH: f32 = 124.0;

/// Command groups per column. The pointer actions follow in the last column.
const COLUMNS: [&[&str]; 4] =
    [&["Playback", "Compare"], &["Shading & Overlays", "Light", "File"], &["View", "Window"], &["Edit"]];

/// Returns `true` if the user closes the dialog.
pub(crate) fn show(ui: &Ui, navigation: Navigation) -> bool {
    let screen = ui.ctx().content_rect();
    let (width, height) = ((screen.width() - 60.0).min(1180.0), (screen.height() - 80.0).min(680.0));
    let window = Window::new("Keyboard shortcuts").anchor(Align2::CENTER_CENTER, Vec2::ZERO);
    let window = window.fixed_size(vec2(width.max(120.0), height.max(80.0)));
    dialog(ui, window, |ui| {
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            let count = match width {
                1100.0.. => 4,
                500.0.. => 2,
                _ => 1,
            };
            ui.set_max_width(ui.available_width() - SCROLL_BAR_WIDTH);
            ui.columns(count, |columns| {
                for (i, groups) in COLUMNS.iter().enumerate() {
                    for group in *groups {
                        command_group(&mut columns[i % count], group);
                    }
                }
                pointer_group(&mut columns[(COLUMNS.len() - 1) % count], navigation);
            });
        });
    })
}

fn title(ui: &mut Ui, text: &str) {
    ui.add_space(4.0);
    ui.label(RichText::new(text).heading());
    ui.add_space(2.0);
}

fn command_group(ui: &mut Ui, group: &str) {
    title(ui, group);
    // Longer names wrap: a wide row would widen all columns beyond the dialog.
    let name_width = (ui.available_width() - MAX_KEYS_WIDTH).max(MIN_KEYS_WIDTH);
    let grid = Grid::new(group).num_columns(2).min_col_width(MIN_KEYS_WIDTH).max_col_width(name_width);
    grid.spacing(vec2(10.0, 1.0)).show(ui, |ui| {
        for command in COMMANDS.iter().filter(|command| command.group == group && !command.all_keys.is_empty()) {
            let keys: Vec<String> = command.keys().map(ToString::to_string).collect();
            ui.label(RichText::new(keys.join("  ")).strong());
            ui.label(command.name).on_hover_text(command.help);
            ui.end_row();
        }
    });
    ui.add_space(4.0);
}

fn pointer_group(ui: &mut Ui, navigation: Navigation) {
    let preset = Navigation::ALL.iter().find(|(known, _)| *known == navigation).map_or("", |(_, name)| name);
    title(ui, &format!("Pointer ({preset})"));
    for (gesture, effect) in navigation.bindings_help().iter().chain(&POINTER) {
        ui.label(RichText::new(*gesture).strong());
        ui.indent(gesture, |ui| {
            // Columns justify their text.
            ui.with_layout(Layout::top_down(Align::LEFT), |ui| ui.add(Label::new(*effect).wrap()));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_group_has_a_column() {
        let listed = COLUMNS.concat();
        assert!(COMMANDS.iter().all(|command| listed.contains(&command.group)));
    }
}
