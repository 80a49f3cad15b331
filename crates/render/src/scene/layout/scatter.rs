//! Sunflower (Vogel) scatter with jitter.

use super::rng::HashRng;
use super::{InstancePlacement, Layout, footprint};
use nalgebra::Vector3;
use rigview_core::math::Aabb;
use std::f64::consts::{PI, TAU};

/// Spacing relative to the model's size: instances of maximum scale and jitter do not overlap.
const SPACING: f64 = 1.65;

/// Maximum jitter relative to the model's size.
const MAX_JITTER_RATIO: f64 = 0.11;

/// Maximum deviation of the scale from 1.
const MAX_SCALE_DEVIATION: f64 = 0.15;

/// Scatters `count` instances of a model with `bounds` over a disc on the ground, with random rotation and scale.
///
/// Positions follow Vogel's sunflower spiral (1979), whose density is uniform for any count. Jitter hides the spiral. A
/// larger count keeps the existing instances.
pub fn scatter(count: usize, bounds: &Aabb, seed: u64) -> Layout {
    let size = footprint(bounds);
    let golden_angle = PI * (3.0 - 5.0_f64.sqrt());
    let start = HashRng::new(seed, "turn of all", 0).unit() * TAU;
    let placement = |i: usize| {
        let radius = SPACING * size * ((i as f64 + 0.5) / PI).sqrt();
        let (sin, cos) = libm::sincos(start + i as f64 * golden_angle);
        let mut rng = HashRng::new(seed, "place", i);
        let jitter = Vector3::new(rng.signed_unit(), 0.0, rng.signed_unit()) * (MAX_JITTER_RATIO * size);
        InstancePlacement {
            yaw: rng.unit() * TAU,
            scale: 1.0 + MAX_SCALE_DEVIATION * rng.signed_unit(),
            ..InstancePlacement::at(Vector3::new(radius * cos, 0.0, radius * sin) + jitter)
        }
    };
    // Neighbors are Fibonacci numbers apart, for which golden ratio phases are nearly equal.
    Layout { placements: (0..count).map(placement).collect(), ..Layout::default() }
}
