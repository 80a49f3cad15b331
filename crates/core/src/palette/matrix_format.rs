//! Layouts of one matrix in texels.

use super::similarity::scale_and_rotation;
use crate::math::Affine;

/// Layout of one `world_from_mesh` in RGBA32F texels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MatrixFormat {
    /// Three texels: the rows of the upper 3x4 matrix. Holds any affine map.
    #[default]
    Mat3x4,
    /// Two texels: translation and uniform scale, then the rotation quaternion `x, y, z, w`.
    ///
    /// Saves a third of upload and fetch. A negative scale is a reflection through a point, so the format holds every
    /// mirroring similarity.
    QuatTranslationScale,
}

impl MatrixFormat {
    /// Texels per matrix.
    pub fn texels_per_matrix(self) -> usize {
        match self {
            Self::Mat3x4 => 3,
            Self::QuatTranslationScale => 2,
        }
    }

    /// Writes `matrix` into `texels`, a slice of [`texels_per_matrix`](Self::texels_per_matrix).
    ///
    /// A matrix with a component beyond single precision, or with a NaN, is written as zeros, which draw nothing.
    pub fn write(self, matrix: &Affine, texels: &mut [[f32; 4]]) {
        let (l, t) = (&matrix.linear, &matrix.translation);
        let max_magnitude = f64::from(f32::MAX) / 4.0;
        if !l.iter().chain(t.iter()).all(|x| x.abs() <= max_magnitude) {
            texels.fill([0.0; 4]);
            return;
        }
        match self {
            Self::Mat3x4 => {
                for (row, texel) in texels.iter_mut().enumerate() {
                    *texel = [l[(row, 0)] as f32, l[(row, 1)] as f32, l[(row, 2)] as f32, t[row] as f32];
                }
            }
            Self::QuatTranslationScale => {
                let (scale, rotation) = scale_and_rotation(matrix);
                let q = rotation.quaternion().coords;
                texels[0] = [t.x as f32, t.y as f32, t.z as f32, scale as f32];
                texels[1] = [q.x as f32, q.y as f32, q.z as f32, q.w as f32];
            }
        }
    }

    /// Returns the rows of the upper 3x4 matrix stored in `texels`. Mirrors `fetch_matrix` of the shader.
    pub fn read(self, texels: &[[f32; 4]]) -> [[f32; 4]; 3] {
        match self {
            Self::Mat3x4 => [texels[0], texels[1], texels[2]],
            Self::QuatTranslationScale => {
                let ([tx, ty, tz, s], [x, y, z, w]) = (texels[0], texels[1]);
                [
                    [s * (1.0 - 2.0 * (y * y + z * z)), s * (2.0 * (x * y - z * w)), s * (2.0 * (x * z + y * w)), tx],
                    [s * (2.0 * (x * y + z * w)), s * (1.0 - 2.0 * (x * x + z * z)), s * (2.0 * (y * z - x * w)), ty],
                    [s * (2.0 * (x * z - y * w)), s * (2.0 * (y * z + x * w)), s * (1.0 - 2.0 * (x * x + y * y)), tz],
                ]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use nalgebra::{UnitQuaternion, Vector3};

    const FORMATS: [MatrixFormat; 2] = [MatrixFormat::Mat3x4, MatrixFormat::QuatTranslationScale];

    #[test]
    fn written_matrices_read_back() {
        for scale in [1.0, 0.01, 100.0, -1.0, -3.5] {
            for step in 0..20 {
                let angle = 0.37 * f64::from(step);
                let matrix = Transform {
                    translation: Vector3::new(1.0, -2.0, 3.0),
                    rotation: UnitQuaternion::from_euler_angles(angle, 2.0 * angle, -1.7 * angle),
                    scale: Vector3::repeat(scale),
                }
                .to_affine();
                for format in FORMATS {
                    let mut texels = vec![[0.0; 4]; format.texels_per_matrix()];
                    format.write(&matrix, &mut texels);
                    for (i, row) in format.read(&texels).iter().enumerate() {
                        for (j, number) in row[..3].iter().enumerate() {
                            let error = (f64::from(*number) - matrix.linear[(i, j)]).abs();
                            assert!(error < 4e-7 * scale.abs(), "{format:?} at scale {scale}: {error:e}");
                        }
                        assert_eq!(f64::from(row[3]), matrix.translation[i]);
                    }
                }
            }
        }
    }

    #[test]
    fn values_beyond_single_precision_write_zeros() {
        for format in FORMATS {
            for x in [1e300, f64::NAN] {
                let mut texels = vec![[1.0; 4]; format.texels_per_matrix()];
                format.write(&Affine::from_translation(Vector3::x() * x), &mut texels);
                assert!(texels.iter().flatten().all(|&x| x == 0.0));
            }
        }
    }
}
