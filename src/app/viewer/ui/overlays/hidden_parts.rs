//! Chip in the view that counts the hidden parts and shows them again.

use crate::app::viewer::actions::{Action, SelectionAction};
use crate::app::viewer::state::document::Document;
use crate::app::viewer::ui::context::UiContext;
use crate::app::viewer::ui::theme;
use crate::app::viewer::ui::widgets::tooltip;
use egui::{Align2, Rect, Ui, vec2};
use rigview_core::util::text::counted;

/// Names in the tooltip.
const MAX_NAMES: usize = 12;

pub(crate) fn show(ui: &Ui, viewport: Rect, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    let Some(document) = ctx.document else { return };
    let Some(label) = label(document) else { return };
    // Below the chip of the pose overrides.
    let top = if document.scene.overrides().is_empty() { 12.0 } else { 52.0 };
    theme::card(ui, "hidden parts chip", viewport.min + vec2(12.0, top), Align2::LEFT_TOP, |ui| {
        ui.horizontal(|ui| {
            let names: Vec<String> =
                document.hidden.hidden.iter().take(MAX_NAMES).map(|part| document.part_name(*part)).collect();
            let response = ui.label(label);
            if !names.is_empty() {
                response.on_hover_text(names.join("\n"));
            }
            if tooltip(ui.small_button("Show all"), &Action::Selection(SelectionAction::ShowAllParts)).clicked() {
                actions.push(Action::Selection(SelectionAction::ShowAllParts));
            }
        });
    });
}

/// "Only Body is shown", "2 parts hidden", or both.
fn label(document: &Document) -> Option<String> {
    let isolated = document.hidden.isolated.map(|part| format!("Only {} is shown", document.part_name(part)));
    let count = document.hidden.hidden.len();
    let hidden = (count > 0).then(|| format!("{} hidden", counted(count, "part", "parts")));
    let parts: Vec<String> = isolated.into_iter().chain(hidden).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
