//! Shadow catcher and self-shadowing.

use crate::context::{GlTestContext, RenderedImage, Shot, byte, linear};
use crate::rigs::{at_depth, paint, square, squares};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use rigview::math::{Aabb, Affine, Transform};
use rigview::model::{AlphaMode, Material, Model, TextureSlot, Transmission};
use rigview::render::Target;
use rigview::scene::{Background, Camera, FrameSamples, Lens, Light, Lighting, SunShadow};

/// A small horizontal square, two meters above the ground.
fn lifted(material: Material) -> Model {
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), -std::f64::consts::FRAC_PI_2);
    let scale = Vector3::new(0.25, 0.25, 0.25);
    square(material, Transform { translation: Vector3::new(0.0, 2.0, 0.0), rotation, scale })
}

/// Of the square and of the ground below it.
const BOUNDS: Aabb = Aabb { min: Vector3::new(-0.25, 0.0, -0.25), max: Vector3::new(0.25, 2.0, 0.25) };

fn shadow_on_ground() -> SunShadow {
    SunShadow::with_catcher(&BOUNDS, Vector3::new(1.0, 1.0, 0.0)).unwrap()
}

/// Eight meters of ground from above, sixteen pixels per meter.
fn from_above<'a>(model: &'a Model, sun_shadow: Option<SunShadow>) -> Shot<'a> {
    let linear = Matrix3::from_columns(&[Vector3::x(), -Vector3::z(), Vector3::y()]);
    let world_from_view = Affine { linear, translation: Vector3::new(0.0, 10.0, 0.0) };
    let lens = Lens::Orthographic { half_size: [4.0, 4.0] };
    let camera = Camera { world_from_view, lens, shift: [0.0; 2], near: 0.0, far: 20.0 };
    let lighting = Lighting { sun_shadow, ..Lighting::default() };
    Shot { camera, lighting, size: (128, 128), ..Shot::flat(model) }.before(Background::Color([1.0; 3]))
}

fn at_meters(image: &RenderedImage, x: f64) -> u8 {
    image.at(((x + 4.0) * 16.0) as u32, 64)[0]
}

#[test]
fn shadow_catcher_shadow_matches_light_direction_and_softens_with_distance() {
    let mut stage = GlTestContext::new();
    let model = lifted(paint([1.0, 0.0, 0.0, 1.0]));
    let image = stage.image(&from_above(&model, Some(shadow_on_ground())));
    // The square itself, and bare ground, are what they were.
    assert_eq!(image.middle(), [255, 0, 0, 255]);
    assert_eq!((at_meters(&image, 1.5), at_meters(&image, -1.2), at_meters(&image, -3.0)), (255, 255, 255));
    // Two meters high, in a sun of 45 degrees.
    let dark = byte(1.0 - shadow_on_ground().catcher.unwrap().strength);
    assert!(at_meters(&image, -2.0).abs_diff(dark) <= 16, "{} of {dark}", at_meters(&image, -2.0));
    // From dark to light over the edge, about as wide as its softness says.
    let row: Vec<u8> = (0..128).map(|x| image.at(x, 64)[0]).collect();
    let edge = row[..40].iter().filter(|x| (dark + 16..250).contains(*x)).count() as f64 / 16.0;
    let height = 2.0 * 2.0_f64.sqrt();
    assert!((0.5..3.0).contains(&(edge / (2.0 * shadow_on_ground().catcher.unwrap().softness * height))), "{edge}");
    // Its light and the ground's height are all that matters: twice drawn, twice the same.
    assert!(stage.image(&from_above(&model, Some(shadow_on_ground()))) == image);
    for shadow in [None, SunShadow::new(&BOUNDS, shadow_on_ground().to_sun)] {
        assert_eq!(at_meters(&stage.image(&from_above(&model, shadow)), -2.0), 255);
    }
}

#[test]
fn samples_of_other_poses_and_visible_parts_have_their_own_shadow() {
    let mut context = GlTestContext::new();
    let model = lifted(paint([1.0, 0.0, 0.0, 1.0]));
    let aside =
        square(Material::default(), Transform { translation: Vector3::new(0.0, 2.0, 3.0), ..Transform::identity() });
    let shot = from_above(&model, Some(shadow_on_ground()));
    let moved = from_above(&aside, Some(shadow_on_ground()));
    let mut hidden = from_above(&model, Some(shadow_on_ground()));
    hidden.look.hidden_draws = &[true];
    let dark = linear(at_meters(&context.image(&shot), -2.0));
    assert!(dark < 0.9, "{dark}");
    let uploaded = context.renderer.upload(&model, &shot.layout).unwrap();
    let samples = FrameSamples::new(&shot.lighting, Vec::new(), &BOUNDS, 4);
    let mut brightness = |shots: [&Shot<'_>; 4]| {
        let mut target = Target::new(context.headless.gpu(), 128, 128, 1).unwrap();
        target.begin_accumulation().unwrap();
        for (index, shot) in (0..).zip(shots) {
            context.renderer.accumulate(&[&uploaded], &shot.frame(), &samples.get(index), &mut target).unwrap();
        }
        context.renderer.resolve_accumulation(&shot.frame(), &target).unwrap();
        linear(at_meters(&RenderedImage::new(128, target.read_rgba().unwrap()), -2.0))
    };
    for (shots, shadowed) in [
        ([&shot, &shot, &shot, &shot], 1.0),
        ([&shot, &moved, &moved, &moved], 0.25),
        ([&moved, &shot, &shot, &moved], 0.5),
        ([&shot, &shot, &shot, &hidden], 0.75),
    ] {
        let (found, expected) = (brightness(shots), 1.0 - shadowed * (1.0 - dark));
        assert!((found - expected).abs() < 0.02, "{found} instead of {expected}");
    }
}

#[test]
fn alpha_masked_casters_cut_holes_and_transmissive_casters_cast_no_shadow() {
    let mut stage = GlTestContext::new();
    let glass = Material { transmission: Some(Transmission { factor: 1.0 }), ..Default::default() };
    let blend = |alpha| Material { alpha_mode: AlphaMode::Blend, ..paint([1.0, 0.0, 0.0, alpha]) };
    let mask = |alpha| Material { alpha_mode: AlphaMode::Mask { cutoff: 0.7 }, ..paint([1.0, 0.0, 0.0, alpha]) };
    for (what, material, casts) in [
        ("glass", glass, false),
        ("a veil", blend(0.3), false),
        ("a curtain", blend(0.8), true),
        ("a hole", mask(0.6), false),
        ("a leaf", mask(0.8), true),
        ("a lit leaf", Material { unlit: false, ..mask(0.8) }, true),
    ] {
        let model = lifted(material);
        let found = at_meters(&stage.image(&from_above(&model, Some(shadow_on_ground()))), -2.0);
        assert_eq!(found < 200, casts, "{what}: {found}");
    }
}

#[test]
fn transparent_background_shadow_is_black_with_alpha() {
    let model = lifted(paint([1.0, 0.0, 0.0, 1.0]));
    let shot = from_above(&model, Some(shadow_on_ground())).before(Background::Transparent);
    for (samples, rows) in [(1, None), (4, Some(9))] {
        let options = rigview::render::RenderOptions { rows_per_tile: rows, ..Default::default() };
        let image = GlTestContext::with(options).try_render(&shot, samples).unwrap();
        let [r, g, b, a] = image.at(32, 64);
        assert_eq!([r, g, b], [0; 3]);
        assert!(f64::from(a) / 255.0 > shadow_on_ground().catcher.unwrap().strength - 0.1, "{a}");
    }
}

#[test]
fn alpha_mask_edges_have_partial_coverage() {
    use rigview::model::{Image, ImageIndex, Sampler, Texture, TextureIndex, TextureRef, TextureTransform};
    let texture = TextureRef { texture: TextureIndex(0), tex_coord: 0, transform: TextureTransform::default() };
    let alpha_mode = AlphaMode::Mask { cutoff: 0.5 };
    let material = Material { textures: [(TextureSlot::BaseColor, texture)].into(), alpha_mode, ..paint([1.0; 4]) };
    // A slanting edge between what is there and what is not.
    let turned = Transform { rotation: UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.3), ..at_depth(0.0) };
    let mut model = square(material, turned);
    let texel = |i: u32| [255, 255, 255, if i % 8 < 4 { 255 } else { 0 }];
    let rgba = (0..64).flat_map(texel).collect();
    model.images = vec![Image { name: None, width: 8, height: 8, rgba, ..Image::default() }.into()];
    model.textures = vec![Texture { name: None, image: Some(ImageIndex(0)), sampler: Sampler::default() }];
    let shot = Shot::flat(&model).before(Background::Transparent);
    let mut stage = GlTestContext::new();
    let hard = stage.try_render(&shot, 1).unwrap();
    assert_eq!(hard.count([255; 4]) + hard.count([0; 4]), 32 * 32);
    let soft = stage.try_render(&shot, 4).unwrap();
    let partly = 32 * 32 - soft.count([255; 4]) - soft.count([0; 4]);
    // Along the edge, and where the square itself ends.
    let middle = (10..22).map(|y| (8..24).filter(|x| !matches!(soft.at(*x, y)[3], 0 | 255)).count());
    assert!(partly > 20 && middle.sum::<usize>() >= 6, "{partly}");
    // What is whole is whole.
    assert_eq!(soft.at(6, 16), [255; 4]);
}

/// A white floor with a small white plate above its center.
fn plate_over_a_floor(height: f64) -> Model {
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), -std::f64::consts::FRAC_PI_2);
    let level = |side: f64, height: f64| Transform {
        translation: Vector3::new(0.0, height, 0.0),
        rotation,
        scale: Vector3::new(side, side, side),
    };
    let white = Material { metallic: 0.0, ..Default::default() };
    squares(vec![(white.clone(), level(3.0, 0.0)), (white, level(0.5, height))])
}

/// Of the floor and the plate.
const SUNLIT: Aabb = Aabb { min: Vector3::new(-3.0, 0.0, -3.0), max: Vector3::new(3.0, 1.0, 3.0) };

/// A directional light with a shadow or without.
fn in_the_sun(model: &Model, to_sun: Vector3<f64>, has_shadow: bool) -> Shot<'_> {
    let sun_shadow = SunShadow::new(&SUNLIT, to_sun).filter(|_| has_shadow);
    let lighting = Lighting { sun_shadow, ..Lighting::from_lights(vec![Light::directional(to_sun, 2.0)]) };
    assert_eq!(lighting.sun(), has_shadow.then_some(0));
    Shot { lighting, ..from_above(model, None) }
}

#[test]
fn models_shadow_themselves_with_and_without_a_shadow_catcher() {
    let mut stage = GlTestContext::new();
    let model = plate_over_a_floor(1.0);
    let to_sun = Vector3::new(1.0, 1.0, 0.0);
    let shaded = stage.image(&in_the_sun(&model, to_sun, true));
    let plain = stage.image(&in_the_sun(&model, to_sun, false));
    // The plate's shadow lies a meter beside it; all else is as it was.
    assert!(at_meters(&shaded, -1.0) < 10, "{}", at_meters(&shaded, -1.0));
    for x in [-2.5, -1.9, 0.0, 0.8, 2.0] {
        assert_eq!(at_meters(&shaded, x), at_meters(&plain, x), "{x}");
        assert!(at_meters(&plain, x) > 100);
    }
    // The same with a shadow catcher.
    let mut with_catcher = in_the_sun(&model, to_sun, true);
    with_catcher.lighting.sun_shadow = SunShadow::with_catcher(&SUNLIT, to_sun);
    let image = stage.image(&with_catcher);
    assert!((-2..=2).all(|x| at_meters(&image, f64::from(x)) == at_meters(&shaded, f64::from(x))));
    // The edge is 1.5 meters beside it.
    assert!(at_meters(&shaded, -1.5) < 10 && at_meters(&shaded, -1.57) == at_meters(&plain, -1.57));
    // At close range the texels of the map are smaller: the edge is a ramp of a few millimeters.
    let mut near = in_the_sun(&model, to_sun, true);
    near.camera.world_from_view.translation.x = -1.5;
    near.camera.lens = Lens::Orthographic { half_size: [0.05; 2] };
    let image = stage.image(&near);
    let row: Vec<u8> = (0..128).map(|x| image.at(x, 64)[0]).collect();
    let lit = at_meters(&plain, -1.57);
    assert!(row[..56].iter().all(|x| *x == lit) && row[72..].iter().all(|x| *x < 10), "{row:?}");
    // How an image is cut shows nowhere.
    let cut = rigview::render::RenderOptions { rows_per_tile: Some(9), ..Default::default() };
    assert!(GlTestContext::with(cut).image(&in_the_sun(&model, to_sun, true)) == shaded);
}

#[test]
fn lit_surfaces_keep_brightness_with_shadow_map_at_low_sun() {
    let mut stage = GlTestContext::new();
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), -std::f64::consts::FRAC_PI_2);
    let scale = Vector3::new(3.0, 3.0, 3.0);
    let model = square(Material::default(), Transform { translation: Vector3::zeros(), rotation, scale });
    for to_sun in [[0.0, 1.0, 0.0], [1.0, 1.0, 0.3], [-1.0, 0.4, 0.8], [0.2, 0.2, -1.0]] {
        let [shaded, plain] =
            [true, false].map(|has_shadow| stage.image(&in_the_sun(&model, to_sun.into(), has_shadow)));
        let differ = (0..128 * 128).filter(|i| shaded.at(i % 128, i / 128) != plain.at(i % 128, i / 128));
        // At the floor's own edge the shadow on the ground begins.
        let inside = differ.filter(|i| (20..108).contains(&(i % 128)) && (20..108).contains(&(i / 128))).count();
        assert_eq!(inside, 0, "{to_sun:?}");
    }
}

#[test]
fn environment_light_alone_casts_no_self_shadow() {
    let model = plate_over_a_floor(1.0);
    let lighting = Lighting::studio();
    let on_ground = SunShadow::of_sky(&SUNLIT);
    assert!(on_ground.is_some());
    let with = |sun_shadow| Shot { lighting: Lighting { sun_shadow, ..lighting.clone() }, ..from_above(&model, None) };
    let mut stage = GlTestContext::new();
    let [on_ground, plain] = [on_ground, None].map(|shadow| stage.image(&with(shadow)));
    for x in [-1.0, 0.0, 2.0] {
        assert_eq!(at_meters(&on_ground, x), at_meters(&plain, x));
    }
}

#[test]
fn shadow_of_a_sky_is_the_fraction_of_it_that_the_model_covers() {
    let bounds = Aabb { min: Vector3::new(-1.0, 0.0, -1.0), max: Vector3::new(1.0, 2.0, 1.0) };
    let shadow = SunShadow::of_sky(&bounds).unwrap();
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), -std::f64::consts::FRAC_PI_2);
    let scale = Vector3::new(1.0, 1.0, 1.0);
    let mut stage = GlTestContext::new();
    for height in [0.1, 0.25, 0.5, 1.0, 1.9] {
        let place = Transform { translation: Vector3::new(0.0, height, 0.0), rotation, scale };
        let model = square(paint([1.0, 0.0, 0.0, 1.0]), place);
        let image = stage.image(&from_above(&model, Some(shadow)));
        let distance = height - shadow.catcher.unwrap().center.y;
        // View factor of a rectangle above its corner.
        let of_corner = |x: f64, z: f64| {
            let part = |x: f64, z: f64| x / x.hypot(distance) * (z / x.hypot(distance)).atan();
            (part(x, z) + part(z, x)) / std::f64::consts::TAU
        };
        for x in [1.0625, 1.15, 1.25] {
            // Of the pixel's center.
            let center = ((x + 4.0) * 16.0_f64).floor() / 16.0 + 0.5 / 16.0 - 4.0;
            let covered = 2.0 * (of_corner(center + 1.0, 1.0) - of_corner(center - 1.0, 1.0));
            let found = 1.0 - linear(at_meters(&image, x));
            assert!((found - covered).abs() < 0.08, "{height}, {x}: {found} instead of {covered}");
        }
    }
}
