//! Marks of pose overrides: a ring on each overridden joint, and a chip that lists and clears them.

use crate::app::viewer::actions::{Action, PoseAction, SelectionAction};
use crate::app::viewer::state::Selection;
use crate::app::viewer::state::document::Document;
use crate::app::viewer::ui::context::UiContext;
use crate::app::viewer::ui::theme;
use crate::app::viewer::ui::widgets::{joint_position, tooltip, viewport_painter};
use egui::{Align2, Color32, Label, Rect, RichText, Sense, Stroke, Ui, vec2};
use rigview_core::util::text::counted;

/// Names in the tooltip of the chip.
const MAX_NAMES: usize = 12;

pub(crate) fn show(ui: &Ui, viewport: Rect, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    let Some(document) = ctx.document.filter(|document| !document.scene.overrides().is_empty()) else { return };
    let painter = viewport_painter(ui, viewport, "pose overrides");
    for (joint, _) in document.scene.overrides().joints() {
        if let Some(center) = joint_position(document, *joint, viewport) {
            // A ring with a dark edge shows on orange surfaces, too.
            painter.circle_stroke(center, 5.0, Stroke::new(4.0, Color32::from_black_alpha(190)));
            painter.circle_stroke(center, 5.0, Stroke::new(2.0, theme::OVERRIDE_COLOR));
        }
    }
    theme::card(ui, "override chip", viewport.min + vec2(12.0, 12.0), Align2::LEFT_TOP, |ui| {
        ui.horizontal(|ui| {
            let text = Label::new(RichText::new(override_label(document)).color(ui.visuals().warn_fg_color));
            let response = ui.add(text.sense(Sense::click())).on_hover_text(names(document).join("\n"));
            if let Some((joint, _)) = document.scene.overrides().joints().first().filter(|_| response.clicked()) {
                actions.push(Action::Selection(SelectionAction::Select(Some(Selection::Joint(*joint)))));
            }
            if tooltip(ui.small_button("Clear"), &Action::Pose(PoseAction::ClearPoseOverrides)).clicked() {
                actions.push(Action::Pose(PoseAction::ClearPoseOverrides));
            }
        });
    });
}

/// The counts of overrides: "1 joint, 2 morphs overridden".
pub(crate) fn override_label(document: &Document) -> String {
    let overrides = document.scene.overrides();
    let counts = [(overrides.joints().len(), "joint", "joints"), (overrides.morph_weights().len(), "morph", "morphs")];
    let parts: Vec<String> = counts
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| counted(count, one, many))
        .collect();
    format!("{} overridden", parts.join(", "))
}

fn names(document: &Document) -> Vec<String> {
    let joints = document.scene.overrides().joints();
    let mut names: Vec<String> =
        joints.iter().take(MAX_NAMES).map(|(joint, _)| document.outline.joint(*joint).to_owned()).collect();
    if joints.len() > MAX_NAMES {
        names.push(format!("and {} more", joints.len() - MAX_NAMES));
    }
    names
}
