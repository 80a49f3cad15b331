//! Bounding spheres.

use super::aabb::Aabb;
use super::transform::Affine;
use nalgebra::Vector3;

/// A sphere that contains everything merged into it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundingSphere {
    /// Center.
    pub center: Vector3<f64>,
    /// Radius; negative while empty.
    pub radius: f64,
}

impl BoundingSphere {
    /// The empty sphere.
    pub const EMPTY: Self = Self { center: Vector3::new(0.0, 0.0, 0.0), radius: -1.0 };

    /// The smallest sphere that contains a box.
    pub fn from_aabb(bounds: &Aabb) -> Self {
        match bounds.is_empty() {
            true => Self::EMPTY,
            false => Self { center: bounds.center(), radius: 0.5 * bounds.diagonal() },
        }
    }

    /// Returns `true` if it contains no point.
    pub fn is_empty(&self) -> bool {
        self.radius < 0.0
    }

    /// Replaces the sphere by the smallest one that also contains `other`.
    pub fn merge(&mut self, other: &Self) {
        let offset = other.center - self.center;
        let distance = offset.norm();
        if other.is_empty() || distance + other.radius <= self.radius {
            return;
        }
        if self.is_empty() || distance + self.radius <= other.radius {
            *self = *other;
            return;
        }
        // The diameter spans the far sides of both.
        let radius = 0.5 * (distance + self.radius + other.radius);
        self.center += offset * ((radius - self.radius) / distance);
        self.radius = radius;
    }

    /// Returns a sphere around the image under `map`: the smallest one if `map` is a similarity.
    pub fn transformed(&self, map: &Affine) -> Self {
        let columns = [0, 1, 2].map(|i| map.linear.column(i).norm());
        let [a, b, c] = columns;
        let is_similarity = (a - b).abs().max((a - c).abs()) <= 1e-6 * a && {
            let [x, y, z] = [0, 1, 2].map(|i| map.linear.column(i).into_owned());
            x.dot(&y).abs().max(x.dot(&z).abs()).max(y.dot(&z).abs()) <= 1e-6 * a * a
        };
        // The Frobenius norm bounds the growth of any vector.
        let growth = if is_similarity { a.max(b).max(c) * (1.0 + 1e-5) } else { map.linear.norm() };
        Self { center: map.transform_point(self.center), radius: self.radius * growth }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix3, Rotation3};

    fn sphere(center: [f64; 3], radius: f64) -> BoundingSphere {
        BoundingSphere { center: center.into(), radius }
    }

    #[test]
    fn merge_returns_smallest_enclosing_sphere() {
        let mut all = BoundingSphere::EMPTY;
        all.merge(&sphere([1.0, 0.0, 0.0], 1.0));
        assert_eq!(all, sphere([1.0, 0.0, 0.0], 1.0));
        all.merge(&sphere([1.2, 0.0, 0.0], 0.5));
        assert_eq!(all, sphere([1.0, 0.0, 0.0], 1.0));
        all.merge(&sphere([5.0, 0.0, 0.0], 0.0));
        assert_eq!(all, sphere([2.5, 0.0, 0.0], 2.5));
        all.merge(&BoundingSphere::EMPTY);
        all.merge(&sphere([0.0, 0.0, 0.0], 9.0));
        assert_eq!(all, sphere([0.0, 0.0, 0.0], 9.0));
    }

    #[test]
    fn transformed_sphere_contains_transformed_points() {
        let rotation = *Rotation3::from_euler_angles(0.3, 1.0, -2.0).matrix();
        let small = sphere([1.0, 2.0, 3.0], 2.0);
        let similar = small.transformed(&Affine { linear: rotation * 3.0, translation: Vector3::x() });
        assert!((similar.radius - 6.0).abs() < 1e-3, "{similar:?}");
        let linear = rotation * Matrix3::from_diagonal(&Vector3::new(1.0, 4.0, -0.5)) * rotation;
        let map = Affine { linear, translation: Vector3::y() };
        let mapped = small.transformed(&map);
        for i in 0..100 {
            let direction = Rotation3::from_euler_angles(f64::from(i), 0.7 * f64::from(i), 0.0) * Vector3::z();
            let point = map.transform_point(small.center + direction * small.radius);
            assert!((point - mapped.center).norm() <= mapped.radius);
        }
    }
}
