//! Outliner: the contents of the file as a tree, with a search field.

use crate::app::scene::selection::HiddenParts;
use crate::app::viewer::actions::{Action, CameraAction, ExportAction, FileAction, PoseAction, SelectionAction};
use crate::app::viewer::analysis::outline::{Item, OutlineState, Row};
use crate::app::viewer::state::{Document, Selection};
use crate::app::viewer::ui::widgets::{EYE_WIDTH, ListRow, no_file_label};
use crate::app::viewer::ui::{Icon, UiContext, theme};
use egui::{Color32, EventFilter, Key, Pos2, Response, ScrollArea, Shape, Stroke, TextEdit, Ui, pos2, vec2};
use rigview_core::util::text::counted;

/// Indent per level of the tree, and width of the triangle that opens a row, in points.
const INDENT: f32 = 9.0;
const TRIANGLE_WIDTH: f32 = 12.0;

/// Levels with the full indent, and the indent of deeper ones, in points.
const INDENTED_LEVELS: usize = 6;
const DEEP_INDENT: f32 = 4.0;

/// Room for icon, name and eye of the deepest rows, in points.
const MIN_NAME_WIDTH: f32 = 120.0;

#[derive(Default)]
pub(crate) struct OutlinerState {
    pub(crate) tree: OutlineState,
    /// The selection that was last scrolled into view.
    revealed: Option<Selection>,
}

pub(crate) fn show(ui: &mut Ui, state: &mut OutlinerState, ctx: &UiContext<'_>) {
    let Some(document) = &ctx.document else {
        search_field(ui, &mut state.tree.search);
        return no_file_label(ui);
    };
    let model = document.scene.model();
    search_field(ui, &mut state.tree.search);
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
    let is_searching = !state.tree.search.trim().is_empty();
    if is_searching {
        let hits = rows.iter().filter(|row| !matches!(row.item, Item::Heading(_))).count();
        ui.weak(if hits == 0 { "No matches.".to_owned() } else { counted(hits, "match", "matches") });
    }
    let mut area = ScrollArea::vertical().auto_shrink(false);
    if let Some(index) = reveal.and_then(|item| rows.iter().position(|row| row.item == item)) {
        let center = (index as f32 + 0.5) * height - 0.5 * ui.available_height();
        area = area.vertical_scroll_offset(center.max(0.0));
    }
    area.show_rows(ui, height, rows.len(), |ui, range| {
        for row in &rows[range] {
            tree_row(ui, row, state, document, ctx);
        }
    });
}

/// The search field; Escape clears it.
fn search_field(ui: &mut Ui, search: &mut String) {
    let field = ui.add(TextEdit::singleline(search).hint_text("Search").desired_width(f32::INFINITY));
    if field.lost_focus() && ui.input(|input| input.key_pressed(Key::Escape)) {
        search.clear();
    }
    ui.add_space(2.0);
}

/// The start of the name of a row of a panel with this width, in points.
fn indent_of(depth: usize, width: f32) -> f32 {
    let deep = depth.saturating_sub(INDENTED_LEVELS);
    let indent = INDENT * (depth - deep) as f32 + DEEP_INDENT * deep as f32;
    2.0 + indent.min((width - MIN_NAME_WIDTH).max(0.0)) + TRIANGLE_WIDTH
}

fn icon_of(item: Item, document: &Document) -> Option<Icon> {
    Some(match item {
        Item::Heading(_) => return None,
        Item::Scene(_) => Icon::Scene,
        Item::Part(Selection::Joint(joint)) => match document.outline.kind(joint) {
            "joint" => Icon::Bone,
            "mesh" => Icon::Mesh,
            "skinned" => Icon::Skin,
            "light" => Icon::Light,
            "camera" => Icon::Camera,
            _ => Icon::Node,
        },
        Item::Part(Selection::Skin(_)) => Icon::Skin,
        Item::Part(Selection::Mesh(_)) => Icon::Mesh,
        Item::Part(Selection::Material(_)) | Item::Variant(_) => Icon::Material,
        Item::Camera(_) => Icon::Camera,
    })
}

fn tree_row(ui: &mut Ui, row: &Row, state: &mut OutlinerState, document: &Document, ctx: &UiContext<'_>) {
    let selected = match row.item {
        Item::Part(selection) => document.selection == Some(selection),
        Item::Scene(scene) => document.scene.scene_index == scene,
        Item::Camera(camera) => document.camera.model_camera == Some(camera),
        Item::Variant(variant) => document.variant() == Some(variant),
        Item::Heading(_) => false,
    };
    let is_heading = matches!(row.item, Item::Heading(_));
    let indent = indent_of(row.depth, ui.available_width());
    let icon = icon_of(row.item, document);
    let search = state.tree.search.trim().to_lowercase();
    let part = match row.item {
        Item::Part(part) if document.outline.can_hide(part) => Some(part),
        _ => None,
    };
    let (is_unnamed, is_overridden) = match row.item {
        Item::Part(Selection::Joint(joint)) => (
            document.scene.model().skeleton.joint(joint).name.is_none(),
            document.scene.overrides().get(joint).is_some(),
        ),
        _ => (false, false),
    };
    let list_row = ListRow {
        name: &row.label,
        strong: is_heading,
        // A search may match the parts that names share.
        affixes: if search.is_empty() { row.affixes } else { [0; 2] },
        highlight: &search,
        note: &row.note,
        selected,
        indent: indent + 2.0,
        icon,
        note_yields: true,
        dot: is_overridden.then_some(theme::OVERRIDE_COLOR),
        eye: part.map(|part| !document.hidden.hidden.contains(&part)),
        dimmed: part.is_some_and(|part| is_hidden(part, document)) || is_unnamed,
        details: None,
    };
    let (_, triangle_color) = list_row.colors(ui);
    let response = list_row.show(ui);
    response.context_menu(|ui| context_menu(ui, row, state, document, ctx));
    expand_by_keys(ui, &response, row, state);
    // A line below the triangle of each ancestor: deep levels differ by a few points only.
    let line = Stroke::new(1.0, ui.visuals().weak_text_color().gamma_multiply(0.35));
    for depth in 1..row.depth {
        let x = response.rect.min.x + indent_of(depth, response.rect.width()) - 0.5 * TRIANGLE_WIDTH;
        ui.painter().vline(x, response.rect.y_range(), line);
    }
    let triangle_end = response.rect.min.x + indent;
    if let Some(open) = row.open {
        paint_triangle(ui, pos2(triangle_end - 0.5 * TRIANGLE_WIDTH, response.rect.center().y), open, triangle_color);
    }
    let eye_start = response.rect.max.x - EYE_WIDTH - 6.0;
    let hidden_part = part.filter(|_| response.interact_pointer_pos().is_some_and(|position| position.x > eye_start));
    let on_triangle = response.interact_pointer_pos().is_some_and(|position| position.x < triangle_end);
    if let Some(part) = hidden_part {
        ctx.push_if(response.clicked(), SelectionAction::ToggleHidden(part));
    } else if response.clicked() && row.open.is_some() && (on_triangle || is_heading) {
        state.tree.toggle(row.item);
    } else if response.clicked() {
        activate(row.item, selected, state, ctx);
    }
    if response.double_clicked() && row.open.is_some() && hidden_part.is_none() {
        state.tree.toggle(row.item);
    }
}

/// Expands and collapses a row that has the keyboard focus by Right and Left.
fn expand_by_keys(ui: &Ui, response: &Response, row: &Row, state: &mut OutlinerState) {
    let Some(open) = row.open.filter(|_| response.has_focus()) else { return };
    let filter = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    if ui.input(|input| input.key_pressed(if open { Key::ArrowLeft } else { Key::ArrowRight })) {
        state.tree.toggle(row.item);
    }
}

fn context_menu(ui: &mut Ui, row: &Row, state: &mut OutlinerState, document: &Document, ctx: &UiContext<'_>) {
    let item = |ui: &mut Ui, text: &str, action: Action| {
        if ui.button(text).clicked() {
            ctx.push(action);
            ui.close();
        }
    };
    item(ui, "Copy name", Action::Export(ExportAction::CopyText { what: "name", text: row.label.clone() }));
    if let Item::Part(selection) = row.item {
        item(ui, "Select", Action::Selection(SelectionAction::Select(Some(selection))));
        if document.outline.can_hide(selection) {
            let is_hidden = document.hidden.hidden.contains(&selection);
            item(
                ui,
                if is_hidden { "Show" } else { "Hide" },
                Action::Selection(SelectionAction::ToggleHidden(selection)),
            );
        }
        match document.hidden.isolated == Some(selection) {
            true => item(ui, "End isolation", Action::Selection(SelectionAction::Isolate(None))),
            false => item(ui, "Isolate", Action::Selection(SelectionAction::Isolate(Some(selection)))),
        }
    }
    if let Item::Part(Selection::Joint(joint)) = row.item {
        if document.outline.kind(joint) == "joint" {
            item(ui, "Clear pose override", Action::Pose(PoseAction::ClearJointPose(joint)));
        }
        if row.open.is_some() {
            let mut expand = |ui: &mut Ui, text: &str, open: bool| {
                if ui.button(text).clicked() {
                    document.outline.set_subtree_open(&mut state.tree, joint, open);
                    ui.close();
                }
            };
            expand(ui, "Expand all below", true);
            expand(ui, "Collapse all below", false);
        }
    }
}

/// Returns `true` if the part or an ancestor is hidden, or another part is isolated.
fn is_hidden(part: Selection, document: &Document) -> bool {
    let HiddenParts { hidden, isolated } = &document.hidden;
    if hidden.is_empty() && isolated.is_none() {
        return false;
    }
    let skeleton = &document.scene.model().skeleton;
    let parent = |part: &Selection| match part {
        Selection::Joint(joint) => skeleton.joint(*joint).parent.map(Selection::Joint),
        _ => None,
    };
    let mut is_isolated =
        isolated.is_none_or(|isolated| std::mem::discriminant(&isolated) != std::mem::discriminant(&part));
    for ancestor in std::iter::successors(Some(part), parent) {
        is_isolated |= *isolated == Some(ancestor);
        if hidden.contains(&ancestor) {
            return true;
        }
    }
    !is_isolated
}

/// Selects or shows the item of a row; deselects it if it was selected.
fn activate(item: Item, selected: bool, state: &mut OutlinerState, ctx: &UiContext<'_>) {
    match item {
        Item::Part(selection) => {
            let selection = Some(selection).filter(|_| !selected);
            // The clicked row is visible already.
            state.revealed = selection;
            ctx.push(SelectionAction::Select(selection));
        }
        Item::Scene(scene) => ctx.push(FileAction::ShowScene(scene)),
        Item::Camera(camera) => ctx.push(CameraAction::UseModelCamera(Some(camera).filter(|_| !selected))),
        Item::Variant(variant) => ctx.push(FileAction::ShowVariant(Some(variant).filter(|_| !selected))),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_any_depth_have_room_for_a_name() {
        for width in [60.0, 205.0, 240.0, 800.0_f32] {
            let starts: Vec<f32> = (0..500).map(|depth| indent_of(depth, width)).collect();
            assert!(starts.is_sorted(), "{width}");
            let last = 2.0 + TRIANGLE_WIDTH + (width - MIN_NAME_WIDTH).max(0.0);
            assert!(starts[499] <= last, "{width}: {}", starts[499]);
            assert!(width < MIN_NAME_WIDTH || starts[15] + 100.0 < width, "{width}: a rig of 15 levels");
        }
    }
}
