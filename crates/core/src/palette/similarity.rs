//! Similarities: the nearest one to an affine transform, and the distance to it.

use crate::math::Affine;
use nalgebra::{Rotation3, UnitQuaternion, Vector3};

/// Returns the signed uniform scale and the rotation of the similarity nearest to `matrix`.
///
/// The rotation is the identity where the matrix is zero or not finite.
pub fn scale_and_rotation(matrix: &Affine) -> (f64, UnitQuaternion<f64>) {
    let l = &matrix.linear;
    let size = (l.norm_squared() / 3.0).sqrt();
    if size == 0.0 || !size.is_finite() {
        return (0.0, UnitQuaternion::identity());
    }
    let scale = if l.determinant() < 0.0 { -size } else { size };
    (scale, UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(l / scale)))
}

/// Returns the largest difference between the linear part and that of the nearest similarity, relative to the scale.
pub fn distance_to_similarity(matrix: &Affine) -> f64 {
    let (scale, rotation) = scale_and_rotation(matrix);
    if scale == 0.0 {
        return if matrix.linear.amax() == 0.0 { 0.0 } else { f64::INFINITY };
    }
    (matrix.linear / scale - rotation.to_rotation_matrix().matrix()).amax()
}

/// Returns the largest relative difference between the sizes of three scales.
pub fn non_uniformity(scale: Vector3<f64>) -> f64 {
    let size = scale.abs();
    if size.max() > 0.0 { (size.max() - size.min()) / size.max() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;

    #[test]
    fn mirrored_uniform_scales_are_similarities_and_others_are_not() {
        let rotated = |scale: [f64; 3]| {
            let rotation = UnitQuaternion::from_euler_angles(0.4, 1.1, -0.3);
            Transform { translation: Vector3::zeros(), rotation, scale: scale.into() }.to_affine()
        };
        for scale in [[1.0, 1.0, 1.0], [-2.0, 2.0, 2.0], [1.0, -1.0, -1.0], [-1.0, -1.0, -1.0], [0.0, 0.0, 0.0]] {
            assert!(distance_to_similarity(&rotated(scale)) < 1e-14, "{scale:?}");
        }
        for scale in [[1.0, 1.0, 1.001], [1.0, 0.0, 0.0]] {
            assert!(distance_to_similarity(&rotated(scale)) > 1e-4, "{scale:?}");
        }
    }
}
