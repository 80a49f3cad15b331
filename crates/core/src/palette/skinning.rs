//! Methods to blend the matrices of a vertex.

use nalgebra::{Matrix3, Vector3, Vector4};

/// Method to blend the matrices of a vertex. glTF 2.0 defines the linear one; the others are views.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Skinning {
    /// Weighted sum of the matrices.
    #[default]
    Linear,
    /// The matrix of the largest weight.
    Rigid,
    /// Weighted sum of dual quaternions, which keeps volume in twists and bulges in bends (Kavan et al., 2007). Not glTF.
    ///
    /// A scale is uniform: the cube root of the determinant. Shear is lost.
    DualQuaternion,
}

/// A blended dual quaternion shorter than this has no direction, such as that of two opposite rotations.
const MIN_LENGTH: f32 = 1e-6;

/// Returns the rows of the matrix that weighted dual quaternions blend to; `None` if a matrix is singular, or they cancel out.
///
/// Equivalent to `blend_dual_quaternions` of the vertex shader.
pub(super) fn blend_dual_quaternions(
    matrices: impl IntoIterator<Item = (f32, [[f32; 4]; 3])>,
) -> Option<[[f32; 4]; 3]> {
    let (mut real, mut dual, mut scale) = (Vector4::zeros(), Vector4::zeros(), 0.0);
    let mut first: Option<Vector4<f32>> = None;
    for (weight, rows) in matrices {
        let linear = Matrix3::from_fn(|row, column| rows[row][column]);
        let determinant = linear.determinant();
        let matrix_scale = determinant.signum() * determinant.abs().cbrt();
        if determinant == 0.0 || !matrix_scale.is_finite() {
            return None;
        }
        let rotation = quaternion_of(&(linear / matrix_scale));
        // A rotation has two quaternions of opposite sign.
        let sign = if rotation.dot(first.get_or_insert(rotation)) < 0.0 { -1.0 } else { 1.0 };
        let rotation = rotation * sign;
        let [x, y, z] = rows.map(|row| row[3]);
        real += weight * rotation;
        dual += 0.5 * weight * product(Vector4::new(x, y, z, 0.0), rotation);
        scale += weight * matrix_scale;
    }
    let length = real.norm();
    if length.is_nan() || length < MIN_LENGTH {
        return None;
    }
    let (real, dual) = (real / length, dual / length);
    let conjugate = Vector4::new(-real.x, -real.y, -real.z, real.w);
    let translation = 2.0 * product(dual, conjugate);
    let (x, y, z, w) = (real.x, real.y, real.z, real.w);
    let s = scale;
    Some([
        [s * (1.0 - 2.0 * (y * y + z * z)), s * 2.0 * (x * y - z * w), s * 2.0 * (x * z + y * w), translation.x],
        [s * 2.0 * (x * y + z * w), s * (1.0 - 2.0 * (x * x + z * z)), s * 2.0 * (y * z - x * w), translation.y],
        [s * 2.0 * (x * z - y * w), s * 2.0 * (y * z + x * w), s * (1.0 - 2.0 * (x * x + y * y)), translation.z],
    ])
}

/// Quaternion of a rotation matrix, as x, y, z, w. Divides by its largest component (Shepperd, 1978).
fn quaternion_of(m: &Matrix3<f32>) -> Vector4<f32> {
    let (a, b, c) = (m[(0, 0)], m[(1, 1)], m[(2, 2)]);
    let squares = [1.0 + a - b - c, 1.0 - a + b - c, 1.0 - a - b + c, 1.0 + a + b + c];
    let (yx, zx, zy) = (m[(1, 0)] + m[(0, 1)], m[(2, 0)] + m[(0, 2)], m[(2, 1)] + m[(1, 2)]);
    let (x, y, z) = (m[(2, 1)] - m[(1, 2)], m[(0, 2)] - m[(2, 0)], m[(1, 0)] - m[(0, 1)]);
    let largest = squares.into_iter().fold(f32::MIN, f32::max);
    let quaternion = if squares[3] == largest {
        Vector4::new(x, y, z, squares[3])
    } else if squares[0] == largest {
        Vector4::new(squares[0], yx, zx, x)
    } else if squares[1] == largest {
        Vector4::new(yx, squares[1], zy, y)
    } else {
        Vector4::new(zx, zy, squares[2], z)
    };
    quaternion.normalize()
}

/// Hamilton product of quaternions as x, y, z, w.
fn product(a: Vector4<f32>, b: Vector4<f32>) -> Vector4<f32> {
    let (u, v): (Vector3<f32>, Vector3<f32>) = (a.xyz(), b.xyz());
    (a.w * v + b.w * u + u.cross(&v)).push(a.w * b.w - u.dot(&v))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DualQuaternion, Isometry3, Point3, Translation3, UnitDualQuaternion, UnitQuaternion};

    fn rows(isometry: &Isometry3<f32>, scale: f32) -> [[f32; 4]; 3] {
        let (linear, t) =
            (isometry.rotation.to_rotation_matrix() * Matrix3::identity() * scale, isometry.translation.vector);
        [0, 1, 2].map(|row| [linear[(row, 0)], linear[(row, 1)], linear[(row, 2)], t[row]])
    }

    fn isometry(seed: f32) -> Isometry3<f32> {
        let rotation = UnitQuaternion::from_euler_angles(1.9 * seed, 0.7 - seed, 0.4 * seed);
        Isometry3::from_parts(Translation3::new(seed, 2.0 - seed, 0.5 * seed), rotation)
    }

    #[test]
    fn blend_is_that_of_kavan_et_al() {
        // The formula: the sum of weight times dual quaternion, divided by its length.
        for k in 0..40 {
            let seed = 0.13 * k as f32;
            let parts = [(0.5, isometry(seed)), (0.3, isometry(seed + 0.4)), (0.2, isometry(-seed))];
            let mut sum = DualQuaternion::<f32>::from_real_and_dual(Default::default(), Default::default());
            let mut first: Option<DualQuaternion<f32>> = None;
            for (weight, part) in &parts {
                let unit = UnitDualQuaternion::from_isometry(part).into_inner();
                let sign = if unit.real.dot(&first.get_or_insert(unit).real) < 0.0 { -1.0 } else { 1.0 };
                sum += unit * (weight * sign);
            }
            let expected = UnitDualQuaternion::new_normalize(sum);
            let blended = blend_dual_quaternions(parts.map(|(weight, part)| (weight, rows(&part, 1.0)))).unwrap();
            for point in [Vector3::x(), Vector3::y(), Vector3::new(0.3, -2.0, 1.0)] {
                let expected = expected.transform_point(&Point3::from(point)).coords;
                let found = Vector3::from(blended.map(|row| Vector4::from(row).dot(&point.push(1.0))));
                assert!((found - expected).norm() < 1e-5, "{k}: {found} {expected}");
            }
        }
    }

    #[test]
    fn twist_keeps_the_volume_and_scales_are_blended() {
        let twist = |degrees: f32| {
            let rotation = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), degrees.to_radians());
            Isometry3::from_parts(Translation3::identity(), rotation)
        };
        let determinant = |rows: [[f32; 4]; 3]| Matrix3::from_fn(|row, column| rows[row][column]).determinant();
        let blended = blend_dual_quaternions([(0.5, rows(&twist(80.0), 1.0)), (0.5, rows(&twist(-80.0), 1.0))]);
        assert!((determinant(blended.unwrap()) - 1.0).abs() < 1e-5);
        let scaled = blend_dual_quaternions([(0.5, rows(&twist(0.0), -1.0)), (0.5, rows(&twist(30.0), -3.0))]);
        assert!((determinant(scaled.unwrap()) + 8.0).abs() < 1e-4);
        for degrees in [90.0, 180.0, 179.9] {
            let one = rows(&twist(degrees), 1.0);
            let same = blend_dual_quaternions([(1.0, one)]).unwrap();
            assert!(same.as_flattened().iter().zip(one.as_flattened()).all(|(a, b)| (a - b).abs() < 1e-5), "{degrees}");
        }
        assert_eq!(blend_dual_quaternions([(1.0, [[0.0; 4]; 3])]), None);
    }
}
