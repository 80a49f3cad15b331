//! Camera and projection.

use nalgebra::{Matrix3, Matrix4, Vector3};
use rigview_core::math::{Aabb, Affine};
use rigview_core::model::Projection;

/// A camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Pose of the view: +X right, +Y up, looking along -Z. The axes are orthonormal.
    pub world_from_view: Affine,
    /// The projection.
    pub lens: Lens,
    /// Shift of the image to the right and upwards, in half image widths and heights; usually 0.
    pub shift: [f64; 2],
    /// Distance of the near plane in meters.
    pub near: f64,
    /// Distance of the far plane in meters; may be infinite.
    pub far: f64,
}

/// Projection of a camera. The width follows from the image's aspect ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lens {
    /// Perspective projection.
    Perspective {
        /// Vertical field of view in radians.
        fov_y: f64,
    },
    /// Parallel projection.
    Orthographic {
        /// Minimum visible half width and half height in meters. The view extends along the longer side of the image.
        half_size: [f64; 2],
    },
}

/// Minimum ratio of near to far distance, which preserves depth precision.
const MIN_NEAR_TO_FAR: f64 = 1e-4;

impl Camera {
    /// Returns a camera at `eye` that looks at `target` with +Y up, or -Z up for a vertical view.
    ///
    /// `fov_y` is the vertical field of view in radians. Call [`fit_depth`](Self::fit_depth) to set the depth range.
    pub fn look_at(eye: Vector3<f64>, target: Vector3<f64>, fov_y: f64) -> Self {
        let backward = (eye - target).try_normalize(0.0).unwrap_or_else(Vector3::z);
        let right = Vector3::y().cross(&backward).try_normalize(1e-9).unwrap_or_else(Vector3::x);
        let linear = Matrix3::from_columns(&[right, backward.cross(&right), backward]);
        Self {
            world_from_view: Affine { linear, translation: eye },
            lens: Lens::Perspective { fov_y },
            shift: [0.0; 2],
            near: 0.1,
            far: f64::INFINITY,
        }
    }

    /// Returns a camera with parallel projection that shows the same height at `target` as a perspective camera at `eye`. It is far
    /// enough away to see all of `bounds`.
    pub fn look_at_orthographic(eye: Vector3<f64>, target: Vector3<f64>, fov_y: f64, bounds: &Aabb) -> Self {
        let mut camera = Self::look_at(eye, target, fov_y);
        let half_height = (eye - target).norm() * libm::tan(0.5 * fov_y);
        camera.lens = Lens::Orthographic { half_size: [0.0, half_height] };
        if !bounds.is_empty() {
            let backward = camera.world_from_view.linear.column(2).into_owned();
            let depth = (eye - bounds.center()).dot(&backward);
            camera.world_from_view.translation += backward * (bounds.diagonal() - depth).max(0.0);
        }
        camera
    }

    /// Converts a glTF camera on a joint at `world_from_joint`. The joint's scale is ignored.
    pub fn from_gltf(projection: &Projection, world_from_joint: &Affine) -> Self {
        let rotation = world_from_joint.to_transform().rotation.to_rotation_matrix();
        let world_from_view = Affine { linear: *rotation.matrix(), translation: world_from_joint.translation };
        let (lens, near, far) = match *projection {
            Projection::Perspective { fov_y, near, far, .. } => {
                (Lens::Perspective { fov_y }, near, far.unwrap_or(f64::INFINITY))
            }
            Projection::Orthographic { half_width, half_height, near, far } => {
                (Lens::Orthographic { half_size: [half_width, half_height] }, near, far)
            }
        };
        Self { world_from_view, lens, shift: [0.0; 2], near, far }
    }

    /// Returns the camera of a directional light's shadow map around `bounds`, which lie in the middle half of its depth
    /// range. `None` if the bounds are empty or a point.
    pub fn of_directional_light(to_light: Vector3<f64>, bounds: &Aabb) -> Option<Self> {
        let (middle, radius) = (bounds.center(), bounds.diagonal() / 2.0);
        if !(radius > 0.0 && radius.is_finite()) {
            return None;
        }
        // The up vector is arbitrary.
        let right = Vector3::z().cross(&to_light).try_normalize(1e-6).unwrap_or_else(Vector3::x);
        let linear = Matrix3::from_columns(&[right, to_light.cross(&right), to_light]);
        Some(Self {
            world_from_view: Affine { linear, translation: middle + to_light * (2.0 * radius) },
            lens: Lens::Orthographic { half_size: [radius * 1.05; 2] },
            shift: [0.0; 2],
            near: 0.0,
            far: 4.0 * radius,
        })
    }

    /// Sets the near and far planes to enclose the part of `bounds` in front of the camera.
    pub fn fit_depth(&mut self, bounds: &Aabb) {
        let view_from_world = self.view_from_world();
        let (mut near, mut far) = (f64::INFINITY, 0.0_f64);
        for corner in bounds.corners() {
            let distance = -view_from_world.transform_point(corner).z;
            near = near.min(distance);
            far = far.max(distance);
        }
        let far = if far > 0.0 { far * 1.01 } else { 1.0 };
        self.far = far;
        self.near = (near * 0.99).clamp(far * MIN_NEAR_TO_FAR, far * 0.999);
    }

    /// Returns the camera position.
    pub fn eye_in_world(&self) -> Vector3<f64> {
        self.world_from_view.translation
    }

    /// Returns the inverse of `world_from_view`.
    pub fn view_from_world(&self) -> Affine {
        let linear = self.world_from_view.linear.transpose();
        Affine { linear, translation: -(linear * self.world_from_view.translation) }
    }

    /// Returns the OpenGL projection matrix (glTF 2.0, section 3.10.3) for an image of this aspect ratio, width over height.
    pub fn projection_from_view(&self, aspect: f64) -> Matrix4<f64> {
        let (near, far) = (self.near, self.far);
        let mut projection = match self.lens {
            Lens::Perspective { fov_y } => {
                let y = 1.0 / libm::tan(0.5 * fov_y);
                let (zz, zw) = if far.is_finite() {
                    ((far + near) / (near - far), 2.0 * far * near / (near - far))
                } else {
                    (-1.0, -2.0 * near)
                };
                Matrix4::new(y / aspect, 0., 0., 0., 0., y, 0., 0., 0., 0., zz, zw, 0., 0., -1., 0.)
            }
            Lens::Orthographic { half_size: [half_width, half_height] } => {
                let half_height = half_height.max(half_width / aspect);
                let (x, y) = (1.0 / (half_height * aspect), 1.0 / half_height);
                let (zz, zw) = (2.0 / (near - far), (far + near) / (near - far));
                Matrix4::new(x, 0., 0., 0., 0., y, 0., 0., 0., 0., zz, zw, 0., 0., 0., 1.)
            }
        };
        let w = projection.row(3).into_owned();
        for axis in 0..2 {
            projection.row_mut(axis).zip_apply(&w, |x, w| *x += self.shift[axis] * w);
        }
        projection
    }

    /// Returns the view-projection matrix.
    pub fn projection_from_world(&self, aspect: f64) -> Matrix4<f64> {
        self.projection_from_view(aspect) * self.view_from_world().to_matrix4()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(camera: &Camera, aspect: f64, p: [f64; 3]) -> Vector3<f64> {
        let h = camera.projection_from_world(aspect) * Vector3::from(p).push(1.0);
        h.xyz() / h.w
    }

    #[test]
    fn target_is_in_the_center_and_clip_planes_have_depths_minus_one_and_one() {
        let mut camera = Camera::look_at(Vector3::new(3.0, 4.0, 5.0), Vector3::new(1.0, 1.0, 1.0), 0.8);
        (camera.near, camera.far) = (1.0, 100.0);
        assert!(project(&camera, 1.5, [1.0, 1.0, 1.0]).xy().amax() < 1e-12);
        let forward = -camera.world_from_view.linear.column(2).into_owned();
        for (distance, depth) in [(1.0, -1.0), (100.0, 1.0)] {
            let p = camera.eye_in_world() + forward * distance;
            assert!((project(&camera, 1.5, p.into()).z - depth).abs() < 1e-12);
        }
    }

    #[test]
    fn field_of_view_is_vertical() {
        let camera = Camera::look_at(Vector3::z(), Vector3::zeros(), std::f64::consts::FRAC_PI_2);
        assert!((project(&camera, 2.0, [0.0, 1.0, 0.0]).y - 1.0).abs() < 1e-12);
        assert!((project(&camera, 2.0, [2.0, 0.0, 0.0]).x - 1.0).abs() < 1e-12);
    }

    #[test]
    fn vertical_view_has_orthonormal_axes() {
        let camera = Camera::look_at(Vector3::y(), Vector3::zeros(), 1.0);
        assert!((camera.world_from_view.determinant() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn orthographic_view_shows_at_least_its_size_without_distortion() {
        let projection = Projection::Orthographic { half_width: 2.0, half_height: 1.0, near: 0.0, far: 10.0 };
        let camera = Camera::from_gltf(&projection, &Affine::IDENTITY);
        for aspect in [0.5, 1.0, 2.0, 4.0] {
            let p = project(&camera, aspect, [2.0, 1.0, -1.0]);
            assert!(p.x <= 1.0 + 1e-12 && p.y <= 1.0 + 1e-12, "{aspect}: {p}");
            let m = camera.projection_from_view(aspect);
            assert!((m[(1, 1)] / m[(0, 0)] - aspect).abs() < 1e-12);
        }
    }
}
