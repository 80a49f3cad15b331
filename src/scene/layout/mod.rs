//! Where the instances of a crowd stand and what they do: laid out by rule or by a file, always the same for the same seed.

mod error;
mod file;
mod grid;
mod rng;
mod scatter;

pub use error::{LayoutError, LayoutProblem};
pub use file::{LayoutFormat, MAX_INSTANCES, parse_layout};
pub use grid::grid;
pub use scatter::scatter;

use crate::crowd::{Crowd, Instance};
use crate::math::{Aabb, Affine, Transform};
use crate::model::{ClipIndex, Model};
use crate::pose::{LoopMode, Playback};
use nalgebra::{UnitQuaternion, Vector3};
use rng::HashRng;

/// Where one of the crowd stands, and what of its doing is settled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InstancePlacement {
    /// Where, in meters of the world.
    pub position: Vector3<f64>,
    /// How far it is turned about the vertical, in radians, counter-clockwise as seen from above.
    pub yaw: f64,
    /// How large it is; 1 as in its file.
    pub scale: f64,
    /// The clip that it plays, by its number among [`Layout::clips`]; else the [`PlaybackRules`] decides, as below.
    pub clip: Option<u32>,
    /// Seconds into the clip when the clock shows 0.
    pub phase_secs: Option<f64>,
    /// Seconds of the clip for each second of the clock.
    pub speed: Option<f32>,
}

impl InstancePlacement {
    /// Somebody at a place, of whom nothing else is settled.
    pub fn at(position: Vector3<f64>) -> Self {
        Self { position, yaw: 0.0, scale: 1.0, clip: None, phase_secs: None, speed: None }
    }

    /// `world_from_model`.
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

/// A crowd before it plays anything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// One for each instance.
    pub placements: Vec<InstancePlacement>,
    /// Clips that it asks for, by name or number, each with the line that did so first.
    pub clips: Vec<(String, usize)>,
    /// Whether a [`PlaybackRules`] that settles phases spreads them by the golden ratio, so that any number of them is spread
    /// evenly; else by chance.
    pub golden_ratio_phases: bool,
}

impl Layout {
    /// Its places for several crowds, as many for each as `counts` say: mixed by chance that begins with `seed`, without
    /// one the first places for the first crowd and so on.
    ///
    /// # Panics
    /// If `counts` are not as many in all as there are places.
    pub fn partition(&self, counts: &[usize], seed: Option<u64>) -> Vec<Self> {
        assert_eq!(counts.iter().sum::<usize>(), self.placements.len(), "a place for everybody");
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

/// Who plays what, where the layout leaves it open.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaybackRules {
    /// Clips and how often they are chosen, relative to each other; none for the rest pose.
    pub clips: Vec<(Option<ClipIndex>, f64)>,
    /// The share of its clip over which phases are spread: 0 for all at the same moment, 1 for all of it.
    pub phase_spread: f64,
    /// Speeds lie between 1 less this and 1 more.
    pub speed_spread: f64,
    /// What chance begins with: the same seed, the same crowd.
    pub seed: u64,
}

impl PlaybackRules {
    /// Everybody plays the same clip, each at its own moment.
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

    /// The crowd: what the layout settles, and for the rest what this does. `asked` are the layout's clips in the model.
    ///
    /// # Panics
    /// If nobody stands in the layout, or a clip does not exist.
    pub fn crowd(&self, layout: &Layout, asked: &[Option<ClipIndex>], model: &Model) -> Crowd {
        let instance = |(i, standing): (usize, &InstancePlacement)| {
            let clip = standing.clip.map_or_else(|| self.clip(i), |clip| asked[clip as usize]);
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

/// Ground that a model with `bounds` takes, as the side of a square, and a little for what is flat as a post.
fn footprint(bounds: &Aabb) -> f64 {
    let widest = bounds.extent().x.max(bounds.extent().z);
    if widest > 0.0 { widest } else { bounds.extent().y.max(1e-3) }
}

#[cfg(test)]
mod tests;
