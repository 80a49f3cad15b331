//! The file as a tree.

use super::UiContext;
use super::widgets::words;
use crate::app::viewer::actions::Action;
use crate::app::viewer::analysis::outline::{Item, OutlineState, Row};
use crate::app::viewer::state::Selection;
use crate::app::viewer::state::document::Shown;
use egui::{Rect, RichText, ScrollArea, Sense, Shape, Stroke, TextEdit, Ui, pos2, vec2};

/// The tree, with a field to search it.
pub(crate) fn show(
    ui: &mut Ui,
    state: &mut OutlineState,
    revealed: &mut Option<Selection>,
    facts: &UiContext<'_>,
    actions: &mut Vec<Action>,
) {
    ui.add(TextEdit::singleline(&mut state.search).hint_text("Search").desired_width(f32::INFINITY));
    ui.add_space(2.0);
    let Some(shown) = facts.shown else {
        ui.weak("No file is open.");
        return;
    };
    let model = shown.stage.model();
    // What was selected elsewhere is brought into sight, once.
    let mut reveal = None;
    if *revealed != shown.selection {
        *revealed = shown.selection;
        if let Some(selection) = shown.selection {
            state.reveal(model, selection);
            reveal = Some(Item::Part(selection));
        }
    }
    let rows = shown.outline.rows(model, state);
    let height = ui.spacing().interact_size.y;
    ui.spacing_mut().item_spacing.y = 0.0;
    let mut area = ScrollArea::vertical().auto_shrink(false);
    if let Some(place) = reveal.and_then(|item| rows.iter().position(|row| row.item == item)) {
        let middle = (place as f32 + 0.5) * height - 0.5 * ui.available_height();
        area = area.vertical_scroll_offset(middle.max(0.0));
    }
    if rows.is_empty() {
        ui.weak("Nothing is called that.");
    }
    area.show_rows(ui, height, rows.len(), |ui, range| {
        for row in &rows[range] {
            one(ui, row, shown, state, revealed, actions);
        }
    });
}

/// A line: a triangle that opens and closes, a name, and what kind of thing it is.
fn one(
    ui: &mut Ui,
    row: &Row,
    shown: &Shown,
    state: &mut OutlineState,
    revealed: &mut Option<Selection>,
    actions: &mut Vec<Action>,
) {
    let height = ui.spacing().interact_size.y;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::click());
    let chosen = match row.item {
        Item::Part(selection) => shown.selection == Some(selection),
        Item::Scene(scene) => shown.stage.scene == scene,
        Item::Camera(camera) => shown.through == Some(camera),
        Item::Variant(variant) => shown.variant == Some(variant),
        Item::Heading(_) => false,
    };
    let visuals = ui.visuals();
    let (fill, text, weak) = if chosen {
        let white = visuals.selection.stroke.color;
        (Some(visuals.selection.bg_fill), white, white)
    } else {
        let hovered = response.hovered().then_some(visuals.widgets.hovered.weak_bg_fill);
        (hovered, visuals.text_color(), visuals.weak_text_color())
    };
    if let Some(fill) = fill {
        ui.painter().rect_filled(rect, 4.0, fill);
    }
    let indent = 2.0 + 12.0 * row.depth.min(24) as f32;
    let triangle = Rect::from_min_size(rect.min + vec2(indent, 0.0), vec2(14.0, height));
    if let Some(open) = row.open {
        let center = triangle.center();
        let corners = if open {
            [vec2(-4.0, -2.0), vec2(4.0, -2.0), vec2(0.0, 3.0)]
        } else {
            [vec2(-2.0, -4.0), vec2(3.0, 0.0), vec2(-2.0, 4.0)]
        };
        let corners = corners.map(|corner| pos2(center.x + corner.x, center.y + corner.y)).to_vec();
        ui.painter().add(Shape::convex_polygon(corners, weak, Stroke::NONE));
    }
    let inside = Rect::from_min_max(pos2(triangle.max.x + 2.0, rect.min.y), pos2(rect.max.x - 4.0, rect.max.y));
    let mut label = RichText::new(&row.label);
    if matches!(row.item, Item::Heading(_)) {
        label = label.strong();
    }
    let response = words(ui, inside, (label, text), (&row.note, weak, true), response);
    let on_triangle = response.interact_pointer_pos().is_some_and(|place| place.x < triangle.max.x);
    if response.clicked() && row.open.is_some() && (on_triangle || matches!(row.item, Item::Heading(_))) {
        state.toggle(row.item);
    } else if response.clicked() {
        match row.item {
            Item::Part(selection) => {
                let selection = Some(selection).filter(|_| !chosen);
                // What is clicked here is in sight.
                *revealed = selection;
                actions.push(Action::Select(selection));
            }
            Item::Scene(scene) => actions.push(Action::ShowScene(scene)),
            Item::Camera(camera) => actions.push(Action::LookThrough(Some(camera).filter(|_| !chosen))),
            Item::Variant(variant) => actions.push(Action::ShowVariant(Some(variant).filter(|_| !chosen))),
            Item::Heading(_) => {}
        }
    }
    if response.double_clicked() && row.open.is_some() {
        state.toggle(row.item);
    }
}
