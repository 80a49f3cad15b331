//! View frustum.

use super::sphere::BoundingSphere;
use nalgebra::{Matrix4, Vector4};

/// The six clip planes of a view-projection matrix.
///
/// ```
/// use nalgebra::{Perspective3, Vector3};
/// use rigview_core::math::{BoundingSphere, Containment, Frustum};
///
/// // A camera at the origin that looks along -Z.
/// let frustum = Frustum::new(&Perspective3::new(1.0, 1.0, 0.1, 100.0).to_homogeneous());
/// let at = |z| BoundingSphere { center: Vector3::new(0.0, 0.0, z), radius: 1.0 };
/// let found = [-10.0, 0.0, 10.0].map(|z| frustum.classify_sphere(&at(z)));
/// assert_eq!(found, [Containment::Inside, Containment::Intersecting, Containment::Outside]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Frustum {
    /// Unit normals towards the inside, and the signed distance of the world's origin.
    planes: [Vector4<f64>; 6],
}

/// Position of a volume relative to a [`Frustum`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Containment {
    /// Every point is inside.
    Inside,
    /// Some points may be inside.
    Intersecting,
    /// No point is inside.
    Outside,
}

impl Frustum {
    /// Extracts the planes of OpenGL's clip volume, `-w <= x, y, z <= w` (Gribb and Hartmann, "Fast Extraction of Viewing
    /// Frustum Planes", 2001).
    pub fn new(projection_from_world: &Matrix4<f64>) -> Self {
        let row = |i: usize| projection_from_world.row(i).transpose();
        let planes = [0, 1, 2].map(|axis| [row(3) + row(axis), row(3) - row(axis)]);
        let unit = |plane: Vector4<f64>| {
            let length = plane.xyz().norm();
            // The far plane of an infinite projection has no normal and contains everything.
            if length > 1e-12 * plane.w.abs() { plane / length } else { Vector4::w() }
        };
        let [[a, b], [c, d], [e, f]] = planes.map(|pair| pair.map(unit));
        Self { planes: [a, b, c, d, e, f] }
    }

    /// Classifies a sphere in world space. NaN counts as [`Containment::Intersecting`].
    pub fn classify_sphere(&self, sphere: &BoundingSphere) -> Containment {
        let mut containment = Containment::Inside;
        for plane in &self.planes {
            let distance = plane.xyz().dot(&sphere.center) + plane.w;
            if distance < -sphere.radius {
                return Containment::Outside;
            }
            // NaN compares as false: a sphere with NaN intersects.
            let is_inside = distance >= sphere.radius;
            if !is_inside {
                containment = Containment::Intersecting;
            }
        }
        containment
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Perspective3;

    #[test]
    fn spheres_are_classified_against_perspective_frustum() {
        // Looks along -z with 90 degrees field of view, from 1 to 10.
        let frustum = Frustum::new(&Perspective3::new(1.0, std::f64::consts::FRAC_PI_2, 1.0, 10.0).to_homogeneous());
        for (center, radius, containment) in [
            ([0.0, 0.0, -5.0], 1.0, Containment::Inside),
            ([0.0, 0.0, 5.0], 1.0, Containment::Outside),
            ([0.0, 0.0, -0.5], 0.4, Containment::Outside),
            ([0.0, 0.0, -0.5], 0.6, Containment::Intersecting),
            ([0.0, 0.0, -11.5], 1.0, Containment::Outside),
            ([6.0, 0.0, -5.0], 0.5, Containment::Outside),
            ([6.0, 0.0, -5.0], 1.0, Containment::Intersecting),
            ([0.0, -6.0, -5.0], 0.5, Containment::Outside),
            ([f64::NAN, 0.0, 0.0], 1.0, Containment::Intersecting),
            ([0.0, 0.0, -5.0], f64::INFINITY, Containment::Intersecting),
        ] {
            let sphere = BoundingSphere { center: center.into(), radius };
            assert_eq!(frustum.classify_sphere(&sphere), containment, "{center:?}, {radius}");
        }
    }
}
