//! Grid layout.

use super::{InstancePlacement, Layout, footprint};
use nalgebra::Vector3;
use rigview_core::math::Aabb;

/// Gap between neighbors, relative to the model's size.
const GAP: f64 = 0.25;

/// Places `count` instances on a square grid centered at the origin, for a model with `bounds`.
pub fn grid(count: usize, bounds: &Aabb) -> Layout {
    let spacing = footprint(bounds) * (1.0 + GAP);
    let columns = (count as f64).sqrt().ceil() as usize;
    let rows = count.div_ceil(columns.max(1));
    let placement = |i: usize| {
        let x = (i % columns) as f64 - (columns - 1) as f64 / 2.0;
        // The first row is in front. The last row may be incomplete.
        let z = (rows - 1) as f64 / 2.0 - (i / columns) as f64;
        InstancePlacement::at(Vector3::new(x * spacing, 0.0, z * spacing))
    };
    Layout { placements: (0..count).map(placement).collect(), golden_ratio_phases: true, ..Layout::default() }
}
