//! Prefilters a panorama for specular reflection.

use super::{Environment, octahedron};
use crate::model::Panorama;
use crate::util::parallel::*;
use nalgebra::Vector3;

/// Texels per sharp layer without border.
const SIDE: usize = 254;
/// Texels of the source map of rough layers.
const COARSE: usize = 64;

/// Returns the prefiltered environment of a panorama.
pub(super) fn environment(panorama: &Panorama) -> Environment {
    let levels = levels(panorama);
    let look = |direction: Vector3<f32>, width: f32| {
        // The mip level whose texels have about this angular width.
        let texel = std::f32::consts::TAU / panorama.width as f32;
        let level = libm::log2f((width / texel).max(1.0)).round() as usize;
        levels[level.min(levels.len() - 1)].look(direction)
    };
    let coarse: Vec<(Vector3<f32>, f32, [f32; 3])> = (0..COARSE * COARSE)
        .map(|i| octahedron::direction(COARSE, i % COARSE + 1, i / COARSE + 1))
        .map(|d| (d, libm::powf(d.abs().sum(), 3.0), look(d, 0.045)))
        .collect();
    let all = SIDE + 2;
    let mut texels = Vec::with_capacity(all * all * Environment::LAYERS);
    for layer in 0..Environment::LAYERS {
        let alpha = (layer as f32 / (Environment::LAYERS - 1) as f32).powi(2);
        match layer {
            0 | 1 => {
                let lobe = lobe(alpha);
                let large: Vec<[f32; 3]> = (0..all * all)
                    .into_par_iter()
                    .map(|i| sharp(octahedron::direction(SIDE, i % all, i / all), &lobe, &look))
                    .collect();
                texels.extend(large);
            }
            _ => {
                let side = COARSE / 2;
                let small: Vec<[f32; 3]> = (0..(side + 2) * (side + 2))
                    .into_par_iter()
                    .map(|i| rough(octahedron::direction(side, i % (side + 2), i / (side + 2)), alpha, &coarse))
                    .collect();
                texels.extend(enlarged(&small, side));
            }
        }
    }
    Environment::from_texels(all, texels)
}

/// Returns sample directions and weights of a GGX lobe around +Z, and their angular width.
fn lobe(alpha: f32) -> (Vec<(Vector3<f32>, f32)>, f32) {
    const COUNT: usize = 32;
    if alpha == 0.0 {
        return (vec![(Vector3::z(), 1.0)], std::f32::consts::TAU / (4.0 * SIDE as f32));
    }
    let directions = (0..COUNT).map(|i| {
        // Equal-weight samples along a spiral.
        let share = (i as f32 + 0.5) / COUNT as f32;
        let cosine_squared = (1.0 - share) / (1.0 + (alpha * alpha - 1.0) * share);
        let (cosine, sine) = (cosine_squared.sqrt(), (1.0 - cosine_squared).max(0.0).sqrt());
        let turn = i as f32 * 2.399_963;
        let h = Vector3::new(sine * libm::cosf(turn), sine * libm::sinf(turn), cosine);
        let l = 2.0 * cosine * h - Vector3::z();
        (l, l.z.max(0.0))
    });
    (directions.collect(), alpha)
}

fn sharp(
    axis: Vector3<f32>,
    (lobe, width): &(Vec<(Vector3<f32>, f32)>, f32),
    look: &impl Fn(Vector3<f32>, f32) -> [f32; 3],
) -> [f32; 3] {
    let side = if axis.y.abs() < 0.9 { Vector3::y() } else { Vector3::x() };
    let x = side.cross(&axis).normalize();
    let y = axis.cross(&x);
    let (mut sum, mut total) = ([0.0_f32; 3], 0.0_f32);
    for (l, weight) in lobe {
        let light = look(x * l.x + y * l.y + axis * l.z, *width);
        total += weight;
        for (sum, light) in sum.iter_mut().zip(light) {
            *sum += light * weight;
        }
    }
    sum.map(|sum| sum / total)
}

/// Integrates the whole sphere, weighted by GGX around `axis`.
fn rough(axis: Vector3<f32>, alpha: f32, sphere: &[(Vector3<f32>, f32, [f32; 3])]) -> [f32; 3] {
    let alpha_squared = alpha * alpha;
    let (mut sum, mut total) = ([0.0_f32; 3], 0.0_f32);
    for (direction, size, light) in sphere {
        let cosine = direction.dot(&axis);
        if cosine > 0.0 {
            let n_dot_h_squared = 0.5 + 0.5 * cosine;
            let d = n_dot_h_squared * (alpha_squared - 1.0) + 1.0;
            let weight = cosine * size / (d * d);
            total += weight;
            for (sum, light) in sum.iter_mut().zip(light) {
                *sum += light * weight;
            }
        }
    }
    sum.map(|sum| sum / total)
}

/// Upsamples a layer of `side` texels with border to the size of sharp layers.
fn enlarged(small: &[[f32; 3]], side: usize) -> Vec<[f32; 3]> {
    let all = SIDE + 2;
    let places: Vec<(usize, f32)> = (0..all)
        .map(|x| {
            // Texel centers, relative to the outer edge of the border.
            let at = ((x as f32 - 0.5) / SIDE as f32 * side as f32 + 0.5).clamp(0.0, side as f32 + 0.999);
            (at as usize, at.fract())
        })
        .collect();
    let mut out = Vec::with_capacity(all * all);
    for &(y, fy) in &places {
        for &(x, fx) in &places {
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
const BRIGHTEST: f32 = 60_000.0;

/// Returns the mip levels of the panorama.
fn levels(panorama: &Panorama) -> Vec<Level> {
    // NaN and negative values become 0.
    let texels = panorama.texels.iter().map(|t| t.map(|x| if x > 0.0 { x.min(BRIGHTEST) } else { 0.0 })).collect();
    let mut levels = vec![Level { width: panorama.width, height: panorama.height, texels }];
    while let Some(last) = levels.last().filter(|last| last.width > 8 && last.height > 4) {
        let (width, height) = (last.width / 2, last.height / 2);
        let mut texels = vec![[0.0; 3]; width * height];
        texels.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            for (x, out) in row.iter_mut().enumerate() {
                let at = |x: usize, y: usize| last.texels[y * last.width + x];
                let of = [at(2 * x, 2 * y), at(2 * x + 1, 2 * y), at(2 * x, 2 * y + 1), at(2 * x + 1, 2 * y + 1)];
                *out = [0, 1, 2].map(|i| of.iter().map(|texel| texel[i]).sum::<f32>() / 4.0);
            }
        });
        levels.push(Level { width, height, texels });
    }
    levels
}

impl Level {
    /// Samples a direction with bilinear filtering.
    fn look(&self, d: Vector3<f32>) -> [f32; 3] {
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
    fn a_panorama_stands_upright_and_keeps_its_light() {
        // Red above, green below, and blue around +X.
        let (width, height) = (64, 32);
        let texel = |i: usize| {
            let (x, y) = (i % width, i / width);
            let blue = if (24..40).contains(&x) { 1.0 } else { 0.0 };
            if y < height / 2 { [1.0, 0.0, blue] } else { [0.0, 1.0, blue] }
        };
        let panorama = Panorama { width, height, texels: (0..width * height).map(texel).collect() };
        let environment = environment(&panorama);
        let c = environment.irradiance();
        // The mean, then the coefficients of Y and X.
        assert!((c[0][0] - 0.5).abs() < 0.01 && (c[0][1] - 0.5).abs() < 0.01, "{c:?}");
        assert!(c[1][0] > 0.4 && c[1][1] < -0.4 && c[3][2] > 0.2, "{c:?}");
        for layer in environment.texels().chunks_exact(environment.side() * environment.side()) {
            let mean = super::super::irradiance(environment.side(), layer)[0];
            assert!(mean[..2].iter().all(|light| (light - 0.5).abs() < 0.02), "{mean:?}");
        }
    }
}
