//! Blending of several clips, and cross-fades.

use crate::app::FileError;
use crate::app::scene::lookup::find_by_name_or_index;
use crate::request::{LayerRequest, shortest_f64};
use rigview_core::model::{ClipIndex, Model};
use rigview_core::pose::{Layer, LoopMode, MAX_LAYERS, Playback};
use std::collections::HashSet;

/// Clips that are blended with those that an instance plays.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Blend {
    pub(super) layers: Vec<BlendLayer>,
    /// A cross-fade to another clip.
    pub(crate) fade: Option<Fade>,
}

/// A clip that is blended with those of an instance, which have weight 1. One of their own without an offset sets its weight instead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BlendLayer {
    clip: ClipIndex,
    /// Above 0.
    weight: f32,
    /// Time of the clip when the clock is at 0, added to the start offset of the instance.
    start_offset_secs: f64,
}

impl BlendLayer {
    /// Returns `true` if it sets the weight of the instance's own clip `own`, and is no second layer of it.
    fn is_weight_of(&self, own: Option<ClipIndex>) -> bool {
        Some(self.clip) == own && self.start_offset_secs == 0.0
    }
}

/// A cross-fade from the main clip to another, which starts at its time 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fade {
    pub(crate) to: ClipIndex,
    pub(crate) duration_secs: f64,
    /// Clock time at the start of the fade.
    pub(crate) start_clock_secs: f64,
}

impl Fade {
    /// Returns the weight of the other clip, from 0 to 1.
    pub(crate) fn weight_at(&self, clock_secs: f64) -> f32 {
        (((clock_secs - self.start_clock_secs).abs() / self.duration_secs.max(1e-6)).min(1.0)) as f32
    }

    /// Returns the factor of the weights of the other layers. It is above 0, so that a layer of a command line can have it.
    fn remainder_at(&self, clock_secs: f64) -> f32 {
        (1.0 - self.weight_at(clock_secs)).max(1e-30)
    }
}

impl Blend {
    /// Finds the clips of `requests` in `model`. Instances play up to `own_count` clips without them.
    ///
    /// # Errors
    /// For an unknown clip, or too many layers.
    pub(crate) fn from_request(requests: &[LayerRequest], own_count: usize, model: &Model) -> Result<Self, FileError> {
        // One layer is left for a cross-fade, and one for the rest pose.
        if own_count + requests.len() + 2 > MAX_LAYERS {
            return Err(FileError::TooManyClips(MAX_LAYERS - 2));
        }
        let names = model.clips.iter().map(|clip| clip.name.as_deref());
        let layer = |arg: &LayerRequest| {
            let clip = ClipIndex(find_by_name_or_index("clip", &arg.clip, names.clone())? as u32);
            Ok(BlendLayer { clip, weight: arg.weight as f32, start_offset_secs: arg.start_offset_secs })
        };
        Ok(Self { layers: requests.iter().map(layer).collect::<Result<_, FileError>>()?, fade: None })
    }

    /// The running fade, if it changes the motion of instances that play the clips `own`.
    pub(crate) fn fade_at(&self, own: &[ClipIndex], clock_secs: f64) -> Option<&Fade> {
        // The same motion is no fade.
        let is_same = |fade: &Fade| own == [fade.to] && fade.start_clock_secs == 0.0;
        let changes = |fade: &&Fade| !own.is_empty() && fade.weight_at(clock_secs) > 0.0 && !is_same(fade);
        self.fade.as_ref().filter(changes)
    }

    /// Adds the running fade at `clock_secs` to the layers of a request that plays the clips `own`; `name` identifies a clip.
    pub(crate) fn add_fade(
        &self,
        layers: &mut Vec<LayerRequest>,
        own: &[ClipIndex],
        clock_secs: f64,
        name: impl Fn(ClipIndex) -> String,
    ) {
        let Some(fade) = self.fade_at(own, clock_secs) else { return };
        let (weight, remainder) = (fade.weight_at(clock_secs), fade.remainder_at(clock_secs));
        layers.iter_mut().for_each(|layer| layer.weight = shortest_f64(layer.weight as f32 * remainder));
        let layer =
            |clip, weight, start_offset_secs| LayerRequest { clip, weight: shortest_f64(weight), start_offset_secs };
        for clip in own.iter().filter(|clip| !self.layers.iter().any(|layer| layer.is_weight_of(Some(**clip)))) {
            layers.push(layer(name(*clip), remainder, 0.0));
        }
        layers.push(layer(name(fade.to), weight, -fade.start_clock_secs));
    }

    /// Returns `true` if only the main clip plays.
    pub(crate) fn is_empty(&self) -> bool {
        self.layers.is_empty() && self.fade.is_none()
    }

    /// Returns the weight of a clip that is not an instance's own; 0 if it does not play.
    pub(crate) fn weight(&self, clip: ClipIndex) -> f32 {
        self.layers.iter().find(|layer| layer.clip == clip).map_or(0.0, |layer| layer.weight)
    }

    /// Returns the weight of a clip that instances play without the blend.
    pub(crate) fn weight_of_own(&self, clip: ClipIndex) -> f32 {
        let of_layer = self.layers.iter().rev().find(|layer| layer.is_weight_of(Some(clip)));
        of_layer.map_or(1.0, |layer| layer.weight)
    }

    /// Returns the layers of an instance that plays the clips of the layers `own`, of which there is one at least.
    pub(crate) fn layers(&self, own: &[Layer], clock_secs: f64) -> Vec<Layer> {
        // Blended clips have different lengths, so that each loops by itself.
        let playback = Playback { loop_mode: LoopMode::Loop, ..own[0].playback };
        let mut layers: Vec<Layer> = Vec::with_capacity(own.len() + self.layers.len() + 1);
        layers.extend(own.iter().map(|layer| {
            let playback = Playback { loop_mode: LoopMode::Loop, ..layer.playback };
            let weight = layer.clip.map_or(1.0, |clip| self.weight_of_own(clip));
            Layer { weight, ..Layer::new(layer.clip, playback) }
        }));
        let is_own = |other: &&BlendLayer| own.iter().any(|layer| other.is_weight_of(layer.clip));
        layers.extend(self.layers.iter().filter(|other| !is_own(other)).map(|other| {
            let playback =
                Playback { start_offset_secs: playback.start_offset_secs + other.start_offset_secs, ..playback };
            Layer { weight: other.weight, ..Layer::new(Some(other.clip), playback) }
        }));
        if let Some(fade) = &self.fade {
            let weight = fade.weight_at(clock_secs);
            layers.iter_mut().for_each(|layer| layer.weight *= fade.remainder_at(clock_secs));
            let fade_playback =
                Playback { start_offset_secs: playback.start_offset_secs - fade.start_clock_secs, ..playback };
            layers.push(Layer { weight, ..Layer::new(Some(fade.to), fade_playback) });
        }
        layers
    }
}

/// Counts the joints that both clips animate.
pub(crate) fn shared_joint_count(model: &Model, [a, b]: [ClipIndex; 2]) -> usize {
    let [a, b] =
        [a, b].map(|clip| model.clips[clip.get()].tracks.iter().map(|track| track.joint).collect::<HashSet<_>>());
    a.intersection(&b).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::model::Clip;

    #[test]
    fn layers_are_limited() {
        let clip = |_| Clip::default();
        let model = Model { clips: (0..30).map(clip).collect(), ..Model::default() };
        let layer = |index: usize| format!("{index}:0.25").parse::<LayerRequest>().unwrap();
        let blend = Blend::from_request(&[layer(1)], 1, &model).unwrap();
        assert_eq!((blend.weight(ClipIndex(1)), blend.weight(ClipIndex(0))), (0.25, 0.0));
        let layers = blend.layers(&[Layer::new(Some(ClipIndex(0)), Playback::ONCE)], 0.0);
        assert_eq!(layers.iter().map(|layer| layer.weight).collect::<Vec<_>>(), [1.0, 0.25]);
        let all: Vec<LayerRequest> = (0..70).map(|index| layer(index % 30)).collect();
        assert!(Blend::from_request(&all, 1, &model).is_err());
    }

    #[test]
    fn fade_moves_the_weight_to_a_clip_that_starts_at_zero() {
        let fade = Fade { to: ClipIndex(2), duration_secs: 0.5, start_clock_secs: 10.0 };
        let blend = Blend { fade: Some(fade), ..Blend::default() };
        let own = [Layer::new(Some(ClipIndex(0)), Playback::looping(0.0))];
        let at = |clock_secs| blend.layers(&own, clock_secs);
        assert_eq!(at(10.0).iter().map(|layer| layer.weight).collect::<Vec<_>>(), [1.0, 0.0]);
        // The same as layers, of which one sets the weight of the main clip.
        let mut layers = Vec::new();
        blend.add_fade(&mut layers, &[ClipIndex(0)], 10.125, |clip| clip.0.to_string());
        let texts: Vec<String> = layers.iter().map(LayerRequest::to_string).collect();
        assert_eq!(texts, ["0:0.75", "2:0.25@-10"]);
        let model = Model { clips: vec![Clip::default(); 3], ..Model::default() };
        let blend = Blend::from_request(&layers, 1, &model).unwrap();
        let weights = |layers: Vec<Layer>| layers.iter().map(|layer| (layer.clip, layer.weight)).collect::<Vec<_>>();
        assert_eq!(weights(blend.layers(&own, 10.125)), weights(at(10.125)));
        assert_eq!(at(10.25).iter().map(|layer| layer.weight).collect::<Vec<_>>(), [0.5, 0.5]);
        assert_eq!(at(99.0)[1].weight, 1.0);
        assert_eq!(at(10.25)[1].playback.clip_time(10.25, 2.0), 0.25);
    }
}
