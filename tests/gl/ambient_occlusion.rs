//! Ambient occlusion and indirect light in screen space.

use crate::context::{GlTestContext, RenderedImage, Shot, linear};
use crate::rigs::{ROOM, Tube, in_white_light, room, room_with_wall, rough, wall_form_factor};
use nalgebra::Vector3;
use rigview::model::{AlphaMode, Material, Model, Transmission};
use rigview::palette::MatrixFormat;
use rigview::render::RenderOptions;
use rigview::scene::{Background, Camera, Light, Lighting};

/// The room from the front and from above, so that the wall is in view.
fn oblique(model: &Model, is_orthographic: bool) -> Shot<'_> {
    let eye = Vector3::new(0.0, 10.0, 10.0);
    let mut camera = if is_orthographic {
        Camera::look_at_orthographic(eye, Vector3::new(0.0, 1.0, -1.0), 0.5, &ROOM)
    } else {
        Camera::look_at(eye, Vector3::new(0.0, 1.0, -1.0), 0.5)
    };
    camera.fit_depth(&ROOM);
    Shot { camera, lighting: in_white_light(), size: (192, 192), ..Shot::flat(model) }
        .before(Background::Color([0.0; 3]))
}

fn with_occlusion(shot: Shot<'_>) -> Shot<'_> {
    Shot { lighting: Lighting { ambient_occlusion: true, ..shot.lighting }, ..shot }
}

/// The pixel that shows a point.
fn at_point(image: &RenderedImage, shot: &Shot<'_>, point: Vector3<f64>) -> [u8; 4] {
    let projected = shot.camera.projection_from_world(1.0) * point.push(1.0);
    let side = f64::from(shot.size.0);
    let pixel = |ndc: f64| ((0.5 * ndc + 0.5) * side) as u32;
    image.at(pixel(projected.x / projected.w), pixel(-projected.y / projected.w))
}

#[test]
fn floor_before_a_wall_is_darkened_by_the_form_factor() {
    let mut context = GlTestContext::new();
    let model = room(rough(0.5));
    for is_orthographic in [true, false] {
        let open = oblique(&model, is_orthographic);
        let open_image = context.image(&open);
        let shot = with_occlusion(oblique(&model, is_orthographic));
        let image = context.image(&shot);
        for distance in [0.25, 0.5, 1.0, 2.0, 3.0] {
            let point = Vector3::new(0.0, 0.0, distance - 2.0);
            let [found, open] = [&image, &open_image].map(|image| linear(at_point(image, &shot, point)[0]));
            // The wall is taken to see three fifths of the environment, and otherwise walls of its own color.
            let of_wall = 0.5 * 0.6 / (1.0 - 0.4 * 0.5);
            let expected = 1.0 - wall_form_factor(distance) * (1.0 - of_wall);
            let found = found / open;
            assert!((found - expected).abs() < 0.04, "{found} instead of {expected} at {distance} m");
        }
        assert!(image == context.image(&shot), "not deterministic");
    }
}

#[test]
fn walls_send_light_to_the_floor_by_their_form_factor() {
    let mut context = GlTestContext::new();
    let plain = || rough(0.5);
    let open = linear(
        at_point(&context.image(&oblique(&room(plain()), true)), &oblique(&room(plain()), true), Vector3::z())[0],
    );
    let sun = Light::directional(Vector3::z(), 0.5 * std::f64::consts::PI);
    let emitting = Material { emissive: [0.25; 3], ..rough(0.0) };
    // Radiance of the wall over that of a white one in white light.
    for (name, of_wall, lights, radiance) in [
        ("emission", emitting.clone(), vec![], 0.25),
        ("reflection of the sun", plain(), vec![sun], 0.25),
        ("reflection by a rough metal", Material { metallic: 1.0, ..plain() }, vec![sun], 0.25),
        ("smooth metal", Material { metallic: 1.0, roughness: 0.0, ..plain() }, vec![sun], 0.0),
        ("nothing", plain(), vec![], 0.0),
    ] {
        let model = room_with_wall(plain(), of_wall);
        for is_orthographic in [true, false] {
            let lighting = Lighting { ambient_occlusion: true, ..Lighting::from_lights(lights.clone()) };
            let shot = Shot { lighting, ..oblique(&model, is_orthographic) };
            let image = context.image(&shot);
            for distance in [0.25, 0.5, 1.0, 2.0] {
                let found = linear(at_point(&image, &shot, Vector3::new(0.0, 0.0, distance - 2.0))[0]);
                let expected = open * radiance * wall_form_factor(distance);
                let limit = if radiance > 0.0 { 0.02 + 0.1 * expected } else { 0.0 };
                assert!((found - expected).abs() <= limit, "{name}: {found} instead of {expected} at {distance} m");
            }
        }
    }
}

#[test]
fn emission_has_its_color_and_brightness() {
    let mut context = GlTestContext::new();
    let mut light = |emissive: [f32; 3]| {
        let model = room_with_wall(rough(0.5), Material { emissive, ..rough(0.0) });
        let shot = with_occlusion(Shot { lighting: Lighting::default(), ..oblique(&model, true) });
        at_point(&context.image(&shot), &shot, Vector3::new(0.0, 0.0, -1.5)).map(linear)
    };
    let [red, green, blue, _] = light([0.8, 0.4, 0.0]);
    assert!((green - 0.5 * red).abs() < 0.01 && blue == 0.0 && red > 0.05, "{red}, {green}, {blue}");
    let [brighter, ..] = light([3.2, 0.0, 0.0]);
    assert!((brighter - 4.0 * red).abs() < 0.02, "{brighter} is not four times {red}");
}

#[test]
fn convex_surfaces_keep_their_light() {
    let mut context = GlTestContext::new();
    // The floor alone, from all sides.
    let model = room(rough(0.5));
    for eye in [[0.0, 10.0, 10.0], [5.0, 2.0, 8.0], [-3.0, 1.0, 6.0], [0.1, 12.0, 0.0]] {
        let mut shot = oblique(&model, false);
        shot.camera = Camera::look_at(eye.into(), Vector3::new(0.0, 0.0, 0.5), 0.5);
        shot.camera.fit_depth(&ROOM);
        shot.look.hidden_draws = &[false, true];
        let open = context.image(&shot);
        let image = context.image(&with_occlusion(shot));
        let largest = open.rgba.iter().zip(&image.rgba).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(largest <= Some(1), "{largest:?} from {eye:?}");
    }
}

#[test]
fn image_of_one_pixel_keeps_its_light() {
    let mut context = GlTestContext::new();
    let model = room(rough(0.5));
    for size in [(1, 1), (1, 64), (64, 1)] {
        let shot = || Shot { size, ..oblique(&model, false) };
        assert!(context.image(&with_occlusion(shot())) == context.image(&shot()), "{size:?}");
    }
}

#[test]
fn blended_and_transmissive_surfaces_neither_block_light_nor_lose_it() {
    let mut context = GlTestContext::new();
    for material in [
        Material { alpha_mode: AlphaMode::Blend, ..rough(0.5) },
        Material { transmission: Some(Transmission { factor: 1.0 }), ..rough(0.5) },
    ] {
        let model = room(material);
        let open = context.image(&oblique(&model, false));
        assert!(context.image(&with_occlusion(oblique(&model, false))) == open);
    }
}

#[test]
fn row_tiles_do_not_affect_the_image() {
    let model = Tube::default().model();
    let image = |rows_per_tile| {
        let mut context = GlTestContext::with(RenderOptions { rows_per_tile, ..RenderOptions::default() });
        context.image(&with_occlusion(Shot::of_crowd(&model, MatrixFormat::Mat3x4, 3)))
    };
    let expected = image(None);
    // Tiles round the positions of pixels differently.
    let tiled = image(Some(14));
    let differences = tiled.rgba.iter().zip(&expected.rgba).map(|(a, b)| a.abs_diff(*b)).filter(|x| *x > 0);
    let differences: Vec<u8> = differences.collect();
    assert!(differences.len() < 50 && differences.iter().all(|x| *x == 1), "{differences:?}");
    let without = GlTestContext::new().image(&Shot::of_crowd(&model, MatrixFormat::Mat3x4, 3));
    assert!(without != expected, "the crowd has no occlusion");
}
