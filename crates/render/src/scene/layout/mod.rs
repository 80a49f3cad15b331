//! Crowd layouts: placement and playback of instances, deterministic for a seed.

mod error;
mod file;
mod grid;
mod rng;
mod scatter;

pub use error::{LayoutError, LayoutProblem};
pub use file::{LayoutFormat, MAX_INSTANCES, parse_layout};
pub use grid::grid;
pub use scatter::scatter;

use nalgebra::{UnitQuaternion, Vector3};
use rigview_core::crowd::{Crowd, Instance};
use rigview_core::math::{Aabb, Affine, Transform};
use rigview_core::model::{ClipIndex, InstanceIndex, Model};
use rigview_core::pose::{Layer, LoopMode, Playback};
use rng::HashRng;
use smallvec::SmallVec;

/// Placement of an instance, with optional playback settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InstancePlacement {
    /// Position in meters.
    pub position: Vector3<f64>,
    /// Rotation about +Y in radians, counter-clockwise from above.
    pub yaw: f64,
    /// Uniform scale.
    pub scale: f64,
    /// Start and end in [`Layout::clip_uses`]. If they are equal, the clips are those of [`PlaybackRules`].
    pub clip_uses: [u32; 2],
    /// Clip time at time 0, in seconds, of clips without one of their own.
    pub phase_secs: Option<f64>,
    /// Playback speed of clips without one of their own.
    pub speed: Option<f32>,
}

/// A clip that an instance plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipUse {
    /// Index in [`Layout::clips`].
    pub clip: u32,
    /// Clip time at time 0, in seconds; `None` for that of the placement.
    pub phase_secs: Option<f64>,
    /// Playback speed; `None` for that of the placement.
    pub speed: Option<f32>,
}

impl InstancePlacement {
    /// Places an instance with default settings.
    pub fn at(position: Vector3<f64>) -> Self {
        Self { position, yaw: 0.0, scale: 1.0, clip_uses: [0; 2], phase_secs: None, speed: None }
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
    /// The clips of the placements, which play together.
    pub clip_uses: Vec<ClipUse>,
    /// [`PlaybackRules`] distribute phases by the golden ratio instead of randomly.
    pub golden_ratio_phases: bool,
}

impl Layout {
    /// The clips of a placement; empty for those of the rules.
    pub fn clip_uses_of(&self, placement: &InstancePlacement) -> &[ClipUse] {
        let [start, end] = placement.clip_uses;
        &self.clip_uses[start as usize..end as usize]
    }

    /// Splits the placements into one layout per crowd, of these counts.
    ///
    /// With a random `seed` the crowds are mixed, otherwise the first crowd gets the first placements, and so on.
    ///
    /// # Panics
    /// If the sum of `counts` is not the number of placements.
    pub fn partition(&self, counts: &[usize], seed: Option<u64>) -> Vec<Self> {
        assert_eq!(counts.iter().sum::<usize>(), self.placements.len(), "a placement for every instance");
        let mut indices: Vec<usize> = (0..self.placements.len()).collect();
        if let Some(seed) = seed {
            indices.sort_by_cached_key(|&index| HashRng::new(seed, "crowd", index).unit().to_bits());
        }
        let mut indices = indices.into_iter();
        let layout = |&count: &usize| {
            let mut indices: Vec<usize> = indices.by_ref().take(count).collect();
            indices.sort_unstable();
            let placements = indices.into_iter().map(|index| self.placements[index]).collect();
            let (clips, clip_uses) = (self.clips.clone(), self.clip_uses.clone());
            Self { placements, clips, clip_uses, golden_ratio_phases: self.golden_ratio_phases }
        };
        counts.iter().map(layout).collect()
    }
}

/// Playback of instances whose layout does not specify it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaybackRules {
    /// Clips with relative frequencies; `None` is the rest pose.
    pub clips: Vec<(Option<ClipIndex>, f64)>,
    /// Clips that every instance plays besides its own, unless the layout specifies its clips.
    pub together: Vec<ClipIndex>,
    /// Fraction of the clip over which phases are distributed.
    pub phase_spread: f64,
    /// Speeds are between 1 minus this and 1 plus this.
    pub speed_spread: f64,
    /// Random seed.
    pub seed: u64,
}

impl PlaybackRules {
    /// All instances play `clip` with different phases.
    pub fn for_clip(clip: Option<ClipIndex>) -> Self {
        Self { clips: vec![(clip, 1.0)], together: Vec::new(), phase_spread: 1.0, speed_spread: 0.0, seed: 0 }
    }

    fn clip(&self, instance: usize) -> Option<ClipIndex> {
        let total: f64 = self.clips.iter().map(|(_, weight)| weight.max(0.0)).sum();
        let mut remainder = HashRng::new(self.seed, "clip", instance).unit() * total;
        let selected = self.clips.iter().find(|(_, weight)| {
            remainder -= weight.max(0.0);
            remainder < 0.0
        });
        selected.or(self.clips.last()).and_then(|(clip, _)| *clip)
    }

    fn phase(&self, instance: usize, golden_ratio_phases: bool) -> f64 {
        let golden_ratio = (5.0_f64.sqrt() - 1.0) / 2.0;
        let start = if self.seed == 0 { 0.0 } else { HashRng::new(self.seed, "start", 0).unit() };
        let fraction = match golden_ratio_phases {
            true => (start + instance as f64 * golden_ratio).fract(),
            false => HashRng::new(self.seed, "phase", instance).unit(),
        };
        fraction * self.phase_spread
    }

    fn speed(&self, instance: usize) -> f32 {
        (1.0 + self.speed_spread * (2.0 * HashRng::new(self.seed, "speed", instance).unit() - 1.0)) as f32
    }

    /// Builds the crowd. Values of the layout take precedence over these rules.
    ///
    /// `clips_in_model` maps [`Layout::clips`] to clips of `model`.
    ///
    /// # Panics
    /// If the layout is empty, or a clip does not exist.
    pub fn crowd(&self, layout: &Layout, clips_in_model: &[Option<ClipIndex>], model: &Model) -> Crowd {
        let duration =
            |clip: Option<ClipIndex>| clip.map_or(0.0, |clip| f64::from(model.clips[clip.get()].duration_secs));
        let layers = |i: usize, placement: InstancePlacement| {
            let playback = move |clip| Playback {
                speed: placement.speed.unwrap_or_else(|| self.speed(i)),
                start_offset_secs: placement
                    .phase_secs
                    .unwrap_or_else(|| self.phase(i, layout.golden_ratio_phases) * duration(clip)),
                loop_mode: LoopMode::Loop,
            };
            let clip_uses = layout.clip_uses_of(&placement);
            let of_layout = clip_uses.iter().map(move |clip_use| {
                let clip = clips_in_model[clip_use.clip as usize];
                let Playback { speed, start_offset_secs, loop_mode } = playback(clip);
                let start_offset_secs = clip_use.phase_secs.unwrap_or(start_offset_secs);
                Layer::new(clip, Playback { speed: clip_use.speed.unwrap_or(speed), start_offset_secs, loop_mode })
            });
            // They keep their offsets from each other.
            let of_rules = clip_uses.is_empty().then(|| self.clip(i)).into_iter().flat_map(move |clip| {
                let first = Layer::new(clip, playback(clip));
                std::iter::once(first).chain(self.together.iter().map(move |clip| Layer { clip: Some(*clip), ..first }))
            });
            of_layout.chain(of_rules)
        };
        let instance = |(i, placement): (usize, &InstancePlacement)| {
            let Layer { clip, playback, .. } =
                layers(i, *placement).next().expect("each instance has a clip or the rest pose");
            Instance { world_from_model: placement.placement(), clip, playback }
        };
        let mut crowd = Crowd::new(layout.placements.iter().enumerate().map(instance));
        for (i, placement) in layout.placements.iter().enumerate() {
            let layers: SmallVec<[Layer; 4]> = layers(i, *placement).collect();
            if layers.len() > 1 {
                crowd.set_layers(InstanceIndex(i as u32), &layers);
            }
        }
        crowd
    }
}

/// Returns the side of the square that a model with `bounds` occupies.
fn footprint(bounds: &Aabb) -> f64 {
    let max_extent = bounds.extent().x.max(bounds.extent().z);
    if max_extent > 0.0 { max_extent } else { bounds.extent().y.max(1e-3) }
}

#[cfg(test)]
mod tests;
