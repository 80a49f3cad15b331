//! Prefiltered environment light.

mod cube_map;
mod neutral;
mod octahedron;
mod prefilter;
mod sampler;
mod sky;

pub use cube_map::CubeMap;
pub(super) use sampler::EnvironmentSampler;
pub use sky::Sky;

use nalgebra::Vector3;
use rigview_core::model::Panorama;
use std::sync::{Arc, LazyLock};

/// Light from all directions, prefiltered for specular and diffuse reflection.
///
/// The first [`ROUGHNESS_LAYERS`](Self::ROUGHNESS_LAYERS) layers have the lobes of equally spaced roughness values from 0 to 1.
/// The last layer is the irradiance over pi of a surface with this normal. Each layer is an octahedral map with a border of one
/// texel for filtering. Environments of panoramas also have a cube map of the unfiltered light, for sharp reflections.
#[derive(Clone, Debug)]
pub struct Environment {
    side: usize,
    texels: Vec<[f32; 3]>,
    cube_map: Option<CubeMap>,
}

static NEUTRAL: LazyLock<Arc<Environment>> = LazyLock::new(|| Arc::new(neutral::environment()));

impl Environment {
    /// Number of layers for specular reflection.
    pub const ROUGHNESS_LAYERS: usize = 8;

    /// Number of layers.
    pub const LAYERS: usize = Self::ROUGHNESS_LAYERS + 1;

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

    /// Returns the irradiance over pi of a surface with this unit normal, of the nearest texel.
    pub fn irradiance(&self, normal: Vector3<f32>) -> [f32; 3] {
        let [x, y] = octahedron::texel(self.side - 2, normal);
        self.texels[((Self::LAYERS - 1) * self.side + y) * self.side + x]
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
        Self { side: side + 2, texels, cube_map: None }
    }

    /// Returns the unfiltered light; `None` if the layers are smooth enough.
    pub fn cube_map(&self) -> Option<&CubeMap> {
        self.cube_map.as_ref()
    }

    /// Returns the environment of [`to_bytes`](Self::to_bytes); `None` for damaged bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (sides, content) = bytes.split_first_chunk::<8>()?;
        let [side, cube_side] =
            [0, 4].map(|at| u32::from_le_bytes([at, at + 1, at + 2, at + 3].map(|i| sides[i])) as usize);
        let texel_bytes = side.checked_mul(side)?.checked_mul(12 * Self::LAYERS)?;
        let (texels, cube_texels) = content.split_at_checked(texel_bytes).filter(|_| (3..=256).contains(&side))?;
        let number = |bytes: &[u8; 4]| f32::from_le_bytes(*bytes);
        let texels = texels.as_chunks::<4>().0.as_chunks::<3>().0.iter().map(|texel| texel.each_ref().map(number));
        let cube_map = match cube_side {
            0 => None,
            side => {
                Some(CubeMap::new(side, cube_texels.as_chunks().0.iter().copied().map(u32::from_le_bytes).collect())?)
            }
        };
        Some(Self { side, texels: texels.collect(), cube_map })
    }

    /// Returns sides, layers and cube map in little-endian order, for a cache.
    pub fn to_bytes(&self) -> Vec<u8> {
        let sides = [self.side, self.cube_map.as_ref().map_or(0, CubeMap::side)];
        let mut bytes: Vec<u8> = sides.iter().flat_map(|side| (*side as u32).to_le_bytes()).collect();
        bytes.extend(self.texels.iter().flatten().flat_map(|x| x.to_le_bytes()));
        bytes.extend(self.cube_map.iter().flat_map(CubeMap::texels).flat_map(|texel| texel.to_le_bytes()));
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_surface_reflects_constant_light_unchanged() {
        let environment = Environment::constant([0.5, 2.0, 0.25]);
        for n in [Vector3::x(), -Vector3::y(), Vector3::new(0.6, 0.0, -0.8)] {
            assert_eq!(environment.irradiance(n), [0.5, 2.0, 0.25]);
        }
    }

    #[test]
    fn irradiance_of_panoramas_matches_the_integral() {
        // Light of 1 + dot(direction, axis): the cosine lobe keeps two thirds of the second term. A small bright light in
        // direction d adds a term with max(0, dot(n, d)).
        let (width, height) = (256, 128);
        let axis = Vector3::new(0.48_f32, -0.6, 0.64);
        let (column, row) = (70, 40);
        let direction = |x: usize, y: usize| {
            let (turn, down) = ((x as f32 + 0.5) / width as f32 - 0.5, (y as f32 + 0.5) / height as f32);
            let (turn, down) = (turn * std::f32::consts::TAU, down * std::f32::consts::PI);
            Vector3::new(turn.cos() * down.sin(), down.cos(), turn.sin() * down.sin())
        };
        let is_light = |x: usize, y: usize| x.abs_diff(column) <= 1 && y.abs_diff(row) <= 1;
        let texel = |i: usize| {
            let (x, y) = (i % width, i / width);
            [1.0 + direction(x, y).dot(&axis) + if is_light(x, y) { 200.0 } else { 0.0 }; 3]
        };
        let panorama = Panorama { width, height, texels: (0..width * height).map(texel).collect() };
        let environment = Environment::from_panorama(&panorama);
        let light = direction(column, row);
        let solid_angle = 9.0 * std::f32::consts::TAU / width as f32 * std::f32::consts::PI / height as f32;
        let solid_angle = solid_angle * (1.0 - light.y * light.y).sqrt();
        for n in [Vector3::x(), Vector3::y(), Vector3::new(0.6, 0.0, -0.8), axis, light, -light] {
            let expected =
                1.0 + 2.0 / 3.0 * n.dot(&axis) + 200.0 * solid_angle * n.dot(&light).max(0.0) / std::f32::consts::PI;
            let found = environment.irradiance(n)[1];
            assert!((found - expected).abs() < 0.03, "{found} instead of {expected} for {n}");
        }
    }
}
