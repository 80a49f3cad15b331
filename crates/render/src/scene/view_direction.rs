//! Views of an orbit along the axes of a model.

use super::Orbit;
use nalgebra::Vector3;
use std::f64::consts::{FRAC_PI_2, PI};

/// The side of a model that faces the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewDirection {
    /// Camera in front of the model.
    Front,
    /// Camera behind the model.
    Back,
    /// Camera on the model's right side.
    Right,
    /// Camera on the model's left side.
    Left,
    /// Camera above the model.
    Top,
    /// Camera below the model.
    Bottom,
}

/// Angle in radians within which a view counts as one of the six directions. Vertical views stop short of the poles.
const DIRECTION_TOLERANCE: f64 = 0.02;

impl ViewDirection {
    /// All directions with their names. The sides are named as the model's own.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Front, "Front"),
        (Self::Back, "Back"),
        (Self::Right, "Model right"),
        (Self::Left, "Model left"),
        (Self::Top, "Top"),
        (Self::Bottom, "Bottom"),
    ];

    /// Returns the direction after half a turn of the model about its vertical axis.
    pub fn turned(self) -> Self {
        match self {
            Self::Front => Self::Back,
            Self::Back => Self::Front,
            Self::Right => Self::Left,
            Self::Left => Self::Right,
            Self::Top | Self::Bottom => self,
        }
    }

    /// Azimuth from the front of the model and elevation, in radians.
    fn angles(self) -> [f64; 2] {
        match self {
            Self::Front => [0.0, 0.0],
            Self::Back => [PI, 0.0],
            Self::Left => [FRAC_PI_2, 0.0],
            Self::Right => [-FRAC_PI_2, 0.0],
            Self::Top => [0.0, PI],
            Self::Bottom => [0.0, -PI],
        }
    }
}

impl Orbit {
    /// Rotates around the target to `direction`. `front_yaw` is the azimuth of the front of the model.
    pub fn set_direction(&mut self, direction: ViewDirection, front_yaw: f64) {
        let [yaw, up] = direction.angles();
        (self.yaw, self.pitch) = (front_yaw, 0.0);
        self.rotate(yaw, up);
    }

    /// Returns the direction of the view; `None` for an oblique one.
    pub fn direction(&self, front_yaw: f64) -> Option<ViewDirection> {
        let backward = (self.eye() - self.target).normalize();
        let found = ViewDirection::ALL.into_iter().find(|(direction, _)| {
            let [yaw, pitch] = direction.angles();
            let (yaw, pitch) = (front_yaw + yaw, pitch.clamp(-FRAC_PI_2, FRAC_PI_2));
            let axis = Vector3::new(yaw.sin() * pitch.cos(), pitch.sin(), yaw.cos() * pitch.cos());
            backward.dot(&axis) > DIRECTION_TOLERANCE.cos()
        });
        found.map(|(direction, _)| direction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::math::{Aabb, SupportHull};

    #[test]
    fn directions_are_recognized() {
        let bounds = Aabb { min: Vector3::repeat(-1.0), max: Vector3::repeat(1.0) };
        let mut orbit = Orbit::framing(&SupportHull::from_aabb(&bounds), 1.5);
        let first = orbit;
        assert_eq!(orbit.direction(0.0), None);
        for (front_yaw, (direction, name)) in
            [0.0, PI].into_iter().flat_map(|yaw| ViewDirection::ALL.map(|it| (yaw, it)))
        {
            orbit.set_direction(direction, front_yaw);
            assert_eq!(orbit.direction(front_yaw), Some(direction), "{name}");
        }
        orbit.set_direction(ViewDirection::Front, PI);
        assert!(orbit.eye().z < 0.0 && orbit.direction(0.0) == Some(ViewDirection::Back));
        orbit.rotate(0.1, 0.1);
        assert_eq!(orbit.direction(0.0), None);
        assert!(orbit.has_extent_of(&first));
        orbit.zoom(1.0, &bounds);
        assert!(!orbit.has_extent_of(&first));
    }
}
