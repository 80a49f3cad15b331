//! Tolerances of a comparison.

use serde::Serialize;

/// Largest differences that are not reported; they are part of the JSON of `rigview diff --json`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Tolerances {
    /// Positions and translations, relative to the largest one of the same array or skeleton.
    pub distance: f64,
    /// Angles, in degrees.
    pub degrees: f64,
    /// Scales.
    pub scale: f64,
    /// Skin weights and morph weights.
    pub weight: f64,
    /// Times, in seconds.
    pub seconds: f64,
    /// Other numbers, such as colors, normals and texture coordinates; relative for numbers above 1.
    pub value: f64,
}

impl Default for Tolerances {
    /// Above the rounding of single precision, and below one step of an 8-bit weight or color.
    fn default() -> Self {
        Self { distance: 1e-5, degrees: 0.01, scale: 1e-4, weight: 0.003, seconds: 1e-4, value: 1e-4 }
    }
}

impl Tolerances {
    /// Every difference is reported.
    pub const EXACT: Self = Self { distance: 0.0, degrees: 0.0, scale: 0.0, weight: 0.0, seconds: 0.0, value: 0.0 };

    /// Sets the tolerance of this name. Returns `false` for an unknown name.
    pub fn set(&mut self, name: &str, value: f64) -> bool {
        let Self { distance, degrees, scale, weight, seconds, value: other } = self;
        let tolerance = match name {
            "distance" => distance,
            "degrees" => degrees,
            "scale" => scale,
            "weight" => weight,
            "seconds" => seconds,
            "value" => other,
            _ => return false,
        };
        *tolerance = value;
        true
    }

    /// Returns the tolerance of a kind of number. `size` is the largest distance of the same array or skeleton.
    pub(crate) fn of(&self, quantity: Quantity, size: f64) -> f64 {
        match quantity {
            Quantity::Distance => self.distance * size,
            Quantity::Degrees | Quantity::Rotation => self.degrees,
            Quantity::Scale => self.scale,
            Quantity::Weight => self.weight,
            Quantity::Seconds => self.seconds,
            Quantity::Value => self.value,
            Quantity::Exact => 0.0,
        }
    }
}

/// The kind of a number, which chooses its tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Quantity {
    Distance,
    Degrees,
    /// Unit quaternions; they differ by an angle in degrees.
    Rotation,
    Scale,
    Weight,
    Seconds,
    Value,
    /// Indices and bytes.
    Exact,
}
