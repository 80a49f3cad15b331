//! Visibility of joints (KHR_node_visibility, animated by KHR_animation_pointer).

use super::blend_weights::positive_weight;
use super::sample::sample_property;
use super::{Layer, clamp_to_clip};
use crate::model::{JointIndex, Model, PropertyTarget};

/// The hidden joints of an instance at one time. Keeps its memory from sample to sample.
#[derive(Clone, Debug, Default)]
pub(crate) struct HiddenJoints {
    /// Per joint: visibility summed over the layers that animate it, and their total weight.
    sums: Vec<[f64; 2]>,
    /// Per joint; empty if none is hidden.
    hidden: Vec<bool>,
}

impl HiddenJoints {
    /// Returns `true` if a joint of the model may be hidden at some time.
    pub(crate) fn exist_in(model: &Model) -> bool {
        let mut tracks = model.clips.iter().flat_map(|clip| &clip.property_tracks);
        !model.hidden_joints.is_empty() || tracks.any(|track| matches!(track.target, PropertyTarget::Visible(_)))
    }

    /// Samples the joints of a model that plays `layers` at the clock's `clock_secs`. A joint is visible if its blended visibility is
    /// at least 0.5; its descendants are hidden with it.
    pub(crate) fn sample(&mut self, model: &Model, layers: &[Layer], clock_secs: f64) {
        self.hidden.clear();
        self.sums.clear();
        let weights = layers.iter().map(|layer| (layer, positive_weight(layer.blend_weight())));
        for (layer, weight) in weights.filter(|(_, weight)| *weight > 0.0) {
            let Some(clip) = layer.clip.map(|clip| &model.clips[clip.get()]) else { continue };
            let duration_secs = f64::from(clip.duration_secs);
            let time_secs = clamp_to_clip(layer.playback.clip_time(clock_secs, duration_secs), clip);
            for track in &clip.property_tracks {
                let PropertyTarget::Visible(joint) = track.target else { continue };
                self.sums.resize(model.skeleton.len(), [0.0; 2]);
                let [visibility, ..] = sample_property(clip, track, time_secs);
                let [sum, total_weight] = &mut self.sums[joint.get()];
                (*sum, *total_weight) = (*sum + weight * visibility, *total_weight + weight);
            }
        }
        if self.sums.is_empty() && model.hidden_joints.is_empty() {
            return;
        }
        self.hidden.resize(model.skeleton.len(), false);
        model.hidden_joints.iter().for_each(|joint| self.hidden[joint.get()] = true);
        for (hidden, [sum, weight]) in self.hidden.iter_mut().zip(&self.sums).filter(|(_, [_, weight])| *weight > 0.0) {
            let at_rest = if *hidden { 0.0 } else { (1.0 - weight).max(0.0) };
            *hidden = sum / weight.max(1.0) + at_rest < 0.5;
        }
        for (i, joint) in model.skeleton.joints().iter().enumerate() {
            self.hidden[i] |= joint.parent.is_some_and(|parent| self.hidden[parent.get()]);
        }
        if !self.hidden.contains(&true) {
            self.hidden.clear();
        }
    }

    /// Returns `true` if no joint is hidden.
    pub(crate) fn is_empty(&self) -> bool {
        self.hidden.is_empty()
    }

    /// Returns `true` if a joint is hidden.
    pub(crate) fn contains(&self, joint: JointIndex) -> bool {
        self.hidden.get(joint.get()).is_some_and(|hidden| *hidden)
    }
}
