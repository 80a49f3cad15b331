//! Mathematics: transforms, bounding volumes and SIMD.
//!
//! Conventions: column vectors, `target_from_source` matrices, double precision.

mod aabb;
mod frustum;
pub(crate) mod simd;
mod sphere;
mod support_hull;
mod transform;
mod words;

pub use aabb::Aabb;
pub use frustum::{Containment, Frustum};
pub use simd::SimdLevel;
pub use sphere::BoundingSphere;
pub use support_hull::SupportHull;
pub(crate) use transform::any_perpendicular;
pub use transform::{Affine, Transform};
pub use words::{AffineParts, short_triple};
