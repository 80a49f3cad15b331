//! Small things that several panels share.

use super::icons::{self, Icon};
use crate::app::viewer::actions::{Action, of_action};
use egui::{
    Align2, Button, Color32, FontSelection, Rect, Response, RichText, TextStyle, TextWrapMode, Ui, WidgetText, pos2,
    vec2,
};

/// What a line of a menu begins with: as wide as a tick.
pub(crate) const GUTTER: &str = "     ";

/// A menu item for an action of the table, with its key.
pub(crate) fn item(ui: &mut Ui, action: &Action, actions: &mut Vec<Action>) {
    chosen_item(ui, action, None, actions);
}

/// A menu item that tells whether it is so at present.
pub(crate) fn chosen_item(ui: &mut Ui, action: &Action, chosen: Option<bool>, actions: &mut Vec<Action>) {
    let Some(command) = of_action(action) else { return };
    let key = command.keys.first().map(ToString::to_string).unwrap_or_default();
    // Room for a tick before every line, so that all names of a menu stand in one column.
    let button = Button::new(format!("{GUTTER}{}", command.name)).shortcut_text(RichText::new(key).weak());
    let response = ui.add(button).on_hover_text(command.help);
    if chosen == Some(true) {
        let color = ui.style().interact(&response).fg_stroke.color;
        icons::draw(ui.painter(), response.rect.left_center() + vec2(11.0, 0.0), Icon::Tick, color);
    }
    if response.clicked() {
        actions.push(action.clone());
        ui.close();
    }
}

/// What a hand over a button is told: what it does, and its key.
pub(crate) fn tip(response: Response, action: &Action) -> Response {
    match of_action(action) {
        Some(command) => response.on_hover_ui(|ui| {
            let key = command.keys.first().map(|key| format!("  ({key})")).unwrap_or_default();
            ui.label(format!("{}{key}", command.help));
        }),
        None => response,
    }
}

/// A heading within a panel.
pub(crate) fn heading(ui: &mut Ui, text: &str) {
    ui.add_space(6.0);
    ui.label(RichText::new(text).strong());
}

/// Words on a line of a list: a name, and a note at its right end, which may give way to a long name. Of a name that is cut off, a hand over
/// the line is told all.
///
/// Painted as they are: widgets of their own for each word would be most of what a long list costs.
pub(crate) fn words(
    ui: &Ui,
    line: Rect,
    (name, name_color): (RichText, Color32),
    (note, note_color, note_gives_way): (&str, Color32, bool),
    response: Response,
) -> Response {
    let text = name.text().to_owned();
    let laid_out = |text: RichText, width: f32| {
        let wrap = Some(TextWrapMode::Truncate);
        WidgetText::from(text).into_galley(ui, wrap, width, FontSelection::from(TextStyle::Body))
    };
    let painter = ui.painter();
    let note = laid_out(RichText::new(note).small(), line.width());
    let at = Align2::RIGHT_CENTER.anchor_size(line.right_center(), note.size());
    let mut galley = laid_out(name.clone(), (at.min.x - 6.0 - line.min.x).max(0.0));
    if galley.elided && note_gives_way {
        galley = laid_out(name, line.width());
    } else {
        painter.galley(at.min, note, note_color);
    }
    let elided = galley.elided;
    painter.galley(pos2(line.min.x, line.center().y - 0.5 * galley.size().y), galley, name_color);
    if elided { response.on_hover_text(text) } else { response }
}
