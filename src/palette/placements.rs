//! Where the instances of a crowd stand, as the lanes read it.

use super::Instance;
use super::packing::{distance_to_similarity, scale_and_rotation};
use crate::math::lanes::{Line, MAX_LANES};

/// What the lanes read of a crowd's instances, [`MAX_LANES`] together.
#[derive(Clone, Debug, Default)]
pub(super) struct Placements {
    pub(super) shifts: Vec<Shifts>,
    /// Linear parts; none where nobody is turned or scaled.
    pub(super) turns: Vec<Turns>,
    /// Whether every linear part is a similarity.
    pub(super) similar: bool,
    /// Whether any placement keeps sides, any mirrors, any flattens.
    pub(super) signs: [bool; 3],
    /// The largest sum of a linear part's numbers, and the largest number of a translation.
    pub(super) bounds: [f64; 2],
}

/// Times and translations of some instances.
#[derive(Clone, Debug, Default)]
pub(super) struct Shifts {
    pub(super) phase_secs: [f64; MAX_LANES],
    /// Translations, rounded.
    pub(super) high: [Line; 3],
    /// What that rounding left.
    pub(super) low: [Line; 3],
}

/// Linear parts of some instances, in both packings.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns {
    pub(super) linear: [Line; 9],
    pub(super) rotation: [Line; 4],
    pub(super) scale: Line,
}

impl Placements {
    pub(super) fn new(instances: &[Instance]) -> Self {
        let mut placements = Self { similar: true, ..Self::default() };
        let turned = instances.iter().any(|instance| instance.world_from_model.linear != nalgebra::Matrix3::identity());
        for together in instances.chunks(MAX_LANES) {
            let (mut shifts, mut turns) = (Shifts::default(), Turns::default());
            for (lane, instance) in together.iter().enumerate() {
                let map = &instance.world_from_model;
                shifts.phase_secs[lane] = instance.phase_secs;
                for axis in 0..3 {
                    let high = map.translation[axis] as f32;
                    shifts.high[axis].0[lane] = high;
                    shifts.low[axis].0[lane] = (map.translation[axis] - f64::from(high)) as f32;
                }
                let determinant = map.determinant();
                placements.signs[if determinant > 0.0 {
                    0
                } else if determinant < 0.0 {
                    1
                } else {
                    2
                }] = true;
                let bounds = [map.linear.abs().sum(), map.translation.amax()];
                for (bound, here) in placements.bounds.iter_mut().zip(bounds) {
                    // What is no number stays none.
                    *bound = if here <= *bound { *bound } else { here };
                }
                if turned {
                    placements.similar &= distance_to_similarity(map) <= 1e-6;
                    let (scale, rotation) = scale_and_rotation(map);
                    turns.scale.0[lane] = scale as f32;
                    for i in 0..4 {
                        turns.rotation[i].0[lane] = rotation.coords[i] as f32;
                    }
                    for i in 0..9 {
                        turns.linear[i].0[lane] = map.linear[(i / 3, i % 3)] as f32;
                    }
                }
            }
            placements.shifts.push(shifts);
            if turned {
                placements.turns.push(turns);
            }
        }
        placements
    }
}
