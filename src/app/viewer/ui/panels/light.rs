//! Light panel: environment, exposure, lights and shadows.

use crate::app::viewer::actions::{Action, FileAction, LightAction, ShadingAction};
use crate::app::viewer::state::{BACKGROUNDS, FilePurpose, KeyLight, view::light_set_ups};
use crate::app::viewer::ui::UiContext;
use crate::app::viewer::ui::widgets::{
    NUMBER_WIDTH, command_name, fit_sliders, heading, on_click, tooltip, value_row, wrapped_label,
};
use crate::request::{
    BackgroundRequest, DEFAULT_BACKGROUND_BLUR, EnvironmentRequest, ExposureRequest, LightRequest, ViewRequest,
};
use egui::{
    Align2, Button, Color32, ComboBox, FontId, Mesh, Rect, RichText, ScrollArea, Sense, Shape, Slider, Spinner, Stroke,
    StrokeKind, Ui, pos2, vec2,
};
use nalgebra::Vector3;
use rigview_core::util::text::file_name;
use rigview_render::scene::{Environment, Sky, ToneMapping};
use std::f32::consts::{FRAC_PI_2, PI};

const TONE_MAPPINGS: [(ToneMapping, &str, &str); 5] = [
    (ToneMapping::Neutral, "Neutral", "Khronos PBR Neutral: keeps surface colors"),
    (ToneMapping::Agx, "AgX", "View transform AgX of Blender 5.0, look None: bright colors fade to white"),
    (ToneMapping::Filmic, "Filmic", "View transform Filmic of Blender 5.0, look None"),
    (ToneMapping::Aces, "ACES", "Filmic contrast, common in games"),
    (ToneMapping::None, "None", "Clips bright colors"),
];

const SWATCHES: [(EnvironmentRequest, &str); 4] = [
    (EnvironmentRequest::Neutral, "Studio"),
    (EnvironmentRequest::Sky(Sky::Overcast), "Overcast"),
    (EnvironmentRequest::Sky(Sky::Sunset), "Sunset"),
    (EnvironmentRequest::Sky(Sky::Night), "Night"),
];

pub(crate) fn show(ui: &mut Ui, ctx: &UiContext<'_>) {
    let present = &ctx.view.request.light;
    let mut light = present.clone();
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        fit_sliders(ui);
        ui.horizontal_wrapped(|ui| {
            for (index, (name, set_up)) in light_set_ups().into_iter().enumerate() {
                let label = ui.selectable_label(*present == set_up, name);
                let label = label.on_hover_text("Replaces all settings of the light");
                on_click(label, LightAction::SetUp(index), ctx);
            }
        });
        heading(ui, "Environment");
        environment_section(ui, ctx, &mut light);
        heading(ui, "Exposure");
        exposure_section(ui, ctx, &mut light);
        heading(ui, "Lights");
        lights_section(ui, ctx, &mut light);
        heading(ui, "Shadows");
        let occlusion = ui.checkbox(light.occlusion.get_or_insert_default(), "Occlusion");
        tooltip(occlusion, &LightAction::ToggleOcclusion.into());
        let shadow = LightAction::ToggleShadowCatcher.into();
        tooltip(ui.checkbox(light.shadow_catcher.get_or_insert_default(), command_name(&shadow)), &shadow);
    });
    ctx.push_if(light != *present, LightAction::SetLight(light));
}

fn environment_section(ui: &mut Ui, ctx: &UiContext<'_>, light: &mut LightRequest) {
    let defaults = ViewRequest::default().light;
    swatches(ui, &mut light.environment);
    ui.horizontal(|ui| {
        let is_none = light.environment() == EnvironmentRequest::None;
        if ui.selectable_label(is_none, "None").on_hover_text("No environment light").clicked() {
            light.environment = Some(EnvironmentRequest::None);
        }
        let (label, help) = match &light.environment {
            Some(EnvironmentRequest::File(file)) => (file_name(file), file.display().to_string()),
            _ => ("File...".to_owned(), "Light with an .hdr or .exr panorama, or drop one on the window".to_owned()),
        };
        let is_file = matches!(light.environment, Some(EnvironmentRequest::File(_)));
        let button = ui.add(Button::selectable(is_file, label).truncate()).on_hover_text(help);
        ctx.push_if(button.clicked(), FileAction::Choose(FilePurpose::Environment));
        if ctx.jobs.environment_loading {
            ui.add(Spinner::new().size(14.0));
        }
    });
    ui.add_enabled_ui(light.environment() != EnvironmentRequest::None, |ui| {
        let rotation = &mut light.environment_rotation_degrees;
        value_row(
            ui,
            "Rotation",
            "Shift + right drag in the view",
            rotation,
            defaults.environment_rotation_degrees,
            |ui, value| {
                ui.add(Slider::new(value, -180.0..=180.0).suffix("\u{b0}").max_decimals(1).step_by(0.1));
            },
        );
        let (intensity, default) = (&mut light.environment_intensity, defaults.environment_intensity);
        value_row(ui, "Intensity", "Factor of its light", intensity, default, |ui, value| {
            ui.add(Slider::new(value, 0.0..=4.0).max_decimals(2).step_by(0.01));
        });
        let [(gradient, _), .., (environment, _)] = BACKGROUNDS;
        let blur = match ctx.settings.background {
            Some(BackgroundRequest::Environment(blur)) => Some(blur),
            _ => None,
        };
        let set = |background| ctx.push(ShadingAction::SetBackground(background));
        let mut is_background = blur.is_some();
        if ui.checkbox(&mut is_background, "Show as background").changed() {
            set(if is_background { environment } else { gradient });
        }
        ui.add_enabled_ui(blur.is_some(), |ui| {
            let before = blur.unwrap_or(DEFAULT_BACKGROUND_BLUR);
            let mut blur = before;
            value_row(ui, "Blur", "Blur of the background", &mut blur, DEFAULT_BACKGROUND_BLUR, |ui, value| {
                ui.add(Slider::new(value, 0.0..=1.0).max_decimals(2).step_by(0.01));
            });
            if blur != before {
                set(Some(BackgroundRequest::Environment(blur)));
            }
        });
    });
}

fn exposure_section(ui: &mut Ui, ctx: &UiContext<'_>, light: &mut LightRequest) {
    let defaults = ViewRequest::default().light;
    let mut exposure_ev = ctx.exposure_ev();
    let auto_ev = ctx.document.as_ref().map_or(0.0, |document| document.scene.auto_exposure_ev);
    let help = "Stops: +1 doubles the brightness";
    let exposure = &mut light.exposure;
    value_row(ui, "Exposure", help, exposure, defaults.exposure, |ui, exposure| {
        // Centered at the automatic value: physical lights need about -10.
        let range = (auto_ev - 5.0).min(exposure_ev)..=(auto_ev + 5.0).max(exposure_ev);
        if ui.add(Slider::new(&mut exposure_ev, range).suffix(" EV").fixed_decimals(1).step_by(0.1)).changed() {
            *exposure = Some(ExposureRequest::Stops(exposure_ev));
        }
    });
    let mut auto = *exposure == Some(ExposureRequest::Auto);
    let checkbox = ui.checkbox(&mut auto, "Automatic");
    let checkbox =
        checkbox.on_hover_text("Darkens the image if the lights of the file are too bright for it; metered on opening");
    if checkbox.changed() {
        *exposure = Some(if auto { ExposureRequest::Auto } else { ExposureRequest::Stops(ctx.exposure_ev()) });
    }
    if auto && ctx.exposure_ev() != 0.0 {
        let text = format!("Metered from the lights of the file: {:+.1} EV", ctx.exposure_ev());
        wrapped_label(ui, RichText::new(text).weak());
    }
    let tone_mapping = &mut light.tone_mapping;
    value_row(ui, "Tone map", "Tone mapping operator", tone_mapping, defaults.tone_mapping, |ui, operator| {
        let selected =
            TONE_MAPPINGS.iter().find(|(other, ..)| Some(*other) == *operator).map_or("", |(_, name, _)| name);
        let width = ui.spacing().slider_width + NUMBER_WIDTH;
        ComboBox::from_id_salt("tone mapping").width(width).selected_text(selected).show_ui(ui, |ui| {
            for (other, name, help) in TONE_MAPPINGS {
                ui.selectable_value(operator, Some(other), name).on_hover_text(help);
            }
        });
    });
}

fn lights_section(ui: &mut Ui, ctx: &UiContext<'_>, light: &mut LightRequest) {
    let count = ctx.document.as_ref().map_or(0, |document| document.scene.lights(document.clock_secs()).len());
    ui.add_enabled_ui(count > 0, |ui| {
        let name = if count > 0 { format!("Lights of the file ({count})") } else { "Lights of the file (none)".into() };
        let checkbox = ui.checkbox(light.file_lights.get_or_insert_default(), name);
        tooltip(checkbox, &LightAction::ToggleFileLights.into());
    });
    let others = ctx.view.other_light_count();
    if others > 0 {
        ui.horizontal(|ui| {
            ui.label(format!("Other directional lights: {others}"));
            on_click(ui.small_button("Remove"), LightAction::RemoveOtherLights, ctx);
        });
    }
    let key_light = ctx.view.key_light();
    let toggle = Action::Light(LightAction::ToggleKeyLight);
    let checkbox = ui.checkbox(&mut key_light.is_some(), command_name(&toggle));
    on_click(checkbox, toggle, ctx);
    let Some(before) = key_light else { return };
    let mut key_light = before;
    ui.indent("key light", |ui| {
        ui.spacing_mut().slider_width -= ui.spacing().indent;
        let (lux, default_lux) = (&mut key_light.illuminance_lux, KeyLight::default().illuminance_lux);
        value_row(ui, "Strength", "Illuminance in lux; about 3 for a white surface", lux, default_lux, |ui, value| {
            let range = 0.0..=value.max(20.0);
            ui.add(Slider::new(value, range).suffix(" lx").max_decimals(2).step_by(0.05));
        });
        let rounded = key_light.angles().map(f64::round);
        let mut angles = rounded;
        let default_angles = KeyLight::default().angles().map(f64::round);
        let help = "0\u{b0}: in front of the model, 90\u{b0}: from +X";
        value_row(ui, "Azimuth", help, &mut angles[0], default_angles[0], |ui, value| {
            ui.add(Slider::new(value, -180.0..=180.0).suffix("\u{b0}").fixed_decimals(0));
        });
        value_row(ui, "Elevation", "Angle above the ground", &mut angles[1], default_angles[1], |ui, value| {
            ui.add(Slider::new(value, -90.0..=90.0).suffix("\u{b0}").fixed_decimals(0));
        });
        if angles != rounded {
            key_light.set_angles(angles);
        }
        ui.weak("Drag the sun in the view to turn it.");
    });
    ctx.push_if(key_light != before, LightAction::SetKeyLight(key_light));
}

/// Adds the built-in environments as small panoramas with their names.
fn swatches(ui: &mut Ui, environment: &mut Option<EnvironmentRequest>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let width = (ui.available_width() / if ui.available_width() < 240.0 { 2.0 } else { 4.0 } - 4.0).max(8.0);
        for (request, name) in SWATCHES {
            let (rect, response) = ui.allocate_exact_size(vec2(width, 52.0), Sense::click());
            let selected = environment.as_ref() == Some(&request);
            let image = rect.with_max_y(rect.max.y - 16.0);
            ui.painter().add(Shape::mesh(panorama_mesh(&request, image)));
            let stroke = if selected {
                Stroke::new(2.0, ui.visuals().selection.bg_fill)
            } else {
                ui.style().interact(&response).bg_stroke
            };
            ui.painter().rect_stroke(image, 3.0, stroke, StrokeKind::Outside);
            let color = if selected { ui.visuals().strong_text_color() } else { ui.visuals().text_color() };
            let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
            painter.text(rect.center_bottom(), Align2::CENTER_BOTTOM, name, FontId::proportional(12.0), color);
            if tooltip(response, &Action::Light(LightAction::SetEnvironment(request.clone()))).clicked() {
                *environment = Some(request);
            }
        }
    });
}

/// A panorama of an environment, from 25 degrees below the horizon to the zenith. The center is the front view's background.
fn panorama_mesh(request: &EnvironmentRequest, rect: Rect) -> Mesh {
    const COLUMNS: u32 = 20;
    const ROWS: u32 = 12;
    let mut mesh = Mesh::default();
    for row in 0..=ROWS {
        for column in 0..=COLUMNS {
            let (u, v) = (column as f32 / COLUMNS as f32, row as f32 / ROWS as f32);
            let (azimuth, elevation) = ((2.0 * u - 1.0) * PI, FRAC_PI_2 - v * (FRAC_PI_2 + 0.44));
            let horizontal = elevation.cos();
            let direction = Vector3::new(azimuth.sin() * horizontal, elevation.sin(), -azimuth.cos() * horizontal);
            let radiance = match request {
                EnvironmentRequest::Sky(sky) => sky.radiance(direction),
                _ => Environment::neutral().radiance(direction),
            };
            let to_byte = |x: f32| ((x / (0.7 + x)).powf(1.0 / 2.2) * 255.0) as u8;
            let [r, g, b] = radiance.map(to_byte);
            mesh.colored_vertex(
                pos2(rect.min.x + u * rect.width(), rect.min.y + v * rect.height()),
                Color32::from_rgb(r, g, b),
            );
            if row < ROWS && column < COLUMNS {
                let corner = row * (COLUMNS + 1) + column;
                mesh.add_triangle(corner, corner + 1, corner + COLUMNS + 1);
                mesh.add_triangle(corner + 1, corner + COLUMNS + 1, corner + COLUMNS + 2);
            }
        }
    }
    mesh
}
