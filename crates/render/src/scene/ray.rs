//! Rays through the pixels of a camera.

use super::camera::{Camera, Lens};
use nalgebra::Vector3;

/// A ray in world space. `direction` is not normalized.
pub struct Ray {
    /// A point of the ray.
    pub origin: Vector3<f64>,
    /// Its direction.
    pub direction: Vector3<f64>,
}

impl Ray {
    /// The ray through a position in fractions of the viewport from the top left corner.
    pub fn through(camera: &Camera, aspect: f64, [right, down]: [f64; 2]) -> Self {
        let (x, y) = (2.0 * right - 1.0, 1.0 - 2.0 * down);
        let world_from_view = &camera.world_from_view;
        match camera.lens {
            Lens::Perspective { fov_y } => {
                let tan = libm::tan(0.5 * fov_y);
                let direction = world_from_view.transform_vector(Vector3::new(x * tan * aspect, y * tan, -1.0));
                Self { origin: camera.eye_in_world(), direction }
            }
            Lens::Orthographic { half_size: [half_width, half_height] } => {
                let half_height = half_height.max(half_width / aspect);
                let origin =
                    world_from_view.transform_point(Vector3::new(x * half_height * aspect, y * half_height, 0.0));
                Self { origin, direction: world_from_view.transform_vector(-Vector3::z()) }
            }
        }
    }

    /// Intersects a two-sided triangle. Returns the distance along the ray, and the barycentric coordinates of the second
    /// and third corner (Moeller and Trumbore 1997).
    pub fn intersect_triangle(&self, [a, b, c]: [Vector3<f64>; 3]) -> Option<(f64, [f64; 2])> {
        let (ab, ac) = (b - a, c - a);
        let p = self.direction.cross(&ac);
        let determinant = ab.dot(&p);
        if determinant == 0.0 {
            return None;
        }
        let from_a = self.origin - a;
        let u = from_a.dot(&p) / determinant;
        let q = from_a.cross(&ab);
        let v = self.direction.dot(&q) / determinant;
        let distance = ac.dot(&q) / determinant;
        (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance > 0.0).then_some((distance, [u, v]))
    }
}
