//! Lint of lights: intensities in physical units.

use super::rest_rig::RestRig;
use crate::issue::Issues;
use rigview_core::math::{Aabb, Affine};
use rigview_core::model::{LightNode, LightShape};
use rigview_core::palette::PaletteLayout;
use rigview_core::util::text::quoted;
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// Brightness of a white surface above which a light is reported, in multiples of white.
const MAX_BRIGHTNESS: f64 = 20.0;

pub(super) fn check(rig: &RestRig<'_>, issues: &mut Issues) {
    let model = rig.model;
    if model.lights.is_empty() || model.default_scene.get() >= model.scenes.len() {
        return;
    }
    let bounds = bounds(rig);
    if bounds.is_empty() {
        return;
    }
    let mut brightest: BTreeMap<u32, (f64, &LightNode)> = BTreeMap::new();
    for light in &model.lights {
        let brightness = brightness(rig, light, &bounds);
        let entry = brightest.entry(light.gltf_index).or_insert((brightness, light));
        if brightness > entry.0 {
            *entry = (brightness, light);
        }
    }
    for (index, (brightness, light)) in brightest {
        if brightness <= MAX_BRIGHTNESS {
            continue;
        }
        let name = light.name.as_deref().map_or_else(|| format!("light {index}"), quoted);
        let times = format!("{:.0}", 10.0_f64.powf(brightness.log10().floor()) * leading_digit(brightness));
        let at = format_args!("/extensions/KHR_lights_punctual/lights/{index}");
        let message = format_args!(
            "{name} makes a white surface about {times} times as bright as white, because it has physical units; in Blender's glTF export, set Data > Lighting > Lighting Mode to Unitless instead of Standard"
        );
        issues.add("RIGVIEW_LIGHT_TOO_BRIGHT", at, message);
    }
}

fn leading_digit(number: f64) -> f64 {
    (number / 10.0_f64.powf(number.log10().floor())).floor()
}

/// Bounds of the meshes in the rest pose; skinned meshes are not posed.
fn bounds(rig: &RestRig<'_>) -> Aabb {
    let model = rig.model;
    let layout = PaletteLayout::new(model, model.default_scene);
    let mut bounds = Aabb::EMPTY;
    for draw in &layout.draws {
        let model_from_mesh = if draw.skinned { Affine::IDENTITY } else { *rig.model_from_joint(draw.joint) };
        for position in layout.positions(model, draw).iter() {
            bounds.add(model_from_mesh.transform_point(nalgebra::Vector3::from(*position).cast()));
        }
    }
    bounds
}

/// Brightness of a white surface that faces the light in the center of `bounds`, in multiples of white.
fn brightness(rig: &RestRig<'_>, light: &LightNode, bounds: &Aabb) -> f64 {
    let strongest = light.intensity * light.color.into_iter().fold(0.0, f64::max);
    if light.shape == LightShape::Directional {
        return strongest / PI;
    }
    let position = rig.model_from_joint(light.joint).translation;
    // A light inside the model is about as far from its surfaces as they are from the center.
    let distance = (position - bounds.center()).norm().max(0.5 * bounds.diagonal());
    strongest / (distance * distance) / PI
}
