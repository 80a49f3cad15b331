//! Events: moments at which clips pass a marker, such as a footstep.

use super::instances::Crowd;
use crate::model::{ClipIndex, InstanceIndex, Model};
use std::ops::Range;

/// A moment of a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marker {
    /// The clip.
    pub clip: ClipIndex,
    /// Clip time in seconds.
    pub time_secs: f64,
}

/// A layer of an instance passes a [`Marker`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// The instance.
    pub instance: InstanceIndex,
    /// Index of the marker.
    pub marker: usize,
    /// Clock time in seconds.
    pub clock_secs: f64,
}

impl Crowd {
    /// Returns each crossing of a marker from `clock_secs.start` until before `clock_secs.end`, in layers with a positive weight.
    ///
    /// Ranges that follow each other, such as those of two updates, report each crossing once. Ordered by instance, layer, marker and
    /// time. A marker at the end of a looped clip is passed when the next loop starts. Does not allocate.
    ///
    /// ```
    /// use rigview_core::crowd::{Crowd, Instance, Marker};
    /// use rigview_core::math::Affine;
    /// use rigview_core::model::ClipIndex;
    ///
    /// # use rigview_core::import::{ImportOptions, open};
    /// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
    /// # let model = open(file, &ImportOptions::default()).unwrap().model;
    /// let crowd = Crowd::new([Instance::new(Affine::IDENTITY, Some(ClipIndex(0)), 0.0)]);
    /// let steps = [0.25, 0.5].map(|time_secs| Marker { clip: ClipIndex(0), time_secs });
    /// for event in crowd.events(&model, &steps, 0.2..0.3) {
    ///     println!("instance {} makes step {} at {} s", event.instance, event.marker, event.clock_secs);
    /// }
    /// assert_eq!(crowd.events(&model, &steps, 0.2..0.3).count(), 1);
    /// ```
    ///
    /// # Panics
    /// If the crowd plays a clip that `model` does not have.
    pub fn events<'a>(
        &'a self,
        model: &'a Model,
        markers: &'a [Marker],
        clock_secs: Range<f64>,
    ) -> impl Iterator<Item = Event> + 'a {
        let layers = self.indices().flat_map(|instance| self.layers(instance).map(move |layer| (instance, layer)));
        layers.filter(|(_, layer)| layer.weight > 0.0).flat_map(move |(instance, layer)| {
            let clock_secs = clock_secs.clone();
            let of_clip = markers.iter().enumerate().filter(move |(_, marker)| Some(marker.clip) == layer.clip);
            of_clip.flat_map(move |(index, marker)| {
                let duration_secs = f64::from(model.clips[marker.clip.get()].duration_secs);
                let crossings = layer.playback.crossings(marker.time_secs, duration_secs, clock_secs.clone());
                crossings.map(move |clock_secs| Event { instance, marker: index, clock_secs })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crowd::Instance;
    use crate::math::Affine;
    use crate::model::Clip;
    use crate::pose::{Layer, Playback};

    #[test]
    fn events_of_all_layers_with_weight_are_reported_once() {
        let clips = [1.0, 2.0].map(|duration_secs| Clip { duration_secs, ..Clip::default() });
        let model = Model { clips: clips.to_vec(), ..Model::default() };
        let mut crowd =
            Crowd::new([0.0, 0.5].map(|offset| Instance::new(Affine::IDENTITY, Some(ClipIndex(0)), offset)));
        let layer = |clip, weight| Layer { weight, ..Layer::new(Some(ClipIndex(clip)), Playback::looping(0.0)) };
        crowd.set_layers(InstanceIndex(0), &[layer(0, 0.0), layer(1, 1.0)]);
        let markers = [(0, 0.75), (1, 0.125)].map(|(clip, time_secs)| Marker { clip: ClipIndex(clip), time_secs });
        let mut found = Vec::new();
        for frame in 0..16 {
            let clock_secs = f64::from(frame) / 8.0..f64::from(frame + 1) / 8.0;
            found
                .extend(crowd.events(&model, &markers, clock_secs).map(|e| (e.instance.get(), e.marker, e.clock_secs)));
        }
        assert_eq!(found, [(0, 1, 0.125), (1, 0, 0.25), (1, 0, 1.25)]);
    }
}
