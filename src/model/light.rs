//! Lights that a file brings along.

use super::JointIndex;

/// A light that a joint carries (KHR_lights_punctual); it shines along the joint's -Z. The joint's scale does not
/// reach it.
#[derive(Clone, Debug)]
pub struct Light {
    /// Its number in the file, where several joints may carry it.
    pub number: u32,
    /// The name of the light, else of its node.
    pub name: Option<String>,
    /// The joint that carries it.
    pub joint: JointIndex,
    /// Linear color.
    pub color: [f64; 3],
    /// Brightness: lux for parallel light, else candela.
    pub intensity: f64,
    /// How it spreads.
    pub shape: LightShape,
}

/// How light spreads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LightShape {
    /// From very far away: parallel.
    Directional,
    /// From a point in all directions.
    Point {
        /// The distance at which it has faded to nothing, in meters; `None` where it never quite does.
        range: Option<f64>,
    },
    /// From a point in a cone.
    Spot {
        /// As for a point.
        range: Option<f64>,
        /// Angle from the axis at which it begins to fade, in radians; less than `outer`.
        inner: f64,
        /// Angle from the axis at which it has faded to nothing, in radians; at most a right angle.
        outer: f64,
    },
}
