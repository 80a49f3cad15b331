//! Environment light.

use crate::context::{GlTestContext, Shot, byte};
use crate::rigs::square;
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use rigview::math::Transform;
use rigview::model::{Material, Panorama, Transmission};
use rigview::scene::{Background, Camera, Environment, EnvironmentLight, Lighting};
use std::sync::Arc;

pub(crate) fn in_light_of(environment: Environment) -> Lighting {
    Lighting { environment: Some(EnvironmentLight::new(Arc::new(environment))), ..Lighting::default() }
}

#[test]
fn white_furnace_conserves_energy() {
    let mut stage = GlTestContext::new();
    for (metallic, roughness) in [(0.0, 1.0), (0.0, 0.5), (0.0, 0.0), (1.0, 0.0), (1.0, 0.25), (1.0, 0.6), (1.0, 1.0)] {
        for tilt in [0.0, 0.5, 1.0, 1.4] {
            let rotation = UnitQuaternion::from_euler_angles(0.3 * tilt, tilt, 0.0);
            let material = Material { metallic, roughness, ..Default::default() };
            let model = square(material, Transform { rotation, ..Transform::identity() });
            let shot = Shot { lighting: in_light_of(Environment::constant([0.5; 3])), ..Shot::flat(&model) };
            let [found, ..] = stage.image(&shot).middle();
            // A byte's step is a hundredth of this light.
            assert!(found.abs_diff(byte(0.5)) <= 1, "{metallic}, {roughness}, {tilt}: {found} of {}", byte(0.5));
        }
    }
}

/// A panorama with red at +X, green at +Y, blue at +Z, and dark negative axes.
pub(crate) fn compass() -> Panorama {
    let (width, height) = (256, 128);
    let texel = |i: usize| {
        let (u, v) = ((i % width) as f32 + 0.5, (i / width) as f32 + 0.5);
        let (turn, down) = (u / width as f32 * std::f32::consts::TAU, v / height as f32 * std::f32::consts::PI);
        [-turn.cos() * down.sin(), down.cos(), -turn.sin() * down.sin()].map(|x| 0.8 * x.max(0.0))
    };
    Panorama { width, height, texels: (0..width * height).map(texel).collect() }
}

#[test]
fn mirror_reflects_panorama_upright_and_rotated() {
    let mut stage = GlTestContext::new();
    let environment = Arc::new(Environment::from_panorama(&compass()));
    for degrees in [0.0_f64, 90.0, -30.0] {
        let rotation = degrees.to_radians();
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), rotation);
        for towards in [[0.2, 0.5, 0.9], [0.9, 0.1, 0.3], [-0.5, 0.8, 0.2], [0.6, -0.7, 0.5]] {
            let towards = Vector3::from(towards).normalize();
            // A mirror that shows this direction to a camera that looks along -Z.
            let n: Vector3<f64> = (towards + Vector3::z()).normalize();
            let side = Vector3::y().cross(&n).normalize();
            let rotation_matrix =
                nalgebra::Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[side, n.cross(&side), n]));
            let rest =
                Transform { rotation: UnitQuaternion::from_rotation_matrix(&rotation_matrix), ..Transform::identity() };
            let model = square(Material { roughness: 0.0, ..Default::default() }, rest);
            let surroundings = EnvironmentLight { environment: Arc::clone(&environment), rotation, intensity: 0.5 };
            let lighting = Lighting { environment: Some(surroundings), exposure_ev: 1.0, ..Lighting::default() };
            let found = stage.image(&Shot { lighting, ..Shot::flat(&model) }).middle();
            let seen = turn.inverse() * towards;
            let expected = [seen.x, seen.y, seen.z].map(|x| byte(0.8 * x.max(0.0)));
            for (found, expected) in found.into_iter().zip(expected) {
                // Dark edges are a little soft.
                let near = if expected < 40 { 40 } else { 3 };
                assert!(found.abs_diff(expected) <= near, "{degrees}, {towards:?}: {found:?}, not {expected:?}");
            }
        }
    }
}

#[test]
fn environment_background_is_upright_rotated_and_exposed() {
    let mut stage = GlTestContext::new();
    let environment = Arc::new(Environment::from_panorama(&compass()));
    // Far from what is looked at.
    let model =
        square(Material::default(), Transform { translation: Vector3::new(1e3, 0.0, 0.0), ..Transform::identity() });
    for (degrees, blur, ev) in [(0.0_f64, 0.0, 0.0), (90.0, 0.0, 0.0), (-30.0, 0.1, 0.0), (0.0, 0.0, -1.0)] {
        let rotation = degrees.to_radians();
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), rotation);
        let surroundings = EnvironmentLight { environment: Arc::clone(&environment), rotation, intensity: 1.0 };
        let lighting = Lighting { environment: Some(surroundings), exposure_ev: ev, ..Lighting::default() };
        for ahead in [[0.0, 0.1, 1.0], [1.0, 0.3, 0.2], [0.4, 0.8, -0.3], [-0.6, -0.5, 0.2]] {
            let camera = Camera::look_at(Vector3::zeros(), Vector3::from(ahead), 1.2);
            let shot = Shot { camera, lighting: lighting.clone(), ..Shot::flat(&model) };
            let image = stage.image(&shot.before(Background::Environment { blur }));
            for (x, y) in [(16, 16), (2, 2), (30, 5), (9, 29)] {
                let ndc = [(f64::from(x) + 0.5) / 16.0 - 1.0, 1.0 - (f64::from(y) + 0.5) / 16.0];
                let half = 0.6_f64.tan();
                let in_view = Vector3::new(ndc[0] * half, ndc[1] * half, -1.0).normalize();
                let seen = turn.inverse() * (camera.world_from_view.linear * in_view);
                let found = image.at(x, y);
                assert_eq!(found[3], 255);
                for (found, light) in found.into_iter().zip([seen.x, seen.y, seen.z]) {
                    let expected = byte(0.8 * light.max(0.0) * ev.exp2());
                    let near = if expected < 60 { 60 } else { 8 };
                    assert!(found.abs_diff(expected) <= near, "{degrees}, {ahead:?}, {x} {y}: {found}, not {expected}");
                }
            }
        }
    }
    // Without any, it is dark.
    let shot = Shot { lighting: Lighting::default(), ..Shot::flat(&model) };
    assert_eq!(stage.image(&shot.before(Background::Environment { blur: 0.0 })).middle(), [0, 0, 0, 255]);
}

#[test]
fn mirrors_and_backgrounds_show_texels_of_panoramas() {
    let mut stage = GlTestContext::new();
    let (width, height) = (1024, 512);
    const STRIPE: usize = 4;
    let light = |column: usize| if (column / STRIPE).is_multiple_of(2) { 0.1 } else { 0.6 };
    let panorama = Panorama { width, height, texels: (0..width * height).map(|i| [light(i % width); 3]).collect() };
    let environment = Environment::from_panorama(&panorama);
    let model = square(Material { roughness: 0.0, ..Default::default() }, Transform::identity());
    // In front of the mirror, and in front of its dark back.
    for eye_z in [5.0, -0.1] {
        let eye = Vector3::new(0.0, 0.0, eye_z);
        let fov_y = 0.2;
        let camera = Camera::look_at(eye, eye - Vector3::z(), fov_y);
        let lighting = in_light_of(environment.clone());
        let shot = Shot { camera, lighting, size: (64, 64), ..Shot::flat(&model) }
            .before(Background::Environment { blur: 0.0 });
        let image = stage.image(&shot);
        let mut compared = 0;
        for x in 0..64 {
            let tangent = ((f64::from(x) + 0.5) / 32.0 - 1.0) * (0.5 * fov_y).tan();
            let turn = if eye_z > 0.0 { 1.0_f64.atan2(tangent) } else { (-1.0_f64).atan2(tangent) };
            let column = (turn / std::f64::consts::TAU + 0.5) * width as f64;
            // Stripes have soft edges.
            if (column / STRIPE as f64).fract() > 0.3 && (column / STRIPE as f64).fract() < 0.7 {
                let (found, expected) = (image.at(x, 32)[0], byte(light(column as usize).into()));
                assert!(found.abs_diff(expected) <= 6, "column {column}: {found} instead of {expected}");
                compared += 1;
            }
        }
        assert!(compared > 15, "{compared} pixels");
    }
}

#[test]
fn transmissive_material_shows_environment_background() {
    let mut stage = GlTestContext::new();
    let clear = Material {
        metallic: 0.0,
        roughness: 0.0,
        ior: 1.0,
        transmission: Some(Transmission { factor: 1.0 }),
        ..Material::default()
    };
    let lighting = in_light_of(Environment::from_panorama(&compass()));
    let glass = square(clear, Transform::identity());
    let shot = |model| Shot { lighting: lighting.clone(), ..Shot::flat(model) };
    let camera = Camera::look_at(Vector3::new(0.0, 0.0, 4.0), Vector3::zeros(), 0.5);
    let through = stage.image(&Shot { camera, ..shot(&glass) }.before(Background::Environment { blur: 0.2 }));
    let away =
        square(Material::default(), Transform { translation: Vector3::new(1e3, 0.0, 0.0), ..Transform::identity() });
    let bare = stage.image(&Shot { camera, ..shot(&away) }.before(Background::Environment { blur: 0.2 }));
    for (x, y) in [(16, 16), (12, 18), (18, 14)] {
        for (a, b) in through.at(x, y).into_iter().zip(bare.at(x, y)) {
            // The fit of the split sum returns half a per cent of the blue light before it.
            assert!(a.abs_diff(b) <= 12, "{x} {y}: {:?}, not {:?}", through.at(x, y), bare.at(x, y));
        }
    }
}
