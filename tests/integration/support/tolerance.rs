//! All tolerances with their reasons.

/// `bake` and the reference: maximum distance of positions, relative to the size of the model.
///
/// A documented limit. The relative error of single precision is 6e-8, so this allows about thirty roundings of a
/// coordinate as large as the model, but none of the usual mistakes (a neighboring key, linear instead of spherical
/// interpolation, a byte weight divided by 256).
pub(crate) const REFERENCE: f64 = 2e-6;

/// `bake --gpu` and `bake`: maximum distance of positions, relative to the size of the model. Documented, too.
pub(crate) const GPU: f64 = 1e-6;

/// Maximum relative rounding error of single precision.
///
/// Baked coordinates are stored in single precision. A small model far from the origin cannot be stored more precisely, so
/// this share of the coordinate is added to the limits above.
pub(crate) const STORAGE: f64 = 1.0 / (1 << 24) as f64;

/// `bake` and analytic values, for models of size 1.
pub(crate) const ANALYTIC: f64 = REFERENCE;

/// The reference and analytic values. It uses double precision, but files store single-precision values.
pub(crate) const REFERENCE_ANALYTIC: f64 = 3e-7;

/// Normals and tangents: maximum difference of unit vectors if nothing amplifies rounding.
///
/// It is multiplied by [`Direction::amplification`](super::reference::Direction), 3 for a rotation.
pub(crate) const DIRECTION: f64 = 2e-6;

/// Directions with this amplification or more are not compared: rounding of the input alone changes them.
pub(crate) const AMPLIFICATION_OF_NOISE: f64 = 1e4;

/// Maximum deviation of the length of a baked normal or tangent from 1.
pub(crate) const UNIT_LENGTH: f64 = 1e-6;

/// Texture coordinates and colors, which are copied: one rounding of a normalized integer.
pub(crate) const PASSED_THROUGH: f64 = 1.2e-7;

/// A transform is singular if its determinant, divided by the lengths of its axes, is smaller than this.
pub(crate) const FLAT: f64 = 1e-5;

/// A model smaller than this share of its largest coordinate is measured by that coordinate: a collapsed model has no
/// size.
pub(crate) const SMALLEST_SIZE: f64 = 1e-6;
