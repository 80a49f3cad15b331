//! Rows and columns.

use super::{InstancePlacement, Layout, footprint};
use crate::math::Aabb;
use nalgebra::Vector3;

/// Empty ground between neighbors, in sizes of the model.
const GAP: f64 = 0.25;

/// `count` instances on a square grid on the ground, centered at the origin, for a model with `bounds`.
pub fn grid(count: usize, bounds: &Aabb) -> Layout {
    let spacing = footprint(bounds) * (1.0 + GAP);
    let columns = (count as f64).sqrt().ceil() as usize;
    let rows = count.div_ceil(columns.max(1));
    let place = |i: usize| {
        let x = (i % columns) as f64 - (columns - 1) as f64 / 2.0;
        // The first row stands in front; the last one, which may have gaps, at the back.
        let z = (rows - 1) as f64 / 2.0 - (i / columns) as f64;
        InstancePlacement::at(Vector3::new(x * spacing, 0.0, z * spacing))
    };
    Layout { placements: (0..count).map(place).collect(), clips: Vec::new(), golden_ratio_phases: true }
}
