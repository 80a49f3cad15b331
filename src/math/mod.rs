//! Numbers without a domain, and the conventions: column vectors, `target_from_source`, double precision.

mod aabb;
pub(crate) mod huge_pages;
pub(crate) mod simd;
mod sphere;
mod support_hull;
mod transform;

pub use aabb::Aabb;
pub use simd::SimdLevel;
pub use sphere::{BoundingSphere, Frustum, Side};
pub use support_hull::SupportHull;
pub use transform::{Affine, Transform};
