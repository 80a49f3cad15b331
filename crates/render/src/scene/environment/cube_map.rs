//! Cube map of unfiltered radiance.

use nalgebra::Vector3;
use rayon::prelude::*;

/// Light from all directions, as a cube map in the conventions of OpenGL (OpenGL 3.3, section 3.8.10).
#[derive(Clone, Debug, PartialEq)]
pub struct CubeMap {
    side: usize,
    texels: Vec<u32>,
}

impl CubeMap {
    /// Maximum width of a face in texels, which every GL 3.3 driver supports.
    pub const MAX_SIDE: usize = 1024;

    /// Samples a function of the unit direction, on faces of `side` texels: a power of two, at most
    /// [`MAX_SIDE`](Self::MAX_SIDE).
    pub(super) fn from_function(side: usize, radiance: impl Fn(Vector3<f32>) -> [f32; 3] + Sync) -> Self {
        let mut faces: Vec<_> = (0..6 * side * side).into_par_iter().map(|i| radiance(direction(side, i))).collect();
        let mut texels = Vec::with_capacity(texel_count(side));
        let mut width = side;
        loop {
            texels.extend(faces.par_iter().map(|texel| shared_exponent(*texel)).collect::<Vec<_>>());
            if width == 1 {
                return Self { side, texels };
            }
            // No block straddles two faces, whose widths are even.
            faces = halved(width, &faces);
            width /= 2;
        }
    }

    /// Creates a cube map from the results of [`side`](Self::side) and [`texels`](Self::texels); `None` if they do not match.
    pub fn new(side: usize, texels: Vec<u32>) -> Option<Self> {
        let fits = side.is_power_of_two() && side <= Self::MAX_SIDE && texels.len() == texel_count(side);
        fits.then_some(Self { side, texels })
    }

    /// Returns the width of a face in texels.
    pub fn side(&self) -> usize {
        self.side
    }

    /// Returns the linear radiance of all texels, mip level by mip level. Each has the faces +X, -X, +Y, -Y, +Z and -Z, row by
    /// row. The format is `GL_UNSIGNED_INT_5_9_9_9_REV`.
    pub fn texels(&self) -> &[u32] {
        &self.texels
    }
}

/// Returns the number of texels of all faces and mip levels.
fn texel_count(side: usize) -> usize {
    (0..=side.ilog2()).map(|level| 6 * (side >> level) * (side >> level)).sum()
}

/// Returns the unit direction of a texel of the first mip level (OpenGL 3.3, table 3.19).
fn direction(side: usize, index: usize) -> Vector3<f32> {
    let [s, t] = [index % side, index / side % side].map(|i| (2 * i + 1) as f32 / side as f32 - 1.0);
    let direction = match index / (side * side) {
        0 => Vector3::new(1.0, -t, -s),
        1 => Vector3::new(-1.0, -t, s),
        2 => Vector3::new(s, 1.0, t),
        3 => Vector3::new(s, -1.0, -t),
        4 => Vector3::new(s, -t, 1.0),
        _ => Vector3::new(-s, -t, -1.0),
    };
    direction.normalize()
}

/// Returns the means of blocks of two by two texels of an image.
pub(super) fn halved(width: usize, texels: &[[f32; 3]]) -> Vec<[f32; 3]> {
    let (half_width, half_height) = (width / 2, texels.len() / width / 2);
    let mut out = vec![[0.0; 3]; half_width * half_height];
    out.par_chunks_mut(half_width).enumerate().for_each(|(y, row)| {
        for (x, out) in row.iter_mut().enumerate() {
            let at = |x: usize, y: usize| texels[y * width + x];
            let block = [at(2 * x, 2 * y), at(2 * x + 1, 2 * y), at(2 * x, 2 * y + 1), at(2 * x + 1, 2 * y + 1)];
            *out = [0, 1, 2].map(|i| block.iter().map(|texel| texel[i]).sum::<f32>() / 4.0);
        }
    });
    out
}

/// Packs a color that is not negative into nine bits per channel and five bits of common exponent (OpenGL 3.3, section 3.8.2).
fn shared_exponent(color: [f32; 3]) -> u32 {
    const MANTISSA_BITS: i32 = 9;
    const BIAS: i32 = 15;
    const MAX: f32 = 65_408.0;
    let color = color.map(|x| x.clamp(0.0, MAX));
    let brightest = color[0].max(color[1]).max(color[2]);
    // The binary exponent, plus one.
    let exponent_of = |x: f32| libm::frexpf(x).1.max(-BIAS);
    let mantissa = |x: f32, exponent: i32| libm::ldexpf(x, MANTISSA_BITS - exponent).round() as u32;
    let mut exponent = exponent_of(brightest);
    if mantissa(brightest, exponent) == 1 << MANTISSA_BITS {
        exponent += 1;
    }
    let [r, g, b] = color.map(|x| mantissa(x, exponent));
    ((exponent + BIAS) as u32) << 27 | b << 18 | g << 9 | r
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacked(packed: u32) -> [f32; 3] {
        let scale = libm::exp2f((packed >> 27) as f32 - 24.0);
        [0, 9, 18].map(|shift| (packed >> shift & 0x1ff) as f32 * scale)
    }

    #[test]
    fn packed_colors_are_exact_to_nine_bits() {
        for color in [[0.0; 3], [1.0; 3], [0.5, 0.25, 0.125], [65_408.0; 3], [1e-9, 0.0, 0.0], [3.999, 0.1, 1e-3]] {
            let found = unpacked(shared_exponent(color));
            let brightest = color[0].max(color[1]).max(color[2]);
            for (found, expected) in found.into_iter().zip(color) {
                assert!((found - expected).abs() <= (brightest / 512.0).max(6e-8), "{found} instead of {expected}");
            }
        }
        assert_eq!(unpacked(shared_exponent([f32::INFINITY; 3])), [65_408.0; 3]);
    }

    #[test]
    fn mip_levels_hold_means_of_the_faces() {
        let cube = CubeMap::from_function(8, |d| if d.amax() == d.x { [1.0, 0.0, 2.0] } else { [0.25; 3] });
        assert_eq!(cube.texels().len(), 6 * (64 + 16 + 4 + 1));
        let last: Vec<_> = cube.texels()[6 * 84..].iter().map(|texel| unpacked(*texel)).collect();
        assert_eq!(last[0], [1.0, 0.0, 2.0]);
        assert_eq!(last[1..], [[0.25; 3]; 5]);
        assert_eq!(CubeMap::new(8, cube.texels().to_vec()), Some(cube));
        assert_eq!(CubeMap::new(8, vec![0; 5]), None);
        assert_eq!(CubeMap::new(0, Vec::new()), None);
    }
}
