//! Procedural skies: panoramas without a file.

use nalgebra::Vector3;
use rigview_core::model::Panorama;

/// Size of the panoramas in texels.
const WIDTH: usize = 512;
const HEIGHT: usize = 256;

/// A procedural sky.
///
/// The functions of `libm` make the texels equal on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sky {
    /// Soft daylight from above, slightly brighter at the upper left.
    Overcast,
    /// A low sun at the left in a warm sky, cool light from the right.
    Sunset,
    /// Moonlight from the upper left, street lamps along the horizon.
    Night,
}

/// A light with a Gaussian profile: the radiance is exp(sharpness * (cos - 1)) times the peak.
struct Glow {
    /// Direction of the center; any length.
    towards: [f32; 3],
    sharpness: f32,
    /// Peak radiance.
    radiance: [f32; 3],
}

/// Direction of the brightest part of the clouds.
const OVERCAST_GLOW: [f32; 3] = [-0.5, 0.8, 0.6];

const SUN: [f32; 3] = [-0.86, 0.13, 0.42];
/// The warm sky around the sun, its aureole and its disk. The disk is wider than the real one, so that reflections stay smooth.
const SUN_GLOWS: [Glow; 3] = [
    Glow { towards: SUN, sharpness: 6.0, radiance: [1.9, 0.85, 0.36] },
    Glow { towards: SUN, sharpness: 80.0, radiance: [9.0, 4.4, 1.8] },
    Glow { towards: SUN, sharpness: 1400.0, radiance: [70.0, 40.0, 18.0] },
];

const MOON: [f32; 3] = [-0.55, 0.75, 0.6];
/// The moon with its halo, then street lamps and lit windows.
const NIGHT_GLOWS: [Glow; 12] = [
    Glow { towards: MOON, sharpness: 3.0, radiance: [0.34, 0.42, 0.60] },
    Glow { towards: MOON, sharpness: 30.0, radiance: [1.3, 1.6, 2.1] },
    Glow { towards: MOON, sharpness: 900.0, radiance: [18.0, 20.0, 24.0] },
    Glow { towards: [0.85, 0.14, -0.5], sharpness: 60.0, radiance: [2.4, 1.2, 0.45] },
    Glow { towards: [0.3, 0.05, -0.95], sharpness: 500.0, radiance: [4.5, 2.5, 1.1] },
    Glow { towards: [-0.35, 0.04, -0.93], sharpness: 700.0, radiance: [3.0, 2.2, 1.4] },
    Glow { towards: [-0.8, 0.06, -0.6], sharpness: 300.0, radiance: [2.2, 1.0, 0.35] },
    Glow { towards: [-0.98, 0.03, 0.15], sharpness: 900.0, radiance: [3.5, 2.3, 1.2] },
    Glow { towards: [-0.55, 0.03, 0.83], sharpness: 800.0, radiance: [2.5, 1.3, 0.5] },
    Glow { towards: [0.15, 0.05, 0.98], sharpness: 500.0, radiance: [2.0, 1.6, 1.2] },
    Glow { towards: [0.75, 0.03, 0.66], sharpness: 700.0, radiance: [3.0, 1.5, 0.6] },
    Glow { towards: [1.0, 0.04, 0.05], sharpness: 900.0, radiance: [2.4, 2.4, 2.6] },
];

impl Sky {
    /// All skies.
    pub const ALL: [Self; 3] = [Self::Overcast, Self::Sunset, Self::Night];

    /// Returns the sky as an equirectangular panorama.
    pub fn panorama(self) -> Panorama {
        use std::f32::consts::{PI, TAU};
        let texel = |i: usize| {
            let (sin_u, cos_u) = sin_cos(((i % WIDTH) as f32 + 0.5) / WIDTH as f32 * TAU - PI);
            let (sin_v, cos_v) = sin_cos(((i / WIDTH) as f32 + 0.5) / HEIGHT as f32 * PI);
            self.radiance(Vector3::new(cos_u * sin_v, cos_v, sin_u * sin_v))
        };
        Panorama { width: WIDTH, height: HEIGHT, texels: (0..WIDTH * HEIGHT).map(texel).collect() }
    }

    /// Returns the linear radiance from a unit direction.
    pub fn radiance(self, d: Vector3<f32>) -> [f32; 3] {
        match self {
            Self::Overcast => overcast(d),
            Self::Sunset => sunset(d),
            Self::Night => night(d),
        }
    }
}

/// CIE overcast sky: three times brighter at the zenith than at the horizon.
fn overcast(d: Vector3<f32>) -> [f32; 3] {
    let clouds = 0.72 + 0.56 * cloud_noise(d, [1.3, 1.3]);
    let sky = scaled([0.95, 1.0, 1.07], 1.25 * (1.0 + 2.0 * d.y.max(0.0)) / 3.0 * clouds);
    let glow = Glow { towards: OVERCAST_GLOW, sharpness: 5.0, radiance: [0.85, 0.84, 0.8] };
    let ground = mix([0.20, 0.195, 0.18], [0.30, 0.295, 0.28], libm::expf(6.0 * d.y.min(0.0)));
    mix(ground, add(sky, [glow], d), smoothstep(-0.015, 0.015, d.y))
}

fn sunset(d: Vector3<f32>) -> [f32; 3] {
    let sun = Vector3::from(SUN).normalize();
    let up = d.y.max(0.0);
    // 0 opposite the sun, 1 towards it.
    let nearness = (0.5 + 0.5 * d.dot(&sun)).clamp(0.0, 1.0);
    let horizon = mix([0.40, 0.31, 0.40], [1.9, 0.86, 0.38], nearness * nearness);
    let middle = mix([0.29, 0.32, 0.50], [0.85, 0.55, 0.45], nearness);
    let sky = mix([0.16, 0.25, 0.48], middle, libm::expf(-2.6 * up));
    let sky = mix(sky, horizon, libm::expf(-8.0 * up));
    // Streaks of cloud, lit from below.
    let cover = smoothstep(0.52, 0.72, cloud_noise(d, [0.9, 2.6])) * smoothstep(0.03, 0.16, up);
    let cloud = mix([0.17, 0.15, 0.24], [1.6, 0.72, 0.38], nearness * nearness);
    let sky = add(mix(sky, cloud, 0.65 * cover), SUN_GLOWS, d);
    let ground = mix([0.085, 0.07, 0.072], scaled(horizon, 0.32), libm::expf(9.0 * d.y.min(0.0)));
    mix(ground, sky, smoothstep(-0.012, 0.012, d.y))
}

fn night(d: Vector3<f32>) -> [f32; 3] {
    let sky = mix([0.026, 0.038, 0.082], [0.11, 0.125, 0.175], libm::expf(-5.0 * d.y.max(0.0)));
    let cover = smoothstep(0.45, 0.8, cloud_noise(d, [1.0, 1.8])) * smoothstep(0.02, 0.2, d.y);
    let sky = mix(sky, [0.085, 0.095, 0.13], 0.6 * cover);
    let ground = mix([0.024, 0.025, 0.031], [0.085, 0.075, 0.072], libm::expf(12.0 * d.y.min(0.0)));
    add(mix(ground, sky, smoothstep(-0.012, 0.012, d.y)), NIGHT_GLOWS, d)
}

/// Fractal noise from 0 to 1 on a plane above the viewer, with a frequency along X and one along Z.
fn cloud_noise(d: Vector3<f32>, [x_frequency, z_frequency]: [f32; 2]) -> f32 {
    let scale = 1.0 / (d.y.max(0.0) + 0.18);
    let (mut x, mut z) = (d.x * scale * x_frequency, d.z * scale * z_frequency);
    let (mut sum, mut weight, mut total) = (0.0, 1.0, 0.0);
    for _ in 0..5 {
        sum += weight * value_noise(x, z);
        total += weight;
        // An irrational factor hides the grid.
        (x, z, weight) = (2.03 * x + 17.3, 2.03 * z - 9.1, 0.5 * weight);
    }
    sum / total
}

/// Smooth noise from 0 to 1 with a period of one per lattice point.
fn value_noise(x: f32, z: f32) -> f32 {
    let (left, near) = (x.floor(), z.floor());
    let lattice = |i: i32, j: i32| {
        let mut hash = (left as i32 + i).wrapping_mul(0x27d4_eb2d) ^ (near as i32 + j).wrapping_mul(0x1656_67b1);
        hash = (hash ^ (hash >> 15)).wrapping_mul(0x2c1b_3c6d);
        hash = (hash ^ (hash >> 12)).wrapping_mul(0x297a_2d39);
        ((hash ^ (hash >> 15)) & 0xffff) as f32 / 65535.0
    };
    let (u, v) = (smoothstep(0.0, 1.0, x - left), smoothstep(0.0, 1.0, z - near));
    let row = |j: i32| lattice(0, j) * (1.0 - u) + lattice(1, j) * u;
    row(0) * (1.0 - v) + row(1) * v
}

fn add(color: [f32; 3], glows: impl IntoIterator<Item = Glow>, d: Vector3<f32>) -> [f32; 3] {
    glows.into_iter().fold(color, |sum, glow| {
        let towards = Vector3::from(glow.towards).normalize();
        let falloff = libm::expf(glow.sharpness * (d.dot(&towards) - 1.0));
        [0, 1, 2].map(|i| sum[i] + glow.radiance[i] * falloff)
    })
}

fn mix(a: [f32; 3], b: [f32; 3], t: f32) -> [f32; 3] {
    [0, 1, 2].map(|i| a[i] * (1.0 - t) + b[i] * t)
}

fn scaled(color: [f32; 3], factor: f32) -> [f32; 3] {
    color.map(|x| x * factor)
}

fn smoothstep(from: f32, to: f32, x: f32) -> f32 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

fn sin_cos(angle: f32) -> (f32, f32) {
    (libm::sinf(angle), libm::cosf(angle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Environment;

    /// Diffuse radiance of a white surface.
    fn reflected(environment: &Environment, n: [f64; 3]) -> [f64; 3] {
        environment.irradiance(Vector3::from(n).normalize().cast()).map(f64::from)
    }

    #[test]
    fn skies_have_their_brightness_and_color() {
        let [overcast, sunset, night] = Sky::ALL.map(|sky| Environment::from_panorama(&sky.panorama()));
        let (up, sunward, away) = ([0.0, 1.0, 0.0], SUN.map(f64::from), SUN.map(|x| -f64::from(x)));
        let [r, g, b] = reflected(&overcast, up);
        assert!((0.7..1.3).contains(&g) && (r / b - 1.0).abs() < 0.15, "overcast is neutral: {r} {g} {b}");
        let ratio = reflected(&overcast, up)[1] / reflected(&overcast, [0.0, -1.0, 0.0])[1];
        assert!((2.0..8.0).contains(&ratio), "overcast light comes from above: {ratio}");
        let [warm, cool] = [sunward, away].map(|n| reflected(&sunset, n));
        assert!(warm[0] > 2.0 * warm[2] && cool[2] > 1.1 * cool[0], "sunset: {warm:?} against {cool:?}");
        assert!((0.6..1.8).contains(&warm[0]), "{warm:?}");
        let [r, _, b] = reflected(&night, MOON.map(f64::from));
        assert!(b > 1.15 * r && (0.1..0.6).contains(&b), "moonlight is cool and dim: {r} {b}");
    }

    #[test]
    fn radiance_is_finite_and_continuous_at_the_seam() {
        for sky in Sky::ALL {
            let panorama = sky.panorama();
            assert!(panorama.texels.iter().flatten().all(|x| x.is_finite() && *x >= 0.0), "{sky:?}");
            for y in 0..HEIGHT {
                let [left, right] = [0, WIDTH - 1].map(|x| panorama.texels[y * WIDTH + x][1]);
                assert!((left - right).abs() < 0.1 * (left + right), "{sky:?} row {y}: {left} {right}");
            }
        }
    }
}
