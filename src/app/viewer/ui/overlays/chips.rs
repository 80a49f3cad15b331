//! Chips in the corner of the view: a pinned model, pose overrides and hidden parts, each with the button that ends it; and a ring on each
//! overridden joint.

use crate::app::viewer::actions::{Action, FileAction, PoseAction, SelectionAction};
use crate::app::viewer::state::document::Document;
use crate::app::viewer::ui::widgets::{joint_position, tooltip, viewport_painter};
use crate::app::viewer::ui::{UiContext, theme};
use egui::{Align2, Color32, Rect, RichText, Stroke, Ui, vec2};
use rigview_core::util::text::{counted, file_name};

/// Names in the tooltip of a chip.
const MAX_NAMES: usize = 12;

/// Distance of two chips, in points.
const STEP: f32 = 40.0;

pub(crate) fn show(ui: &Ui, viewport: Rect, ctx: &UiContext<'_>) {
    let Some(document) = &ctx.document else { return };
    let painter = viewport_painter(ui, viewport, "pose overrides");
    for (joint, _) in document.scene.overrides().joints() {
        if let Some(center) = joint_position(document, *joint, viewport) {
            // A ring with a dark edge shows on surfaces of its color, too.
            painter.circle_stroke(center, 5.0, Stroke::new(4.0, Color32::from_black_alpha(190)));
            painter.circle_stroke(center, 5.0, Stroke::new(2.0, theme::OVERRIDE_COLOR));
        }
    }
    let mut position = viewport.min + vec2(12.0, 12.0);
    let mut chip = |id: &str, text: RichText, names: Vec<String>, button: &str, action: Action| {
        theme::card(ui, id, position, Align2::LEFT_TOP, |ui| {
            ui.horizontal(|ui| {
                let label = ui.label(text);
                if !names.is_empty() {
                    label.on_hover_text(names.join("\n"));
                }
                ctx.push_if(tooltip(ui.small_button(button), &action).clicked(), action);
            });
        });
        position.y += STEP;
    };
    if ctx.pinned.is_some() {
        let text = RichText::new(format!("Pinned: {}", file_name(&document.scene.file))).strong();
        let help = vec!["Files of the strip, Page Down and drops play on it".to_owned()];
        chip("pin chip", text, help, "Unpin", Action::File(FileAction::TogglePin));
    }
    if !document.scene.overrides().is_empty() {
        let joints = document.scene.overrides().joints();
        let names = joints.iter().map(|(joint, _)| document.outline.joint(*joint).to_owned());
        let text = RichText::new(override_label(document)).color(theme::on_panel(ui, theme::OVERRIDE_COLOR));
        chip("override chip", text, limited(names), "Clear", Action::Pose(PoseAction::ClearPoseOverrides));
    }
    if let Some(text) = hidden_label(document) {
        let names = document.hidden.hidden.iter().map(|part| document.part_name(*part));
        let show_all = Action::Selection(SelectionAction::ShowAllParts);
        chip("hidden parts chip", RichText::new(text), limited(names), "Show all", show_all);
    }
}

/// The counts of overrides: "1 joint, 2 morphs overridden".
pub(crate) fn override_label(document: &Document) -> String {
    let overrides = document.scene.overrides();
    let counts = [(overrides.joints().len(), "joint", "joints"), (overrides.morph_weights().len(), "morph", "morphs")];
    let present = counts.into_iter().filter(|(count, ..)| *count > 0);
    let parts: Vec<String> = present.map(|(count, one, many)| counted(count, one, many)).collect();
    format!("{} overridden", parts.join(", "))
}

/// "Only Body is shown", "2 parts hidden", or both.
fn hidden_label(document: &Document) -> Option<String> {
    let isolated = document.hidden.isolated.map(|part| format!("Only {} is shown", document.part_name(part)));
    let count = document.hidden.hidden.len();
    let hidden = (count > 0).then(|| format!("{} hidden", counted(count, "part", "parts")));
    let parts: Vec<String> = isolated.into_iter().chain(hidden).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The first names, and how many more there are.
fn limited(names: impl ExactSizeIterator<Item = String>) -> Vec<String> {
    let more = names.len().saturating_sub(MAX_NAMES);
    names.take(MAX_NAMES).chain((more > 0).then(|| format!("and {more} more"))).collect()
}
