//! Several clips at once, and the way from one clip to another.

use crate::app::FileError;
use crate::app::scene::lookup::find_by_name_or_index;
use crate::app::scene::pose_overrides::shortest_f64;
use crate::model::{ClipIndex, Model};
use crate::pose::{Layer, LoopMode, MAX_LAYERS, Playback};
use crate::request::LayerRequest;
use std::collections::HashSet;

/// What plays beside the clip on the timeline.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Blend {
    /// Other clips; the one on the timeline has weight 1.
    layers: Vec<BlendLayer>,
    /// The way to another clip.
    pub(crate) fade: Option<Fade>,
}

/// A clip beside the one on the timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
struct BlendLayer {
    clip: ClipIndex,
    /// Above 0.
    weight: f32,
    /// Where it is when the clock shows 0, ahead of where an instance is anyway.
    phase_secs: f64,
}

/// The way from the clip on the timeline to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fade {
    /// The other one, which begins at its start.
    pub(crate) to: ClipIndex,
    /// How long it takes, in seconds of the clip.
    pub(crate) secs: f64,
    /// What the clock showed when it began.
    pub(crate) from_clock_secs: f64,
}

impl Fade {
    /// How far it is: 0 all the clip on the timeline, 1 all the other.
    pub(crate) fn share(&self, clock_secs: f64) -> f32 {
        (((clock_secs - self.from_clock_secs).abs() / self.secs.max(1e-6)).min(1.0)) as f32
    }
}

impl Blend {
    /// As the command line asks for it.
    ///
    /// # Errors
    /// When there is no such clip, or there are too many.
    pub(crate) fn from_request(args: &[LayerRequest], model: &Model) -> Result<Self, FileError> {
        if args.len() + 2 > MAX_LAYERS {
            return Err(FileError::TooManyLayers { most: MAX_LAYERS - 2 });
        }
        let names = model.clips.iter().map(|clip| clip.name.as_deref());
        let layer = |arg: &LayerRequest| {
            let clip = ClipIndex(find_by_name_or_index("clip", &arg.clip, names.clone())? as u32);
            Ok(BlendLayer { clip, weight: arg.weight as f32, phase_secs: arg.start_offset_secs })
        };
        Ok(Self { layers: args.iter().map(layer).collect::<Result<_, FileError>>()?, fade: None })
    }

    /// What the command line calls it at a time; `name` is what it calls a clip.
    pub(crate) fn to_requests(&self, clock_secs: f64, name: impl Fn(ClipIndex) -> String) -> Vec<LayerRequest> {
        let layer = |layer: &BlendLayer| LayerRequest {
            clip: name(layer.clip),
            weight: shortest_f64(layer.weight),
            start_offset_secs: layer.phase_secs,
        };
        let mut args: Vec<LayerRequest> = self.layers.iter().map(layer).collect();
        if let Some(fade) = &self.fade {
            // Only how weights compare counts, and the first clip's is 1.
            let share = f64::from(fade.share(clock_secs));
            let weight = share / (1.0 - share).max(1e-6);
            if weight > 0.0 {
                args.push(LayerRequest { clip: name(fade.to), weight, start_offset_secs: -fade.from_clock_secs });
            }
        }
        args
    }

    /// Whether only the clip on the timeline plays.
    pub(crate) fn is_empty(&self) -> bool {
        self.layers.is_empty() && self.fade.is_none()
    }

    /// The same with the clips of another model; what it has not is left out.
    pub(crate) fn for_clips(&self, same: impl Fn(ClipIndex) -> Option<ClipIndex>) -> Self {
        Self {
            layers: self
                .layers
                .iter()
                .filter_map(|layer| Some(BlendLayer { clip: same(layer.clip)?, ..*layer }))
                .collect(),
            fade: self.fade.and_then(|fade| Some(Fade { to: same(fade.to)?, ..fade })),
        }
    }

    /// The weight of another clip; 0 for one that does not play.
    pub(crate) fn weight(&self, clip: ClipIndex) -> f32 {
        self.layers.iter().find(|layer| layer.clip == clip).map_or(0.0, |layer| layer.weight)
    }

    /// Lets another clip play with a weight; with 0, no longer. More than can play at once do not.
    pub(crate) fn set_weight(&mut self, clip: ClipIndex, weight: f32) {
        self.layers.retain(|layer| layer.clip != clip || weight > 0.0);
        let has_room = self.layers.len() + 2 < MAX_LAYERS;
        match self.layers.iter_mut().find(|layer| layer.clip == clip) {
            Some(layer) => layer.weight = weight,
            None if weight > 0.0 && has_room => self.layers.push(BlendLayer { clip, weight, phase_secs: 0.0 }),
            None => {}
        }
    }

    /// What an instance plays that plays `clip` with this timing when the clock shows `clock_secs`.
    pub(crate) fn layers(&self, clip: Option<ClipIndex>, timing: Playback, clock_secs: f64) -> Vec<Layer> {
        // Alone, a clip follows the timeline; beside others, each goes round by itself.
        let timing = Playback { loop_mode: LoopMode::Loop, ..timing };
        let mut layers = vec![Layer::new(clip, timing)];
        layers.extend(self.layers.iter().filter(|other| Some(other.clip) != clip).map(|other| {
            let timing = Playback { phase_secs: timing.phase_secs + other.phase_secs, ..timing };
            Layer { clip: Some(other.clip), weight: other.weight, timing }
        }));
        if let Some(fade) = &self.fade {
            let share = fade.share(clock_secs);
            layers.iter_mut().for_each(|layer| layer.weight *= 1.0 - share);
            let begins = Playback { phase_secs: timing.phase_secs - fade.from_clock_secs, ..timing };
            layers.push(Layer { clip: Some(fade.to), weight: share, timing: begins });
        }
        layers
    }
}

/// How many joints two clips both move.
pub(crate) fn clash(model: &Model, [a, b]: [ClipIndex; 2]) -> usize {
    let [a, b] =
        [a, b].map(|clip| model.clips[clip.get()].tracks.iter().map(|track| track.joint).collect::<HashSet<_>>());
    a.intersection(&b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_come_and_go_and_there_are_not_too_many() {
        let mut blend = Blend::default();
        blend.set_weight(ClipIndex(1), 0.5);
        blend.set_weight(ClipIndex(1), 0.25);
        assert_eq!((blend.weight(ClipIndex(1)), blend.weight(ClipIndex(0))), (0.25, 0.0));
        let layers = blend.layers(Some(ClipIndex(0)), Playback::ONCE, 0.0);
        assert_eq!(layers.iter().map(|layer| layer.weight).collect::<Vec<_>>(), [1.0, 0.25]);
        (0..30).for_each(|clip| blend.set_weight(ClipIndex(clip), 1.0));
        assert!(blend.layers(None, Playback::ONCE, 0.0).len() < MAX_LAYERS);
        (0..30).for_each(|clip| blend.set_weight(ClipIndex(clip), 0.0));
        assert!(blend.is_empty());
    }

    #[test]
    fn a_fade_goes_from_one_to_the_other_which_begins_at_its_start() {
        let fade = Fade { to: ClipIndex(2), secs: 0.5, from_clock_secs: 10.0 };
        let blend = Blend { fade: Some(fade), ..Blend::default() };
        let at = |clock_secs| blend.layers(Some(ClipIndex(0)), Playback::looping(0.0), clock_secs);
        assert_eq!(at(10.0).iter().map(|layer| layer.weight).collect::<Vec<_>>(), [1.0, 0.0]);
        assert_eq!(at(10.25).iter().map(|layer| layer.weight).collect::<Vec<_>>(), [0.5, 0.5]);
        assert_eq!(at(99.0)[1].weight, 1.0);
        assert_eq!(at(10.25)[1].timing.clip_secs(10.25, 2.0), 0.25);
    }
}
