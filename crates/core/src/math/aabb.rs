//! Axis-aligned bounding boxes.

use super::transform::Affine;
use nalgebra::Vector3;

/// An axis-aligned bounding box, possibly empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest corner; +infinity while empty.
    pub min: Vector3<f64>,
    /// Largest corner; -infinity while empty.
    pub max: Vector3<f64>,
}

impl Aabb {
    /// The empty box.
    pub const EMPTY: Self = Self {
        min: Vector3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        max: Vector3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    /// Returns the box of points in single precision. Ignores points that are not finite.
    pub fn from_positions(positions: &[[f32; 3]]) -> Self {
        let mut bounds = Self::EMPTY;
        positions.iter().for_each(|position| bounds.add(Vector3::from(*position).cast()));
        bounds
    }

    /// Extends the box to contain `point`. Ignores points that are not finite.
    pub fn add(&mut self, point: Vector3<f64>) {
        if point.iter().all(|x| x.is_finite()) {
            self.min = self.min.inf(&point);
            self.max = self.max.sup(&point);
        }
    }

    /// Extends the box to contain `other`.
    pub fn merge(&mut self, other: &Self) {
        self.min = self.min.inf(&other.min);
        self.max = self.max.sup(&other.max);
    }

    /// Returns `true` if it contains no point.
    pub fn is_empty(&self) -> bool {
        self.min.x > self.max.x
    }

    /// The center; the origin for an empty box.
    pub fn center(&self) -> Vector3<f64> {
        if self.is_empty() { Vector3::zeros() } else { self.min + (self.max - self.min) * 0.5 }
    }

    /// Edge lengths; zero for an empty box.
    pub fn extent(&self) -> Vector3<f64> {
        if self.is_empty() { Vector3::zeros() } else { self.max - self.min }
    }

    /// Length of the diagonal; zero for an empty box.
    pub fn diagonal(&self) -> f64 {
        self.extent().norm()
    }

    /// The eight corners; none for an empty box.
    pub fn corners(&self) -> impl Iterator<Item = Vector3<f64>> + use<> {
        let (min, max, count) = (self.min, self.max, if self.is_empty() { 0 } else { 8 });
        (0..count).map(move |i| {
            Vector3::new(
                if i & 1 == 0 { min.x } else { max.x },
                if i & 2 == 0 { min.y } else { max.y },
                if i & 4 == 0 { min.z } else { max.z },
            )
        })
    }

    /// Returns the place of `point` along a curve through the box (Morton 1966), below 2^30. Points with similar codes are near
    /// each other.
    pub fn morton_code(&self, point: Vector3<f64>) -> u32 {
        let side = self.extent().max();
        let cell = (point - self.min).map(|x| (x / side * 1023.0) as u32);
        (0..10).fold(0, |code, bit| (0..3).fold(code, |code, axis| code | (cell[axis] >> bit & 1) << (3 * bit + axis)))
    }

    /// Returns the bounds of the box transformed by `map`.
    pub fn transformed(&self, map: &Affine) -> Self {
        let mut out = Self::EMPTY;
        for corner in self.corners() {
            out.add(map.transform_point(corner));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_box_has_no_size_and_ignores_nan() {
        let mut bounds = Aabb::EMPTY;
        assert_eq!((bounds.is_empty(), bounds.diagonal(), bounds.corners().count()), (true, 0.0, 0));
        bounds.add(Vector3::new(f64::NAN, 0.0, 0.0));
        assert!(bounds.is_empty());
        bounds.add(Vector3::new(1.0, 2.0, 3.0));
        assert_eq!((bounds.min, bounds.max), (Vector3::new(1.0, 2.0, 3.0), Vector3::new(1.0, 2.0, 3.0)));
        bounds.add(Vector3::new(-1.0, 2.0, 5.0));
        assert_eq!(bounds.center(), Vector3::new(0.0, 2.0, 4.0));
    }
}
