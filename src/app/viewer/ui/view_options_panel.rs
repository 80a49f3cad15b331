//! The ways of looking, with the legend of their colors.

use super::UiContext;
use super::widgets::{heading, tip};
use crate::app::viewer::actions::Action;
use crate::app::viewer::state::view_options::surface_name;
use crate::app::viewer::state::{Backdrop, LookSwitch};
use crate::cli::GhostsArg;
use crate::scene::{Legend, ViewMode};
use egui::{
    Checkbox, Color32, DragValue, FontId, Label, Mesh, RichText, ScrollArea, Sense, Shape, StrokeKind, TextEdit, Ui,
    pos2, vec2,
};

/// What can be shown beside what surfaces show, by groups.
const SWITCHES: [(&str, &[(LookSwitch, &str)]); 3] = [
    (
        "Rig",
        &[
            (LookSwitch::Skeleton, "Bones, seen through the model"),
            (LookSwitch::Axes, "Axes of every joint"),
            (LookSwitch::Rigid, "One bone for each vertex"),
        ],
    ),
    (
        "Time",
        &[
            (LookSwitch::Ghosts, "Poses before and after"),
            (LookSwitch::Trail, "Way of the selected joint"),
            (LookSwitch::RestBeside, "Rest pose beside"),
        ],
    ),
    (
        "Space",
        &[
            (LookSwitch::Wires, "Wireframe"),
            (LookSwitch::Grid, "Ground grid"),
            (LookSwitch::Aabb, "Box around the clip"),
        ],
    ),
];

/// The panel.
pub(crate) fn show(ui: &mut Ui, typed: &mut Option<String>, facts: &UiContext<'_>, actions: &mut Vec<Action>) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let looks = facts.looks;
        let joint = facts.shown.and_then(|shown| shown.joint());
        ui.label(RichText::new("Surfaces show").strong());
        ui.spacing_mut().item_spacing.y = 1.0;
        for surface in ViewMode::ALL {
            let action = Action::SetViewMode(surface);
            let radio = ui.radio(looks.surface == surface, surface_name(surface));
            if tip(radio, &action).clicked() {
                actions.push(action);
            }
        }
        ui.spacing_mut().item_spacing.y = 4.0;
        if looks.surface.needs_joint() && joint.is_none() {
            let hint = "Select a joint: click the model where it moves it, or its line in the tree.";
            ui.add(Label::new(RichText::new(hint).color(ui.visuals().warn_fg_color)).wrap());
        }
        legend(ui, facts);
        for (group, switches) in SWITCHES {
            heading(ui, group);
            ui.spacing_mut().item_spacing.y = 1.0;
            for (switch, name) in switches {
                let mut on = looks.has(*switch);
                let action = Action::ToggleLook(*switch);
                if tip(ui.add(Checkbox::new(&mut on, *name)), &action).clicked() {
                    actions.push(action);
                }
                if *switch == LookSwitch::Grid {
                    let mut on = facts.on_ground;
                    let action = Action::ToggleGround;
                    if tip(ui.add(Checkbox::new(&mut on, "Ground shadow")), &action).clicked() {
                        actions.push(action);
                    }
                }
                if *switch == LookSwitch::Ghosts && looks.has(LookSwitch::Ghosts) {
                    ghosts(ui, looks.ghosts, actions);
                }
                if *switch == LookSwitch::Trail && looks.has(LookSwitch::Trail) && joint.is_none() {
                    ui.weak("      Select a joint to see its way.");
                }
            }
            ui.spacing_mut().item_spacing.y = 4.0;
        }
        heading(ui, "Background");
        backdrop(ui, typed, facts.settings.backdrop, actions);
    });
}

/// What is behind the model: one of a few, or any color.
fn backdrop(ui: &mut Ui, typed: &mut Option<String>, present: Backdrop, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(2.0, 2.0);
        for (backdrop, name) in Backdrop::ALL {
            let action = Action::SetBackdrop(backdrop);
            if tip(ui.selectable_label(present == backdrop, name), &action).clicked() {
                actions.push(action);
            }
        }
    });
    // Numbers and a field rather than a wheel: colors of a style guide are written as #rrggbb.
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        let level = |level: f32| (level * 255.0).round() as u8;
        let before = present.color().unwrap_or([0.35; 3]).map(level);
        let mut chosen = before;
        let (swatch, _) = ui.allocate_exact_size(vec2(20.0, 18.0), Sense::hover());
        let [r, g, b] = before;
        ui.painter().rect(swatch, 3.0, Color32::from_rgb(r, g, b), ui.visuals().window_stroke, StrokeKind::Inside);
        let mut text = typed.clone().unwrap_or_else(|| hex(before));
        let field = ui.add(TextEdit::singleline(&mut text).desired_width(68.0).char_limit(7));
        if field.has_focus() {
            chosen = of_hex(&text).unwrap_or(before);
        }
        *typed = field.has_focus().then_some(text);
        for part in &mut chosen {
            ui.add_sized([38.0, 18.0], DragValue::new(part).speed(1.0));
        }
        if chosen != before {
            actions.push(Action::SetBackdrop(Backdrop::Color(chosen)));
        }
    })
    .response
    .on_hover_text("Any color behind the model: type it as #rrggbb, or drag red, green and blue");
}

/// A color as style guides write it.
fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// The color of `#rrggbb`, with or without the sign.
fn of_hex(text: &str) -> Option<[u8; 3]> {
    let digits = text.trim().trim_start_matches('#');
    if digits.len() != 6 || !digits.is_ascii() {
        return None;
    }
    let part = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).ok();
    Some([part(0)?, part(2)?, part(4)?])
}

fn ghosts(ui: &mut Ui, ghosts: GhostsArg, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        ui.add_space(20.0);
        let (mut count, mut spacing) = (ghosts.count, ghosts.spacing_secs);
        let counted = ui.add(DragValue::new(&mut count).range(1..=20).speed(0.05));
        ui.weak("each way, every");
        let spaced = ui.add(DragValue::new(&mut spacing).range(0.01..=5.0).speed(0.005).suffix(" s"));
        if counted.changed() || spaced.changed() {
            actions.push(Action::SetGhosts(GhostsArg { count, spacing_secs: spacing }));
        }
    });
}

fn color([r, g, b]: [f32; 3]) -> Color32 {
    let byte = |x: f32| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
    Color32::from_rgb(byte(r), byte(g), byte(b))
}

/// What the colors of the surface mean.
fn legend(ui: &mut Ui, facts: &UiContext<'_>) {
    let Some(shown) = facts.shown else { return };
    let model = shown.stage.model();
    let in_skin = |joint| model.skins.iter().any(|skin| skin.joints.contains(&joint));
    let Some(legend) = facts.looks.surface.legend(&model.skeleton, in_skin) else { return };
    ui.add_space(6.0);
    match legend {
        Legend::Ramp { title, colors, marks } => {
            ui.label(RichText::new(title).small().weak());
            let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 26.0), Sense::hover());
            let (bar, inside) = (rect.with_max_y(rect.min.y + 10.0), rect.shrink2(vec2(1.0, 0.0)));
            let mut mesh = Mesh::default();
            for (i, step) in colors.iter().enumerate() {
                let x = bar.min.x + bar.width() * i as f32 / (colors.len() - 1).max(1) as f32;
                mesh.colored_vertex(pos2(x, bar.min.y), color(*step));
                mesh.colored_vertex(pos2(x, bar.max.y), color(*step));
                if i > 0 {
                    let last = 2 * i as u32;
                    mesh.add_triangle(last - 2, last - 1, last);
                    mesh.add_triangle(last - 1, last, last + 1);
                }
            }
            ui.painter().add(Shape::mesh(mesh));
            for (share, text) in marks {
                let align = match share {
                    0.0 => egui::Align2::LEFT_TOP,
                    1.0 => egui::Align2::RIGHT_TOP,
                    _ => egui::Align2::CENTER_TOP,
                };
                let place = pos2(inside.min.x + inside.width() * share, bar.max.y + 2.0);
                ui.painter().text(place, align, text, FontId::proportional(10.0), ui.visuals().weak_text_color());
            }
        }
        Legend::Steps { title, steps } => {
            ui.label(RichText::new(title).small().weak());
            ui.horizontal_wrapped(|ui| {
                for (step, text) in steps.into_iter().take(64) {
                    let (rect, _) = ui.allocate_exact_size(vec2(10.0, 10.0), Sense::hover());
                    ui.painter().rect_filled(rect, 2.0, color(step));
                    ui.label(RichText::new(text).small());
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_written_as_in_a_style_guide() {
        assert_eq!(hex([1, 171, 255]), "#01abff");
        for text in ["#01abff", "01ABFF ", " #01AbFf"] {
            assert_eq!(of_hex(text), Some([1, 171, 255]), "{text}");
        }
        for text in ["", "#fff", "#01abfg", "#01abff0", "éééééé"] {
            assert_eq!(of_hex(text), None, "{text}");
        }
    }
}
