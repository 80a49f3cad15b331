//! Sunflower (Vogel) scatter with jitter.

use super::rng::HashRng;
use super::{InstancePlacement, Layout, footprint};
use crate::math::Aabb;
use nalgebra::Vector3;
use std::f64::consts::{PI, TAU};

/// Spacing relative to the model's size: instances of maximum scale and jitter do not overlap.
const SPACING: f64 = 1.65;

/// Maximum jitter relative to the model's size.
const STEP: f64 = 0.11;

/// Maximum deviation of the scale.
const SCALE: f64 = 0.15;

/// `count` instances scattered over a disc on the ground, each turned some way and a little larger or smaller, for a model
/// with `bounds`. The first stand in the middle; those who stand stay where they are when more come.
///
/// The places are Vogel's (1979), those of the seeds of a sunflower: even however many there are. Each steps aside, so that
/// no spiral shows.
pub fn scatter(count: usize, bounds: &Aabb, seed: u64) -> Layout {
    let size = footprint(bounds);
    let golden_angle = PI * (3.0 - 5.0_f64.sqrt());
    let start = HashRng::new(seed, "turn of all", 0).unit() * TAU;
    let place = |i: usize| {
        let radius = SPACING * size * ((i as f64 + 0.5) / PI).sqrt();
        let (sin, cos) = libm::sincos(start + i as f64 * golden_angle);
        let mut draw = HashRng::new(seed, "place", i);
        let aside = Vector3::new(draw.signed_unit(), 0.0, draw.signed_unit()) * (STEP * size);
        InstancePlacement {
            yaw: draw.unit() * TAU,
            scale: 1.0 + SCALE * draw.signed_unit(),
            ..InstancePlacement::at(Vector3::new(radius * cos, 0.0, radius * sin) + aside)
        }
    };
    // Neighbors are Fibonacci numbers apart, for which golden ratio phases are nearly equal.
    Layout { placements: (0..count).map(place).collect(), clips: Vec::new(), golden_ratio_phases: false }
}
