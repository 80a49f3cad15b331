//! Numbers without a domain, and the conventions: column vectors, `target_from_source`, double precision.

mod ball;
mod bounds;
mod hull;
pub(crate) mod lanes;
pub(crate) mod pages;
mod transform;

pub use ball::{Ball, Frustum, Side};
pub use bounds::Bounds;
pub use hull::Hull;
pub use lanes::Dispatch;
pub use transform::{Affine, Transform};
