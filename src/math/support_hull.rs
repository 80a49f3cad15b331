//! The outline of a cloud of points.

use super::{Aabb, Affine};
use nalgebra::Vector3;
use std::sync::LazyLock;

/// How many directions an outline is known in. Neighboring ones are 20 degrees apart; between them a sphere's outline is
/// too small by 4 % at most, a box's not at all.
const DIRECTION_COUNT: usize = 96;

/// Directions spread evenly over the sphere, by coordinate.
struct Directions {
    x: [f32; DIRECTION_COUNT],
    y: [f32; DIRECTION_COUNT],
    z: [f32; DIRECTION_COUNT],
}

/// Points on a spiral from pole to pole, the golden angle apart (Swinbank and Purser 2006).
static DIRECTIONS: LazyLock<Directions> = LazyLock::new(|| {
    let golden_angle = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let mut directions = Directions { x: [0.0; _], y: [0.0; _], z: [0.0; _] };
    for i in 0..DIRECTION_COUNT {
        let y = 1.0 - (2 * i + 1) as f64 / DIRECTION_COUNT as f64;
        let radius = (1.0 - y * y).sqrt();
        let (sin, cos) = libm::sincos(i as f64 * golden_angle);
        directions.x[i] = (radius * cos) as f32;
        directions.y[i] = y as f32;
        directions.z[i] = (radius * sin) as f32;
    }
    directions
});

/// The farthest of the points added to it in each of many directions, and the box around all of them.
///
/// It stands in for the convex hull where a view is fitted around a model: far tighter than the corners of the box.
#[derive(Clone, Debug, PartialEq)]
pub struct SupportHull {
    bounds: Aabb,
    /// For each direction, how far its farthest point reaches.
    reach: [f32; DIRECTION_COUNT],
    /// For each direction, its farthest point.
    farthest: [Vector3<f32>; DIRECTION_COUNT],
}

impl Default for SupportHull {
    fn default() -> Self {
        Self {
            bounds: Aabb::EMPTY,
            reach: [f32::NEG_INFINITY; DIRECTION_COUNT],
            farthest: [Vector3::zeros(); DIRECTION_COUNT],
        }
    }
}

impl SupportHull {
    /// The outline of a box: its corners.
    pub fn of_bounds(bounds: &Aabb) -> Self {
        let mut hull = Self::default();
        for corner in bounds.corners() {
            hull.add(corner.cast());
        }
        hull
    }

    /// Takes a point in; one that is not finite is left out.
    pub fn add(&mut self, point: Vector3<f32>) {
        if !point.iter().all(|x| x.is_finite()) {
            return;
        }
        self.bounds.add(point.cast());
        let d = &*DIRECTIONS;
        let mut reach = [0.0; DIRECTION_COUNT];
        for (i, reach) in reach.iter_mut().enumerate() {
            *reach = d.x[i] * point.x + d.y[i] * point.y + d.z[i] * point.z;
        }
        // Most points lie inside: one pass without a branch finds that out.
        let farther = reach.iter().zip(&self.reach).fold(false, |farther, (new, old)| farther | (new > old));
        if farther {
            for (i, &reach) in reach.iter().enumerate() {
                if reach > self.reach[i] {
                    self.reach[i] = reach;
                    self.farthest[i] = point;
                }
            }
        }
    }

    /// Takes all points of `other` in.
    pub fn merge(&mut self, other: &Self) {
        self.bounds.merge(&other.bounds);
        for (i, &reach) in other.reach.iter().enumerate() {
            if reach > self.reach[i] {
                self.reach[i] = reach;
                self.farthest[i] = other.farthest[i];
            }
        }
    }

    /// Takes a box into the box around all points, but not into the outline.
    pub fn widen(&mut self, bounds: &Aabb) {
        self.bounds.merge(bounds);
    }

    /// The directions in which an outline is known, of length 1.
    pub fn directions() -> impl Iterator<Item = Vector3<f64>> {
        let d = &*DIRECTIONS;
        (0..DIRECTION_COUNT).map(|i| Vector3::new(d.x[i], d.y[i], d.z[i]).cast())
    }

    /// The box around all points.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// The outline's points; none for an empty hull.
    pub fn points(&self) -> impl Iterator<Item = Vector3<f64>> + '_ {
        let points = if self.bounds.is_empty() { &[][..] } else { &self.farthest[..] };
        points.iter().map(|point| point.cast())
    }

    /// The outline after `map`.
    pub fn transformed(&self, map: &Affine) -> Self {
        let mut hull = Self::default();
        for point in self.points() {
            hull.add(map.point(point).cast());
        }
        hull
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_keeps_its_corners() {
        let bounds = Aabb { min: Vector3::new(-1.0, -2.0, -3.0), max: Vector3::new(1.0, 2.0, 30.0) };
        let hull = SupportHull::of_bounds(&bounds);
        assert_eq!(*hull.bounds(), bounds);
        for corner in bounds.corners() {
            assert!(hull.points().any(|point| point == corner), "{corner}");
        }
    }

    #[test]
    fn a_sphere_is_too_small_by_four_percent_at_most() {
        let mut hull = SupportHull::default();
        let on_sphere = |i: usize| {
            let (a, b) = (i as f64 * 0.618_033_988_75, (i as f64 + 0.5) / 20_000.0);
            let (y, angle) = (1.0 - 2.0 * b, a.fract() * std::f64::consts::TAU);
            let radius = (1.0 - y * y).sqrt();
            Vector3::new(radius * angle.cos(), y, radius * angle.sin())
        };
        (0..20_000).for_each(|i| hull.add(on_sphere(i).cast()));
        for i in 0..500 {
            let direction = on_sphere(i * 40);
            let reach = hull.points().map(|point| point.dot(&direction)).fold(0.0, f64::max);
            assert!(reach > 0.96, "{reach} towards {direction}");
        }
    }

    #[test]
    fn an_empty_hull_has_no_points() {
        assert_eq!(SupportHull::default().points().count(), 0);
        assert_eq!(SupportHull::of_bounds(&Aabb::EMPTY), SupportHull::default());
    }
}
