//! Several clips at once, and the way from one clip to another.

use crate::model::{ClipIndex, Model};
use crate::pose::{Layer, LoopMode, MAX_LAYERS, Timing};
use std::collections::HashSet;

/// What plays beside the clip on the timeline.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Blend {
    /// Other clips and their weights, each above 0; the clip on the timeline has weight 1.
    layers: Vec<(ClipIndex, f32)>,
    /// The way to another clip.
    pub(super) fade: Option<Fade>,
}

/// The way from the clip on the timeline to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fade {
    /// The other one, which begins at its start.
    pub(super) to: ClipIndex,
    /// How long it takes, in seconds of the clip.
    pub(super) secs: f64,
    /// What the clock showed when it began.
    pub(super) from_clock_secs: f64,
}

impl Fade {
    /// How far it is: 0 all the clip on the timeline, 1 all the other.
    pub(super) fn share(&self, clock_secs: f64) -> f32 {
        (((clock_secs - self.from_clock_secs).abs() / self.secs.max(1e-6)).min(1.0)) as f32
    }
}

impl Blend {
    /// Whether only the clip on the timeline plays.
    pub(super) fn is_empty(&self) -> bool {
        self.layers.is_empty() && self.fade.is_none()
    }

    /// The weight of another clip; 0 for one that does not play.
    pub(super) fn weight(&self, clip: ClipIndex) -> f32 {
        self.layers.iter().find(|(layer, _)| *layer == clip).map_or(0.0, |(_, weight)| *weight)
    }

    /// Lets another clip play with a weight; with 0, no longer. More than can play at once do not.
    pub(super) fn set_weight(&mut self, clip: ClipIndex, weight: f32) {
        self.layers.retain(|(layer, _)| *layer != clip || weight > 0.0);
        let has_room = self.layers.len() + 2 < MAX_LAYERS;
        match self.layers.iter_mut().find(|(layer, _)| *layer == clip) {
            Some(layer) => layer.1 = weight,
            None if weight > 0.0 && has_room => self.layers.push((clip, weight)),
            None => {}
        }
    }

    /// What an instance plays that plays `clip` with this timing when the clock shows `clock_secs`.
    pub(super) fn layers(&self, clip: Option<ClipIndex>, timing: Timing, clock_secs: f64) -> Vec<Layer> {
        // Alone, a clip follows the timeline; beside others, each goes round by itself.
        let timing = Timing { loop_mode: LoopMode::Loop, ..timing };
        let mut layers = vec![Layer::new(clip, timing)];
        let others = self.layers.iter().filter(|(other, _)| Some(*other) != clip);
        layers.extend(others.map(|(clip, weight)| Layer { clip: Some(*clip), weight: *weight, timing }));
        if let Some(fade) = &self.fade {
            let share = fade.share(clock_secs);
            layers.iter_mut().for_each(|layer| layer.weight *= 1.0 - share);
            let begins = Timing { phase_secs: timing.phase_secs - fade.from_clock_secs, ..timing };
            layers.push(Layer { clip: Some(fade.to), weight: share, timing: begins });
        }
        layers
    }
}

/// How many joints two clips both move.
pub(super) fn clash(model: &Model, [a, b]: [ClipIndex; 2]) -> usize {
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
        let layers = blend.layers(Some(ClipIndex(0)), Timing::ONCE, 0.0);
        assert_eq!(layers.iter().map(|layer| layer.weight).collect::<Vec<_>>(), [1.0, 0.25]);
        (0..30).for_each(|clip| blend.set_weight(ClipIndex(clip), 1.0));
        assert!(blend.layers(None, Timing::ONCE, 0.0).len() < MAX_LAYERS);
        (0..30).for_each(|clip| blend.set_weight(ClipIndex(clip), 0.0));
        assert!(blend.is_empty());
    }

    #[test]
    fn a_fade_goes_from_one_to_the_other_which_begins_at_its_start() {
        let fade = Fade { to: ClipIndex(2), secs: 0.5, from_clock_secs: 10.0 };
        let blend = Blend { fade: Some(fade), ..Blend::default() };
        let at = |clock_secs| blend.layers(Some(ClipIndex(0)), Timing::looping(0.0), clock_secs);
        assert_eq!(at(10.0).iter().map(|layer| layer.weight).collect::<Vec<_>>(), [1.0, 0.0]);
        assert_eq!(at(10.25).iter().map(|layer| layer.weight).collect::<Vec<_>>(), [0.5, 0.5]);
        assert_eq!(at(99.0)[1].weight, 1.0);
        assert_eq!(at(10.25)[1].timing.clip_secs(10.25, 2.0), 0.25);
    }
}
