//! Properties of a joint: why the clicked vertex is where it is.

use super::property_table::{copyable_title, table};
use crate::app::viewer::state::document::Document;
use crate::app::viewer::ui::UiContext;
use crate::app::viewer::ui::widgets::{joint_link, wrapped_label};
use egui::{RichText, Ui};
use nalgebra::Vector3;
use rigview_check::curves::trimmed;
use rigview_core::math::short_triple;
use rigview_core::model::JointIndex;
use rigview_core::palette::{SkinningTerm, VertexExplanation};

/// Adds the steps of the clicked vertex, if the joint moves it.
pub(super) fn show(ui: &mut Ui, document: &Document, joint: JointIndex, ctx: &UiContext<'_>) {
    let explain = |picked| document.scene.explain_vertex(picked, document.clock_secs());
    let Some(explanation) = document.explained_vertex.and_then(explain) else { return };
    if !explanation.terms.iter().any(|term| term.joint == joint) {
        return;
    }
    let text = explanation.lines(document.scene.model()).join("\n");
    copyable_title(ui, "Why is this vertex here?", &text, ctx);
    ui.weak(format!("Vertex {} of primitive {}", explanation.vertex, explanation.draw.primitive));
    table(ui, "vertex at rest", &rest_rows(document, &explanation));
    for link in &explanation.chain {
        step(ui, document, link.joint, None, &link.in_words(), ctx);
    }
    for term in explanation.terms.iter().filter(|term| term.slot.is_some()) {
        step(ui, document, term.joint, Some(term), &term.in_words(), ctx);
    }
    let mut rows = vec![("In the world", short_triple(Vector3::from(explanation.position).cast()))];
    rows.extend(explanation.normal.map(|normal| ("Normal", short_triple(Vector3::from(normal).cast()))));
    table(ui, "vertex in the world", &rows);
}

fn rest_rows(document: &Document, explanation: &VertexExplanation) -> Vec<(&'static str, String)> {
    let names = &document.scene.model().meshes[explanation.draw.mesh.get()].target_names;
    let mut rows = vec![("In the file", short_triple(explanation.rest_position))];
    for morph in explanation.morphs.iter().filter(|morph| morph.delta != Vector3::zeros()) {
        let name = names.get(morph.target).cloned().unwrap_or_else(|| morph.target.to_string());
        let weight = f64::from(morph.weight);
        rows.push(("Morph", format!("{name} {} adds {}", trimmed(weight, 3), short_triple(weight * morph.delta))));
    }
    if rows.len() > 1 {
        rows.push(("After morphs", short_triple(explanation.morphed_position)));
    }
    rows
}

/// Adds a joint with its transform, and with what it adds to a skinned vertex.
fn step(
    ui: &mut Ui,
    document: &Document,
    joint: JointIndex,
    term: Option<&SkinningTerm>,
    words: &str,
    ctx: &UiContext<'_>,
) {
    ui.horizontal(|ui| {
        term.iter().for_each(|term| drop(ui.label(trimmed(f64::from(term.weight), 3))));
        joint_link(ui, document, joint, ctx);
    });
    ui.indent((joint, term.map(|term| term.slot)), |ui| {
        wrapped_label(ui, RichText::new(words).weak());
        if let Some(term) = term {
            table(
                ui,
                "summand",
                &[("Moves it to", short_triple(term.moved_position)), ("Adds", short_triple(term.summand()))],
            );
        }
    });
}
