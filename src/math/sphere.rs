//! Balls, and what of them a picture can show.

use super::{Aabb, Affine};
use nalgebra::{Matrix4, Vector3, Vector4};

/// A ball that contains all that it is said to contain; none at all to begin with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundingSphere {
    /// Its middle.
    pub center: Vector3<f64>,
    /// Its radius; negative while it contains nothing.
    pub radius: f64,
}

impl BoundingSphere {
    /// The ball that contains nothing.
    pub const EMPTY: Self = Self { center: Vector3::new(0.0, 0.0, 0.0), radius: -1.0 };

    /// The ball around a box.
    pub fn around(bounds: &Aabb) -> Self {
        match bounds.is_empty() {
            true => Self::EMPTY,
            false => Self { center: bounds.center(), radius: 0.5 * bounds.diagonal() },
        }
    }

    /// Whether it contains nothing.
    pub fn is_empty(&self) -> bool {
        self.radius < 0.0
    }

    /// Grows it, as little as can be, to contain `other`.
    pub fn merge(&mut self, other: &Self) {
        let way = other.center - self.center;
        let distance = way.norm();
        if other.is_empty() || distance + other.radius <= self.radius {
            return;
        }
        if self.is_empty() || distance + self.radius <= other.radius {
            *self = *other;
            return;
        }
        // From the far side of one to the far side of the other.
        let radius = 0.5 * (distance + self.radius + other.radius);
        self.center += way * ((radius - self.radius) / distance);
        self.radius = radius;
    }

    /// The ball around this ball after `map`, by the length of the columns of its linear part: the least where it is a
    /// similarity.
    pub fn transformed(&self, map: &Affine) -> Self {
        let columns = [0, 1, 2].map(|i| map.linear.column(i).norm());
        let [a, b, c] = columns;
        let similar = (a - b).abs().max((a - c).abs()) <= 1e-6 * a && {
            let [x, y, z] = [0, 1, 2].map(|i| map.linear.column(i).into_owned());
            x.dot(&y).abs().max(x.dot(&z).abs()).max(y.dot(&z).abs()) <= 1e-6 * a * a
        };
        // No vector grows by more than the Frobenius norm.
        let growth = if similar { a.max(b).max(c) * (1.0 + 1e-5) } else { map.linear.norm() };
        Self { center: map.point(self.center), radius: self.radius * growth }
    }
}

/// The part of the world that a camera sees: six planes.
#[derive(Clone, Debug, PartialEq)]
pub struct Frustum {
    /// Unit normals towards the inside, and how far inside the world's origin is.
    planes: [Vector4<f64>; 6],
}

/// Where something is, seen from a [`Frustum`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Every point of it is inside.
    Inside,
    /// Some may be.
    Across,
    /// None is.
    Outside,
}

impl Frustum {
    /// What GL does not clip of what it projects so: `-w <= x, y, z <= w` (Gribb and Hartmann, "Fast Extraction of Viewing
    /// Frustum Planes", 2001).
    pub fn new(projection_from_world: &Matrix4<f64>) -> Self {
        let row = |i: usize| projection_from_world.row(i).transpose();
        let planes = [0, 1, 2].map(|axis| [row(3) + row(axis), row(3) - row(axis)]);
        let unit = |plane: Vector4<f64>| {
            let length = plane.xyz().norm();
            // A plane without end, as that of an endless view: everything is on one side of it.
            if length > 1e-12 * plane.w.abs() { plane / length } else { Vector4::w() }
        };
        let [[a, b], [c, d], [e, f]] = planes.map(|pair| pair.map(unit));
        Self { planes: [a, b, c, d, e, f] }
    }

    /// Where a ball is. Whatever is no number is across.
    pub fn side_of(&self, ball: &BoundingSphere) -> Side {
        let mut side = Side::Inside;
        for plane in &self.planes {
            let inside = plane.xyz().dot(&ball.center) + plane.w;
            if inside < -ball.radius {
                return Side::Outside;
            }
            // What is no number is never within.
            let within = inside >= ball.radius;
            if !within {
                side = Side::Across;
            }
        }
        side
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Perspective3, Rotation3};

    fn ball(center: [f64; 3], radius: f64) -> BoundingSphere {
        BoundingSphere { center: center.into(), radius }
    }

    #[test]
    fn two_balls_are_in_the_least_ball_around_them() {
        let mut all = BoundingSphere::EMPTY;
        all.merge(&ball([1.0, 0.0, 0.0], 1.0));
        assert_eq!(all, ball([1.0, 0.0, 0.0], 1.0));
        all.merge(&ball([1.2, 0.0, 0.0], 0.5));
        assert_eq!(all, ball([1.0, 0.0, 0.0], 1.0));
        all.merge(&ball([5.0, 0.0, 0.0], 0.0));
        assert_eq!(all, ball([2.5, 0.0, 0.0], 2.5));
        all.merge(&BoundingSphere::EMPTY);
        all.merge(&ball([0.0, 0.0, 0.0], 9.0));
        assert_eq!(all, ball([0.0, 0.0, 0.0], 9.0));
    }

    #[test]
    fn a_ball_is_mapped_to_one_that_holds_every_point() {
        let turn = *Rotation3::from_euler_angles(0.3, 1.0, -2.0).matrix();
        let small = ball([1.0, 2.0, 3.0], 2.0);
        let similar = small.transformed(&Affine { linear: turn * 3.0, translation: Vector3::x() });
        assert!((similar.radius - 6.0).abs() < 1e-3, "{similar:?}");
        let uneven = turn * nalgebra::Matrix3::from_diagonal(&Vector3::new(1.0, 4.0, -0.5)) * turn;
        let map = Affine { linear: uneven, translation: Vector3::y() };
        let mapped = small.transformed(&map);
        for i in 0..100 {
            let direction = Rotation3::from_euler_angles(f64::from(i), 0.7 * f64::from(i), 0.0) * Vector3::z();
            let point = map.point(small.center + direction * small.radius);
            assert!((point - mapped.center).norm() <= mapped.radius);
        }
    }

    #[test]
    fn a_frustum_tells_inside_from_outside() {
        // Looks along -z, 90 degrees high and wide, from 1 to 10.
        let frustum = Frustum::new(&Perspective3::new(1.0, std::f64::consts::FRAC_PI_2, 1.0, 10.0).to_homogeneous());
        for (center, radius, side) in [
            ([0.0, 0.0, -5.0], 1.0, Side::Inside),
            ([0.0, 0.0, 5.0], 1.0, Side::Outside),
            ([0.0, 0.0, -0.5], 0.4, Side::Outside),
            ([0.0, 0.0, -0.5], 0.6, Side::Across),
            ([0.0, 0.0, -11.5], 1.0, Side::Outside),
            ([6.0, 0.0, -5.0], 0.5, Side::Outside),
            ([6.0, 0.0, -5.0], 1.0, Side::Across),
            ([0.0, -6.0, -5.0], 0.5, Side::Outside),
            ([f64::NAN, 0.0, 0.0], 1.0, Side::Across),
            ([0.0, 0.0, -5.0], f64::INFINITY, Side::Across),
        ] {
            assert_eq!(frustum.side_of(&ball(center, radius)), side, "{center:?}, {radius}");
        }
    }
}
