//! Sliders that override morph weights (Blender: shape keys).

use crate::app::scene::pose_overrides::{Morph, morphs};
use crate::app::viewer::actions::{Action, PoseAction};
use crate::app::viewer::analysis::shared_affixes::shared_affixes;
use crate::app::viewer::state::document::Document;
use crate::app::viewer::ui::widgets::{ListRow, heading};
use egui::{Button, Slider, SliderClamping, TextEdit, Ui, vec2};

/// Fewer sliders need no filter.
const MIN_FILTERED: usize = 12;

/// The morph weights of all nodes, node by node.
pub(super) fn all_morphs(document: &Document) -> Vec<Morph> {
    morphs(document.scene.model())
}

/// Adds sliders for `morphs`.
pub(super) fn show(ui: &mut Ui, document: &Document, morphs: Vec<Morph>, actions: &mut Vec<Action>) {
    section(ui, document, &morphs, false, actions);
}

/// Adds sliders for all morph weights, under the names of their nodes.
pub(super) fn show_by_node(ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
    section(ui, document, &all_morphs(document), true, actions);
}

fn section(ui: &mut Ui, document: &Document, morphs: &[Morph], by_node: bool, actions: &mut Vec<Action>) {
    if morphs.is_empty() {
        return;
    }
    heading(ui, "Morph weights");
    let (pose, _) = document.scene.first_pose(document.clock_secs());
    let overrides = document.scene.overrides().morph_weights();
    let filter_id = ui.scope_id().with("filter");
    let mut filter: String = ui.data_mut(|data| data.get_temp(filter_id)).unwrap_or_default();
    ui.horizontal(|ui| {
        if morphs.len() >= MIN_FILTERED {
            ui.add(TextEdit::singleline(&mut filter).hint_text("Filter").desired_width(140.0));
        }
        let is_ours = |index: &usize| morphs.iter().any(|morph| morph.weight_index == *index);
        let ours: Vec<usize> = overrides.iter().map(|(index, _)| *index).filter(is_ours).collect();
        if ui.add_enabled(!ours.is_empty(), Button::new("Reset all")).clicked() {
            actions.extend(ours.into_iter().map(|index| Action::Pose(PoseAction::ClearMorphWeight(index))));
        }
    });
    let name_width = 0.45 * ui.available_width();
    ui.spacing_mut().slider_width = (ui.available_width() - name_width - 90.0).clamp(30.0, 300.0);
    let search = filter.trim().to_lowercase();
    let affixes = shared_affixes(morphs.iter().map(|morph| morph.name.as_str()));
    let mut node = None;
    for (morph, affixes) in morphs.iter().zip(affixes).filter(|(morph, _)| morph.name.to_lowercase().contains(&search))
    {
        if by_node && node.replace(morph.joint) != Some(morph.joint) {
            ui.weak(document.outline.joint(morph.joint));
        }
        ui.horizontal(|ui| {
            let strong = overrides.iter().any(|(index, _)| *index == morph.weight_index);
            let name = ListRow { name: &morph.name, affixes, strong, highlight: &search, ..ListRow::default() };
            let size = vec2(name_width, ui.spacing().interact_size.y);
            ui.allocate_ui(size, |ui| name.show(ui));
            let mut weight = pose.morph_weights[morph.weight_index];
            let range = weight.min(0.0)..=weight.max(1.0);
            if ui.add(Slider::new(&mut weight, range).clamping(SliderClamping::Never).max_decimals(3)).changed() {
                actions.push(Action::Pose(PoseAction::SetMorphWeight(morph.weight_index, weight)));
            }
            if strong && ui.small_button("\u{d7}").on_hover_text("Remove the override").clicked() {
                actions.push(Action::Pose(PoseAction::ClearMorphWeight(morph.weight_index)));
            }
        });
    }
    ui.data_mut(|data| data.insert_temp(filter_id, filter));
}
