//! Skin weights.

/// Tolerance of the sum of a vertex's weights, per nonzero weight: the rounding of single precision.
///
/// The Khronos validator has the same. Import and `check` report the vertices beyond it.
pub const WEIGHT_SUM_TOLERANCE: f32 = 2e-7;
