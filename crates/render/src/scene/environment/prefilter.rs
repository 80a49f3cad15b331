//! Prefilters a panorama for specular reflection.

use super::cube_map::{CubeMap, halved};
use super::{Environment, octahedron};
use nalgebra::Vector3;
use rayon::prelude::*;
use rigview_core::model::Panorama;

/// Texels per sharp layer without border.
const SIDE: usize = 254;
/// Width in texels of the downsampled panorama that rough layers integrate, without border.
const COARSE_SIDE: usize = 64;

/// Returns the prefiltered environment of a panorama.
pub(super) fn environment(panorama: &Panorama) -> Environment {
    let levels = levels(panorama);
    let radiance = |direction: Vector3<f32>, width: f32| {
        // The mip level whose texels have about this angular width.
        let texel = std::f32::consts::TAU / panorama.width as f32;
        let level = libm::log2f((width / texel).max(1.0)).round() as usize;
        levels[level.min(levels.len() - 1)].sample(direction)
    };
    let sphere: Vec<SphereSample> = (0..COARSE_SIDE * COARSE_SIDE)
        .map(|i| octahedron::direction(COARSE_SIDE, i % COARSE_SIDE + 1, i / COARSE_SIDE + 1))
        .map(|direction| SphereSample {
            direction,
            // The solid angle of a texel is proportional to the cube of its L1 norm.
            solid_angle: libm::powf(direction.abs().sum(), 3.0),
            radiance: radiance(direction, 0.045),
        })
        .collect();
    let side_with_border = SIDE + 2;
    let mut texels = Vec::with_capacity(side_with_border * side_with_border * Environment::LAYERS);
    let wide_layer = |lobe: WideLobe| {
        let side = COARSE_SIDE / 2;
        let small: Vec<[f32; 3]> = (0..(side + 2) * (side + 2))
            .into_par_iter()
            .map(|i| filter_sphere(octahedron::direction(side, i % (side + 2), i / (side + 2)), &lobe, &sphere))
            .collect();
        upsample(&small, side)
    };
    for layer in 0..Environment::ROUGHNESS_LAYERS {
        let alpha = (layer as f32 / (Environment::ROUGHNESS_LAYERS - 1) as f32).powi(2);
        match layer {
            0 | 1 => {
                let lobe = Lobe::new(alpha);
                let large: Vec<[f32; 3]> = (0..side_with_border * side_with_border)
                    .into_par_iter()
                    .map(|i| {
                        let (x, y) = (i % side_with_border, i / side_with_border);
                        filter_lobe(octahedron::direction(SIDE, x, y), &lobe, &radiance)
                    })
                    .collect();
                texels.extend(large);
            }
            _ => texels.extend(wide_layer(WideLobe { alpha, flatness: alpha })),
        }
    }
    texels.extend(wide_layer(WideLobe::COSINE));
    // As many texels around the horizon as the panorama has.
    let side = (panorama.width / 4).next_power_of_two().clamp(16, CubeMap::MAX_SIDE);
    let texel = std::f32::consts::FRAC_PI_2 / side as f32;
    let cube_map = Some(CubeMap::from_function(side, |direction| radiance(direction, texel)));
    Environment { side: side_with_border, texels, cube_map }
}

/// A texel of the downsampled panorama.
struct SphereSample {
    direction: Vector3<f32>,
    /// Up to a constant factor.
    solid_angle: f32,
    radiance: [f32; 3],
}

/// Samples of a GGX lobe around +Z.
struct Lobe {
    /// Direction and weight.
    samples: Vec<(Vector3<f32>, f32)>,
    /// Angular width of a sample in radians.
    width: f32,
}

impl Lobe {
    fn new(alpha: f32) -> Self {
        const COUNT: usize = 32;
        if alpha == 0.0 {
            return Self { samples: vec![(Vector3::z(), 1.0)], width: std::f32::consts::TAU / (4.0 * SIDE as f32) };
        }
        let samples = (0..COUNT).map(|i| {
            // Equal-weight samples along a spiral.
            let t = (i as f32 + 0.5) / COUNT as f32;
            let cosine_squared = (1.0 - t) / (1.0 + (alpha * alpha - 1.0) * t);
            let (cosine, sine) = (cosine_squared.sqrt(), (1.0 - cosine_squared).max(0.0).sqrt());
            let angle = i as f32 * 2.399_963;
            let h = Vector3::new(sine * libm::cosf(angle), sine * libm::sinf(angle), cosine);
            let l = 2.0 * cosine * h - Vector3::z();
            (l, l.z.max(0.0))
        });
        Self { samples: samples.collect(), width: alpha }
    }
}

/// Integrates the samples of a lobe around `axis`.
fn filter_lobe(axis: Vector3<f32>, lobe: &Lobe, radiance: &impl Fn(Vector3<f32>, f32) -> [f32; 3]) -> [f32; 3] {
    let side = if axis.y.abs() < 0.9 { Vector3::y() } else { Vector3::x() };
    let x = side.cross(&axis).normalize();
    let y = axis.cross(&x);
    let (mut sum, mut total) = ([0.0_f32; 3], 0.0_f32);
    for (l, weight) in &lobe.samples {
        let radiance = radiance(x * l.x + y * l.y + axis * l.z, lobe.width);
        total += weight;
        for (sum, radiance) in sum.iter_mut().zip(radiance) {
            *sum += radiance * weight;
        }
    }
    sum.map(|sum| sum / total)
}

/// A lobe that is integrated over the whole sphere: GGX around the normal, times a cosine.
///
/// Visibility favors light near the horizon: seen from all directions, the lobe of roughness 1 is about that of the cosine's
/// square root.
struct WideLobe {
    alpha: f32,
    /// Weight of the cosine's square root, instead of the cosine.
    flatness: f32,
}

impl WideLobe {
    const COSINE: Self = Self { alpha: 1.0, flatness: 0.0 };
}

/// Integrates the whole sphere, weighted by the lobe around `axis`.
fn filter_sphere(axis: Vector3<f32>, lobe: &WideLobe, sphere: &[SphereSample]) -> [f32; 3] {
    let alpha_squared = lobe.alpha * lobe.alpha;
    let (mut sum, mut total) = ([0.0_f32; 3], 0.0_f32);
    for SphereSample { direction, solid_angle, radiance } in sphere {
        let cosine = direction.dot(&axis);
        if cosine > 0.0 {
            let n_dot_h_squared = 0.5 + 0.5 * cosine;
            let d = n_dot_h_squared * (alpha_squared - 1.0) + 1.0;
            let cosine = cosine + (cosine.sqrt() - cosine) * lobe.flatness;
            let weight = cosine * solid_angle / (d * d);
            total += weight;
            for (sum, radiance) in sum.iter_mut().zip(radiance) {
                *sum += radiance * weight;
            }
        }
    }
    sum.map(|sum| sum / total)
}

/// Upsamples a layer of `side` texels with border to the size of sharp layers.
fn upsample(small: &[[f32; 3]], side: usize) -> Vec<[f32; 3]> {
    let side_with_border = SIDE + 2;
    let positions: Vec<(usize, f32)> = (0..side_with_border)
        .map(|x| {
            // Texel centers, relative to the outer edge of the border.
            let at = ((x as f32 - 0.5) / SIDE as f32 * side as f32 + 0.5).clamp(0.0, side as f32 + 0.999);
            (at as usize, at.fract())
        })
        .collect();
    let mut out = Vec::with_capacity(side_with_border * side_with_border);
    for &(y, fy) in &positions {
        for &(x, fx) in &positions {
            let at = |x: usize, y: usize| small[y * (side + 2) + x];
            let (a, b, c, d) = (at(x, y), at(x + 1, y), at(x, y + 1), at(x + 1, y + 1));
            out.push(
                [0, 1, 2].map(|i| (a[i] * (1.0 - fx) + b[i] * fx) * (1.0 - fy) + (c[i] * (1.0 - fx) + d[i] * fx) * fy),
            );
        }
    }
    out
}

/// A mip level of the panorama.
struct Level {
    width: usize,
    height: usize,
    texels: Vec<[f32; 3]>,
}

/// Maximum radiance: just below the half float limit.
const MAX_RADIANCE: f32 = 60_000.0;

/// Returns the mip levels of the panorama.
fn levels(panorama: &Panorama) -> Vec<Level> {
    // NaN and negative values become 0.
    let texels = panorama.texels.iter().map(|t| t.map(|x| if x > 0.0 { x.min(MAX_RADIANCE) } else { 0.0 })).collect();
    let mut levels = vec![Level { width: panorama.width, height: panorama.height, texels }];
    while let Some(last) = levels.last().filter(|last| last.width > 8 && last.height > 4) {
        let texels = halved(last.width, &last.texels);
        levels.push(Level { width: last.width / 2, height: last.height / 2, texels });
    }
    levels
}

impl Level {
    /// Samples a direction with bilinear filtering.
    fn sample(&self, d: Vector3<f32>) -> [f32; 3] {
        use std::f32::consts::{PI, TAU};
        let u = libm::atan2f(d.z, d.x) / TAU + 0.5;
        let v = libm::acosf(d.y.clamp(-1.0, 1.0)) / PI;
        let (x, y) = (u * self.width as f32 - 0.5, (v * self.height as f32 - 0.5).clamp(0.0, self.height as f32 - 1.0));
        let (left, top) = (x.floor(), y.floor());
        let (fx, fy) = (x - left, y - top);
        let column = |i: i64| i.rem_euclid(self.width as i64) as usize;
        let (x0, x1) = (column(left as i64), column(left as i64 + 1));
        let (y0, y1) = (top as usize, (top as usize + 1).min(self.height - 1));
        let at = |x: usize, y: usize| self.texels[y * self.width + x];
        let (a, b, c, d) = (at(x0, y0), at(x1, y0), at(x0, y1), at(x1, y1));
        [0, 1, 2].map(|i| (a[i] * (1.0 - fx) + b[i] * fx) * (1.0 - fy) + (c[i] * (1.0 - fx) + d[i] * fx) * fy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefiltering_keeps_orientation_and_energy() {
        // Red above, green below, and blue around +X.
        let (width, height) = (64, 32);
        let texel = |i: usize| {
            let (x, y) = (i % width, i / width);
            let blue = if (24..40).contains(&x) { 1.0 } else { 0.0 };
            if y < height / 2 { [1.0, 0.0, blue] } else { [0.0, 1.0, blue] }
        };
        let panorama = Panorama { width, height, texels: (0..width * height).map(texel).collect() };
        let environment = environment(&panorama);
        let [up, down, right, left] =
            [Vector3::y(), -Vector3::y(), Vector3::x(), -Vector3::x()].map(|n| environment.irradiance(n));
        assert!(up[0] > 0.9 && up[1] < 0.1 && down[0] < 0.1 && down[1] > 0.9, "{up:?} {down:?}");
        assert!(right[2] > left[2] + 0.3, "{right:?} {left:?}");
        for layer in environment.texels().chunks_exact(environment.side() * environment.side()) {
            let mean = octahedron::mean(environment.side(), layer);
            assert!(mean[..2].iter().all(|light| (light - 0.5).abs() < 0.02), "{mean:?}");
        }
    }
}
