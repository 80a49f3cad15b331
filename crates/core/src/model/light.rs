//! Lights of the file (KHR_lights_punctual).

use super::JointIndex;

/// A light at a joint. It shines along the joint's -Z and ignores the joint's scale.
#[derive(Clone, Debug)]
pub struct LightNode {
    /// Index of the light in the file; several joints may have the same light.
    pub gltf_index: u32,
    /// Name of the light, else of its node.
    pub name: Option<String>,
    /// The joint of its node.
    pub joint: JointIndex,
    /// Linear color.
    pub color: [f64; 3],
    /// Intensity in lux for a directional light, else in candela.
    pub intensity: f64,
    /// Type of the light.
    pub shape: LightShape,
}

/// The type of a light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LightShape {
    /// Parallel light from infinitely far away.
    Directional,
    /// Light from a point in all directions.
    Point {
        /// Distance in meters at which the intensity reaches zero; `None` for infinite.
        range: Option<f64>,
    },
    /// Light from a point in a cone.
    Spot {
        /// Distance in meters at which the intensity reaches zero; `None` for infinite.
        range: Option<f64>,
        /// Angle from the axis at which the falloff begins, in radians; at most `outer_angle`, unless
        /// an animation changes it.
        inner_angle: f64,
        /// Angle from the axis at which the intensity reaches zero, in radians; at most a right angle.
        outer_angle: f64,
    },
}

/// An animatable property of a light.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of `LightNode` and `LightShape`")]
pub enum LightProperty {
    Color,
    Intensity,
    Range,
    InnerCone,
    OuterCone,
}

impl LightNode {
    /// Returns the value of a property, padded with zeros; 0 if the light lacks it or its range is infinite.
    pub fn property(&self, property: LightProperty) -> [f64; 3] {
        let value = match (property, self.shape) {
            (LightProperty::Color, _) => return self.color,
            (LightProperty::Intensity, _) => self.intensity,
            (LightProperty::Range, LightShape::Point { range } | LightShape::Spot { range, .. }) => {
                range.unwrap_or(0.0)
            }
            (LightProperty::InnerCone, LightShape::Spot { inner_angle, .. }) => inner_angle,
            (LightProperty::OuterCone, LightShape::Spot { outer_angle, .. }) => outer_angle,
            _ => 0.0,
        };
        [value, 0.0, 0.0]
    }

    /// Sets a property, clamped to its range. Does nothing if the light lacks it.
    pub fn set_property(&mut self, property: LightProperty, value: &[f64]) {
        let component = |i: usize| value.get(i).copied().unwrap_or(0.0).clamp(0.0, f64::from(f32::MAX));
        let number = component(0);
        match (property, &mut self.shape) {
            (LightProperty::Color, _) => self.color = [0, 1, 2].map(component),
            (LightProperty::Intensity, _) => self.intensity = number,
            (LightProperty::Range, LightShape::Point { range } | LightShape::Spot { range, .. }) => {
                *range = (number > 0.0).then_some(number);
            }
            (LightProperty::InnerCone, LightShape::Spot { inner_angle, .. }) => *inner_angle = number,
            (LightProperty::OuterCone, LightShape::Spot { outer_angle, .. }) => {
                *outer_angle = number.min(std::f64::consts::FRAC_PI_2);
            }
            _ => {}
        }
    }
}
