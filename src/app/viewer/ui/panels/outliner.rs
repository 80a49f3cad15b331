//! Outliner: the contents of the file as a tree, with a search field.

use crate::app::viewer::actions::Action;
use crate::app::viewer::analysis::outline::{Item, OutlineState, Row};
use crate::app::viewer::state::Selection;
use crate::app::viewer::state::document::Document;
use crate::app::viewer::ui::context::UiContext;
use crate::app::viewer::ui::theme;
use crate::app::viewer::ui::widgets::{ListRow, no_file_label};
use egui::{Color32, Pos2, RichText, ScrollArea, Shape, Stroke, TextEdit, Ui, pos2, vec2};

/// Indent per level of the tree, and width of the triangle that opens a row, in points.
const INDENT: f32 = 12.0;
const TRIANGLE_WIDTH: f32 = 14.0;

/// Deeper rows are indented no further.
const MAX_INDENT_LEVELS: usize = 24;

#[derive(Default)]
pub(crate) struct OutlinerState {
    pub(crate) tree: OutlineState,
    /// The selection that was last scrolled into view.
    revealed: Option<Selection>,
}

pub(crate) fn show(ui: &mut Ui, state: &mut OutlinerState, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    ui.add(TextEdit::singleline(&mut state.tree.search).hint_text("Search").desired_width(f32::INFINITY));
    ui.add_space(2.0);
    let Some(document) = ctx.document else { return no_file_label(ui) };
    let model = document.scene.model();
    let mut reveal = None;
    if state.revealed != document.selection {
        state.revealed = document.selection;
        if let Some(selection) = document.selection {
            state.tree.reveal(model, selection);
            reveal = Some(Item::Part(selection));
        }
    }
    let rows = document.outline.rows(model, &state.tree);
    let height = ui.spacing().interact_size.y;
    ui.spacing_mut().item_spacing.y = 0.0;
    let mut area = ScrollArea::vertical().auto_shrink(false);
    if let Some(index) = reveal.and_then(|item| rows.iter().position(|row| row.item == item)) {
        let center = (index as f32 + 0.5) * height - 0.5 * ui.available_height();
        area = area.vertical_scroll_offset(center.max(0.0));
    }
    if rows.is_empty() {
        ui.weak("No matches.");
    }
    area.show_rows(ui, height, rows.len(), |ui, range| {
        for row in &rows[range] {
            tree_row(ui, row, state, document, actions);
        }
    });
}

fn tree_row(ui: &mut Ui, row: &Row, state: &mut OutlinerState, document: &Document, actions: &mut Vec<Action>) {
    let selected = match row.item {
        Item::Part(selection) => document.selection == Some(selection),
        Item::Scene(scene) => document.scene.scene == scene,
        Item::Camera(camera) => document.camera.model_camera == Some(camera),
        Item::Variant(variant) => document.variant == Some(variant),
        Item::Heading(_) => false,
    };
    let is_heading = matches!(row.item, Item::Heading(_));
    let name = RichText::new(&row.label);
    let indent = 2.0 + INDENT * row.depth.min(MAX_INDENT_LEVELS) as f32 + TRIANGLE_WIDTH;
    let list_row = ListRow {
        name: if is_heading { name.strong() } else { name },
        note: &row.note,
        selected,
        indent: indent + 2.0,
        note_yields: true,
        dot: is_overridden(row.item, document).then_some(theme::OVERRIDE_COLOR),
    };
    let (_, triangle_color) = list_row.colors(ui);
    let response = list_row.show(ui);
    let triangle_end = response.rect.min.x + indent;
    if let Some(open) = row.open {
        paint_triangle(ui, pos2(triangle_end - 0.5 * TRIANGLE_WIDTH, response.rect.center().y), open, triangle_color);
    }
    let on_triangle = response.interact_pointer_pos().is_some_and(|position| position.x < triangle_end);
    if response.clicked() && row.open.is_some() && (on_triangle || is_heading) {
        state.tree.toggle(row.item);
    } else if response.clicked() {
        activate(row.item, selected, state, actions);
    }
    if response.double_clicked() && row.open.is_some() {
        state.tree.toggle(row.item);
    }
}

fn is_overridden(item: Item, document: &Document) -> bool {
    matches!(item, Item::Part(Selection::Joint(joint)) if document.scene.overrides().get(joint).is_some())
}

/// Selects or shows the item of a row; deselects it if it was selected.
fn activate(item: Item, selected: bool, state: &mut OutlinerState, actions: &mut Vec<Action>) {
    match item {
        Item::Part(selection) => {
            let selection = Some(selection).filter(|_| !selected);
            // The clicked row is visible already.
            state.revealed = selection;
            actions.push(Action::Select(selection));
        }
        Item::Scene(scene) => actions.push(Action::ShowScene(scene)),
        Item::Camera(camera) => actions.push(Action::UseModelCamera(Some(camera).filter(|_| !selected))),
        Item::Variant(variant) => actions.push(Action::ShowVariant(Some(variant).filter(|_| !selected))),
        Item::Heading(_) => {}
    }
}

fn paint_triangle(ui: &Ui, center: Pos2, open: bool, color: Color32) {
    let corners = if open {
        [vec2(-4.0, -2.0), vec2(4.0, -2.0), vec2(0.0, 3.0)]
    } else {
        [vec2(-2.0, -4.0), vec2(3.0, 0.0), vec2(-2.0, 4.0)]
    };
    let corners = corners.map(|corner| center + corner).to_vec();
    ui.painter().add(Shape::convex_polygon(corners, color, Stroke::NONE));
}
