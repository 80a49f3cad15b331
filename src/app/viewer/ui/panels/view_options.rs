//! Shading panel: view mode, overlays and background.

use crate::app::viewer::actions::{Action, ShadingAction};
use crate::app::viewer::state::view::BACKGROUNDS;
use crate::app::viewer::ui::UiContext;
use crate::app::viewer::ui::command_state::is_checked;
use crate::app::viewer::ui::widgets::{command_name, heading, on_click};
use crate::request::{BackgroundRequest, GhostsRequest, OverlayRequest, shortest_f64};
use egui::{Color32, DragValue, RichText, ScrollArea, Sense, StrokeKind, TextEdit, Ui, vec2};
use rigview_core::palette::Skinning;
use rigview_render::scene::{DEFAULT_TEXELS_PER_METER, ViewMode};

const OVERLAYS: [(&str, &[ShadingAction]); 3] = [
    (
        "Rig",
        &[
            ShadingAction::ToggleOverlay(OverlayRequest::Skeleton),
            ShadingAction::ToggleOverlay(OverlayRequest::Axes),
            ShadingAction::ToggleSkinning(Skinning::Rigid),
            ShadingAction::ToggleSkinning(Skinning::DualQuaternion),
        ],
    ),
    (
        "Animation",
        &[
            ShadingAction::ToggleGhosts,
            ShadingAction::ToggleMotionPath,
            ShadingAction::ToggleOverlay(OverlayRequest::RestPose),
        ],
    ),
    (
        "Scene",
        &[
            ShadingAction::ToggleOverlay(OverlayRequest::Wireframe),
            ShadingAction::ToggleOverlay(OverlayRequest::Grid),
            ShadingAction::ToggleOverlay(OverlayRequest::ScaleFigure),
            ShadingAction::ToggleOverlay(OverlayRequest::Bounds),
        ],
    ),
];

#[derive(Default)]
pub(crate) struct ViewOptionsState {
    /// Text of the color field while it has the focus.
    color_text: Option<String>,
}

pub(crate) fn show(ui: &mut Ui, state: &mut ViewOptionsState, ctx: &UiContext<'_>) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        view_mode_section(ui, ctx);
        for (group, overlays) in OVERLAYS {
            heading(ui, group);
            ui.spacing_mut().item_spacing.y = 1.0;
            for overlay in overlays {
                overlay_option(ui, overlay, ctx);
            }
            ui.spacing_mut().item_spacing.y = 4.0;
        }
        heading(ui, "Background");
        background_section(ui, state, ctx);
    });
}

fn view_mode_section(ui: &mut Ui, ctx: &UiContext<'_>) {
    let selected = ctx.view.view_mode();
    ui.label(RichText::new("View mode").strong());
    ui.spacing_mut().item_spacing.y = 1.0;
    for mode in ViewMode::ALL {
        let action = Action::Shading(ShadingAction::ToggleViewMode(mode));
        on_click(ui.radio(selected == mode, command_name(&action)), action, ctx);
        if selected == mode && mode == ViewMode::TexelDensity {
            texel_target(ui, ctx);
        }
    }
    ui.spacing_mut().item_spacing.y = 4.0;
}

fn texel_target(ui: &mut Ui, ctx: &UiContext<'_>) {
    let request = ctx.view.request.debug_view.view_mode.as_ref();
    let mut target = request.and_then(|mode| mode.texels_per_meter).unwrap_or(DEFAULT_TEXELS_PER_METER);
    ui.horizontal(|ui| {
        ui.add_space(20.0);
        ui.weak("Target");
        let field = DragValue::new(&mut target).range(1..=1_000_000).speed(4.0).suffix(" texels/m");
        ctx.push_if(ui.add(field).changed(), ShadingAction::SetTexelTarget(target));
    });
}

fn overlay_option(ui: &mut Ui, overlay: &ShadingAction, ctx: &UiContext<'_>) {
    let action = Action::Shading(overlay.clone());
    let mut enabled = is_checked(&action, ctx);
    on_click(ui.checkbox(&mut enabled, command_name(&action)), action, ctx);
    match (overlay, ctx.view.request.debug_view.ghosts) {
        (ShadingAction::ToggleGhosts, Some(ghosts)) => ghost_options(ui, ghosts, ctx),
        (ShadingAction::ToggleMotionPath, _)
            if enabled && ctx.document.as_ref().and_then(|document| document.joint()).is_none() =>
        {
            ui.weak("      Select a joint to see its path.");
        }
        _ => {}
    }
}

fn ghost_options(ui: &mut Ui, ghosts: GhostsRequest, ctx: &UiContext<'_>) {
    ui.horizontal(|ui| {
        ui.add_space(20.0);
        let GhostsRequest { mut count, mut spacing_secs } = ghosts;
        let count_field = ui.add(DragValue::new(&mut count).range(1..=20).speed(0.05));
        ui.weak("before and after, every");
        let spacing_field = ui.add(DragValue::new(&mut spacing_secs).range(0.01..=5.0).speed(0.005).suffix(" s"));
        let changed = count_field.changed() || spacing_field.changed();
        ctx.push_if(changed, ShadingAction::SetGhosts(GhostsRequest { count, spacing_secs }));
    });
}

/// Background presets, and a color as `#rrggbb` and as components.
fn background_section(ui: &mut Ui, state: &mut ViewOptionsState, ctx: &UiContext<'_>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(2.0, 2.0);
        for (background, name) in BACKGROUNDS {
            let action = Action::Shading(ShadingAction::SetBackground(background));
            on_click(ui.selectable_label(is_checked(&action, ctx), name), action, ctx);
        }
    });
    // Fields rather than a color wheel: style guides write colors as #rrggbb.
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        let before = match ctx.settings.background {
            Some(BackgroundRequest::Color(color)) => color.map(|level| (level.clamp(0.0, 1.0) * 255.0).round() as u8),
            _ => [89; 3],
        };
        let mut color = before;
        let [r, g, b] = before;
        let (swatch, _) = ui.allocate_exact_size(vec2(20.0, 18.0), Sense::hover());
        let stroke = ui.visuals().window_stroke;
        ui.painter().rect(swatch, 3.0, Color32::from_rgb(r, g, b), stroke, StrokeKind::Inside);
        let mut text = state.color_text.clone().unwrap_or_else(|| format_hex(before));
        let field = ui.add(TextEdit::singleline(&mut text).desired_width(68.0).char_limit(7));
        if field.has_focus() {
            color = parse_hex(&text).unwrap_or(before);
        }
        state.color_text = field.has_focus().then_some(text);
        for component in &mut color {
            ui.add_sized([38.0, 18.0], DragValue::new(component).speed(1.0));
        }
        if color != before {
            // Short numbers for commands.
            let color = BackgroundRequest::Color(color.map(|level| shortest_f64(f32::from(level) / 255.0)));
            ctx.push(ShadingAction::SetBackground(Some(color)));
        }
    })
    .response
    .on_hover_text("Custom background: type #rrggbb, or drag red, green and blue");
}

fn format_hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Parses `#rrggbb` or `rrggbb`.
fn parse_hex(text: &str) -> Option<[u8; 3]> {
    let digits = text.trim().trim_start_matches('#');
    if digits.len() != 6 || !digits.is_ascii() {
        return None;
    }
    let component = |start: usize| u8::from_str_radix(&digits[start..start + 2], 16).ok();
    Some([component(0)?, component(2)?, component(4)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_colors_round_trip_and_malformed_ones_are_rejected() {
        assert_eq!(format_hex([1, 171, 255]), "#01abff");
        for text in ["#01abff", "01ABFF ", " #01AbFf"] {
            assert_eq!(parse_hex(text), Some([1, 171, 255]), "{text}");
        }
        for text in ["", "#fff", "#01abfg", "#01abff0", "éééééé"] {
            assert_eq!(parse_hex(text), None, "{text}");
        }
    }
}
