//! Lights and backgrounds, exact to the byte.

use crate::brdf::specular;
use crate::context::{GlTestContext, Shot, assert_close, byte};
use crate::rigs::{at_depth, paint, square, squares};
use nalgebra::{UnitQuaternion, Vector3};
use rigview::math::Transform;
use rigview::model::{AlphaMode, Material};
use rigview::scene::{Background, Cone, Light, LightKind, Lighting, MAX_LIGHTS};
use std::f64::consts::PI;

/// BRDF of glTF 2.0, appendix B, with conservation of energy, times the cosine, in double precision.
pub(crate) fn reflected(material: &Material, n: Vector3<f64>, v: Vector3<f64>, l: Vector3<f64>) -> [f64; 3] {
    let h = (v + l).normalize();
    let alpha_squared = f64::from(material.roughness).powi(4);
    let (nl, nv, nh, vh) = (n.dot(&l), n.dot(&v).abs(), n.dot(&h), v.dot(&h).abs());
    let d = alpha_squared / (PI * (nh * nh * (alpha_squared - 1.0) + 1.0).powi(2));
    // Smith's function of both directions by way of its lambda, correlated by height.
    let lambda = |x: f64| 0.5 * ((1.0 + alpha_squared * (1.0 / (x * x) - 1.0)).sqrt() - 1.0);
    let lobe = d / (1.0 + lambda(nl) + lambda(nv)) / (4.0 * nl * nv);
    let metallic = f64::from(material.metallic);
    [0, 1, 2].map(|i| {
        let base = f64::from(material.base_color[i]);
        let fresnel = |f0: f64| f0 + (1.0 - f0) * (1.0 - vh).powi(5);
        let [glossy, metal] = [0.04, base].map(|f0| specular(f64::from(material.roughness), nv, f0, 1.0));
        let dielectric = (1.0 - glossy.albedo) * base / PI + fresnel(0.04) * glossy.gain * lobe;
        ((1.0 - metallic) * dielectric + metallic * fresnel(base) * metal.gain * lobe) * nl
    })
}

#[test]
fn lit_pixel_matches_brdf_formula() {
    let mut stage = GlTestContext::new();
    let tilt = UnitQuaternion::from_euler_angles(0.4, -0.5, 0.0);
    let n = tilt * Vector3::z();
    for (metallic, roughness) in [(0.0, 1.0), (0.0, 0.5), (1.0, 1.0), (1.0, 0.3), (0.5, 0.7), (1.0, 0.1)] {
        let material = Material { base_color: [0.9, 0.5, 0.1, 1.0], metallic, roughness, ..Default::default() };
        let model = square(material.clone(), Transform { rotation: tilt, ..Transform::identity() });
        for to_light in [Vector3::new(0.2, 0.3, 1.0), Vector3::new(-0.8, 0.1, 0.5), Vector3::new(-0.9, -0.7, 1.0)] {
            let l = to_light.normalize();
            let shot = Shot::flat(&model).under(to_light, 1.7);
            let [r, g, b] = reflected(&material, n, Vector3::z(), l).map(|x| byte(x * 1.7));
            assert_close(stage.image(&shot).middle(), [r, g, b, 255]);
        }
        let from_behind = Shot::flat(&model).under(-n, 1.0);
        assert_eq!(stage.image(&from_behind).middle(), [0, 0, 0, 255]);
    }
}

/// Linear value of an sRGB byte.
fn linear(byte: u8) -> f64 {
    let encoded = f64::from(byte) / 255.0;
    if encoded <= 0.04045 { encoded / 12.92 } else { ((encoded + 0.055) / 1.055).powf(2.4) }
}

/// A uniform hemisphere of light, sampled by directional lights, makes a white surface as bright as the hemisphere.
#[test]
fn white_furnace_of_lights_conserves_energy() {
    const RADIANCE: f64 = 0.4;
    const SHOTS: usize = 32;
    let mut stage = GlTestContext::new();
    let tilt = UnitQuaternion::from_euler_angles(0.4, -0.6, 0.0);
    let count = SHOTS * MAX_LIGHTS;
    // A spiral with equal solid angles around the normal. Each shot takes every 32nd direction.
    let to_light = |i: usize| {
        let z = (i as f64 + 0.5) / count as f64;
        let (sin, cos) = (i as f64 * 2.399_963).sin_cos();
        let r = (1.0 - z * z).sqrt();
        tilt * Vector3::new(r * cos, r * sin, z)
    };
    for (metallic, roughness) in [(0.0, 1.0), (0.0, 0.6), (1.0, 0.5), (1.0, 0.75), (1.0, 1.0)] {
        let material = Material { metallic, roughness, ..Default::default() };
        let model = square(material, Transform { rotation: tilt, ..Transform::identity() });
        let mut sum = 0.0;
        for shot in 0..SHOTS {
            let lights = (0..MAX_LIGHTS)
                .map(|i| Light::directional(to_light(i * SHOTS + shot), 2.0 * PI * RADIANCE / MAX_LIGHTS as f64));
            let shot = Shot { lighting: Lighting::from_lights(lights.collect()), ..Shot::flat(&model) };
            sum += linear(stage.image(&shot).middle()[0]);
        }
        let reflectance = sum / SHOTS as f64 / RADIANCE;
        assert!((reflectance - 1.0).abs() < 0.02, "{metallic}, {roughness}: {reflectance}");
    }
}

#[test]
fn lights_accumulate_and_emission_adds() {
    let material = Material { metallic: 0.0, emissive: [0.0, 0.25, 0.5], ..Default::default() };
    let model = square(material.clone(), Transform::identity());
    let lux = PI / 16.0;
    let light = Light::directional(Vector3::z(), lux);
    let mut shot = Shot::flat(&model);
    let mut stage = GlTestContext::new();
    for count in [0, 1, 5, 16] {
        shot.lighting = Lighting::from_lights(vec![light; count]);
        let one = reflected(&material, Vector3::z(), Vector3::z(), Vector3::z())[0] * lux * count as f64;
        let [r, g, b] = [one, one + 0.25, one + 0.5].map(byte);
        assert_close(stage.image(&shot).middle(), [r, g, b, 255]);
    }
    shot.lighting = Lighting::from_lights(vec![light; 17]);
    let error = stage.try_render(&shot, 1).err().unwrap().to_string();
    assert_eq!(error, "17 lights are too many: a frame supports at most 16");
}

#[test]
fn uniforms_select_kinds_and_placement_of_lights() {
    let mut stage = GlTestContext::new();
    let model = square(Material::default(), Transform::identity());
    let mut programs_of = |lighting: &Lighting| {
        stage.image(&Shot { lighting: lighting.clone(), ..Shot::flat(&model) });
        stage.renderer.statistics().programs
    };
    let directional = Light::directional(Vector3::z(), 1.0);
    let punctual = |cone| Light {
        kind: LightKind::Punctual { position_in_world: Vector3::z(), range: Some(9.0), cone },
        intensity_rgb: [1.0; 3],
    };
    let spot = punctual(Some(Cone { axis_in_world: -Vector3::z(), inner_angle: 0.1, outer_angle: 0.5 }));
    let lit = |lights: &[Light]| Lighting { lights: lights.to_vec(), ..Lighting::studio() };
    let first = programs_of(&lit(&[directional]));
    for lights in [&[punctual(None)][..], &[spot], &[directional, spot], &[Light::directional(Vector3::x(), 2.0); 16]] {
        assert_eq!(programs_of(&lit(lights)), first, "{lights:?}");
    }
    let mut turned = lit(&[spot]);
    turned.exposure_ev = 2.0;
    turned.environment.as_mut().unwrap().rotation = 1.0;
    assert_eq!(programs_of(&turned), first);
    // The rest is compiled once.
    let occluded = Lighting { ambient_occlusion: true, ..lit(&[spot]) };
    let toggled = [Lighting::studio(), Lighting::from_lights(vec![spot]), occluded];
    let counts = toggled.each_ref().map(&mut programs_of);
    assert_eq!(counts, [first + 1, first + 2, first + 4], "occlusion has a G-buffer");
    assert_eq!(toggled.each_ref().map(&mut programs_of), [first + 4; 3]);
}

#[test]
fn background_color_is_exact() {
    let mut stage = GlTestContext::new();
    let model = squares(Vec::new());
    for value in 0..=255_u8 {
        let [r, g, b] = [value, 255 - value, value / 2];
        let color = [r, g, b].map(|x| f32::from(x) / 255.0);
        let mut shot = Shot::flat(&model).before(Background::Color(color));
        shot.size = (3, 2);
        assert_eq!(stage.image(&shot).count([r, g, b, 255]), 6);
    }
}

#[test]
fn unlit_colors_are_exact() {
    let mut stage = GlTestContext::new();
    let model = square(paint([0.5, 0.25, 1.0, 0.3]), Transform::identity());
    for lighting in [Lighting::studio(), Lighting::from_lights(Vec::new())] {
        let shot = Shot { lighting, ..Shot::flat(&model) };
        let [r, g, b] = [0.5, 0.25, 1.0].map(byte);
        assert_close(stage.image(&shot).middle(), [r, g, b, 255]);
    }
}

#[test]
fn blended_surfaces_mix_in_linear_light_back_to_front() {
    let mut stage = GlTestContext::new();
    let glass = |color| Material { alpha_mode: AlphaMode::Blend, ..paint(color) };
    // The nearest comes first in the file.
    let model = squares(vec![
        (glass([1.0, 0.0, 0.0, 0.5]), at_depth(2.0)),
        (paint([0.0, 0.0, 1.0, 1.0]), at_depth(0.0)),
        (glass([0.0, 1.0, 0.0, 0.5]), at_depth(1.0)),
    ]);
    let [r, g, b] = [0.5, 0.25, 0.25].map(byte);
    assert_close(stage.image(&Shot::flat(&model)).middle(), [r, g, b, 255]);
}

#[test]
fn transparent_image_has_straight_alpha() {
    let mut stage = GlTestContext::new();
    let half = Transform { scale: Vector3::new(0.5, 0.5, 0.5), ..Transform::identity() };
    let glass = Material { alpha_mode: AlphaMode::Blend, ..paint([1.0, 0.5, 0.0, 0.25]) };
    let model = square(glass, half);
    let image = stage.image(&Shot::flat(&model).before(Background::Transparent));
    assert_eq!(image.at(0, 0), [0, 0, 0, 0]);
    assert_close(image.middle(), [255, byte(0.5), 0, 64]);
    assert_eq!(image.count([0, 0, 0, 0]), 32 * 32 * 3 / 4);
}

#[test]
fn infinite_light_is_white_and_nan_is_black() {
    let mut stage = GlTestContext::new();
    for (color, lux, expected) in [
        ([1.0, 0.5, 0.0, 1.0], f64::INFINITY, [255, 255, 255, 255]),
        ([1.0, 0.5, 0.5, 1.0], f64::MAX, [255, 255, 255, 255]),
        ([f32::NAN, f32::NAN, f32::NAN, 1.0], 1.0, [0, 0, 0, 255]),
    ] {
        let model = square(Material { base_color: color, metallic: 0.0, ..Default::default() }, Transform::identity());
        let shot = Shot::flat(&model).under(Vector3::z(), lux).before(Background::Color([0.5; 3]));
        for samples in [1, 4] {
            assert_eq!(stage.try_render(&shot, samples).unwrap().middle(), expected, "{lux} lux");
        }
    }
}

#[test]
fn punctual_lights_follow_falloff_formulas() {
    let mut stage = GlTestContext::new();
    let material = Material { metallic: 0.0, ..Default::default() };
    let model = square(material.clone(), Transform::identity());
    let position_in_world = Vector3::new(0.4, -0.3, 1.5);
    let axis_in_world = Vector3::new(-0.1, 0.25, -1.0).normalize();
    let cones = [None, Some((0.0, 0.3)), Some((0.1, 1.2)), Some((0.25, 0.25)), Some((0.6, 0.9))];
    for cone in
        cones.map(|cone| cone.map(|(inner_angle, outer_angle)| Cone { axis_in_world, inner_angle, outer_angle }))
    {
        for range in [None, Some(1.6), Some(1.9), Some(3.0), Some(100.0)] {
            let brightness = [3.0, 6.0, 1.5];
            let light =
                Light { kind: LightKind::Punctual { position_in_world, range, cone }, intensity_rgb: brightness };
            let shot = Shot { lighting: Lighting::from_lights(vec![light]), ..Shot::flat(&model) };
            let image = stage.image(&shot);
            for (x, y) in [(3, 3), (16, 16), (28, 9), (20, 25)] {
                let at = |pixel: u32| (f64::from(pixel) + 0.5) / 16.0 - 1.0;
                let to_light = position_in_world - Vector3::new(at(x), -at(y), 0.0);
                let (distance, l) = (to_light.norm(), to_light.normalize());
                let near = range.map_or(1.0, |range| (1.0 - (distance / range).powi(4)).clamp(0.0, 1.0));
                let within = cone.map_or(1.0, |cone| {
                    let (inner, outer) = (cone.inner_angle.cos(), cone.outer_angle.cos());
                    ((-l.dot(&axis_in_world) - outer) / (inner - outer).max(1e-3)).clamp(0.0, 1.0).powi(2)
                });
                let share = near * within / (distance * distance);
                let one = reflected(&material, Vector3::z(), Vector3::z(), l)[0];
                let [r, g, b] = brightness.map(|candela| byte(candela * share * one));
                assert_close(image.at(x, y), [r, g, b, 255]);
            }
        }
    }
}
