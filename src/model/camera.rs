//! Cameras that a file brings along.

use super::JointIndex;

/// A camera that a joint carries; it looks along the joint's -Z, +Y up.
#[derive(Clone, Debug)]
pub struct Camera {
    /// Its number in the file, where several joints may carry it.
    pub number: u32,
    /// The name of the camera, else of its node.
    pub name: Option<String>,
    /// The joint that carries it.
    pub joint: JointIndex,
    /// Its lens.
    pub projection: Projection,
}

/// How a camera maps view space to the picture (glTF 2.0, section 3.10.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// Things far away are smaller.
    Perspective {
        /// Vertical field of view, in radians.
        fov_y: f64,
        /// Width over height that the file asks for; the picture's own is used for drawing.
        aspect: Option<f64>,
        /// Distance of the near plane.
        near: f64,
        /// Distance of the far plane; `None` for an endless view.
        far: Option<f64>,
    },
    /// Things far away are as large as near ones.
    Orthographic {
        /// Half the width of the view, in meters.
        half_width: f64,
        /// Half the height of the view, in meters.
        half_height: f64,
        /// Distance of the near plane.
        near: f64,
        /// Distance of the far plane.
        far: f64,
    },
}
