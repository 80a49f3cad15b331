//! Samples directions of an environment by importance.

use super::{Environment, octahedron};
use nalgebra::Vector3;

/// Fraction of the samples that ignore the radiance, so that no direction is missing.
const UNIFORM_FRACTION: f64 = 0.25;

/// Distribution of directions: in part proportional to the luminance, in part uniform.
#[derive(Clone, Debug)]
pub(in crate::scene) struct EnvironmentSampler {
    /// Texels along each side of the octahedral map, without its border.
    side: usize,
    /// Probabilities of the rows, summed up to each.
    rows: Vec<f64>,
    /// Probabilities of the texels, summed up to each within its row.
    texels: Vec<f64>,
}

impl EnvironmentSampler {
    /// Returns `None` for a black environment.
    pub(in crate::scene) fn new(environment: &Environment) -> Option<Self> {
        let side = environment.side() - 2;
        let texel = |i: usize| {
            let (x, y) = (i % side + 1, i / side + 1);
            let [r, g, b] = environment.texels()[y * environment.side() + x].map(f64::from);
            let solid_angle = octahedron::solid_angle(side, octahedron::direction(side, x, y));
            [solid_angle, solid_angle * (0.2126 * r + 0.7152 * g + 0.0722 * b)]
        };
        let mut texels: Vec<[f64; 2]> = (0..side * side).map(texel).collect();
        let [sphere, power] = texels.iter().fold([0.0; 2], |sum, texel| [sum[0] + texel[0], sum[1] + texel[1]]);
        if !(power > 0.0 && power.is_finite()) {
            return None;
        }
        for [solid_angle, probability] in &mut texels {
            *probability = UNIFORM_FRACTION * *solid_angle / sphere + (1.0 - UNIFORM_FRACTION) * *probability / power;
        }
        let mut rows: Vec<f64> =
            texels.chunks_exact(side).map(|row| row.iter().map(|[_, probability]| probability).sum()).collect();
        let mut texels: Vec<f64> = texels.into_iter().map(|[_, probability]| probability).collect();
        texels.chunks_exact_mut(side).for_each(accumulate);
        accumulate(&mut rows);
        Some(Self { side, rows, texels })
    }

    /// Maps a point of the unit square to a unit direction, and the inverse of its probability per steradian.
    pub(in crate::scene) fn sample(&self, [u, v]: [f64; 2]) -> (Vector3<f64>, f64) {
        let side = self.side;
        let (row, v, _) = invert(&self.rows, v);
        let (column, u, probability) = invert(&self.texels[row * side..][..side], u);
        let coordinate = |texel: usize, inside: f64| (2.0 * (texel as f64 + inside) / side as f64 - 1.0) as f32;
        let direction = octahedron::direction_at([coordinate(column, u), coordinate(row, v)]);
        let solid_angle = octahedron::solid_angle(side, octahedron::direction(side, column + 1, row + 1));
        (direction.cast(), solid_angle / probability)
    }
}

/// Replaces each number by the sum of the numbers up to it.
fn accumulate(numbers: &mut [f64]) {
    let mut sum = 0.0;
    for number in numbers {
        sum += *number;
        *number = sum;
    }
}

/// Returns the interval that contains `u` times the last sum, the position in it from 0 to 1, and its length.
fn invert(sums: &[f64], u: f64) -> (usize, f64, f64) {
    let target = u * sums.last().copied().unwrap_or(0.0);
    let index = sums.partition_point(|sum| *sum <= target).min(sums.len() - 1);
    let start = index.checked_sub(1).map_or(0.0, |before| sums[before]);
    let length = sums[index] - start;
    (index, ((target - start) / length).clamp(0.0, 1.0), length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::model::Panorama;

    #[test]
    fn mean_of_samples_is_the_integral_over_the_sharpest_layer() {
        let texel = |i: usize| if i == 1000 { [900.0, 500.0, 100.0] } else { [0.1, 0.2, (i % 64) as f32 / 64.0] };
        let panorama = Panorama { width: 64, height: 32, texels: (0..64 * 32).map(texel).collect() };
        let environment = Environment::from_panorama(&panorama);
        let sampler = EnvironmentSampler::new(&environment).unwrap();
        const COUNT: u32 = 4096;
        for normal in [Vector3::x(), Vector3::y(), Vector3::new(-0.6, 0.0, 0.8)] {
            let mut sum = [0.0; 3];
            for i in 0..COUNT {
                let point = [0, 1].map(|dimension| f64::from(sobol_burley::sample(i, dimension, 0)));
                let (direction, solid_angle) = sampler.sample(point);
                let weight = direction.dot(&normal).max(0.0) * solid_angle / (f64::from(COUNT) * std::f64::consts::PI);
                for (sum, radiance) in sum.iter_mut().zip(environment.radiance(direction.cast())) {
                    *sum += f64::from(radiance) * weight;
                }
            }
            let side = environment.side() - 2;
            let mut expected = [0.0; 3];
            for i in 0..side * side {
                let direction = octahedron::direction(side, i % side + 1, i / side + 1);
                let cosine = direction.cast::<f64>().dot(&normal).max(0.0);
                let weight = cosine * octahedron::solid_angle(side, direction) / std::f64::consts::PI;
                for (expected, radiance) in expected.iter_mut().zip(environment.radiance(direction)) {
                    *expected += f64::from(radiance) * weight;
                }
            }
            for (found, expected) in sum.into_iter().zip(expected) {
                assert!((found - expected).abs() < 0.02 * expected + 0.005, "{found} instead of {expected}");
            }
        }
    }

    #[test]
    fn black_environment_has_no_directions() {
        assert!(EnvironmentSampler::new(&Environment::constant([0.0; 3])).is_none());
    }
}
