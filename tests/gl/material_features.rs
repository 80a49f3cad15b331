//! Material extensions, compared with the formulas of their specifications in double precision.

use crate::brdf::{ggx_albedo, lobe, multiple_scattering_gain, specular};
use crate::context::{GlTestContext, RenderedImage, Shot, assert_close, byte};
use crate::rigs::{at_depth, paint, square, squares};
use nalgebra::{UnitQuaternion, Vector3};
use rigview::math::Transform;
use rigview::model::{
    Anisotropy, Clearcoat, DiffuseTransmission, Image, ImageIndex, Iridescence, Material, Model, Sampler, Sheen,
    Specular, SpecularGlossiness, Texture, TextureIndex, TextureRef, TextureSlot, TextureTransform, Transmission,
    Volume,
};
use rigview::scene::{Background, Environment, EnvironmentLight, Lighting};
use std::f64::consts::PI;
use std::sync::Arc;

type V3 = Vector3<f64>;

fn schlick(cosine: f64) -> f64 {
    (1.0 - cosine).clamp(0.0, 1.0).powi(5)
}

/// The isotropic lobe.
fn round_lobe(n: V3, v: V3, l: V3, roughness: f64) -> f64 {
    let t = n.cross(&Vector3::new(0.3, -0.5, 0.2)).normalize();
    lobe([t, n.cross(&t), n], v, l, roughness.powi(2), roughness.powi(2))
}

/// A rotated square of a material, and its axes.
fn rotated_square(material: Material) -> (Model, [V3; 3]) {
    let rotation = UnitQuaternion::from_euler_angles(0.4, -0.5, 0.3);
    let model = square(material, Transform { rotation, ..Transform::identity() });
    (model, [rotation * Vector3::x(), rotation * Vector3::y(), rotation * Vector3::z()])
}

const LIGHTS: [[f64; 3]; 3] = [[0.2, 0.3, 1.0], [-0.8, 0.1, 0.5], [-0.9, -0.7, 1.0]];
const LUX: f64 = 1.7;

/// Compares the lit square with a formula of its axes, view direction and light direction.
#[track_caller]
fn assert_matches_formula(material: &Material, formula: impl Fn([V3; 3], V3, V3) -> [f64; 3]) {
    let mut stage = GlTestContext::new();
    for to_light in LIGHTS {
        let (model, axes) = rotated_square(material.clone());
        let to_light = Vector3::from(to_light);
        let found = stage.image(&Shot::flat(&model).under(to_light, LUX)).middle();
        let [r, g, b] = formula(axes, Vector3::z(), to_light.normalize()).map(|x| byte(x * LUX));
        assert_close(found, [r, g, b, 255]);
    }
}

const BASE: [f64; 3] = [0.8, 0.5, 0.1];

fn base(metallic: f32, roughness: f32) -> Material {
    let [r, g, b] = BASE.map(|x| x as f32);
    Material { base_color: [r, g, b, 1.0], metallic, roughness, ..Default::default() }
}

/// Mix of dielectric and metal with Fresnel reflectance, times the cosine.
fn mixed(metallic: f64, (n, v, l): (V3, V3, V3), lobe: f64, roughness: f64, f0: [f64; 3], weight: f64) -> [f64; 3] {
    let s = schlick(v.dot(&(v + l).normalize()));
    let fresnel = f0.map(|f0| weight * (f0 + (1.0 - f0) * s));
    let [glossy, metal] = [f0.map(|f0| (weight * f0, weight)), BASE.map(|base| (base, 1.0))]
        .map(|lobes| lobes.map(|(f0, f90)| specular(roughness, n.dot(&v), f0, f90)));
    let most = glossy.iter().map(|lobe| lobe.albedo).fold(0.0, f64::max);
    [0, 1, 2].map(|i| {
        let dielectric = (1.0 - most) * BASE[i] / PI + fresnel[i] * glossy[i].gain * lobe;
        let metal = (BASE[i] + (1.0 - BASE[i]) * s) * metal[i].gain * lobe;
        ((1.0 - metallic) * dielectric + metallic * metal) * n.dot(&l)
    })
}

#[test]
fn ior_and_specular_change_dielectric_reflectance() {
    for (ior, factor, color, metallic) in [
        (1.8, 1.0, [1.0; 3], 0.0),
        (1.5, 0.6, [1.0, 0.5, 3.0], 0.0),
        (2.4, 0.3, [0.2, 9.0, 1.0], 0.4),
        (0.0, 1.0, [1.0; 3], 0.0),
    ] {
        let specular = Specular { factor, color };
        let material = Material { ior, specular: Some(specular), ..base(metallic, 0.5) };
        let f0 = ((f64::from(ior) - 1.0) / (f64::from(ior) + 1.0)).powi(2);
        let f0 = color.map(|c| (f0 * f64::from(c)).min(1.0));
        assert_matches_formula(&material, |[_, _, n], v, l| {
            mixed(f64::from(metallic), (n, v, l), round_lobe(n, v, l, 0.5), 0.5, f0, f64::from(factor))
        });
    }
}

#[test]
fn clearcoat_reflects_and_attenuates_base() {
    let coat = |factor, roughness| Clearcoat { factor, roughness, normal_scale: 1.0 };
    for (factor, roughness) in [(1.0, 0.3), (0.5, 0.6)] {
        let material = Material { clearcoat: Some(coat(factor, roughness)), ..base(0.0, 0.8) };
        assert_matches_formula(&material, |[_, _, n], v, l| {
            let under = mixed(0.0, (n, v, l), round_lobe(n, v, l, 0.8), 0.8, [0.04; 3], 1.0);
            let share = f64::from(factor) * (0.04 + 0.96 * schlick(n.dot(&v)));
            under.map(|x| x * (1.0 - share) + share * round_lobe(n, v, l, f64::from(roughness)) * n.dot(&l))
        });
    }
    // It dims what glows, too.
    let emissive = [0.5, 0.25, 0.0];
    let material = Material { emissive, clearcoat: Some(coat(1.0, 0.0)), ..base(0.0, 1.0) };
    let (model, [_, _, n]) = rotated_square(material);
    let shot = Shot { lighting: Lighting::default(), ..Shot::flat(&model) };
    let left = 1.0 - (0.04 + 0.96 * schlick(n.z));
    let [r, g, b] = emissive.map(|x| byte(f64::from(x) * left));
    assert_close(GlTestContext::new().image(&shot).middle(), [r, g, b, 255]);
}

/// Adds an image of one texel as texture 0.
fn with_texel(mut model: Model, rgba: [u8; 4]) -> Model {
    model.images = vec![Image { name: None, width: 1, height: 1, rgba: rgba.to_vec(), ..Image::default() }.into()];
    model.textures = vec![Texture { name: None, image: Some(ImageIndex(0)), sampler: Sampler::default() }];
    model
}

pub(crate) fn texture() -> TextureRef {
    TextureRef { texture: TextureIndex(0), tex_coord: 0, transform: TextureTransform::default() }
}

#[test]
fn clearcoat_has_own_normals() {
    let texel = [200_u8, 90, 220, 255];
    let coat = Clearcoat { factor: 1.0, roughness: 1.0, normal_scale: 0.5 };
    let slots = [TextureSlot::Clearcoat, TextureSlot::ClearcoatRoughness, TextureSlot::ClearcoatNormal];
    let textures = slots.map(|slot| (slot, texture())).into();
    let (model, [t, b, n]) = rotated_square(Material { clearcoat: Some(coat), textures, ..base(0.0, 0.8) });
    let model = with_texel(model, texel);
    let [x, y, z] = [0, 1, 2].map(|i| f64::from(texel[i]) / 255.0 * 2.0 - 1.0);
    let coat_n = (t * x * 0.5 + b * y * 0.5 + n * z).normalize();
    let (factor, roughness) = (f64::from(texel[0]) / 255.0, f64::from(texel[1]) / 255.0);
    let mut stage = GlTestContext::new();
    for to_light in LIGHTS {
        let l = Vector3::from(to_light).normalize();
        let v = Vector3::z();
        let under = mixed(0.0, (n, v, l), round_lobe(n, v, l, 0.8), 0.8, [0.04; 3], 1.0);
        let share = factor * (0.04 + 0.96 * schlick(coat_n.dot(&v)));
        let cosine = coat_n.dot(&l).max(0.0);
        let of_coat = if cosine > 0.0 { share * round_lobe(coat_n, v, l, roughness) * cosine } else { 0.0 };
        let [r, g, b] = under.map(|x| byte((x * (1.0 - share) + of_coat) * LUX));
        let found = stage.image(&Shot::flat(&model).under(Vector3::from(to_light), LUX)).middle();
        assert_close(found, [r, g, b, 255]);
    }
}

/// KHR_materials_sheen: distribution, and visibility after Estevez and Kulla.
fn sheen_lobe(n_dot_l: f64, n_dot_v: f64, n_dot_h: f64, alpha: f64) -> f64 {
    let d = (2.0 + 1.0 / alpha) * (1.0 - n_dot_h * n_dot_h).max(0.0).sqrt().powf(1.0 / alpha) / (2.0 * PI);
    let l = |x: f64| {
        let r = (1.0 - alpha).powi(2);
        let [a, b, c, d, e] =
            [(21.5473, 25.3245), (3.82987, 3.32435), (0.19823, 0.16801), (-1.97760, -1.27393), (-4.32054, -4.85967)]
                .map(|(p0, p1)| (1.0 - r) * p0 + r * p1);
        a / (1.0 + b * x.powf(c)) + d * x + e
    };
    let lambda = |x: f64| if x < 0.5 { l(x).exp() } else { (2.0 * l(0.5) - l(1.0 - x)).exp() };
    d / ((1.0 + lambda(n_dot_v) + lambda(n_dot_l)) * 4.0 * n_dot_l * n_dot_v)
}

/// Directional albedo by numeric integration.
fn sheen_albedo(n_dot_v: f64, alpha: f64) -> f64 {
    let v = Vector3::new((1.0 - n_dot_v * n_dot_v).sqrt(), 0.0, n_dot_v);
    let (rings, spokes) = (400, 200);
    let mut sum = 0.0;
    for ring in 0..rings {
        let theta = (f64::from(ring) + 0.5) / f64::from(rings) * PI / 2.0;
        for spoke in 0..spokes {
            let phi = (f64::from(spoke) + 0.5) / f64::from(spokes) * 2.0 * PI;
            let l = Vector3::new(theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos());
            let h = (v + l).normalize();
            sum += sheen_lobe(l.z, n_dot_v, h.z, alpha) * l.z * theta.sin();
        }
    }
    sum * (PI / 2.0 / f64::from(rings)) * (2.0 * PI / f64::from(spokes))
}

#[test]
fn sheen_attenuates_base() {
    for (color, roughness) in [([1.0, 0.5, 0.25], 0.3), ([0.5, 0.5, 1.0], 0.7), ([1.0; 3], 1.0)] {
        let sheen = Sheen { color, roughness };
        let material = Material { sheen: Some(sheen), ..base(0.0, 0.9) };
        let alpha = f64::from(roughness).powi(2);
        assert_matches_formula(&material, |[_, _, n], v, l| {
            let under = mixed(0.0, (n, v, l), round_lobe(n, v, l, 0.9), 0.9, [0.04; 3], 1.0);
            let (nl, nv, nh) = (n.dot(&l), n.dot(&v), n.dot(&(v + l).normalize()));
            let most = color.into_iter().fold(0.0, f32::max);
            let scale = 1.0 - f64::from(most) * sheen_albedo(nv, alpha).max(sheen_albedo(nl, alpha));
            [0, 1, 2].map(|i| under[i] * scale + f64::from(color[i]) * sheen_lobe(nl, nv, nh, alpha) * nl)
        });
    }
}

#[test]
fn anisotropy_stretches_highlight_along_rotated_tangent() {
    for (strength, rotation, roughness) in [(0.5, 0.0, 0.4), (1.0, 1.1, 0.5), (0.8, -2.0, 0.3)] {
        let anisotropy = Anisotropy { strength, rotation };
        let material = Material { anisotropy: Some(anisotropy), ..base(1.0, roughness) };
        let alpha = f64::from(roughness).powi(2);
        let along = alpha + (1.0 - alpha) * f64::from(strength).powi(2);
        let turn = f64::from(rotation);
        assert_matches_formula(&material, |[t, b, n], v, l| {
            let (way, across) = (t * turn.cos() + b * turn.sin(), b * turn.cos() - t * turn.sin());
            mixed(
                1.0,
                (n, v, l),
                lobe([way, across, n], v, l, along, alpha),
                (along * alpha).powf(0.25),
                [0.04; 3],
                1.0,
            )
        });
    }
    // By a texture: the way in red and green, the strength in blue.
    let anisotropy = Anisotropy { strength: 1.0, rotation: 0.5 };
    let textures = [(TextureSlot::Anisotropy, texture())].into();
    let (model, [t, b, n]) = rotated_square(Material { anisotropy: Some(anisotropy), textures, ..base(1.0, 0.4) });
    let model = with_texel(model, [60, 220, 153, 255]);
    let (x, y) = (60.0 / 255.0 * 2.0 - 1.0, 220.0 / 255.0 * 2.0 - 1.0);
    let turn = f64::atan2(y, x) + 0.5;
    let (way, across) = (t * turn.cos() + b * turn.sin(), b * turn.cos() - t * turn.sin());
    let (alpha, strength) = (0.16, 153.0 / 255.0);
    let l = Vector3::from(LIGHTS[0]).normalize();
    let along = alpha + (1.0 - alpha) * strength * strength;
    let lobe = lobe([way, across, n], Vector3::z(), l, along, alpha);
    let [r, g, b] =
        mixed(1.0, (n, Vector3::z(), l), lobe, (along * alpha).powf(0.25), [0.04; 3], 1.0).map(|x| byte(x * LUX));
    let found = GlTestContext::new().image(&Shot::flat(&model).under(Vector3::from(LIGHTS[0]), LUX)).middle();
    assert_close(found, [r, g, b, 255]);
}

/// KHR_materials_iridescence, "Iridescence Fresnel".
fn film(cosine: f64, ior: f64, thickness: f64, f0: [f64; 3]) -> [f64; 3] {
    let within = (1.0 - (1.0 - cosine * cosine) / (ior * ior)).sqrt();
    let r12 = ((ior - 1.0) / (ior + 1.0)).powi(2);
    let r12 = r12 + (1.0 - r12) * schlick(cosine);
    let t121 = 1.0 - r12;
    let path = 2.0 * ior * thickness * within;
    let mut phi = [0.0; 3];
    let mut sums = [0.0; 3];
    let mut c = [0.0; 3];
    let mut amplitude = [0.0; 3];
    for i in 0..3 {
        let root = (f0[i] + 0.0001).sqrt();
        let base = (1.0 + root) / (1.0 - root);
        let r1 = ((base - ior) / (base + ior)).powi(2);
        let r23 = r1 + (1.0 - r1) * schlick(within);
        phi[i] = PI + if base < ior { PI } else { 0.0 };
        let r123 = (r12 * r23).clamp(1e-5, 0.9999);
        amplitude[i] = r123.sqrt();
        let rs = t121 * t121 * r23 / (1.0 - r123);
        (sums[i], c[i]) = (r12 + rs, rs - t121);
    }
    for m in [1.0, 2.0] {
        let phase = 2.0 * PI * m * path * 1e-9;
        let term = |val: f64, pos: f64, var: f64, shift: f64| {
            val * (2.0 * PI * var).sqrt() * (pos * phase + shift).cos() * (-phase * phase * var).exp() / 1.0685e-7
        };
        let x = term(5.4856e-13, 1.6810e6, 4.3278e9, m * phi[0]) + term(9.7470e-14, 2.2399e6, 4.5282e9, m * phi[0]);
        let y = term(4.4201e-13, 1.7953e6, 9.3046e9, m * phi[1]);
        let z = term(5.2481e-13, 2.2084e6, 6.6121e9, m * phi[2]);
        let rgb = [
            3.2404542 * x - 1.5371385 * y - 0.4985314 * z,
            -0.9692660 * x + 1.8760108 * y + 0.0415560 * z,
            0.0556434 * x - 0.2040259 * y + 1.0572252 * z,
        ];
        for i in 0..3 {
            c[i] *= amplitude[i];
            sums[i] += c[i] * 2.0 * rgb[i];
        }
    }
    sums.map(|x| x.max(0.0))
}

#[test]
fn iridescence_replaces_fresnel() {
    for (metallic, factor, ior, thickness) in
        [(0.0, 1.0, 1.3, 400.0), (1.0, 1.0, 1.8, 250.0), (0.0, 0.5, 2.0, 700.0), (1.0, 0.3, 1.4, 120.0)]
    {
        let iridescence = Iridescence { factor, ior, thickness: [9.0, thickness] };
        let material = Material { iridescence: Some(iridescence), ..base(metallic, 0.4) };
        let [metallic, factor, ior, thickness] = [metallic, factor, ior, thickness].map(f64::from);
        assert_matches_formula(&material, |[_, _, n], v, l| {
            let (lobe, s) = (round_lobe(n, v, l, 0.4), schlick(v.dot(&(v + l).normalize())));
            let mix = |a: f64, b: f64| a + (b - a) * factor;
            let f0 = if metallic > 0.0 { BASE } else { [0.04; 3] };
            let film = film(n.dot(&v), ior, thickness, f0);
            let [scale, bias] = ggx_albedo(0.4, n.dot(&v));
            let gain = [0, 1, 2].map(|i| {
                let mean = mix(f0[i] + (1.0 - f0[i]) / 21.0, film[i].min(1.0));
                multiple_scattering_gain(scale + bias, 0.4, mean)
            });
            let albedo = [0, 1, 2].map(|i| mix(f0[i] * scale + bias, film[i] * (scale + bias)) * gain[i]);
            let under = (1.0 - metallic) * (1.0 - albedo.into_iter().fold(0.0, f64::max)) / PI;
            [0, 1, 2].map(|i| {
                let fresnel = mix(f0[i] + (1.0 - f0[i]) * s, film[i]);
                (under * BASE[i] + fresnel * gain[i] * lobe) * n.dot(&l)
            })
        });
    }
}

#[test]
fn transmission_and_diffuse_transmission_pass_backlight() {
    let (factor, color) = (0.6_f32, [0.9_f32, 0.3, 0.5]);
    let diffuse = DiffuseTransmission { factor, color };
    let seeping = Material { diffuse_transmission: Some(diffuse), ..base(0.0, 0.5) };
    let share = f64::from(factor);
    let front = |[_, _, n]: [V3; 3], v: V3, l: V3, share: f64| {
        let lobe = round_lobe(n, v, l, 0.5);
        let fresnel = 0.04 + 0.96 * schlick(v.dot(&(v + l).normalize()));
        let glossy = specular(0.5, n.dot(&v), 0.04, 1.0);
        BASE.map(|base| ((1.0 - glossy.albedo) * base / PI * (1.0 - share) + fresnel * glossy.gain * lobe) * n.dot(&l))
    };
    assert_matches_formula(&seeping, |axes, v, l| front(axes, v, l, share));
    let passing = Material { transmission: Some(Transmission { factor: 0.7 }), ior: 1.3, ..base(0.0, 0.5) };
    let mut stage = GlTestContext::new();
    for to_light in LIGHTS {
        // The same light from the other side.
        let (model, [_, _, n]) = rotated_square(seeping.clone());
        let l = Vector3::from(to_light).normalize();
        let mirrored = l - 2.0 * n.dot(&l) * n;
        let below = |f0: f64| 1.0 - specular(0.5, n.z, f0, 1.0).albedo;
        let found = stage.image(&Shot::flat(&model).under(mirrored, LUX)).middle();
        let through = color.map(|c| f64::from(c) / PI * share * below(0.04) * n.dot(&l));
        let [r, g, b] = through.map(|x| byte(x * LUX));
        assert_close(found, [r, g, b, 255]);

        let (model, _) = rotated_square(passing.clone());
        // Rays that are bent less are spread less.
        let lobe = round_lobe(n, Vector3::z(), l, 0.5 * 0.6_f64.sqrt());
        let f0 = (0.3_f64 / 2.3).powi(2);
        let [r, g, b] = BASE.map(|base| byte(base * lobe * 0.7 * below(f0) * n.dot(&l) * LUX));
        let found = stage.image(&Shot::flat(&model).under(mirrored, LUX)).middle();
        assert_close(found, [r, g, b, 255]);
    }
}

#[test]
fn specular_glossiness_is_supported() {
    let specular = [0.3_f32, 0.2, 0.1];
    let old = SpecularGlossiness { specular };
    let material = Material { specular_glossiness: Some(old), ..base(0.0, 0.4) };
    assert_matches_formula(&material, |[_, _, n], v, l| {
        let (lobe, s) = (round_lobe(n, v, l, 0.4), schlick(v.dot(&(v + l).normalize())));
        let fresnel = specular.map(|f0| f64::from(f0) + (1.0 - f64::from(f0)) * s);
        let most = fresnel.into_iter().fold(0.0, f64::max);
        [0, 1, 2].map(|i| ((1.0 - most) * BASE[i] * (1.0 - 0.3_f32 as f64) / PI + fresnel[i] * lobe) * n.dot(&l))
    });
}

/// Transmissive surface without reflections in front of two walls: red for x < 0, blue for x > 0.
fn glass_before_walls(glass: Material, turn: f64) -> Model {
    let wall = |x: f64| Transform { translation: Vector3::new(x, 0.0, -2.0), ..Transform::identity() };
    let rotation = UnitQuaternion::from_euler_angles(0.0, turn, 0.0);
    let scale = Vector3::new(3.0, 3.0, 3.0);
    squares(vec![
        (glass, Transform { rotation, scale, ..Transform::identity() }),
        (paint([1.0, 0.0, 0.0, 1.0]), wall(-1.0)),
        (paint([0.0, 0.0, 1.0, 1.0]), wall(1.0)),
    ])
}

/// A transmissive material without reflection.
fn clear(base_color: [f32; 3], ior: f32) -> Material {
    let [r, g, b] = base_color;
    Material {
        base_color: [r, g, b, 1.0],
        metallic: 0.0,
        roughness: 0.0,
        ior,
        transmission: Some(Transmission { factor: 1.0 }),
        specular: Some(Specular { factor: 0.0, color: [1.0; 3] }),
        ..Default::default()
    }
}

fn through(model: &Model, samples: u32) -> RenderedImage {
    let shot = Shot { lighting: Lighting::default(), size: (128, 128), ..Shot::flat(model) };
    GlTestContext::new().try_render(&shot, samples).unwrap()
}

#[test]
fn clear_transmission_multiplies_background_by_base_color() {
    for samples in [1, 4] {
        let model = glass_before_walls(clear([1.0, 1.0, 0.5], 1.5), 0.3);
        let image = through(&model, samples);
        assert_close(image.at(20, 64), [255, 0, 0, 255]);
        assert_close(image.at(100, 64), [0, 0, byte(0.5), 255]);
        // Half of it reflects as a dielectric without reflections does: not at all.
        let mut half = clear([1.0; 3], 1.5);
        half.transmission = Some(Transmission { factor: 0.25 });
        let image = through(&glass_before_walls(half, 0.0), samples);
        assert_close(image.at(20, 64), [byte(0.25), 0, 0, 255]);
    }
}

#[test]
fn transmission_shows_background_and_keeps_transparency() {
    let model = square(clear([1.0, 0.5, 1.0], 1.5), Transform::identity());
    let shot = Shot { lighting: Lighting::default(), ..Shot::flat(&model) };
    let red = Shot { background: Background::Color([1.0, 1.0, 0.0]), ..shot };
    assert_close(GlTestContext::new().image(&red).middle(), [255, byte(0.5), 0, 255]);
    let shot = Shot { lighting: Lighting::default(), ..Shot::flat(&model) }.before(Background::Transparent);
    assert_eq!(GlTestContext::new().image(&shot).middle(), [0, 0, 0, 0]);
}

#[test]
fn rough_glass_before_a_surface_is_opaque() {
    let frosted = Material { roughness: 1.0, ..clear([1.0; 3], 1.5) };
    let behind = Transform { scale: Vector3::repeat(0.4), ..at_depth(-0.5) };
    let model = squares(vec![(paint([1.0, 0.0, 0.0, 1.0]), behind), (frosted, Transform::identity())]);
    let shot = Shot { lighting: Lighting::default(), ..Shot::flat(&model) }.before(Background::Transparent);
    let image = GlTestContext::new().image(&shot);
    // The surface covers a sixth of the image.
    let [r, g, b, a] = image.middle();
    assert!(r > 250 && a > 180 && g == 0 && b == 0, "{:?}", image.middle());
    let [.., a] = image.at(2, 2);
    assert!(a < 30, "{a} beside the surface");
}

#[test]
fn volume_attenuates_by_world_thickness_and_refracts() {
    let (ior, turn, thickness) = (1.6_f32, 0.7_f64, 0.1_f32);
    let mut glass = clear([1.0; 3], ior);
    glass.volume = Some(Volume { thickness, attenuation_color: [0.5, 0.5, 0.25], attenuation_distance: 0.6 });
    let image = through(&glass_before_walls(glass.clone(), turn), 1);
    // The square is three times as large in the world.
    let way = f64::from(thickness) * 3.0;
    let left = |color: f64| color.powf(way / 0.6);
    assert_close(image.at(4, 64), [byte(left(0.5)), 0, 0, 255]);
    assert_close(image.at(124, 64), [0, 0, byte(left(0.25)), 255]);
    // Snell's law for a ray along -Z that meets a surface turned about Y.
    let shift = |ior: f64| way * (turn - (turn.sin() / ior).asin()).sin();
    let edge = |image: &RenderedImage, channel: usize| {
        let row: Vec<bool> = (0..128).map(|x| image.at(x, 64)[channel] > 60).collect();
        row.windows(2).position(|pair| pair[0] != pair[1]).unwrap() as f64 + 1.0
    };
    let expected = |ior: f64| 64.0 + 64.0 * shift(ior);
    assert!((edge(&image, 0) - expected(1.6)).abs() <= 1.0, "{} of {}", edge(&image, 0), expected(1.6));
    // Red is bent less than blue.
    glass.dispersion = 8.0;
    let image = through(&glass_before_walls(glass, turn), 1);
    let spread = 0.6 * 0.025 * 8.0;
    for (channel, ior) in [(0, 1.6 - spread), (2, 1.6 + spread)] {
        let found = edge(&image, channel);
        assert!((found - expected(ior)).abs() <= 1.0, "{channel}: {found} of {}", expected(ior));
    }
}

#[test]
fn rough_transmission_blurs_and_conserves_energy() {
    let mut glass = clear([1.0; 3], 1.5);
    glass.roughness = 0.5;
    let image = through(&glass_before_walls(glass, 0.0), 1);
    let [r, _, b, _] = image.at(64, 64);
    assert!(r.abs_diff(b) < 40 && r > 120, "{r}, {b}");
    let linear = |byte: u8| (f64::from(byte) / 255.0).powf(2.2);
    let sum: f64 = (0..128).map(|x| linear(image.at(x, 64)[0]) + linear(image.at(x, 64)[2])).sum();
    assert!((sum / 128.0 - 1.0).abs() < 0.03, "{sum}");
}

#[test]
fn material_features_conserve_energy_in_white_furnace() {
    let mut stage = GlTestContext::new();
    let white = |metallic, roughness| Material { metallic, roughness, ..Default::default() };
    let coat = Clearcoat { factor: 1.0, roughness: 0.3, normal_scale: 1.0 };
    let sheen = Sheen { color: [1.0; 3], roughness: 0.6 };
    let specular = Specular { factor: 0.5, color: [1.0; 3] };
    let diffuse = DiffuseTransmission { factor: 0.7, color: [1.0; 3] };
    let anisotropy = Anisotropy { strength: 0.8, rotation: 0.4 };
    let passing = Some(Transmission { factor: 1.0 });
    for (what, material) in [
        ("a half metal", white(0.5, 1.0)),
        ("a tenth of a metal", white(0.1, 0.7)),
        ("ior", Material { ior: 2.2, ..white(0.0, 0.4) }),
        ("specular", Material { specular: Some(specular), ..white(0.0, 0.7) }),
        ("a coat on chalk", Material { clearcoat: Some(coat.clone()), ..white(0.0, 1.0) }),
        ("a coat on metal", Material { clearcoat: Some(coat.clone()), ..white(1.0, 0.4) }),
        ("sheen", Material { sheen: Some(sheen.clone()), ..white(0.0, 0.8) }),
        ("a coat on sheen", Material { sheen: Some(sheen), clearcoat: Some(coat), ..white(0.0, 0.8) }),
        ("anisotropy", Material { anisotropy: Some(anisotropy), ..white(1.0, 0.3) }),
        ("diffuse transmission", Material { diffuse_transmission: Some(diffuse), ..white(0.0, 0.5) }),
        ("transmission", Material { transmission: passing.clone(), ..white(0.0, 0.0) }),
        ("rough transmission", Material { transmission: passing, ..white(0.0, 0.6) }),
    ] {
        for tilt in [0.0, 0.5, 1.0, 1.4] {
            let rotation = UnitQuaternion::from_euler_angles(0.3 * tilt, tilt, 0.0);
            let model = square(material.clone(), Transform { rotation, ..Transform::identity() });
            let surroundings = Some(EnvironmentLight::new(Arc::new(Environment::constant([0.5; 3]))));
            let lighting = Lighting { environment: surroundings, ..Lighting::default() };
            // Behind glass it is as bright as all around.
            let gray = f32::from(byte(0.5)) / 255.0;
            let shot = Shot { lighting, ..Shot::flat(&model) }.before(Background::Color([gray; 3]));
            let [found, ..] = stage.image(&shot).middle();
            assert!(found.abs_diff(byte(0.5)) <= 1, "{what}, {tilt}: {found} of {}", byte(0.5));
        }
    }
}
