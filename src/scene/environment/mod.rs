//! Light from all around, made ready for shading: blurred as surfaces of each roughness reflect it.

mod neutral;
mod octahedron;
mod prefilter;

use crate::model::Panorama;
use nalgebra::Vector3;
use std::sync::{Arc, LazyLock};

/// Light from all directions.
///
/// What surfaces reflect lies in layers of texels, one layer for each of [`LAYERS`](Self::LAYERS) roughnesses from 0 to
/// 1, evenly apart. A layer is a square that an octahedron unfolds to, with a border of one texel on each side, so that
/// smooth sampling finds its neighbors everywhere.
#[derive(Clone, Debug)]
pub struct Environment {
    side: usize,
    texels: Vec<[f32; 3]>,
    irradiance: [[f64; 3]; 9],
}

static NEUTRAL: LazyLock<Arc<Environment>> = LazyLock::new(|| Arc::new(neutral::environment()));

impl Environment {
    /// Roughnesses that there are layers for.
    pub const LAYERS: usize = 8;

    /// The neutral studio: a dim room, a large light from the upper left of the model's front, weaker ones around.
    pub fn neutral() -> Arc<Self> {
        Arc::clone(&NEUTRAL)
    }

    /// The same light from everywhere.
    pub fn constant(radiance: [f32; 3]) -> Self {
        Self::new(32, |_, _| radiance)
    }

    /// What a picture of all directions shows.
    pub fn from_panorama(panorama: &Panorama) -> Self {
        prefilter::environment(panorama)
    }

    /// Texels along the side of a layer, its border included.
    pub fn side(&self) -> usize {
        self.side
    }

    /// Layer by layer, row by row.
    pub fn texels(&self) -> &[[f32; 3]] {
        &self.texels
    }

    /// Diffusely reflected light of a white surface as nine coefficients of the normal `x, y, z`: of 1, y, z, x, xy, yz,
    /// 3z² - 1, xz, x² - y².
    pub fn irradiance(&self) -> &[[f64; 3]; 9] {
        &self.irradiance
    }

    /// An environment of `side` texels a layer without borders, given what a direction shows in each layer.
    fn new(side: usize, shows: impl Fn(Vector3<f32>, usize) -> [f32; 3]) -> Self {
        let mut texels = Vec::with_capacity((side + 2) * (side + 2) * Self::LAYERS);
        for layer in 0..Self::LAYERS {
            for y in 0..side + 2 {
                texels.extend((0..side + 2).map(|x| shows(octahedron::direction(side, x, y), layer)));
            }
        }
        Self::from_texels(side + 2, texels)
    }

    /// One of layers as [`texels`](Self::texels) gives them, `side` texels along each; `None` where these are more or fewer.
    pub fn from_layers(side: usize, texels: Vec<[f32; 3]>) -> Option<Self> {
        let fits = (3..=256).contains(&side) && texels.len() == side * side * Self::LAYERS;
        fits.then(|| Self::from_texels(side, texels))
    }

    /// One whose layers are there already.
    fn from_texels(side: usize, texels: Vec<[f32; 3]>) -> Self {
        let irradiance = irradiance(side, &texels[..side * side]);
        Self { side, texels, irradiance }
    }
}

/// The second-order harmonics of light that falls on a surface, over pi (Ramamoorthi and Hanrahan 2001).
fn irradiance(side: usize, layer: &[[f32; 3]]) -> [[f64; 3]; 9] {
    let (mut sums, mut total) = ([[0.0_f64; 3]; 9], 0.0_f64);
    for y in 1..side - 1 {
        for x in 1..side - 1 {
            let direction = octahedron::direction(side - 2, x, y).cast::<f64>();
            // A texel's solid angle goes with the third power of its point's nearness on the octahedron.
            let weight = direction.abs().sum().powi(3);
            total += weight;
            for (sum, basis) in sums.iter_mut().zip(basis(direction)) {
                for (sum, light) in sum.iter_mut().zip(layer[y * side + x]) {
                    *sum += f64::from(light) * basis * weight;
                }
            }
        }
    }
    // Squared norms of the polynomials over the sphere's mean, and what a cosine keeps of each order.
    let norms = [1.0, 3.0, 3.0, 3.0, 15.0, 15.0, 5.0 / 4.0, 15.0, 15.0 / 4.0];
    let kept = [1.0, 2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 0.25, 0.25, 0.25, 0.25, 0.25];
    std::array::from_fn(|i| sums[i].map(|sum| sum / total * norms[i] * kept[i]))
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
    fn a_white_surface_returns_constant_light_as_it_is() {
        let environment = Environment::constant([0.5, 2.0, 0.25]);
        for n in [Vector3::x(), -Vector3::y(), Vector3::new(0.6, 0.0, -0.8)] {
            assert!((reflected(&environment, n) - 2.0).abs() < 0.01, "{}", reflected(&environment, n));
        }
    }

    #[test]
    fn smooth_light_falls_on_surfaces_as_integrals_say() {
        // Light that goes with 1 + the direction's scalar product with an axis: of that a cosine keeps two thirds.
        let axis = Vector3::new(0.48_f32, -0.6, 0.64);
        let environment = Environment::new(62, |d, _| [1.0 + d.dot(&axis); 3]);
        for n in [Vector3::x(), Vector3::y(), Vector3::new(0.6, 0.0, -0.8), axis.cast()] {
            let expected = 1.0 + 2.0 / 3.0 * n.dot(&axis.cast());
            assert!((reflected(&environment, n) - expected).abs() < 0.01, "{}", reflected(&environment, n));
        }
    }
}
