//! Widgets that several panels share.

use super::icons::{self, Icon};
use crate::app::viewer::actions::{Action, command_for};
use crate::app::viewer::state::document::Document;
use crate::model::JointIndex;
use egui::{
    Align2, Button, Color32, FontId, FontSelection, Id, Label, LayerId, Order, Painter, Pos2, Rect, Response, RichText,
    Sense, TextStyle, TextWrapMode, Ui, Vec2, WidgetText, Window, pos2, vec2,
};

/// Indent of menu items: room for a check mark.
pub(crate) const MENU_INDENT: &str = "      ";

/// Adds a menu item for a command with its shortcut, and a check mark in front if `checked`.
pub(crate) fn menu_item(ui: &mut Ui, action: &Action, enabled: bool, checked: bool, actions: &mut Vec<Action>) {
    let Some(command) = command_for(action) else { return };
    let key = command.keys.first().map(ToString::to_string).unwrap_or_default();
    let button = Button::new(format!("{MENU_INDENT}{}", command.name)).shortcut_text(RichText::new(key).weak());
    let response = ui.add_enabled(enabled, button).on_hover_text(command.help);
    if checked {
        let color = ui.style().interact(&response).fg_stroke.color;
        icons::draw(ui.painter(), response.rect.left_center() + vec2(10.0, 0.0), Icon::Check, color);
    }
    if response.clicked() {
        actions.push(action.clone());
        ui.close();
    }
}

/// The name of the command for `action`; empty if there is none.
pub(crate) fn command_name(action: &Action) -> &'static str {
    command_for(action).map_or("", |command| command.name)
}

/// Adds the command's help and shortcut as a tooltip.
pub(crate) fn tooltip(response: Response, action: &Action) -> Response {
    match command_for(action) {
        Some(command) => response.on_hover_ui(|ui| {
            let key = command.keys.first().map(|key| format!("  ({key})")).unwrap_or_default();
            ui.label(format!("{}{key}", command.help));
        }),
        None => response,
    }
}

/// Pushes `action` when `response` is clicked, and explains the action in a tooltip.
pub(crate) fn on_click(response: Response, action: Action, actions: &mut Vec<Action>) {
    if tooltip(response, &action).clicked() {
        actions.push(action);
    }
}

/// Adds an icon button for an action.
pub(crate) fn icon_button(
    ui: &mut Ui,
    icon: Icon,
    selected: bool,
    action: &Action,
    actions: &mut Vec<Action>,
) -> Response {
    let width = ui.spacing().interact_size.y + 4.0;
    let response = paint_icon_button(ui, icon, width, selected);
    if response.clicked() {
        actions.push(action.clone());
    }
    tooltip(response, action)
}

/// Adds an icon that highlights under the pointer.
pub(crate) fn paint_icon_button(ui: &mut Ui, icon: Icon, width: f32, selected: bool) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(width, ui.spacing().interact_size.y), Sense::click());
    let visuals = ui.style().interact(&response);
    if response.hovered() || response.is_pointer_button_down_on() {
        ui.painter().rect_filled(rect, visuals.corner_radius, visuals.weak_bg_fill);
    }
    let color = if selected { ui.visuals().selection.bg_fill } else { visuals.fg_stroke.color };
    icons::draw(ui.painter(), rect.center(), icon, color);
    response
}

/// Adds a heading within a panel.
pub(crate) fn heading(ui: &mut Ui, text: &str) {
    ui.add_space(6.0);
    ui.label(RichText::new(text).strong());
}

/// Adds a label that wraps.
pub(crate) fn wrapped_label(ui: &mut Ui, text: impl Into<RichText>) {
    ui.add(Label::new(text.into()).wrap());
}

/// The panels' text while no file is open.
pub(crate) fn no_file_label(ui: &mut Ui) {
    ui.weak("No file is open.");
}

/// A row of a list: a name at the left and a note at the right.
///
/// Painted without widgets, because a widget per text would dominate the layout time of long lists.
pub(crate) struct ListRow<'a> {
    pub(crate) name: RichText,
    pub(crate) note: &'a str,
    pub(crate) selected: bool,
    /// Indent of the name, in points.
    pub(crate) indent: f32,
    /// A long name may cover the note.
    pub(crate) note_yields: bool,
    /// Color of a dot at the right end.
    pub(crate) dot: Option<Color32>,
}

impl ListRow<'_> {
    /// Adds the row at the full available width. Elided names are shown in full as a tooltip.
    pub(crate) fn show(self, ui: &mut Ui) -> Response {
        let height = ui.spacing().interact_size.y;
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::click());
        let (text_color, note_color) = self.colors(ui);
        let fill = if self.selected {
            Some(ui.visuals().selection.bg_fill)
        } else {
            response.hovered().then_some(ui.visuals().widgets.hovered.weak_bg_fill)
        };
        if let Some(fill) = fill {
            ui.painter().rect_filled(rect, 4.0, fill);
        }
        let galley = |text: RichText, width: f32| {
            let wrap = Some(TextWrapMode::Truncate);
            WidgetText::from(text).into_galley(ui, wrap, width, FontSelection::from(TextStyle::Body))
        };
        let mut line =
            Rect::from_min_max(pos2(rect.min.x + self.indent, rect.min.y), pos2(rect.max.x - 6.0, rect.max.y));
        if let Some(color) = self.dot {
            ui.painter().circle_filled(line.right_center() - vec2(4.0, 0.0), 4.0, color);
            line.max.x -= 14.0;
        }
        let text = self.name.text().to_owned();
        let note = galley(RichText::new(self.note).small(), line.width());
        let note_rect = Align2::RIGHT_CENTER.anchor_size(line.right_center(), note.size());
        let mut name = galley(self.name.clone(), (note_rect.min.x - 6.0 - line.min.x).max(0.0));
        if name.elided && self.note_yields {
            name = galley(self.name, line.width());
        } else {
            ui.painter().galley(note_rect.min, note, note_color);
        }
        let elided = name.elided;
        ui.painter().galley(pos2(line.min.x, line.center().y - 0.5 * name.size().y), name, text_color);
        if elided { response.on_hover_text(text) } else { response }
    }

    /// Colors of the name and the note.
    pub(crate) fn colors(&self, ui: &Ui) -> (Color32, Color32) {
        let visuals = ui.visuals();
        if self.selected {
            (visuals.selection.stroke.color, visuals.selection.stroke.color)
        } else {
            (visuals.text_color(), visuals.weak_text_color())
        }
    }
}

/// A painter over the model, below all panels and dialogs.
pub(crate) fn viewport_painter(ui: &Ui, viewport: Rect, id: &str) -> Painter {
    ui.ctx().layer_painter(LayerId::new(Order::Background, Id::unique(id))).with_clip_rect(viewport)
}

/// Position of a joint in the window; `None` outside the viewport.
pub(crate) fn joint_position(document: &Document, joint: JointIndex, viewport: Rect) -> Option<Pos2> {
    let position = document.scene.world_from_joint(joint, document.clock_secs()).translation;
    let aspect = f64::from(viewport.width()) / f64::from(viewport.height()).max(1.0);
    let p = document.camera().projection_from_world(aspect) * position.push(1.0);
    if p.w <= 0.0 || viewport.width() < 1.0 {
        return None;
    }
    let [x, y] = [0.5 + 0.5 * p.x / p.w, 0.5 - 0.5 * p.y / p.w];
    let is_inside = [x, y].iter().all(|fraction| (0.0..=1.0).contains(fraction));
    is_inside.then(|| viewport.min + vec2(x as f32 * viewport.width(), y as f32 * viewport.height()))
}

/// Shows a dialog in the center of the window. Returns `true` if the user closes it.
pub(crate) fn dialog(ui: &Ui, window: Window<'_>, content: impl FnOnce(&mut Ui)) -> bool {
    let mut open = true;
    let window = window.open(&mut open).collapsible(false).resizable(false);
    window.anchor(Align2::CENTER_CENTER, Vec2::ZERO).show(ui.ctx(), content);
    !open
}

/// Paints white text on a dark translucent tag over the model.
pub(crate) fn paint_tag(painter: &Painter, position: Pos2, align: Align2, text: String, size: f32) {
    const PADDING: egui::Vec2 = vec2(5.0, 2.0);
    let galley = painter.layout_no_wrap(text, FontId::proportional(size), Color32::WHITE);
    let rect = align.anchor_size(position, galley.size()).expand2(PADDING);
    painter.rect_filled(rect, 4.0, Color32::from_black_alpha(160));
    painter.galley(rect.min + PADDING, galley, Color32::WHITE);
}

/// Formats `count` with its noun: "1 joint", "1 234 joints".
pub(crate) fn count_label(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(count), if count == 1 { one } else { many })
}

/// Formats an integer in groups of three digits, separated by thin spaces.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push('\u{2009}');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_grouped_by_three_digits() {
        let texts = [0, 999, 1000, 1234567].map(thousands);
        assert_eq!(texts, ["0", "999", "1\u{2009}000", "1\u{2009}234\u{2009}567"]);
        assert_eq!(count_label(1, "joint", "joints"), "1 joint");
    }
}
