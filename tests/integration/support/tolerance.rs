//! Every number that says how equal is equal, with its reason.

/// `bake` against the reference: largest distance of two positions, as a share of the model's size.
///
/// A promise of the product. Single precision keeps 6e-8 of each coordinate, so this leaves room for some thirty
/// roundings of a coordinate as large as the model, and for none of the usual mistakes (a nearby key, a lerp for a
/// slerp, a byte weight divided by 256).
pub(crate) const REFERENCE: f64 = 2e-6;

/// `bake --gpu` against `bake`: largest distance of two positions, as a share of the model's size. A promise too.
pub(crate) const GPU: f64 = 1e-6;

/// Half the gap between neighboring single-precision numbers, as a share of the number.
///
/// A baked coordinate is stored in single precision, whatever is computed before. A small model far from the origin
/// cannot be stored any better, so this share of the coordinate is granted on top of the shares of the model's size.
pub(crate) const STORAGE: f64 = 1.0 / (1 << 24) as f64;

/// `bake` against analytic values, for models of size 1.
pub(crate) const ANALYTIC: f64 = REFERENCE;

/// The reference against analytic values. It uses double precision, but files store single-precision values.
pub(crate) const REFERENCE_ANALYTIC: f64 = 3e-7;

/// Normals and tangents: largest difference of two unit vectors where nothing amplifies rounding.
///
/// It is multiplied by [`Direction::amplification`](super::reference::Direction), 3 for a rotation.
pub(crate) const DIRECTION: f64 = 2e-6;

/// From this amplification on a direction is noise and is not compared: even exact arithmetic on rounded input gives
/// another one.
pub(crate) const AMPLIFICATION_OF_NOISE: f64 = 1e4;

/// How far the length of a baked normal or tangent may be from 1: the rounding of three coordinates, with room.
pub(crate) const UNIT_LENGTH: f64 = 1e-6;

/// Texture coordinates and colors, which pass through: one rounding of a normalized integer.
pub(crate) const PASSED_THROUGH: f64 = 1.2e-7;

/// A map whose determinant, divided by the lengths of its axes, is smaller than this has no certain sign: it flattens.
pub(crate) const FLAT: f64 = 1e-5;

/// A model smaller than this share of its largest coordinate is measured by that coordinate instead: a model collapsed
/// to a point has no size of its own.
pub(crate) const SMALLEST_SIZE: f64 = 1e-6;
