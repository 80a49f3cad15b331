//! Small things that several panels share.

use crate::app::input::{Action, of_action};
use egui::{Button, Response, RichText, Ui};

/// A menu item for an action of the table, with its key.
pub(super) fn item(ui: &mut Ui, action: &Action, actions: &mut Vec<Action>) {
    chosen_item(ui, action, None, actions);
}

/// A menu item that tells whether it is so at present.
pub(super) fn chosen_item(ui: &mut Ui, action: &Action, chosen: Option<bool>, actions: &mut Vec<Action>) {
    let Some(command) = of_action(action) else { return };
    let key = command.keys.first().map(ToString::to_string).unwrap_or_default();
    let mark = match chosen {
        Some(true) => "\u{2714} ",
        Some(false) => "    ",
        None => "",
    };
    let button = Button::new(format!("{mark}{}", command.name)).shortcut_text(RichText::new(key).weak());
    if ui.add(button).on_hover_text(command.help).clicked() {
        actions.push(action.clone());
        ui.close();
    }
}

/// What a hand over a button is told: what it does, and its key.
pub(super) fn tip(response: Response, action: &Action) -> Response {
    match of_action(action) {
        Some(command) => {
            let key = command.keys.first().map(|key| format!("  ({key})")).unwrap_or_default();
            response.on_hover_text(format!("{}{key}", command.help))
        }
        None => response,
    }
}

/// A heading within a panel.
pub(super) fn heading(ui: &mut Ui, text: &str) {
    ui.add_space(6.0);
    ui.label(RichText::new(text).strong());
}
