//! Sliders that override morph weights (Blender: shape keys).

use crate::app::scene::pose_overrides::{Morph, morphs};
use crate::app::viewer::actions::{Action, PoseAction};
use crate::app::viewer::state::document::Document;
use crate::app::viewer::ui::widgets::heading;
use egui::{Label, RichText, Slider, SliderClamping, Ui};

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
    ui.spacing_mut().slider_width = (ui.available_width() - 190.0).clamp(40.0, 300.0);
    let mut node = None;
    for morph in morphs {
        if by_node && node.replace(morph.joint) != Some(morph.joint) {
            ui.weak(document.outline.joint(morph.joint));
        }
        ui.horizontal(|ui| {
            let overridden =
                document.scene.overrides().morph_weights().iter().any(|(index, _)| *index == morph.weight_index);
            let mut weight = pose.morph_weights[morph.weight_index];
            let range = weight.min(0.0)..=weight.max(1.0);
            if ui.add(Slider::new(&mut weight, range).clamping(SliderClamping::Never).max_decimals(3)).changed() {
                actions.push(Action::Pose(PoseAction::SetMorphWeight(morph.weight_index, weight)));
            }
            if overridden && ui.small_button("\u{d7}").on_hover_text("Remove the override").clicked() {
                actions.push(Action::Pose(PoseAction::ClearMorphWeight(morph.weight_index)));
            }
            let name = RichText::new(&morph.name);
            ui.add(Label::new(if overridden { name.strong() } else { name }).truncate());
        });
    }
}
