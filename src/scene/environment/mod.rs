//! Prefiltered environment light.

mod neutral;
mod octahedron;
mod prefilter;
mod sky;

pub use sky::Sky;

use crate::model::Panorama;
use nalgebra::Vector3;
use std::sync::{Arc, LazyLock};

/// Light from all directions, prefiltered for specular and diffuse reflection.
///
/// The specular part has [`LAYERS`](Self::LAYERS) layers for equally spaced roughness values from 0 to 1. Each layer is
/// an octahedral map with a border of one texel for filtering.
#[derive(Clone, Debug)]
pub struct Environment {
    side: usize,
    texels: Vec<[f32; 3]>,
    irradiance: [[f64; 3]; 9],
}

static NEUTRAL: LazyLock<Arc<Environment>> = LazyLock::new(|| Arc::new(neutral::environment()));

impl Environment {
    /// Number of roughness layers.
    pub const LAYERS: usize = 8;

    /// Returns the neutral studio: a dim room with a key light at the upper left and weaker lights around.
    pub fn neutral() -> Arc<Self> {
        Arc::clone(&NEUTRAL)
    }

    /// Returns uniform light of this linear radiance.
    pub fn constant(radiance: [f32; 3]) -> Self {
        Self::new(32, |_, _| radiance)
    }

    /// Prefilters an equirectangular panorama.
    pub fn from_panorama(panorama: &Panorama) -> Self {
        prefilter::environment(panorama)
    }

    /// Returns the width of a layer in texels, including its border.
    pub fn side(&self) -> usize {
        self.side
    }

    /// Returns the linear radiance of all texels, layer by layer, row by row.
    pub fn texels(&self) -> &[[f32; 3]] {
        &self.texels
    }

    /// Returns the irradiance over pi as nine coefficients of the normal: 1, y, z, x, xy, yz, 3z² - 1, xz, x² - y².
    pub fn irradiance(&self) -> &[[f64; 3]; 9] {
        &self.irradiance
    }

    /// Returns the linear radiance from a unit direction, of the nearest texel of the sharpest layer.
    pub fn radiance(&self, direction: Vector3<f32>) -> [f32; 3] {
        let [x, y] = octahedron::texel(self.side - 2, direction);
        self.texels[y * self.side + x]
    }

    /// Creates layers of `side` texels without border from a function of direction and layer.
    fn new(side: usize, radiance: impl Fn(Vector3<f32>, usize) -> [f32; 3]) -> Self {
        let mut texels = Vec::with_capacity((side + 2) * (side + 2) * Self::LAYERS);
        for layer in 0..Self::LAYERS {
            for y in 0..side + 2 {
                texels.extend((0..side + 2).map(|x| radiance(octahedron::direction(side, x, y), layer)));
            }
        }
        Self::from_texels(side + 2, texels)
    }

    /// Creates an environment from layers as returned by [`texels`](Self::texels); `None` if the size does not match.
    pub fn from_layers(side: usize, texels: Vec<[f32; 3]>) -> Option<Self> {
        let fits = (3..=256).contains(&side) && texels.len() == side * side * Self::LAYERS;
        fits.then(|| Self::from_texels(side, texels))
    }

    fn from_texels(side: usize, texels: Vec<[f32; 3]>) -> Self {
        let irradiance = irradiance(side, &texels[..side * side]);
        Self { side, texels, irradiance }
    }
}

/// Projects radiance onto second-order spherical harmonics of the irradiance, over pi (Ramamoorthi and Hanrahan 2001).
fn irradiance(side: usize, layer: &[[f32; 3]]) -> [[f64; 3]; 9] {
    let (mut sums, mut total) = ([[0.0_f64; 3]; 9], 0.0_f64);
    for y in 1..side - 1 {
        for x in 1..side - 1 {
            let direction = octahedron::direction(side - 2, x, y).cast::<f64>();
            // The solid angle of a texel is proportional to the cube of its L1 norm.
            let weight = direction.abs().sum().powi(3);
            total += weight;
            for (sum, basis) in sums.iter_mut().zip(basis(direction)) {
                for (sum, light) in sum.iter_mut().zip(layer[y * side + x]) {
                    *sum += f64::from(light) * basis * weight;
                }
            }
        }
    }
    // Squared norms of the basis, and the cosine lobe's factor of each order.
    let norms = [1.0, 3.0, 3.0, 3.0, 15.0, 15.0, 5.0 / 4.0, 15.0, 15.0 / 4.0];
    let cosine_lobe = [1.0, 2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 0.25, 0.25, 0.25, 0.25, 0.25];
    std::array::from_fn(|i| sums[i].map(|sum| sum / total * norms[i] * cosine_lobe[i]))
}

fn basis(d: Vector3<f64>) -> [f64; 9] {
    let (x, y, z) = (d.x, d.y, d.z);
    [1.0, y, z, x, x * y, y * z, 3.0 * z * z - 1.0, x * z, x * x - y * y]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reflected(environment: &Environment, n: Vector3<f64>) -> f64 {
        basis(n).iter().zip(environment.irradiance()).map(|(basis, c)| basis * c[1]).sum()
    }

    #[test]
    fn white_surface_reflects_constant_light_unchanged() {
        let environment = Environment::constant([0.5, 2.0, 0.25]);
        for n in [Vector3::x(), -Vector3::y(), Vector3::new(0.6, 0.0, -0.8)] {
            assert!((reflected(&environment, n) - 2.0).abs() < 0.01, "{}", reflected(&environment, n));
        }
    }

    #[test]
    fn irradiance_of_linear_light_matches_the_integral() {
        // Light of 1 + dot(direction, axis): the cosine lobe keeps two thirds of the second term.
        let axis = Vector3::new(0.48_f32, -0.6, 0.64);
        let environment = Environment::new(62, |d, _| [1.0 + d.dot(&axis); 3]);
        for n in [Vector3::x(), Vector3::y(), Vector3::new(0.6, 0.0, -0.8), axis.cast()] {
            let expected = 1.0 + 2.0 / 3.0 * n.dot(&axis.cast());
            assert!((reflected(&environment, n) - expected).abs() < 0.01, "{}", reflected(&environment, n));
        }
    }
}
