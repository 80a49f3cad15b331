//! Support points of a point cloud in fixed directions.

use super::aabb::Aabb;
use super::transform::Affine;
use nalgebra::Vector3;
use std::sync::LazyLock;

/// Number of directions. Neighbors are 20 degrees apart, which underestimates a sphere by at most 4 %, and a box not at
/// all.
const DIRECTION_COUNT: usize = 96;

/// Unit directions, evenly distributed over the sphere, one array per component.
struct Directions {
    x: [f32; DIRECTION_COUNT],
    y: [f32; DIRECTION_COUNT],
    z: [f32; DIRECTION_COUNT],
}

/// Fibonacci lattice (Swinbank and Purser 2006).
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

/// Support points in a fixed set of directions, and the bounding box.
///
/// Approximates the convex hull when a view is framed around a model. Much tighter than the corners of the box.
#[derive(Clone, Debug, PartialEq)]
pub struct SupportHull {
    bounds: Aabb,
    /// Largest distance of a point along each direction.
    support_distance: [f32; DIRECTION_COUNT],
    /// The point at that distance.
    support_point: [Vector3<f32>; DIRECTION_COUNT],
}

impl Default for SupportHull {
    fn default() -> Self {
        Self {
            bounds: Aabb::EMPTY,
            support_distance: [f32::NEG_INFINITY; DIRECTION_COUNT],
            support_point: [Vector3::zeros(); DIRECTION_COUNT],
        }
    }
}

impl SupportHull {
    /// The hull of a box's corners.
    pub fn from_aabb(bounds: &Aabb) -> Self {
        let mut hull = Self::default();
        for corner in bounds.corners() {
            hull.add(corner.cast());
        }
        hull
    }

    /// Adds a point. Ignores points that are not finite.
    pub fn add(&mut self, point: Vector3<f32>) {
        if !point.iter().all(|x| x.is_finite()) {
            return;
        }
        self.bounds.add(point.cast());
        let d = &*DIRECTIONS;
        let mut distances = [0.0; DIRECTION_COUNT];
        for (i, distance) in distances.iter_mut().enumerate() {
            *distance = d.x[i] * point.x + d.y[i] * point.y + d.z[i] * point.z;
        }
        // Most points are inside. A branch-free pass detects that.
        let is_outside = distances.iter().zip(&self.support_distance).fold(false, |any, (new, old)| any | (new > old));
        if is_outside {
            for (i, &distance) in distances.iter().enumerate() {
                if distance > self.support_distance[i] {
                    self.support_distance[i] = distance;
                    self.support_point[i] = point;
                }
            }
        }
    }

    /// Returns `true` if no point within the sphere would change the hull. `false` if the sphere is not finite.
    pub fn is_unaffected_by_sphere(&self, center: Vector3<f32>, radius: f32) -> bool {
        let extent = Vector3::repeat(radius);
        let (low, high) = ((center - extent).cast::<f64>(), (center + extent).cast::<f64>());
        let is_in_box = (0..3).all(|axis| low[axis] >= self.bounds.min[axis] && high[axis] <= self.bounds.max[axis]);
        let d = &*DIRECTIONS;
        let mut farthest = [0.0; DIRECTION_COUNT];
        for (i, distance) in farthest.iter_mut().enumerate() {
            *distance = d.x[i] * center.x + d.y[i] * center.y + d.z[i] * center.z + radius;
        }
        is_in_box && farthest.iter().zip(&self.support_distance).fold(true, |all, (new, old)| all & (new <= old))
    }

    /// Adds all points of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.bounds.merge(&other.bounds);
        for (i, &distance) in other.support_distance.iter().enumerate() {
            if distance > self.support_distance[i] {
                self.support_distance[i] = distance;
                self.support_point[i] = other.support_point[i];
            }
        }
    }

    /// Extends the bounding box, but adds no support points.
    pub fn extend_bounds(&mut self, bounds: &Aabb) {
        self.bounds.merge(bounds);
    }

    /// The unit directions of the support points.
    pub fn directions() -> impl Iterator<Item = Vector3<f64>> {
        let d = &*DIRECTIONS;
        (0..DIRECTION_COUNT).map(|i| Vector3::new(d.x[i], d.y[i], d.z[i]).cast())
    }

    /// The bounding box.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// The support points; none for an empty hull.
    pub fn points(&self) -> impl Iterator<Item = Vector3<f64>> + '_ {
        let points = if self.bounds.is_empty() { &[][..] } else { &self.support_point[..] };
        points.iter().map(|point| point.cast())
    }

    /// Returns the hull of the support points transformed by `map`.
    pub fn transformed(&self, map: &Affine) -> Self {
        let mut hull = Self::default();
        for point in self.points() {
            hull.add(map.transform_point(point).cast());
        }
        hull
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hull_of_box_has_all_corners() {
        let bounds = Aabb { min: Vector3::new(-1.0, -2.0, -3.0), max: Vector3::new(1.0, 2.0, 30.0) };
        let hull = SupportHull::from_aabb(&bounds);
        assert_eq!(*hull.bounds(), bounds);
        for corner in bounds.corners() {
            assert!(hull.points().any(|point| point == corner), "{corner}");
        }
    }

    #[test]
    fn hull_of_sphere_is_at_most_four_percent_too_small() {
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
            let distance = hull.points().map(|point| point.dot(&direction)).fold(0.0, f64::max);
            assert!(distance > 0.96, "{distance} towards {direction}");
        }
    }

    #[test]
    fn contained_sphere_touches_neither_box_nor_support_distances() {
        let hull = SupportHull::from_aabb(&Aabb { min: Vector3::repeat(-1.0), max: Vector3::repeat(1.0) });
        assert!(hull.is_unaffected_by_sphere(Vector3::zeros(), 0.99));
        assert!(hull.is_unaffected_by_sphere(Vector3::new(0.5, -0.5, 0.0), 0.49));
        assert!(!hull.is_unaffected_by_sphere(Vector3::zeros(), 1.01));
        assert!(!hull.is_unaffected_by_sphere(Vector3::new(0.5, 0.0, 0.0), 0.51));
        // Inside of the box, but outside of an octahedron.
        let mut octahedron = SupportHull::default();
        for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
            octahedron.add(axis);
            octahedron.add(-axis);
        }
        assert!(!octahedron.is_unaffected_by_sphere(Vector3::repeat(0.6), 0.1));
        assert!(octahedron.is_unaffected_by_sphere(Vector3::repeat(0.2), 0.1));
        for center in [Vector3::repeat(f32::NAN), Vector3::repeat(f32::INFINITY)] {
            assert!(!hull.is_unaffected_by_sphere(center, 0.0));
        }
        assert!(!hull.is_unaffected_by_sphere(Vector3::zeros(), f32::NAN));
        assert!(!SupportHull::default().is_unaffected_by_sphere(Vector3::zeros(), 0.0));
    }

    #[test]
    fn empty_hull_has_no_points() {
        assert_eq!(SupportHull::default().points().count(), 0);
        assert_eq!(SupportHull::from_aabb(&Aabb::EMPTY), SupportHull::default());
    }
}
