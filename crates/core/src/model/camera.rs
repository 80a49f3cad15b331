//! Cameras of the file.

use super::JointIndex;

/// A camera at a joint. It looks along the joint's -Z, +Y up.
#[derive(Clone, Debug)]
pub struct CameraNode {
    /// Index of the camera in the file; several joints may have the same camera.
    pub gltf_index: u32,
    /// Name of the camera, else of its node.
    pub name: Option<String>,
    /// The joint of its node.
    pub joint: JointIndex,
    /// The projection.
    pub projection: Projection,
}

/// The projection of a camera (glTF 2.0, section 3.10.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// Perspective projection.
    Perspective {
        /// Vertical field of view, in radians.
        fov_y: f64,
        /// Width over height by the file. Rendering uses the aspect ratio of the image.
        aspect: Option<f64>,
        /// Distance of the near plane, in meters.
        near: f64,
        /// Distance of the far plane, in meters; `None` for an infinite projection.
        far: Option<f64>,
    },
    /// Orthographic projection.
    Orthographic {
        /// Half the width of the view, in meters.
        half_width: f64,
        /// Half the height of the view, in meters.
        half_height: f64,
        /// Distance of the near plane, in meters.
        near: f64,
        /// Distance of the far plane, in meters.
        far: f64,
    },
}

/// An animatable property of a camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of `Projection`")]
pub enum CameraProperty {
    FovY,
    Near,
    Far,
    HalfWidth,
    HalfHeight,
}

impl CameraNode {
    /// Returns the value of a property in radians or meters; 0 if the projection lacks it.
    pub fn property(&self, property: CameraProperty) -> f64 {
        match (property, self.projection) {
            (CameraProperty::FovY, Projection::Perspective { fov_y, .. }) => fov_y,
            (CameraProperty::Near, Projection::Perspective { near, .. } | Projection::Orthographic { near, .. }) => {
                near
            }
            (CameraProperty::Far, Projection::Perspective { far, .. }) => far.unwrap_or(0.0),
            (CameraProperty::Far, Projection::Orthographic { far, .. }) => far,
            (CameraProperty::HalfWidth, Projection::Orthographic { half_width, .. }) => half_width,
            (CameraProperty::HalfHeight, Projection::Orthographic { half_height, .. }) => half_height,
            _ => 0.0,
        }
    }

    /// Sets a property in radians or meters. Does nothing if the projection lacks it or would become invalid.
    pub fn set_property(&mut self, property: CameraProperty, value: f64) {
        let is_positive = value > 0.0;
        match (property, &mut self.projection) {
            (CameraProperty::FovY, Projection::Perspective { fov_y, .. })
                if is_positive && value < std::f64::consts::PI =>
            {
                *fov_y = value;
            }
            (CameraProperty::Near, _) => self.set_depth_range(Some(value), None),
            (CameraProperty::Far, _) => self.set_depth_range(None, Some(value)),
            (CameraProperty::HalfWidth, Projection::Orthographic { half_width, .. }) if value != 0.0 => {
                *half_width = value;
            }
            (CameraProperty::HalfHeight, Projection::Orthographic { half_height, .. }) if value != 0.0 => {
                *half_height = value;
            }
            _ => {}
        }
    }

    /// Sets the distances of the near and the far plane in meters; `None` keeps one. Does nothing if the near plane would not be in
    /// front of the far plane.
    pub fn set_depth_range(&mut self, new_near: Option<f64>, new_far: Option<f64>) {
        match &mut self.projection {
            Projection::Perspective { near, far, .. } => {
                let (new_near, new_far) = (new_near.unwrap_or(*near), new_far.or(*far));
                if new_near > 0.0 && new_far.is_none_or(|far| new_near < far) {
                    (*near, *far) = (new_near, new_far);
                }
            }
            Projection::Orthographic { near, far, .. } => {
                let (new_near, new_far) = (new_near.unwrap_or(*near), new_far.unwrap_or(*far));
                if new_near < new_far {
                    (*near, *far) = (new_near, new_far);
                }
            }
        }
    }
}
