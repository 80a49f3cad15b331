//! Legend of the view mode at the lower left corner of the viewport.

use crate::app::scene::debug_view::{flat_normals_note, texel_target_note};
use crate::app::viewer::actions::SelectionAction;
use crate::app::viewer::state::{Document, DocumentAnalysis, Selection};
use crate::app::viewer::ui::widgets::{ListRow, thousands};
use crate::app::viewer::ui::{UiContext, theme};
use egui::{Align2, Color32, FontId, Label, Mesh, Rect, RichText, Sense, Shape, Ui, pos2, vec2};
use rigview_render::scene::{Legend, ViewMode};

/// Width of the legend, in points.
const WIDTH: f32 = 190.0;

/// Rows of joints; rigs may have thousands.
const MAX_JOINTS: usize = 12;

/// Smaller viewports have no room for a legend, in points.
const MIN_VIEWPORT: [f32; 2] = [240.0, 160.0];

/// Other cards are above the legend if less width is beside it, in points.
const MIN_WIDTH_BESIDE: f32 = 380.0;

const ID: &str = "legend";

/// Returns the part of the viewport that the legend leaves to other cards at the lower edge.
pub(crate) fn remaining_viewport(ui: &Ui, viewport: Rect) -> Rect {
    let layer = theme::card_layer(ID);
    let legend = ui.ctx().memory(|memory| memory.area_rect(layer.id).filter(|_| memory.areas().is_visible(&layer)));
    match legend.filter(|legend| legend.intersects(viewport)) {
        Some(legend) if viewport.max.x - legend.max.x >= MIN_WIDTH_BESIDE => viewport.with_min_x(legend.max.x),
        Some(legend) => viewport.with_max_y(legend.min.y.max(viewport.min.y)),
        None => viewport,
    }
}

pub(crate) fn show(ui: &Ui, viewport: Rect, ctx: &UiContext<'_>) {
    let Some(document) = &ctx.document else { return };
    let mode = ctx.view.view_mode();
    let model = document.scene.model();
    let joints = &document.analysis.dominant_joints;
    let Some(legend) = mode.legend(&model.skeleton, &joints[..joints.len().min(MAX_JOINTS)]) else { return };
    if viewport.width() < MIN_VIEWPORT[0] || viewport.height() < MIN_VIEWPORT[1] {
        return;
    }
    theme::card(ui, ID, viewport.left_bottom() + vec2(12.0, -12.0), Align2::LEFT_BOTTOM, |ui| {
        ui.set_width(WIDTH);
        let note = |ui: &mut Ui, text: String| ui.add(Label::new(RichText::new(text).small().weak()).wrap());
        match document.joint().filter(|_| mode.needs_joint()) {
            Some(joint) => ui.add(Label::new(RichText::new(document.outline.joint(joint)).strong()).truncate()),
            None if mode.needs_joint() => {
                note(ui, "Select a joint: click the model, or a joint in the outliner.".to_owned())
            }
            None => ui.response(),
        };
        match legend {
            Legend::Ramp { title, colors, marks } => {
                note(ui, title.to_owned());
                color_ramp(ui, &colors, &marks);
            }
            Legend::Steps { title, steps } => {
                note(ui, title.to_owned());
                if mode == ViewMode::DominantJoint {
                    joint_rows(ui, document, steps, ctx);
                } else {
                    swatches(ui, steps);
                }
            }
        }
        let request = ctx.view.request.debug_view.view_mode.as_ref();
        if let Some(request) = request.filter(|_| mode == ViewMode::TexelDensity) {
            note(ui, texel_target_note(request.texels_per_meter));
        }
        if let Some(text) = flat_normals_note(model, mode) {
            note(ui, text);
        }
    });
}

/// Adds a row with color, name and number of vertices per joint. A click selects the joint.
fn joint_rows(ui: &mut Ui, document: &Document, steps: Vec<([f32; 3], String)>, ctx: &UiContext<'_>) {
    let DocumentAnalysis { dominant_joints, influence_stats, .. } = &document.analysis;
    ui.spacing_mut().item_spacing.y = 0.0;
    for ((color, name), joint) in steps.iter().zip(dominant_joints) {
        let vertices = thousands(influence_stats[joint.get()].dominant);
        let selected = document.joint() == Some(*joint);
        let row = ListRow { name, note: &vertices, selected, indent: 18.0, ..ListRow::default() }.show(ui);
        let swatch = Rect::from_center_size(row.rect.left_center() + vec2(9.0, 0.0), vec2(10.0, 10.0));
        ui.painter().rect_filled(swatch, 2.0, to_color32(*color));
        if row.clicked() {
            ctx.push(SelectionAction::Select(Some(Selection::Joint(*joint))));
        }
    }
    if let hidden @ 1.. = dominant_joints.len() - steps.len() {
        ui.label(RichText::new(format!("and {hidden} more")).small().weak());
    }
}

/// Adds colors with short names in rows that wrap.
fn swatches(ui: &mut Ui, steps: Vec<([f32; 3], String)>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 1.0);
        for (color, text) in steps {
            let (rect, _) = ui.allocate_exact_size(vec2(10.0, 10.0), Sense::hover());
            ui.painter().rect_filled(rect, 2.0, to_color32(color));
            ui.label(RichText::new(text).small());
            ui.add_space(4.0);
        }
    });
}

/// Adds a bar of evenly spaced colors, with labels below at fractions of its width.
fn color_ramp(ui: &mut Ui, colors: &[[f32; 3]], labels: &[(f32, &str)]) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 26.0), Sense::hover());
    let bar = rect.with_max_y(rect.min.y + 10.0);
    let mut mesh = Mesh::default();
    for (i, color) in colors.iter().enumerate() {
        let x = bar.min.x + bar.width() * i as f32 / (colors.len() - 1).max(1) as f32;
        for y in [bar.min.y, bar.max.y] {
            mesh.colored_vertex(pos2(x, y), to_color32(*color));
        }
        if i > 0 {
            let vertex = 2 * i as u32;
            mesh.add_triangle(vertex - 2, vertex - 1, vertex);
            mesh.add_triangle(vertex - 1, vertex, vertex + 1);
        }
    }
    ui.painter().add(Shape::mesh(mesh));
    let span = rect.shrink2(vec2(1.0, 0.0));
    for (fraction, text) in labels {
        let align = match fraction {
            0.0 => Align2::LEFT_TOP,
            1.0 => Align2::RIGHT_TOP,
            _ => Align2::CENTER_TOP,
        };
        let position = pos2(span.min.x + span.width() * fraction, bar.max.y + 2.0);
        ui.painter().text(position, align, text, FontId::proportional(12.0), ui.visuals().weak_text_color());
    }
}

fn to_color32(color: [f32; 3]) -> Color32 {
    let [r, g, b] = color.map(|component| (component.clamp(0.0, 1.0) * 255.0).round() as u8);
    Color32::from_rgb(r, g, b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::viewer::actions::tests::state;
    use crate::app::viewer::ui::JobStatus;
    use egui::{Context, Event, Modifiers, PointerButton, Pos2, RawInput};

    #[test]
    fn each_joint_is_beside_its_swatch_and_a_click_selects_it() {
        let state = state("hare.glb");
        let document = state.document.as_ref().unwrap();
        let joints = &document.analysis.dominant_joints[..4];
        let legend = ViewMode::DominantJoint.legend(&document.scene.model().skeleton, joints);
        let Some(Legend::Steps { steps, .. }) = legend else { panic!("no swatches") };
        let context = Context::default();
        let run = |events: Vec<Event>| {
            let ctx = UiContext::new(&state, JobStatus::default(), [640, 480]);
            let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, vec2(300.0, 400.0)));
            let input = RawInput { screen_rect, events, ..RawInput::default() };
            let output = context.run_ui(input, |ui| joint_rows(ui, document, steps.clone(), &ctx));
            let shapes: Vec<Shape> = output.shapes.iter().map(|clipped| clipped.shape.clone()).collect();
            output.drop_without_applying_deltas();
            (shapes, ctx.actions.into_inner())
        };
        run(Vec::new());
        let (shapes, _) = run(Vec::new());
        for ((color, name), joint) in steps.iter().zip(joints) {
            let swatch = shapes.iter().find_map(|shape| match shape {
                Shape::Rect(rect) if rect.fill == to_color32(*color) => Some(rect.rect),
                _ => None,
            });
            let label = shapes.iter().find_map(|shape| match shape {
                Shape::Text(text) if text.galley.text() == name => Some(text.visual_bounding_rect()),
                _ => None,
            });
            let (swatch, label) = (swatch.unwrap(), label.unwrap());
            assert!((swatch.center().y - label.center().y).abs() < 4.0, "{name}: {swatch} and {label}");
            assert!(swatch.max.x < label.min.x && label.min.x < swatch.max.x + 12.0, "{name}: {swatch} and {label}");
            let (pos, button, modifiers) = (label.center(), PointerButton::Primary, Modifiers::NONE);
            let press = |pressed| Event::PointerButton { pos, button, pressed, modifiers };
            run(vec![Event::PointerMoved(pos)]);
            run(vec![press(true)]);
            let (_, actions) = run(vec![press(false)]);
            let expected = SelectionAction::Select(Some(Selection::Joint(*joint))).into();
            assert_eq!(actions, [expected], "{name}");
        }
    }
}
