//! Interpolation modes of tracks.

/// Interpolation between two keys (glTF 2.0, appendix C).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// The value of the earlier key.
    Step,
    /// Linear; rotations follow the shorter arc.
    #[default]
    Linear,
    /// Cubic Hermite spline. Each key has three values: in-tangent, value, out-tangent.
    CubicSpline,
}

impl Interpolation {
    /// Returns the number of values per key: 3 for a spline, otherwise 1.
    pub fn values_per_key(self) -> usize {
        if self == Self::CubicSpline { 3 } else { 1 }
    }
}
