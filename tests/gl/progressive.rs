//! Progressive images: the mean of many draws with the shadow of one light each.

use crate::brdf::{hemisphere_integral, lobe, specular};
use crate::context::{GlTestContext, RenderedImage, Shot, byte, linear};
use crate::environment::{compass, in_light_of};
use crate::material_features::texture;
use crate::rigs::{
    ROOM, in_white_light, paint, room, room_with_wall, room_with_walls, rough, square, squares, wall_form_factor,
};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use rigview::math::{Aabb, Affine, Transform};
use rigview::model::{
    AlphaMode, Anisotropy, Filter, Image, ImageIndex, Material, Model, Panorama, Sampler, SpecularGlossiness, Texture,
    TextureIndex, TextureRef, TextureSlot, TextureTransform, Transmission, Volume,
};
use rigview::render::Target;
use rigview::scene::{
    Background, Camera, Cone, EmittingCrowd, Environment, EnvironmentLight, FrameSamples, Lens, Light, LightKind,
    Lighting, ToneMapping, virtual_point_lights,
};
use std::collections::HashMap;
use std::sync::Arc;

/// The mean of `count` samples of high quality.
pub(crate) fn progressive(context: &mut GlTestContext, shot: &Shot<'_>, bounds: &Aabb, count: u32) -> RenderedImage {
    let model = context.renderer.upload(shot.model, &shot.layout).unwrap();
    let textures = model.emission_textures().unwrap();
    let crowd = EmittingCrowd { rig: &shot.rig(), palette: &shot.palette, textures: &textures };
    let samples = FrameSamples::new(&shot.lighting, virtual_point_lights(&[crowd], count), bounds, count);
    let mut target = Target::new(context.headless.gpu(), shot.size.0, shot.size.1, 1).unwrap();
    mean(context, shot, &samples, &mut target, count)
}

/// The mean of `count` draws of standard quality, each with about `samples_per_draw`.
fn antialiased(context: &mut GlTestContext, shot: &Shot<'_>, samples_per_draw: u32, count: u32) -> RenderedImage {
    let mut target = Target::new(context.headless.gpu(), shot.size.0, shot.size.1, samples_per_draw).unwrap();
    let samples = FrameSamples::antialiasing(count, target.samples() > 1);
    mean(context, shot, &samples, &mut target, count)
}

fn mean(
    context: &mut GlTestContext,
    shot: &Shot<'_>,
    samples: &FrameSamples,
    target: &mut Target,
    count: u32,
) -> RenderedImage {
    let model = context.renderer.upload(shot.model, &shot.layout).unwrap();
    target.begin_accumulation().unwrap();
    for index in 0..count {
        context.renderer.accumulate(&[&model], &shot.frame(), &samples.get(index), target).unwrap();
    }
    assert_eq!(target.accumulated_samples(), count);
    context.renderer.resolve_accumulation(&shot.frame(), target).unwrap();
    RenderedImage::new(shot.size.0, target.read_rgba().unwrap())
}

fn from_above(model: &Model, lighting: Lighting) -> Shot<'_> {
    let linear = Matrix3::from_columns(&[Vector3::x(), -Vector3::z(), Vector3::y()]);
    let world_from_view = Affine { linear, translation: Vector3::new(0.0, 10.0, 0.0) };
    let lens = Lens::Orthographic { half_size: [2.0, 2.0] };
    let camera = Camera { world_from_view, lens, shift: [0.0; 2], near: 0.0, far: 20.0 };
    Shot { camera, lighting, size: (64, 64), ..Shot::flat(model) }.before(Background::Color([0.0; 3]))
}

#[test]
fn environment_light_is_shadowed_by_the_form_factor_of_blockers() {
    let mut context = GlTestContext::new();
    let model = room(rough(0.5));
    let shot = from_above(&model, in_white_light());
    let open = linear(context.image(&shot).at(32, 32)[0]);
    let image = progressive(&mut context, &shot, &ROOM, 1024);
    // Blockers of half reflectance that see half of the environment reflect a third of its light.
    for row in [4, 8, 16, 32, 56] {
        let distance = (f64::from(row) + 0.5) / 16.0;
        let expected = byte(open * (1.0 - 2.0 / 3.0 * wall_form_factor(distance)));
        let found = image.at(32, row)[0];
        assert!(found.abs_diff(expected) <= 2, "{found} instead of {expected} at {distance} m");
    }
    assert!(image == progressive(&mut context, &shot, &ROOM, 1024), "not deterministic");
}

#[test]
fn reflections_are_integrals_over_the_lobe() {
    let mut context = GlTestContext::new();
    let bounds = Aabb { min: Vector3::repeat(-1.0), max: Vector3::repeat(1.0) };
    // White metals, and a dielectric without diffuse reflection.
    for (roughness, strength, tilt, metallic) in [
        (0.3, 0.0, 0.5, 1.0),
        (0.4, 0.0, 0.9, 1.0),
        (0.4, 0.0, 1.3, 1.0),
        (0.4, 0.6, 0.5, 1.0),
        (0.3, 0.8, 1.2, 1.0),
        (0.4, 0.0, 1.2, 0.0),
        (0.6, 0.0, 0.5, 0.0),
        (0.6, 0.0, 1.2, 0.0),
        (0.9, 0.0, 1.2, 0.0),
    ] {
        let anisotropy = (strength > 0.0).then_some(Anisotropy { strength, rotation: 0.5 });
        let (f0, base_color, intensity) =
            if metallic == 1.0 { (1.0, [1.0; 4], 1.0) } else { (0.04, [0.0, 0.0, 0.0, 1.0], 8.0) };
        let rotation = UnitQuaternion::from_euler_angles(-tilt, 0.3 * tilt, 0.0);
        let model = square(
            Material { roughness, anisotropy, metallic, base_color, ..Material::default() },
            Transform { rotation, ..Transform::identity() },
        );
        let mut lighting = in_light_of(Environment::from_panorama(&compass()));
        lighting.environment.iter_mut().for_each(|light| light.intensity = intensity);
        let image = progressive(&mut context, &Shot { lighting, ..Shot::flat(&model) }, &bounds, 256);

        let alpha = f64::from(roughness).powi(2);
        let alpha_along = alpha + (1.0 - alpha) * f64::from(strength).powi(2);
        let [across, along] =
            [Vector3::new(-0.5_f64.sin(), 0.5_f64.cos(), 0.0), Vector3::new(0.5_f64.cos(), 0.5_f64.sin(), 0.0)];
        let axes = [along, across, Vector3::z()].map(|axis| rotation * axis);
        let reflected = hemisphere_integral(axes, |l| {
            let fresnel = f0 + (1.0 - f0) * (1.0 - (Vector3::z() + l).normalize().z).powi(5);
            let light = intensity * fresnel * lobe(axes, Vector3::z(), l, alpha_along, alpha) * axes[2].dot(&l);
            l.map(|x| light * 0.8 * x.max(0.0))
        });
        let gain = specular((alpha_along * alpha).powf(0.25), axes[2].z, f0, 1.0).gain;
        let found = image.middle();
        for (found, expected) in found.into_iter().zip((gain * reflected).iter()) {
            let found = linear(found);
            assert!(
                (found - expected).abs() <= 0.02,
                "{roughness}, {strength}, {tilt}, {metallic}: {found}, not {expected}"
            );
        }
    }
}

/// A black wall that emits half of white.
fn emitting_wall() -> Material {
    Material { emissive: [0.5; 3], ..rough(0.0) }
}

#[test]
fn emitting_walls_light_the_floor_by_their_form_factor() {
    let mut context = GlTestContext::new();
    let open = linear(context.image(&from_above(&room(rough(0.5)), in_white_light())).at(32, 32)[0]);
    // The second wall shadows the light of the first.
    let model = room_with_walls(rough(0.5), emitting_wall(), &[-2.0, 0.0]);
    let image = progressive(&mut context, &from_above(&model, Lighting::default()), &ROOM, 1024);
    for (row, is_behind) in [(8, true), (16, true), (24, true), (40, false), (48, false), (60, false)] {
        let distance = (f64::from(row) + 0.5) / 16.0 - if is_behind { 0.0 } else { 2.0 };
        let expected = byte(open * wall_form_factor(distance));
        let found = image.at(32, row)[0];
        assert!(found.abs_diff(expected) <= 2, "{found} instead of {expected} at {distance} m");
    }
}

#[test]
fn each_emitted_light_stands_for_the_whole_surface() {
    let lights_of = |material: Material, count: usize| {
        let rest = Transform { scale: Vector3::new(-2.0, 1.0, 1.0), ..Transform::identity() };
        let model = squares(vec![(material, rest); count]);
        let shot = Shot::flat(&model);
        let crowd = EmittingCrowd { rig: &shot.rig(), palette: &shot.palette, textures: &HashMap::new() };
        virtual_point_lights(&[crowd], 64)
    };
    let material = Material { emissive: [2.0, 1.0, 0.5], emissive_strength: 3.0, ..Material::default() };
    let area = 8.0;
    for (count, double_sided) in [(1, false), (3, false), (1, true)] {
        let total_area = area * count as f64 * if double_sided { 2.0 } else { 1.0 };
        let lights = lights_of(Material { double_sided, ..material.clone() }, count);
        assert_eq!(lights.len(), 64);
        for light in &lights {
            let intensity = [6.0, 3.0, 1.5].map(|radiance| radiance * total_area);
            let is_close = |a: f64, b: f64| (a - b).abs() < 1e-6 * b;
            assert!(light.intensity_rgb.into_iter().zip(intensity).all(|(a, b)| is_close(a, b)), "{light:?}");
            assert!(is_close(light.area, total_area) && light.position_in_world.z == 0.0, "{light:?}");
        }
        // Both sides of a mirrored square.
        let of_front = lights.iter().filter(|light| light.normal_in_world.z > 0.0).count();
        assert_eq!(of_front, if double_sided { 32 } else { 64 });
        let mean = lights.iter().map(|light| light.position_in_world).sum::<Vector3<f64>>() / 64.0;
        assert!(mean.norm() < 0.1, "not even: {mean:?}");
    }
    for material in [
        Material::default(),
        Material { unlit: true, ..material.clone() },
        Material { alpha_mode: AlphaMode::Blend, ..material.clone() },
    ] {
        assert!(lights_of(material, 1).is_empty());
    }
    let empty = Transform { scale: Vector3::zeros(), ..Transform::identity() };
    let model = square(material, empty);
    let shot = Shot::flat(&model);
    let crowd = EmittingCrowd { rig: &shot.rig(), palette: &shot.palette, textures: &HashMap::new() };
    assert!(virtual_point_lights(&[crowd], 64).is_empty());
}

#[test]
fn emission_textures_light_other_surfaces() {
    let mut context = GlTestContext::new();
    let open = linear(context.image(&from_above(&room(rough(0.5)), in_white_light())).at(32, 32)[0]);
    // The left half is red, the right half black.
    let wall = Material { textures: [(TextureSlot::Emissive, texture())].into(), ..emitting_wall() };
    let mut model = room_with_wall(rough(0.5), wall);
    let sampler = Sampler { magnify: Filter::Nearest, ..Sampler::default() };
    model.textures.push(Texture { name: None, image: Some(ImageIndex(0)), sampler });
    model
        .images
        .push(Image { width: 2, height: 1, rgba: vec![255, 0, 0, 255, 0, 0, 0, 255], ..Image::default() }.into());
    let image = progressive(&mut context, &from_above(&model, Lighting::default()), &ROOM, 1024);
    for row in [16, 32, 48] {
        let expected = byte(0.5 * open * wall_form_factor((f64::from(row) + 0.5) / 16.0));
        let [red, green, ..] = image.at(32, row);
        assert!(
            red.abs_diff(expected) <= 3 && green == 0,
            "{red} and {green} instead of {expected} and 0 in row {row}"
        );
    }
}

#[test]
fn blockers_reflect_light_of_their_own_color() {
    let mut context = GlTestContext::new();
    let of_wall = Material { base_color: [0.8, 0.4, 0.0, 1.0], ..rough(0.0) };
    let model = room_with_wall(rough(0.5), of_wall);
    let shot = from_above(&model, in_white_light());
    let open = linear(context.image(&shot).at(32, 32)[0]);
    let image = progressive(&mut context, &shot, &ROOM, 1024);
    // Light of the wall relative to the environment. Floor and wall see half of it, and half of each other. The floor reflects half.
    let reflected = |color: f64| color * 0.5 * (1.0 + 0.5 * 0.5) / (1.0 - color * 0.5 * 0.5 * 0.5);
    for row in [4, 8, 16, 32] {
        let blocked = wall_form_factor((f64::from(row) + 0.5) / 16.0);
        let expected = [0.8, 0.4, 0.0].map(|color| byte(open * (1.0 - blocked * (1.0 - reflected(color)))));
        let found = image.at(32, row);
        let is_near = |c: usize| found[c].abs_diff(expected[c]) <= 2;
        assert!((0..3).all(is_near), "{found:?} instead of {expected:?} in row {row}");
    }
}

#[test]
fn blockers_reflect_no_light_from_behind_the_surface() {
    let mut context = GlTestContext::new();
    let (width, height) = (64, 32);
    let texel = |i| [if i / width < height / 2 { 0.1 } else { 0.5 }; 3];
    let brighter_below = Panorama { width, height, texels: (0..width * height).map(texel).collect() };
    let environment = Some(EnvironmentLight::new(Arc::new(Environment::from_panorama(&brighter_below))));
    let model = room(rough(0.5));
    let shot = from_above(&model, Lighting { environment, ..Lighting::default() });
    let open = context.image(&shot).at(32, 32)[0];
    let image = progressive(&mut context, &shot, &ROOM, 256);
    for row in [4, 8, 16, 32] {
        let found = image.at(32, row)[0];
        assert!(found <= open.saturating_add(1), "{found}, {open} without the wall, in row {row}");
    }
}

/// Glass of this color without reflections.
fn glass(color: [f32; 3]) -> Material {
    let [r, g, b] = color;
    Material { base_color: [r, g, b, 1.0], ior: 1.0, transmission: Some(Transmission { factor: 1.0 }), ..rough(0.0) }
}

#[test]
fn glass_colors_the_light_of_the_environment() {
    let mut context = GlTestContext::new();
    let color = [0.8, 0.4, 0.0];
    let model = room_with_wall(rough(0.5), glass(color));
    let shot = from_above(&model, in_white_light());
    let open = linear(context.image(&from_above(&room(rough(0.5)), in_white_light())).at(32, 32)[0]);
    let image = progressive(&mut context, &shot, &ROOM, 1024);
    for row in [4, 8, 16, 32, 56] {
        let behind_glass = wall_form_factor((f64::from(row) + 0.5) / 16.0);
        let expected = color.map(|color| byte(open * (1.0 - behind_glass * (1.0 - f64::from(color)))));
        let found = image.at(32, row);
        let is_near = |c: usize| found[c].abs_diff(expected[c]) <= 2;
        assert!((0..3).all(is_near), "{found:?} instead of {expected:?} in row {row}");
    }
}

#[test]
fn glass_colors_light_by_surfaces_and_thickness() {
    let mut context = GlTestContext::new();
    let volume = Volume { thickness: 0.5, attenuation_color: [0.81, 0.25, 0.04], attenuation_distance: 0.5 };
    let tinted = Material { volume: Some(volume), double_sided: true, ..glass([1.0; 3]) };
    let half_opaque = Material { transmission: Some(Transmission { factor: 0.5 }), ..glass([0.8, 0.6, 0.4]) };
    let blended = Material { alpha_mode: AlphaMode::Blend, base_color: [0.8, 0.4, 0.0, 0.5], ..glass([0.0; 3]) };
    let masked = Material { alpha_mode: AlphaMode::Mask { cutoff: 0.6 }, ..blended.clone() };
    for (name, material, walls, colors) in [
        ("one surface", glass([0.8, 0.4, 0.0]), vec![-2.0], [0.8, 0.4, 0.0]),
        ("two surfaces", glass([0.8, 0.5, 0.1]), vec![-2.0, -1.5], [0.64, 0.25, 0.01]),
        // The square's scale is two.
        ("a volume", tinted, vec![-2.0], [0.6561, 0.0625, 0.0016]),
        ("partial transmission", half_opaque, vec![-2.0], [0.4, 0.3, 0.2]),
        ("a blended surface", blended, vec![-2.0], [0.9, 0.7, 0.5]),
        ("a masked surface", masked, vec![-2.0], [1.0; 3]),
    ] {
        let model = room_with_walls(rough(0.5), material, &walls);
        // The light comes from behind the walls. Their shadow is two meters long.
        let shot = from_above(&model, Lighting::default()).under(Vector3::new(0.0, 2.0, -1.0), 2.0);
        let open = linear(context.image(&shot).at(32, 56)[0]);
        let image = progressive(&mut context, &shot, &ROOM, 16);
        let expected = colors.map(|color| byte(open * color));
        for row in [10, 16, 28] {
            let found = image.at(32, row);
            let is_near = |c: usize| found[c].abs_diff(expected[c]) <= 1;
            assert!((0..3).all(is_near), "{name}, row {row}: {found:?} instead of {expected:?}");
        }
        for row in [44, 48, 60] {
            let (found, expected) = (image.at(32, row)[0], byte(open));
            assert!(found.abs_diff(expected) <= 1, "{name}, row {row}: {found} instead of {expected}");
        }
    }
}

#[test]
fn glass_colors_emitted_light() {
    let mut context = GlTestContext::new();
    let open = linear(context.image(&from_above(&room(rough(0.5)), in_white_light())).at(32, 32)[0]);
    let mut model = room_with_walls(rough(0.5), emitting_wall(), &[-2.0, 0.0]);
    // The second wall is in front of the first.
    model.materials[2] = glass([0.8, 0.4, 0.0]);
    let image = progressive(&mut context, &from_above(&model, Lighting::default()), &ROOM, 1024);
    for row in [40, 48, 60] {
        let light = open * wall_form_factor((f64::from(row) + 0.5) / 16.0);
        let expected = [0.8, 0.4, 0.0].map(|color| byte(light * color));
        let found = image.at(32, row);
        let is_near = |c: usize| found[c].abs_diff(expected[c]) <= 2;
        assert!((0..3).all(is_near), "{found:?} instead of {expected:?} in row {row}");
    }
}

#[test]
fn means_converge_as_samples_are_added() {
    let mut context = GlTestContext::new();
    let model = room(rough(0.5));
    let shot = from_above(&model, Lighting { tone_mapping: ToneMapping::None, ..Lighting::studio() });
    let converged = progressive(&mut context, &shot, &ROOM, 1024);
    let mut error = |count| {
        let image = progressive(&mut context, &shot, &ROOM, count);
        let squares = image.rgba.iter().zip(&converged.rgba).map(|(a, b)| f64::from(a.abs_diff(*b)).powi(2));
        squares.sum::<f64>().sqrt()
    };
    // Between these, the error of a low-discrepancy sequence does not fall evenly.
    let (few, many) = (error(8), error(128));
    assert!(many < 0.36 * few, "{few}, {many}");
}

#[test]
fn single_sided_blockers_shadow_the_sun_from_both_sides() {
    let mut context = GlTestContext::new();
    let model = room(rough(0.5));
    // The light comes from behind the wall, whose shadow is two meters long.
    let shot = from_above(&model, Lighting::default()).under(Vector3::new(0.0, 2.0, -1.0), 2.0);
    let open = context.image(&shot);
    let image = progressive(&mut context, &shot, &ROOM, 16);
    for row in [4, 16, 28] {
        assert_eq!(image.at(32, row), [0, 0, 0, 255], "row {row}");
    }
    for row in [36, 48, 60] {
        assert_eq!(image.at(32, row), open.at(32, row), "row {row}");
    }
}

#[test]
fn walls_reflect_the_sun_onto_the_floor() {
    let mut context = GlTestContext::new();
    let of_wall = Material { base_color: [0.8, 0.0, 0.0, 1.0], ior: 1.0, ..rough(0.0) };
    let model = room_with_wall(Material { ior: 1.0, ..rough(0.5) }, of_wall);
    // Floor and wall have the same illuminance.
    let shot = from_above(&model, Lighting::default()).under(Vector3::new(0.0, 1.0, 1.0), 1.5);
    let open = linear(context.image(&shot).at(32, 32)[0]);
    let image = progressive(&mut context, &shot, &ROOM, 1024);
    // A part of the light is reflected to the wall and back.
    let reflected = 0.8 / (1.0 - 0.25 * 0.5 * 0.8);
    for row in [4, 8, 16, 32] {
        let expected = byte(open * (1.0 + reflected * wall_form_factor((f64::from(row) + 0.5) / 16.0)));
        let [r, g, b, _] = image.at(32, row);
        assert!(r.abs_diff(expected) <= 3, "{r} instead of {expected} in row {row}");
        assert!(g.abs_diff(byte(open)) <= 1 && b == g, "the wall reflects green {g} and blue {b} in row {row}");
    }
}

#[test]
fn smooth_surfaces_have_no_glow_of_sunlit_walls() {
    let mut context = GlTestContext::new();
    let of_wall = Material { base_color: [0.8, 0.8, 0.8, 1.0], ..rough(0.0) };
    for (metallic, roughness, is_lit) in [(1.0, 0.05, false), (1.0, 0.5, true), (0.0, 0.05, false), (0.0, 0.5, true)] {
        let specular_glossiness = (metallic == 0.0).then(SpecularGlossiness::default);
        let of_floor = Material { metallic, roughness, specular_glossiness, ..rough(metallic) };
        let model = room_with_wall(of_floor, of_wall.clone());
        // Seen from above, the floor reflects neither sun nor wall.
        let shot = from_above(&model, Lighting::default()).under(Vector3::new(0.0, 0.3, 1.0), 3.0);
        let image = progressive(&mut context, &shot, &ROOM, 256);
        let found = image.at(32, 8)[0];
        assert_eq!(found > 30, is_lit, "metallic {metallic}, roughness {roughness}: {found}");
    }
}

#[test]
fn surfaces_in_shadow_reflect_no_sun() {
    let mut context = GlTestContext::new();
    let of_floor = rough(0.5);
    let mut image_with = |walls: &[f64]| {
        let model = room_with_walls(of_floor.clone(), rough(0.8), walls);
        // The second wall shadows floor and first wall.
        let shot = from_above(&model, Lighting::default()).under(Vector3::new(0.0, 0.01, 1.0), 10.0);
        progressive(&mut context, &shot, &ROOM, 64).at(32, 8)
    };
    let (lit, shadowed) = (image_with(&[-2.0]), image_with(&[-2.0, 2.0]));
    assert!(lit[0] > 150, "{lit:?}");
    assert!(shadowed[0] < 20, "{shadowed:?}");
}

#[test]
fn walls_shadow_point_and_spot_lights() {
    let mut context = GlTestContext::new();
    let model = room(rough(0.5));
    // From the light above and behind the wall, its upper edge is in front of the middle of the floor.
    let position_in_world = Vector3::new(0.0, 8.0, -4.0);
    let cone = Cone { axis_in_world: Vector3::new(0.0, -0.8, 0.6), inner_angle: 0.6, outer_angle: 0.8 };
    let around_the_light = Aabb { min: Vector3::new(-5.0, 0.0, -9.0), max: Vector3::new(5.0, 12.0, 2.0) };
    for (name, cone, bounds) in
        [("point", None, ROOM), ("spot", Some(cone), ROOM), ("point within the bounds", None, around_the_light)]
    {
        let source = LightKind::Punctual { position_in_world, range: None, cone };
        let light = Light { kind: source, intensity_rgb: [100.0; 3] };
        let shot = from_above(&model, Lighting::from_lights(vec![light]));
        let open = context.image(&shot);
        // Not a multiple of the six shadow maps around a light.
        let image = progressive(&mut context, &shot, &bounds, 64);
        for row in [4, 16, 28] {
            let [r, g, b, _] = image.at(32, row);
            assert!(r.max(g).max(b) <= 1, "{name}, row {row}: {r}, {g}, {b} in the shadow");
        }
        for row in [36, 48, 60] {
            let (found, expected) = (image.at(32, row)[1], open.at(32, row)[1]);
            assert!(expected > 20 && found.abs_diff(expected) <= 1, "{name}, row {row}: {found} instead of {expected}");
        }
    }
}

#[test]
fn highlights_of_curved_surfaces_are_filtered_after_shading() {
    let mut context = GlTestContext::new();
    let mut model = square(Material { metallic: 1.0, roughness: 0.3, ..Material::default() }, Transform::identity());
    let normals = [[-0.5, -0.5, 1.0], [0.5, -0.5, 1.0], [0.5, 0.5, 1.0], [-0.5, 0.5, 1.0]];
    model.meshes[0].primitives[0].vertices_mut().normals =
        Some(normals.map(|normal| Vector3::from(normal).normalize().into()).to_vec());
    let shot = |side| Shot { size: (side, side), ..Shot::flat(&model).under(Vector3::z(), 0.05) };
    let large = context.image(&shot(512));
    // Weights of the large pixels in the filter of the small pixel right of and below the middle.
    let window = |x: u32| {
        let x = ((f64::from(x) + 0.5) / 32.0 - 8.5) / 3.0;
        let cos = |number: f64| (std::f64::consts::TAU * number * x).cos();
        if x.abs() < 0.5 { 0.358_75 + 0.488_29 * cos(1.0) + 0.141_28 * cos(2.0) + 0.011_68 * cos(3.0) } else { 0.0 }
    };
    let (mut sum, mut weights) = (0.0, 0.0);
    for (x, y) in (0..512).flat_map(|y| (0..512).map(move |x| (x, y))) {
        let weight = window(x) * window(y);
        sum += weight * linear(large.at(x, y)[0]);
        weights += weight;
    }
    let bounds = Aabb { min: Vector3::repeat(-1.0), max: Vector3::repeat(1.0) };
    let found = linear(progressive(&mut context, &shot(16), &bounds, 1024).at(8, 8)[0]);
    let expected = sum / weights;
    assert!(expected > 0.1 && (found / expected - 1.0).abs() < 0.03, "{found} instead of {expected}");
}

#[test]
fn normal_maps_are_filtered_after_shading() {
    let mut context = GlTestContext::new();
    // Texels lean to the left and to the right by turns. Their mean is flat, which the light along the surface does not reach.
    let (left, right) = ([37, 128, 218, 255], [218, 128, 218, 255]);
    let rgba = (0..64 * 64).flat_map(|i| if i % 2 == 0 { left } else { right }).collect();
    let texture_ref = TextureRef { texture: TextureIndex(0), tex_coord: 0, transform: TextureTransform::default() };
    let mut model =
        square(Material { textures: [(TextureSlot::Normal, texture_ref)].into(), ..rough(0.5) }, Transform::identity());
    model.images = vec![Image { name: None, width: 64, height: 64, rgba, ..Image::default() }.into()];
    let sampler = Sampler { magnify: Filter::Nearest, minify: Filter::Nearest, ..Sampler::default() };
    model.textures = vec![Texture { name: None, image: Some(ImageIndex(0)), sampler }];
    let shot = Shot { size: (16, 16), ..Shot::flat(&model).under(Vector3::new(1.0, 0.0, 1e-3), 3.0) };
    let flat = linear(context.image(&shot).middle()[0]);
    let lean = (218.0_f64 / 127.5 - 1.0).atan2(218.0 / 127.5 - 1.0);
    let leaning = square(
        rough(0.5),
        Transform { rotation: UnitQuaternion::from_axis_angle(&Vector3::y_axis(), lean), ..Transform::identity() },
    );
    let shot_of_right = Shot { size: (16, 16), ..Shot::flat(&leaning).under(Vector3::new(1.0, 0.0, 1e-3), 3.0) };
    let expected = 0.5 * linear(context.image(&shot_of_right).middle()[0]);
    let bounds = Aabb { min: Vector3::repeat(-1.0), max: Vector3::repeat(1.0) };
    let found = linear(progressive(&mut context, &shot, &bounds, 256).middle()[0]);
    assert!(flat < 0.1 * expected, "{flat} in one draw");
    assert!((found / expected - 1.0).abs() < 0.1, "{found} instead of {expected}");
}

#[test]
fn unlit_colors_are_those_of_a_single_draw() {
    let mut context = GlTestContext::new();
    // Brighter colors that are more saturated are not in the operator's range.
    for color in [[0.0, 0.02, 0.7], [0.5, 0.5, 0.5], [0.9, 0.85, 0.8]] {
        let [r, g, b] = color;
        let model = room(paint([r, g, b, 1.0]));
        let shot = from_above(&model, Lighting::studio());
        let expected = context.image(&shot).middle();
        let found = progressive(&mut context, &shot, &ROOM, 4).middle();
        assert!(found.iter().zip(expected).all(|(a, b)| a.abs_diff(b) <= 1), "{found:?} instead of {expected:?}");
    }
}

#[test]
fn edges_have_as_many_levels_as_samples() {
    let mut context = GlTestContext::new();
    let model = room(paint([1.0; 4]));
    let mut shot = from_above(&model, Lighting::default());
    shot.camera.lens = Lens::Orthographic { half_size: [2.5, 2.5] };
    // The left edge of the floor is 0.9 pixels right of the center of column 5. Integrals of the pixel filter up to it.
    let integrals = [(4, 0.0), (5, 0.0134), (6, 0.5921), (7, 0.9975), (8, 1.0)];
    let images = [
        ("high quality", progressive(&mut context, &shot, &ROOM, 64)),
        ("one sample per draw", antialiased(&mut context, &shot, 1, 64)),
    ];
    for (name, image) in images {
        for (column, expected) in integrals {
            let (found, expected) = (image.at(column, 32)[0], byte(expected));
            assert!(found.abs_diff(expected) <= 5, "{name}: {found} instead of {expected} in column {column}");
        }
    }
    // A filter of nearly the same shape, in linear light.
    let image = antialiased(&mut context, &shot, 4, 64);
    for (column, expected) in integrals {
        let found = linear(image.at(column, 32)[0]);
        assert!((found - expected).abs() < 0.03, "multisampled: {found} instead of {expected} in column {column}");
    }
}

#[test]
fn antialiased_draws_have_the_shading_of_one_draw() {
    let mut context = GlTestContext::new();
    let model = room_with_wall(rough(0.5), rough(0.5));
    let sun = Light::directional(Vector3::new(0.6, 0.8, 0.0), 2.0);
    for tone_mapping in [ToneMapping::None, ToneMapping::Neutral, ToneMapping::Agx] {
        for ambient_occlusion in [false, true] {
            let lighting = Lighting { lights: vec![sun], tone_mapping, ambient_occlusion, ..in_white_light() };
            let shot = from_above(&model, lighting);
            let (one, many) = (context.image(&shot), antialiased(&mut context, &shot, 4, 4));
            // Far from edges. The directions of ambient occlusion differ among draws.
            for (x, y) in [(50, 32), (44, 12), (56, 50)] {
                let (one, many) = (one.at(x, y), many.at(x, y));
                let limit = if ambient_occlusion { 3 } else { 1 };
                let difference = one.into_iter().zip(many).map(|(a, b)| a.abs_diff(b)).max();
                assert!(difference <= Some(limit), "{tone_mapping:?}: {many:?} instead of {one:?} at {x}, {y}");
            }
            assert!(many == antialiased(&mut context, &shot, 4, 4), "not deterministic");
        }
    }
}
