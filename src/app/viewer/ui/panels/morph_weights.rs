//! Sliders that override morph weights (Blender: shape keys), and set expressions (VRM).

use crate::app::viewer::actions::{Action, PoseAction};
use crate::app::viewer::analysis::shared_affixes::shared_affixes;
use crate::app::viewer::state::document::Document;
use crate::app::viewer::ui::context::UiContext;
use crate::app::viewer::ui::widgets::{ListRow, heading, no_file_label};
use egui::{Button, ScrollArea, Slider, SliderClamping, TextEdit, Ui, vec2};
use rigview_core::model::{JointIndex, MorphWeightRef};

/// Fewer sliders need no filter.
const MIN_FILTERED: usize = 12;

/// A slider.
struct Row<'a> {
    name: &'a str,
    value: f32,
    is_set: bool,
    set: Box<dyn Fn(f32) -> PoseAction>,
    clear: PoseAction,
    /// The node whose name is above its rows.
    node: Option<JointIndex>,
}

/// Adds sliders for `morphs`.
pub(super) fn show(ui: &mut Ui, document: &Document, morphs: Vec<MorphWeightRef>, actions: &mut Vec<Action>) {
    morph_section(ui, document, &morphs, false, actions);
}

/// Adds sliders for all expressions, and for all morph weights under the names of their nodes.
pub(crate) fn show_by_node(ui: &mut Ui, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    let Some(document) = ctx.document else { return no_file_label(ui) };
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| all_sections(ui, document, actions));
}

fn all_sections(ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
    let values = document.scene.overrides().expressions();
    let expressions = document.scene.model().expressions.iter().enumerate();
    let rows = expressions.filter(|(_, expression)| expression.has_effect()).map(|(index, expression)| {
        let value = values.iter().find(|(other, _)| *other == index);
        Row {
            name: &expression.name,
            value: value.map_or(0.0, |(_, value)| *value),
            is_set: value.is_some(),
            set: Box::new(move |value| PoseAction::SetExpression(index, value)),
            clear: PoseAction::SetExpression(index, 0.0),
            node: None,
        }
    });
    section(ui, document, "Expressions", &rows.collect::<Vec<_>>(), actions);
    morph_section(ui, document, &document.scene.model().morphs(), true, actions);
}

fn morph_section(
    ui: &mut Ui,
    document: &Document,
    morphs: &[MorphWeightRef],
    by_node: bool,
    actions: &mut Vec<Action>,
) {
    if morphs.is_empty() {
        return;
    }
    let (pose, _) = document.scene.first_pose(document.clock_secs());
    let overrides = document.scene.overrides().morph_weights();
    let rows = morphs.iter().map(|MorphWeightRef { name, weight_index, joint, .. }| {
        let index = *weight_index;
        Row {
            name,
            value: pose.morph_weights[index],
            is_set: overrides.binary_search_by_key(&index, |(index, _)| *index).is_ok(),
            set: Box::new(move |weight| PoseAction::SetMorphWeight(index, weight)),
            clear: PoseAction::ClearMorphWeight(index),
            node: by_node.then_some(*joint),
        }
    });
    section(ui, document, "Morph weights", &rows.collect::<Vec<_>>(), actions);
}

fn section(ui: &mut Ui, document: &Document, title: &str, rows: &[Row<'_>], actions: &mut Vec<Action>) {
    if rows.is_empty() {
        return;
    }
    heading(ui, title);
    let filter_id = ui.scope_id().with(title);
    let mut filter: String = ui.data_mut(|data| data.get_temp(filter_id)).unwrap_or_default();
    ui.horizontal(|ui| {
        if rows.len() >= MIN_FILTERED {
            ui.add(TextEdit::singleline(&mut filter).hint_text("Filter").desired_width(140.0));
        }
        let set: Vec<&Row<'_>> = rows.iter().filter(|row| row.is_set).collect();
        if ui.add_enabled(!set.is_empty(), Button::new("Reset all")).clicked() {
            actions.extend(set.into_iter().map(|row| Action::Pose(row.clear.clone())));
        }
    });
    let name_width = 0.45 * ui.available_width();
    ui.spacing_mut().slider_width = (ui.available_width() - name_width - 90.0).clamp(30.0, 300.0);
    let search = filter.trim().to_lowercase();
    let mut node = None;
    let affixes = shared_affixes(rows.iter().map(|row| row.name));
    for (row, affixes) in rows.iter().zip(affixes).filter(|(row, _)| row.name.to_lowercase().contains(&search)) {
        if let Some(joint) = row.node.filter(|_| node.replace(row.node) != Some(row.node)) {
            ui.weak(document.outline.joint(joint));
        }
        ui.horizontal(|ui| {
            let name =
                ListRow { name: row.name, affixes, strong: row.is_set, highlight: &search, ..ListRow::default() };
            let size = vec2(name_width, ui.spacing().interact_size.y);
            ui.allocate_ui(size, |ui| name.show(ui));
            let mut value = row.value;
            let range = value.min(0.0)..=value.max(1.0);
            if ui.add(Slider::new(&mut value, range).clamping(SliderClamping::Never).max_decimals(3)).changed() {
                actions.push(Action::Pose((row.set)(value)));
            }
            if row.is_set && ui.small_button("\u{d7}").on_hover_text("Remove the override").clicked() {
                actions.push(Action::Pose(row.clear.clone()));
            }
        });
    }
    ui.data_mut(|data| data.insert_temp(filter_id, filter));
}
