//! Interpolation modes of tracks.

/// Interpolation between two keys (glTF 2.0, appendix C).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// The value of the earlier key.
    Step,
    /// A straight line; for rotations the shorter arc.
    #[default]
    Linear,
    /// A cubic Hermite spline. Each key has three values: in-tangent, value, out-tangent.
    CubicSpline,
}

impl Interpolation {
    /// Values stored for each key: 3 for a spline, else 1.
    pub fn values_per_key(self) -> usize {
        if self == Self::CubicSpline { 3 } else { 1 }
    }
}
