//! Widgets that several panels share.

use super::UiContext;
use super::icons::{self, Icon};
use crate::app::viewer::actions::{Action, SelectionAction, command_for};
use crate::app::viewer::state::{Document, Selection};
use egui::text::{LayoutJob, TextWrapping};
use egui::{
    Align, Align2, Button, Color32, FontId, Galley, Id, Label, LayerId, Layout, Order, Painter, Pos2, Rect, RectAlign,
    Response, RichText, Role, Sense, StrokeKind, TextFormat, TextStyle, Tooltip, Ui, UiBuilder, WidgetInfo, Window,
    pos2, vec2,
};
use nalgebra::{Matrix4, Vector3};
use rigview_core::model::JointIndex;
use std::sync::Arc;

/// Width of an icon in a row, in points.
pub(crate) const ICON_WIDTH: f32 = 16.0;

/// Width of the eye at the right end of a row, in points.
pub(crate) const EYE_WIDTH: f32 = 16.0;

/// Columns of a [`value_row`], in points: the label before the slider, and the number and reset button after it.
const LABEL_WIDTH: f32 = 82.0;
pub(crate) const NUMBER_WIDTH: f32 = 60.0;
const RESET_WIDTH: f32 = 20.0;

/// Lines of the details of a [`ListRow`].
const DETAIL_ROWS: usize = 2;

/// Indent of menu items: room for a check mark.
pub(crate) const MENU_INDENT: &str = "      ";

/// Adds a menu item for a command with its shortcut, and a check mark in front if `checked`.
pub(crate) fn menu_item(ui: &mut Ui, action: &Action, enabled: bool, checked: bool, ctx: &UiContext<'_>) {
    let Some(command) = command_for(action) else { return };
    let key = command.keys().next().map(ToString::to_string).unwrap_or_default();
    let button = Button::new(format!("{MENU_INDENT}{}", command.name)).shortcut_text(RichText::new(key).weak());
    let response = ui.add_enabled(enabled, button).on_hover_text(command.help);
    if checked {
        let color = ui.style().interact(&response).fg_stroke.color;
        icons::draw(ui.painter(), response.rect.left_center() + vec2(10.0, 0.0), Icon::Check, color);
    }
    if response.clicked() {
        ctx.push(action.clone());
        ui.close();
    }
}

/// The name of the command for `action`; empty if there is none.
pub(crate) fn command_name(action: &Action) -> &'static str {
    command_for(action).map_or("", |command| command.name)
}

/// Adds the command's help and shortcut as a tooltip.
pub(crate) fn tooltip(response: Response, action: &Action) -> Response {
    tooltip_at(response, action, RectAlign::BOTTOM_START)
}

/// Adds the command's help and shortcut as a tooltip at a side of the widget.
pub(crate) fn tooltip_at(response: Response, action: &Action, side: RectAlign) -> Response {
    if let Some(command) = command_for(action) {
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, command.name));
        let mut tooltip = Tooltip::for_enabled(&response);
        tooltip.popup = tooltip.popup.align(side);
        tooltip.show(|ui| {
            let key = command.keys().next().map(|key| format!("  ({key})")).unwrap_or_default();
            ui.label(format!("{}{key}", command.help));
        });
    }
    response
}

/// Adds the name of a joint as a link that selects it.
pub(crate) fn joint_link(ui: &mut Ui, document: &Document, joint: JointIndex, ctx: &UiContext<'_>) {
    if ui.link(RichText::new(document.outline.joint(joint)).underline()).clicked() {
        ctx.push(SelectionAction::Select(Some(Selection::Joint(joint))));
    }
}

/// Pushes `action` when `response` is clicked, and explains the action in a tooltip.
pub(crate) fn on_click(response: Response, action: impl Into<Action>, ctx: &UiContext<'_>) {
    let action = action.into();
    ctx.push_if(tooltip(response, &action).clicked(), action);
}

pub(crate) fn icon_button(ui: &mut Ui, icon: Icon, selected: bool, action: &Action, ctx: &UiContext<'_>) -> Response {
    let width = ui.spacing().interact_size.y + 4.0;
    let response = paint_icon_button(ui, icon, width, selected);
    if response.clicked() {
        ctx.push(action.clone());
    }
    tooltip(response, action)
}

/// Outlines a painted control that has the keyboard focus.
pub(crate) fn paint_focus(ui: &Ui, response: &Response) {
    if response.has_focus() {
        let stroke = ui.visuals().widgets.active.bg_stroke;
        ui.painter().rect_stroke(response.rect, 4.0, stroke, StrokeKind::Inside);
    }
}

/// Adds an icon that highlights under the pointer.
pub(crate) fn paint_icon_button(ui: &mut Ui, icon: Icon, width: f32, selected: bool) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(width, ui.spacing().interact_size.y), Sense::click());
    let visuals = ui.style().interact(&response);
    if response.hovered() || response.is_pointer_button_down_on() {
        ui.painter().rect_filled(rect, visuals.corner_radius, visuals.weak_bg_fill);
    }
    paint_focus(ui, &response);
    let color = if selected { ui.visuals().selection.bg_fill } else { visuals.fg_stroke.color };
    icons::draw(ui.painter(), rect.center(), icon, color);
    response
}

/// Sets the width of sliders so that a [`value_row`] has the width of the panel.
pub(crate) fn fit_sliders(ui: &mut Ui) {
    let other_columns = LABEL_WIDTH + NUMBER_WIDTH + RESET_WIDTH + 4.0 * ui.spacing().item_spacing.x;
    ui.spacing_mut().slider_width = (ui.available_width() - other_columns).clamp(30.0, 300.0);
}

/// Adds a label, a widget, and a button that restores the default if the value differs.
pub(crate) fn value_row<T: PartialEq>(
    ui: &mut Ui,
    label: &str,
    help: &str,
    value: &mut T,
    default: T,
    widget: impl FnOnce(&mut Ui, &mut T),
) {
    ui.horizontal(|ui| {
        let height = ui.spacing().interact_size.y;
        let layout = Layout::left_to_right(Align::Center);
        ui.allocate_ui_with_layout(vec2(LABEL_WIDTH, height), layout, |ui| {
            ui.set_min_width(LABEL_WIDTH);
            ui.add(Label::new(label).truncate()).on_hover_text(help);
        });
        widget(ui, value);
        if *value != default {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if paint_icon_button(ui, Icon::Reset, RESET_WIDTH, false).on_hover_text("Restore the default").clicked()
                {
                    *value = default;
                }
            });
        }
    });
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
#[derive(Default)]
pub(crate) struct ListRow<'a> {
    pub(crate) name: &'a str,
    pub(crate) strong: bool,
    /// Lengths in bytes of the start and the end of the name that are dropped: parts that other names share.
    pub(crate) affixes: [usize; 2],
    /// Highlighted part of the name, in lower case; empty for none.
    pub(crate) highlight: &'a str,
    pub(crate) note: &'a str,
    pub(crate) selected: bool,
    /// Indent of the name, in points.
    pub(crate) indent: f32,
    /// An icon in front of the name.
    pub(crate) icon: Option<Icon>,
    /// A long name may cover the note.
    pub(crate) note_yields: bool,
    /// Color of a dot at the right end.
    pub(crate) dot: Option<Color32>,
    /// An eye at the right end: open if the item is visible.
    pub(crate) eye: Option<bool>,
    /// The name is in a weak color.
    pub(crate) dimmed: bool,
    /// Small text below the name, for which the row has two lines more.
    pub(crate) details: Option<&'a str>,
}

impl ListRow<'_> {
    /// Height of a row with details, in points.
    pub(crate) fn height_with_details(ui: &Ui) -> f32 {
        ui.spacing().interact_size.y + DETAIL_ROWS as f32 * ui.text_style_height(&TextStyle::Small) + 5.0
    }

    /// Adds the row at the full available width. Shortened texts are shown in full as a tooltip.
    pub(crate) fn show(self, ui: &mut Ui) -> Response {
        let name_height = ui.spacing().interact_size.y;
        let height = if self.details.is_some() { Self::height_with_details(ui) } else { name_height };
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::click());
        if !ui.is_rect_visible(rect) {
            return response;
        }
        let (text_color, note_color) = self.colors(ui);
        let fill = if self.selected {
            Some(ui.visuals().selection.bg_fill)
        } else {
            response.hovered().then_some(ui.visuals().widgets.hovered.weak_bg_fill)
        };
        if let Some(fill) = fill {
            ui.painter().rect_filled(rect, 4.0, fill);
        }
        paint_focus(ui, &response);
        let label = [self.name].into_iter().chain(self.details).collect::<Vec<_>>().join(": ");
        response.widget_info(|| WidgetInfo::selected(Role::ListItem, true, self.selected, label.as_str()));
        let mut line = Rect::from_min_max(
            pos2(rect.min.x + self.indent, rect.min.y),
            pos2(rect.max.x - 6.0, rect.min.y + name_height),
        );
        if let Some(icon) = self.icon {
            icons::draw(ui.painter(), line.left_center() + vec2(6.0, 0.0), icon, note_color);
            line.min.x += ICON_WIDTH;
        }
        if let Some(is_visible) = self.eye {
            let (icon, color) = match is_visible {
                true if self.selected || response.hovered() => (Icon::Eye, note_color),
                true => (Icon::Eye, note_color.gamma_multiply(0.4)),
                false => (Icon::EyeClosed, text_color),
            };
            icons::draw(ui.painter(), line.right_center() - vec2(4.0, 0.0), icon, color);
            line.max.x -= EYE_WIDTH;
        }
        if let Some(color) = self.dot {
            ui.painter().circle_filled(line.right_center() - vec2(4.0, 0.0), 4.0, color);
            line.max.x -= 14.0;
        }
        let note = ui.painter().layout_no_wrap(self.note.to_owned(), TextStyle::Small.resolve(ui.style()), note_color);
        let note_rect = Align2::RIGHT_CENTER.anchor_size(line.right_center(), note.size());
        let beside_note = if self.note.is_empty() { line.width() } else { note_rect.min.x - 6.0 - line.min.x };
        let [prefix, suffix] = self.affixes;
        let text = &self.name[prefix..self.name.len() - suffix];
        let (mut name, mut shortened) = self.name_galley(ui, text, beside_note, text_color);
        if shortened && self.note_yields {
            (name, shortened) = self.name_galley(ui, text, line.width(), text_color);
        } else {
            ui.painter().galley(note_rect.min, note, note_color);
        }
        ui.painter().galley(pos2(line.min.x, line.center().y - 0.5 * name.size().y), name, text_color);
        let details = self.details.map(|details| {
            let font = TextStyle::Small.resolve(ui.style());
            let mut job = LayoutJob::simple(details.to_owned(), font, note_color, line.width());
            job.wrap.max_rows = DETAIL_ROWS;
            (details, ui.painter().layout_job(job))
        });
        let mut tooltip: Vec<&str> = Some(self.name).filter(|_| shortened || prefix + suffix > 0).into_iter().collect();
        if let Some((details, galley)) = details {
            tooltip.extend(Some(details).filter(|_| galley.elided));
            ui.painter().galley(line.left_bottom(), galley, note_color);
        }
        if tooltip.is_empty() { response } else { response.on_hover_text(tooltip.join("\n")) }
    }

    /// Lays out the name. Returns `true` if its middle is cut to fit `width`.
    fn name_galley(&self, ui: &Ui, text: &str, width: f32, color: Color32) -> (Arc<Galley>, bool) {
        let color = if self.strong && !self.selected { ui.visuals().strong_text_color() } else { color };
        let font = TextStyle::Body.resolve(ui.style());
        let layout = |text: &str| {
            let mut job = LayoutJob::default();
            let format = |background: Color32| TextFormat { background, ..TextFormat::simple(font.clone(), color) };
            let lower = text.to_lowercase();
            // Lower case may have other lengths in bytes.
            let found = Some(self.highlight).filter(|part| !part.is_empty() && lower.len() == text.len());
            let found = found.and_then(|part| Some(lower.find(part)?..lower.find(part)? + part.len()));
            let found = found.filter(|found| text.is_char_boundary(found.start) && text.is_char_boundary(found.end));
            let found = found.unwrap_or(0..0);
            job.append(&text[..found.start], 0.0, format(Color32::TRANSPARENT));
            let highlight = ui.visuals().selection.bg_fill.gamma_multiply(0.6);
            job.append(&text[found.clone()], 0.0, format(highlight));
            job.append(&text[found.end..], 0.0, format(Color32::TRANSPARENT));
            ui.painter().layout_job(job)
        };
        let whole = layout(text);
        if whole.size().x <= width {
            return (whole, false);
        }
        // The ends of names differ more than their middles: "upper_arm.L.001".
        let chars: Vec<char> = text.chars().collect();
        let cut = |kept: usize| -> String {
            let (head, tail) = (kept.div_ceil(2), kept / 2);
            chars[..head].iter().chain(&['\u{2026}']).chain(&chars[chars.len() - tail..]).collect()
        };
        let fits = |kept: usize| layout(&cut(kept)).size().x <= width;
        let (mut low, mut high) = (0, chars.len().saturating_sub(1));
        while low < high {
            let middle = (low + high).div_ceil(2);
            if fits(middle) { low = middle } else { high = middle - 1 }
        }
        (layout(&cut(low)), true)
    }

    /// Colors of the name and the note.
    pub(crate) fn colors(&self, ui: &Ui) -> (Color32, Color32) {
        let visuals = ui.visuals();
        if self.selected {
            (visuals.selection.stroke.color, visuals.selection.stroke.color)
        } else {
            let text = if self.dimmed { visuals.weak_text_color() } else { visuals.text_color() };
            (text, visuals.weak_text_color())
        }
    }
}

/// Room for the scroll bar, which floats over the content, in points.
pub(crate) const SCROLL_BAR_WIDTH: f32 = 10.0;

/// Adds rows of one height within a scrolled panel. Those that are not visible cost nothing.
pub(crate) fn visible_rows(ui: &mut Ui, height: f32, count: usize, mut row: impl FnMut(&mut Ui, usize)) {
    let size = vec2(ui.available_width(), height * count as f32);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let visible = ui.clip_rect().y_range();
    let index = |y: f32| (((y - rect.min.y) / height).max(0.0) as usize).min(count);
    for i in index(visible.min)..(index(visible.max) + 1).min(count) {
        let top_left = rect.min + vec2(0.0, i as f32 * height);
        let row_rect = Rect::from_min_size(top_left, vec2(rect.width(), height));
        ui.scope_builder(UiBuilder::new().id_salt(i).max_rect(row_rect), |ui| row(ui, i));
    }
}

/// A painter over the model, below all panels and dialogs.
pub(crate) fn viewport_painter(ui: &Ui, viewport: Rect, id: &str) -> Painter {
    ui.ctx().layer_painter(LayerId::new(Order::Background, Id::unique(id))).with_clip_rect(viewport)
}

/// Position of a joint in the window; `None` outside the viewport.
pub(crate) fn joint_position(document: &Document, joint: JointIndex, viewport: Rect) -> Option<Pos2> {
    let position = document.scene.world_from_joint(joint, document.clock_secs()).translation;
    Projection::new(document, viewport).position(position).filter(|position| viewport.contains(*position))
}

/// Projects points of world space into a viewport.
pub(crate) struct Projection {
    projection_from_world: Matrix4<f64>,
    viewport: Rect,
}

impl Projection {
    pub(crate) fn new(document: &Document, viewport: Rect) -> Self {
        let aspect = f64::from(viewport.width()) / f64::from(viewport.height()).max(1.0);
        Self { projection_from_world: document.camera().projection_from_world(aspect), viewport }
    }

    /// `None` behind the camera.
    pub(crate) fn position(&self, point: Vector3<f64>) -> Option<Pos2> {
        let p = self.projection_from_world * point.push(1.0);
        let [x, y] = [0.5 + 0.5 * p.x / p.w, 0.5 - 0.5 * p.y / p.w];
        let is_visible = p.w > 0.0 && self.viewport.width() >= 1.0;
        is_visible.then(|| self.viewport.min + vec2(x as f32, y as f32) * self.viewport.size())
    }

    /// The height of the viewport at the depth of a point, in meters.
    pub(crate) fn height_at(&self, point: Vector3<f64>) -> f64 {
        let w = (self.projection_from_world * point.push(1.0)).w;
        2.0 * w / self.projection_from_world.fixed_view::<1, 3>(1, 0).norm()
    }
}

/// Shows a dialog in the center of the window. Returns `true` if the user closes it.
pub(crate) fn dialog(ui: &Ui, window: Window<'_>, content: impl FnOnce(&mut Ui)) -> bool {
    let mut open = true;
    let window = window.open(&mut open).collapsible(false).resizable(false);
    window.constrain_to(ui.ctx().content_rect()).show(ui.ctx(), content);
    !open
}

/// Paints white text on a dark translucent tag over the model. Text wider than the painter's area ends in "…".
pub(crate) fn paint_tag(painter: &Painter, position: Pos2, align: Align2, text: String, size: f32) {
    const PADDING: egui::Vec2 = vec2(5.0, 2.0);
    let mut job = LayoutJob::simple_singleline(text, FontId::proportional(size), Color32::WHITE);
    job.wrap = TextWrapping::truncate_at_width((painter.clip_rect().width() - 4.0 * PADDING.x).max(0.0));
    let galley = painter.layout_job(job);
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
