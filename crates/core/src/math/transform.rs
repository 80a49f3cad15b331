//! Affine maps in double precision.

use nalgebra::{Matrix3, Matrix4, Rotation3, UnitQuaternion, Vector3};
use std::ops::Mul;

/// Translation, rotation and scale, applied in the order scale, rotation, translation (glTF 2.0, section 3.5.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Position of the source's origin in target space.
    pub translation: Vector3<f64>,
    /// Rotation, a unit quaternion.
    pub rotation: UnitQuaternion<f64>,
    /// Scale along the source's own axes; may be negative or zero.
    pub scale: Vector3<f64>,
}

impl Transform {
    /// The identity.
    pub fn identity() -> Self {
        Self { translation: Vector3::zeros(), rotation: UnitQuaternion::identity(), scale: Vector3::repeat(1.0) }
    }

    /// Converts to an affine map.
    pub fn to_affine(&self) -> Affine {
        let mut linear = *self.rotation.to_rotation_matrix().matrix();
        for (axis, scale) in self.scale.iter().enumerate() {
            linear.column_mut(axis).scale_mut(*scale);
        }
        Affine { linear, translation: self.translation }
    }
}

/// An affine map `p -> linear * p + translation`: the upper three rows of a 4x4 matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    /// The 3x3 part.
    pub linear: Matrix3<f64>,
    /// The fourth column.
    pub translation: Vector3<f64>,
}

impl Affine {
    /// The identity.
    pub const IDENTITY: Self = Self {
        linear: Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        translation: Vector3::new(0.0, 0.0, 0.0),
    };

    /// A pure translation.
    pub fn from_translation(translation: Vector3<f64>) -> Self {
        Self { linear: Matrix3::identity(), translation }
    }

    /// Reads the upper three rows of a column-major 4x4 matrix. Ignores the last row.
    pub fn from_column_major(m: &[f32; 16]) -> Self {
        let at = |row: usize, column: usize| f64::from(m[column * 4 + row]);
        Self { linear: Matrix3::from_fn(at), translation: Vector3::new(at(0, 3), at(1, 3), at(2, 3)) }
    }

    /// Transforms a point.
    pub fn transform_point(&self, p: Vector3<f64>) -> Vector3<f64> {
        self.linear * p + self.translation
    }

    /// Transforms a direction: no translation.
    pub fn transform_vector(&self, v: Vector3<f64>) -> Vector3<f64> {
        self.linear * v
    }

    /// The inverse; `None` if the linear part is singular or not finite.
    pub fn inverse(&self) -> Option<Self> {
        let linear = self.linear.try_inverse()?;
        let inverse = Self { linear, translation: -(linear * self.translation) };
        inverse.is_finite().then_some(inverse)
    }

    /// Determinant of the linear part; negative if the map mirrors.
    pub fn determinant(&self) -> f64 {
        self.linear.determinant()
    }

    /// Returns `true` if all components are finite.
    pub fn is_finite(&self) -> bool {
        self.linear.iter().chain(self.translation.iter()).all(|x| x.is_finite())
    }

    /// Converts to a 4x4 matrix.
    pub fn to_matrix4(&self) -> Matrix4<f64> {
        let mut m = self.linear.to_homogeneous();
        m.fixed_view_mut::<3, 1>(0, 3).copy_from(&self.translation);
        m
    }

    /// Decomposes the map into translation, rotation and scale. Shear is lost.
    ///
    /// A mirroring map gets a negative X scale, as in three.js and Blender's importer. An axis of length zero gets scale
    /// zero; the rotation then fits the remaining axes.
    pub fn to_transform(&self) -> Transform {
        let columns = [0, 1, 2].map(|i| self.linear.column(i).into_owned());
        let mut scale = Vector3::new(columns[0].norm(), columns[1].norm(), columns[2].norm());
        if self.determinant() < 0.0 {
            scale.x = -scale.x;
        }
        let axes = orthonormal_axes(columns, scale);
        Transform {
            translation: self.translation,
            rotation: UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes)),
            scale,
        }
    }
}

/// Returns a right-handed orthonormal basis along `columns / scale`. Axes of zero scale are free.
fn orthonormal_axes(columns: [Vector3<f64>; 3], scale: Vector3<f64>) -> Matrix3<f64> {
    let mut axes = [0, 1, 2].map(|i| if scale[i] == 0.0 { Vector3::zeros() } else { columns[i] / scale[i] });
    for i in 0..3 {
        let (a, b) = (axes[(i + 1) % 3], axes[(i + 2) % 3]);
        if axes[i] == Vector3::zeros() {
            axes[i] = match (a == Vector3::zeros(), b == Vector3::zeros()) {
                (false, false) => a.cross(&b),
                (false, true) => any_perpendicular(a),
                (true, false) => any_perpendicular(b),
                (true, true) => Vector3::ith(i, 1.0),
            };
        }
    }
    let x = axes[0].try_normalize(0.0).unwrap_or_else(Vector3::x);
    let y = (axes[1] - x * x.dot(&axes[1])).try_normalize(1e-12).unwrap_or_else(|| any_perpendicular(x));
    Matrix3::from_columns(&[x, y, x.cross(&y)])
}

/// Returns a unit vector perpendicular to `v`.
pub(crate) fn any_perpendicular(v: Vector3<f64>) -> Vector3<f64> {
    v.cross(&Vector3::ith(v.iamin(), 1.0)).try_normalize(0.0).unwrap_or_else(Vector3::x)
}

impl Mul for Affine {
    type Output = Self;

    /// `target_from_middle * middle_from_source`.
    fn mul(self, source: Self) -> Self {
        Self { linear: self.linear * source.linear, translation: self.linear * source.translation + self.translation }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: &Affine, b: &Affine) {
        assert!((a.linear - b.linear).amax() < 1e-14 && (a.translation - b.translation).amax() < 1e-14, "{a:?}\n{b:?}");
    }

    #[test]
    fn transform_applies_scale_then_rotation_then_translation() {
        let rotation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2);
        let t = Transform { translation: Vector3::new(10.0, 0.0, 0.0), rotation, scale: Vector3::new(2.0, 3.0, 4.0) };
        let p = t.to_affine().transform_point(Vector3::new(1.0, 1.0, 1.0));
        assert!((p - Vector3::new(14.0, 3.0, -2.0)).amax() < 1e-15, "{p}");
    }

    #[test]
    fn decomposed_transform_recomposes() {
        for (i, scale) in [[1.0, 1.0, 1.0], [2.0, 0.5, 3.0], [-1.0, -1.0, -1.0], [1.0, -2.0, 1.0], [0.01, 0.01, 0.01]]
            .into_iter()
            .enumerate()
        {
            for k in 0..8 {
                let angle = 0.7 * (k + i) as f64;
                let t = Transform {
                    translation: Vector3::new(1.0, -2.0, 3.0),
                    rotation: UnitQuaternion::from_euler_angles(angle, -1.3 * angle, 2.1 * angle),
                    scale: Vector3::from(scale),
                };
                close(&t.to_affine().to_transform().to_affine(), &t.to_affine());
            }
        }
    }

    #[test]
    fn zero_scale_decomposes_to_unit_rotation() {
        for scale in [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]] {
            let rotation = UnitQuaternion::from_euler_angles(0.3, 0.9, -1.1);
            let t = Transform { translation: Vector3::zeros(), rotation, scale: Vector3::from(scale) };
            let decomposed = t.to_affine().to_transform();
            assert!((decomposed.rotation.norm() - 1.0).abs() < 1e-12);
            close(&decomposed.to_affine(), &t.to_affine());
        }
    }

    #[test]
    fn inverse_composes_to_identity_and_singular_map_has_none() {
        let a = Affine { linear: Matrix3::new(1.0, 2.0, 0.0, 0.0, 1.0, 3.0, 4.0, 0.0, 1.0), translation: Vector3::z() };
        close(&(a * a.inverse().unwrap()), &Affine::IDENTITY);
        assert_eq!(Affine { linear: Matrix3::zeros(), ..a }.inverse(), None);
    }
}
