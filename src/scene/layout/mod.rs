//! Crowd layouts: placement and playback of instances, deterministic for a seed.

mod error;
#[cfg(feature = "viewer")]
mod file;
mod grid;
mod rng;
mod scatter;

pub use error::{LayoutError, LayoutProblem};
#[cfg(feature = "viewer")]
pub use file::{LayoutFormat, MAX_INSTANCES, parse_layout};
pub use grid::grid;
pub use scatter::scatter;

use crate::crowd::{Crowd, Instance};
use crate::math::{Aabb, Affine, Transform};
use crate::model::{ClipIndex, Model};
use crate::pose::{LoopMode, Playback};
use nalgebra::{UnitQuaternion, Vector3};
use rng::HashRng;

/// Placement of an instance, with optional playback settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InstancePlacement {
    /// Position in meters.
    pub position: Vector3<f64>,
    /// Rotation about +Y in radians, counter-clockwise from above.
    pub yaw: f64,
    /// Uniform scale.
    pub scale: f64,
    /// Index in [`Layout::clips`]; `None` leaves the clip to [`PlaybackRules`].
    pub clip: Option<u32>,
    /// Clip time at time 0, in seconds.
    pub phase_secs: Option<f64>,
    /// Playback speed.
    pub speed: Option<f32>,
}

impl InstancePlacement {
    /// Places an instance with default settings.
    pub fn at(position: Vector3<f64>) -> Self {
        Self { position, yaw: 0.0, scale: 1.0, clip: None, phase_secs: None, speed: None }
    }

    /// Returns `world_from_model`.
    pub fn placement(&self) -> Affine {
        if self.yaw == 0.0 && self.scale == 1.0 {
            return Affine::from_translation(self.position);
        }
        let (sin, cos) = libm::sincos(0.5 * self.yaw);
        Transform {
            translation: self.position,
            rotation: UnitQuaternion::new_normalize(nalgebra::Quaternion::new(cos, 0.0, sin, 0.0)),
            scale: Vector3::repeat(self.scale),
        }
        .to_affine()
    }
}

/// Placements of a crowd.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// One per instance.
    pub placements: Vec<InstancePlacement>,
    /// Requested clips by name or index, each with the line of its first request.
    pub clips: Vec<(String, usize)>,
    /// [`PlaybackRules`] distribute phases by the golden ratio instead of randomly.
    pub golden_ratio_phases: bool,
}

impl Layout {
    /// Its places for several crowds, as many for each as `counts` say: mixed by chance that begins with `seed`, without
    /// one the first places for the first crowd and so on.
    ///
    /// # Panics
    /// If `counts` are not as many in all as there are places.
    pub fn partition(&self, counts: &[usize], seed: Option<u64>) -> Vec<Self> {
        assert_eq!(counts.iter().sum::<usize>(), self.placements.len(), "a placement for every instance");
        let mut places: Vec<usize> = (0..self.placements.len()).collect();
        if let Some(seed) = seed {
            places.sort_by_cached_key(|&place| HashRng::new(seed, "crowd", place).unit().to_bits());
        }
        let mut places = places.into_iter();
        let part = |&count: &usize| {
            let mut part: Vec<usize> = places.by_ref().take(count).collect();
            part.sort_unstable();
            let placements = part.into_iter().map(|place| self.placements[place]).collect();
            Self { placements, clips: self.clips.clone(), golden_ratio_phases: self.golden_ratio_phases }
        };
        counts.iter().map(part).collect()
    }
}

/// Playback of instances whose layout leaves it open.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaybackRules {
    /// Clips with relative frequencies; `None` is the rest pose.
    pub clips: Vec<(Option<ClipIndex>, f64)>,
    /// Fraction of the clip over which phases are distributed.
    pub phase_spread: f64,
    /// Speeds are between 1 minus this and 1 plus this.
    pub speed_spread: f64,
    /// Random seed.
    pub seed: u64,
}

impl PlaybackRules {
    /// All instances play `clip` with different phases.
    pub fn of(clip: Option<ClipIndex>) -> Self {
        Self { clips: vec![(clip, 1.0)], phase_spread: 1.0, speed_spread: 0.0, seed: 0 }
    }

    fn clip(&self, instance: usize) -> Option<ClipIndex> {
        let all: f64 = self.clips.iter().map(|(_, weight)| weight.max(0.0)).sum();
        let mut left = HashRng::new(self.seed, "clip", instance).unit() * all;
        let chosen = self.clips.iter().find(|(_, weight)| {
            left -= weight.max(0.0);
            left < 0.0
        });
        chosen.or(self.clips.last()).and_then(|(clip, _)| *clip)
    }

    fn phase(&self, instance: usize, golden_ratio_phases: bool) -> f64 {
        let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
        let start = if self.seed == 0 { 0.0 } else { HashRng::new(self.seed, "start", 0).unit() };
        let share = match golden_ratio_phases {
            true => (start + instance as f64 * golden).fract(),
            false => HashRng::new(self.seed, "phase", instance).unit(),
        };
        share * self.phase_spread
    }

    fn speed(&self, instance: usize) -> f32 {
        (1.0 + self.speed_spread * (2.0 * HashRng::new(self.seed, "speed", instance).unit() - 1.0)) as f32
    }

    /// Builds the crowd. Entries of the layout take precedence over these rules. `requested` are the layout's clips in the model.
    ///
    /// # Panics
    /// If the layout is empty, or a clip does not exist.
    pub fn crowd(&self, layout: &Layout, requested: &[Option<ClipIndex>], model: &Model) -> Crowd {
        let instance = |(i, standing): (usize, &InstancePlacement)| {
            let clip = standing.clip.map_or_else(|| self.clip(i), |clip| requested[clip as usize]);
            let duration = clip.map_or(0.0, |clip| f64::from(model.clips[clip.get()].duration_secs));
            let phase_secs =
                standing.phase_secs.unwrap_or_else(|| self.phase(i, layout.golden_ratio_phases) * duration);
            let speed = standing.speed.unwrap_or_else(|| self.speed(i));
            let playback = Playback { speed, start_offset_secs: phase_secs, loop_mode: LoopMode::Loop };
            Instance { world_from_model: standing.placement(), clip, playback }
        };
        Crowd::new(layout.placements.iter().enumerate().map(instance))
    }
}

/// Returns the side of the square that a model with `bounds` occupies.
fn footprint(bounds: &Aabb) -> f64 {
    let widest = bounds.extent().x.max(bounds.extent().z);
    if widest > 0.0 { widest } else { bounds.extent().y.max(1e-3) }
}

#[cfg(test)]
mod tests;
