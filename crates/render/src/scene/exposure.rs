//! Automatic exposure: metered from the lights of the file, on the surfaces at the start of the clip.

use crate::scene::{Light, LightKind};
use nalgebra::Vector3;
use rigview_core::model::{LightNode, LightShape};
use rigview_core::palette::{BlockIndex, Palette, Rig, skin_on_cpu};
use std::f64::consts::PI;

/// Brightness up to which the lights of a file are used as they are: a white surface may reflect this multiple of white.
const MAX_UNCHANGED: f64 = 6.0;

/// Brightness of a white surface after metering, as a fraction of white.
const TARGET: f64 = 0.8;

/// Surfaces above this percentile of brightness count as if at it: bulbs around their lights.
const MAX_PERCENTILE: f64 = 0.98;

/// Further draws are not metered.
const MAX_VERTICES: usize = 500_000;

/// Metered triangles per draw.
const MAX_TRIANGLES: usize = 4096;

/// Lumens per watt in Blender's lighting mode Standard.
/// <https://github.com/KhronosGroup/glTF-Blender-IO/blob/main/addons/io_scene_gltf2/io/com/constants.py> (`PBR_WATTS_TO_LUMENS`)
const LUMENS_PER_WATT: f64 = 683.0;

/// Intensities that no light in the mode Unitless has, in lux and candela: those of a sun of 0.2 watts per square meter, and of a lamp of
/// 18 W, in the mode Standard.
const MIN_STANDARD_LUX: f64 = 140.0;
const MIN_STANDARD_CANDELA: f64 = 1000.0;

/// Returns the factor of the lights of a file: 1/683 if Blender wrote them in its lighting mode Standard, of which the generator and the
/// largest intensity are evidence. Emission and environments have no such factor, so that Blender shows all of them in watts.
pub fn light_scale(generator: Option<&str>, lights: &[LightNode]) -> f64 {
    let is_standard = |light: &LightNode| match light.shape {
        LightShape::Directional => light.intensity >= MIN_STANDARD_LUX,
        _ => light.intensity >= MIN_STANDARD_CANDELA,
    };
    let is_of_blender = generator.is_some_and(|generator| generator.contains("Blender"));
    if is_of_blender && lights.iter().any(is_standard) { 1.0 / LUMENS_PER_WATT } else { 1.0 }
}

/// Irradiance on a part of the surface.
struct Patch {
    /// In square meters.
    area: f64,
    /// In lux, of the brightest color component.
    irradiance: f64,
}

/// Returns the exposure in stops, at most 0, at which `lights` do not overexpose the surfaces of `crowds`. In steps of a tenth.
///
/// Meters the first instance of each posed crowd, in world space, without shadows.
///
/// # Panics
/// If a palette is of another rig, or empty.
pub fn metered_exposure_ev<'a>(lights: &[Light], crowds: impl IntoIterator<Item = (&'a Rig, &'a Palette)>) -> f64 {
    let mut patches = Vec::new();
    for (rig, palette) in crowds {
        measure(lights, rig, palette, &mut patches);
    }
    exposure_ev(patches)
}

/// Adds the surfaces of the first instance.
fn measure(lights: &[Light], rig: &Rig, palette: &Palette, patches: &mut Vec<Patch>) {
    let model = rig.model();
    let mut vertices = 0;
    for draw in &rig.layout().draws {
        let triangles = model.meshes[draw.mesh.get()].primitives[draw.primitive].triangles();
        if triangles.is_empty() || vertices > MAX_VERTICES {
            continue;
        }
        let posed = skin_on_cpu(rig, palette, BlockIndex(0), draw);
        vertices += posed.positions.len();
        let count = triangles.len() / 3;
        let step = count.div_ceil(MAX_TRIANGLES).max(1);
        for triangle in triangles.chunks_exact(3).step_by(step) {
            let [a, b, c] = [0, 1, 2].map(|i| vector(posed.positions[triangle[i] as usize]));
            let cross = (b - a).cross(&(c - a));
            let normal = match &posed.normals {
                Some(normals) => triangle.iter().map(|&corner| vector(normals[corner as usize])).sum(),
                None => cross,
            };
            let (area, normal) = (0.5 * cross.norm() * step as f64, normal.try_normalize(0.0));
            if let Some(normal) = normal.filter(|_| area > 0.0 && area.is_finite()) {
                let center = (a + b + c) / 3.0;
                let irradiance = lights.iter().map(|light| irradiance(light, &center, &normal)).sum();
                patches.push(Patch { area, irradiance });
            }
        }
    }
}

fn vector(point: [f32; 3]) -> Vector3<f64> {
    Vector3::from(point).cast()
}

/// Irradiance at a point in lux, without shadows, as in `shaders/mesh.frag`.
fn irradiance(light: &Light, point: &Vector3<f64>, normal: &Vector3<f64>) -> f64 {
    let strongest = light.intensity_rgb.into_iter().fold(0.0, f64::max);
    match light.kind {
        LightKind::Directional { to_light_in_world } => strongest * normal.dot(&to_light_in_world).max(0.0),
        LightKind::Punctual { position_in_world, range, cone } => {
            let to_light = position_in_world - point;
            let distance_squared = to_light.norm_squared().max(1e-6);
            let to_light = to_light / distance_squared.sqrt();
            let ratio_squared = range.map_or(0.0, |range| distance_squared / (range * range));
            let window = (1.0 - ratio_squared * ratio_squared).clamp(0.0, 1.0);
            let is_lit = cone.is_none_or(|cone| -cone.axis_in_world.dot(&to_light) > libm::cos(cone.outer_angle));
            let facing = normal.dot(&to_light).max(0.0);
            if is_lit { strongest * window * facing / distance_squared } else { 0.0 }
        }
    }
}

/// Exposure in stops for surfaces of this brightness.
fn exposure_ev(mut patches: Vec<Patch>) -> f64 {
    patches.sort_by(|a, b| a.irradiance.total_cmp(&b.irradiance));
    let limit_area = MAX_PERCENTILE * patches.iter().map(|patch| patch.area).sum::<f64>();
    let (mut area, mut limit) = (0.0, 0.0);
    for patch in &patches {
        area += patch.area;
        limit = patch.irradiance;
        if area >= limit_area {
            break;
        }
    }
    // Weighted by irradiance: dark surfaces do not count, however large they are.
    let (mut sum, mut weight) = (0.0, 0.0);
    for Patch { area, irradiance } in patches {
        let irradiance = irradiance.min(limit);
        sum += area * irradiance * irradiance;
        weight += area * irradiance;
    }
    let brightness = sum / weight / PI;
    // Also false for NaN: nothing is lit.
    if brightness > MAX_UNCHANGED { ((TARGET / brightness).log2() * 10.0).round() / 10.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Cone;

    fn metered(irradiances: &[f64]) -> f64 {
        exposure_ev(irradiances.iter().map(|&irradiance| Patch { area: 1.0, irradiance: irradiance * PI }).collect())
    }

    #[test]
    fn moderate_lights_are_unchanged_and_physical_ones_are_reduced() {
        assert_eq!(metered(&[]), 0.0);
        assert_eq!(metered(&[0.0; 9]), 0.0);
        assert_eq!(metered(&[5.9; 9]), 0.0);
        assert_eq!(metered(&[0.8 * 1024.0; 9]), -10.0);
    }

    #[test]
    fn dark_surroundings_and_bulbs_do_not_count() {
        let mut irradiances = vec![0.0; 900];
        irradiances.extend([819.2; 100]);
        assert_eq!(metered(&irradiances), -10.0);
        irradiances.extend([1e9; 3]);
        assert_eq!(metered(&irradiances), -10.0);
    }

    #[test]
    fn irradiance_follows_distance_cone_and_range() {
        let point = |range, cone| Light {
            kind: LightKind::Punctual { position_in_world: Vector3::new(0.0, 2.0, 0.0), range, cone },
            intensity_rgb: [8.0, 2.0, 0.0],
        };
        let on_floor = |light: &Light, x: f64| irradiance(light, &Vector3::new(x, 0.0, 0.0), &Vector3::y());
        assert_eq!(on_floor(&point(None, None), 0.0), 2.0);
        assert_eq!(on_floor(&point(Some(1.5), None), 0.0), 0.0);
        let cone = Cone { axis_in_world: -Vector3::y(), inner_angle: 0.1, outer_angle: 0.5 };
        let spot = point(None, Some(cone));
        assert_eq!((on_floor(&spot, 0.0), on_floor(&spot, 3.0)), (2.0, 0.0));
        let sun = Light::directional(Vector3::new(0.0, 1.0, 0.0), 5.0);
        assert_eq!(on_floor(&sun, 1.0), 5.0);
    }
}
