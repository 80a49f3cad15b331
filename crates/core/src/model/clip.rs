//! Animation clips.

use super::{Interpolation, JointIndex, PropertyTrack, TimelineIndex};
use nalgebra::{Vector3, Vector4};
use std::sync::Arc;

/// Animation clip: one glTF animation.
#[derive(Clone, Debug, Default)]
pub struct Clip {
    /// Name in the file, not necessarily unique.
    pub name: Option<String>,
    /// Time of the last key in seconds. The clip starts at 0 and ends here.
    pub duration_secs: f32,
    /// Time of the first key in seconds. Earlier times have the values of that key.
    pub first_key_secs: f32,
    /// Key times of the tracks, without duplicates.
    pub timelines: Vec<Timeline>,
    /// Joint tracks, at most one per joint and property.
    pub tracks: Vec<Track>,
    /// Tracks of other properties, at most one per target.
    pub property_tracks: Vec<PropertyTrack>,
}

impl Clip {
    /// Returns `true` if the first pose holds for most of the clip, such as in a file whose keys begin at a timecode.
    pub fn starts_late(&self) -> bool {
        2.0 * self.first_key_secs > self.duration_secs
    }

    /// Returns the number of keys of all tracks. A key of a timeline that several tracks share counts with each.
    pub fn key_count(&self) -> usize {
        let timelines = self.tracks.iter().map(|track| track.timeline);
        let timelines = timelines.chain(self.property_tracks.iter().map(|track| track.timeline));
        timelines.map(|timeline| self.timelines[timeline].times_secs().len()).sum()
    }

    /// Returns the lowest common frame rate, per second, at which every key is on a whole frame.
    ///
    /// `None` if there is none, and if the keys fit several of 24, 25 and 30, such as keys at whole seconds.
    pub fn frame_rate(&self) -> Option<f64> {
        common_frame_rate(self.timelines.iter().flat_map(|timeline| timeline.times_secs().iter().copied()))
    }

    /// Returns the lowest and the highest frame rate of the steps between keys, if [`frame_rate`](Self::frame_rate) is only their multiple.
    ///
    /// Steps that fit no rate, or several, are left out. `None` if a step has the frame rate of the clip.
    pub fn mixed_frame_rates(&self) -> Option<[f64; 2]> {
        let frame_rate = self.frame_rate()?;
        let mut rates = [frame_rate, 0.0];
        for timeline in &self.timelines {
            let mut before_secs = 0.0;
            for time_secs in timeline.times_secs() {
                let step_secs = time_secs - std::mem::replace(&mut before_secs, *time_secs);
                match common_frame_rate([step_secs].into_iter()) {
                    Some(rate) if rate < frame_rate => rates = [rates[0].min(rate), rates[1].max(rate)],
                    Some(_) => return None,
                    None => {}
                }
            }
        }
        Some(rates).filter(|[lowest, highest]| lowest <= highest)
    }
}

/// The lowest frame rate at which every time is on a whole frame; `None` if there is none or it is unclear.
fn common_frame_rate(times_secs: impl Iterator<Item = f32> + Clone) -> Option<f64> {
    let fits = |rate: &f64| {
        times_secs.clone().all(|time| {
            let frame = f64::from(time) * rate;
            (frame - frame.round()).abs() <= MAX_FRAME_OFFSET
        })
    };
    let is_clear = FRAME_RATES[..3].iter().filter(|rate| fits(rate)).count() < 2;
    FRAME_RATES.into_iter().find(fits).filter(|_| is_clear)
}

/// Frame rates of animation programs, lowest first. The last three are multiples of the others.
const FRAME_RATES: [f64; 6] = [24.0, 25.0, 30.0, 50.0, 60.0, 120.0];

/// Largest distance of a key from a whole frame, in frames: exporters round times to 32 bits, and some add up a rounded step.
const MAX_FRAME_OFFSET: f64 = 0.02;

/// Key times: at least one, finite, not negative, never decreasing. Clips of a file share equal ones.
///
/// ```
/// use rigview_core::model::Timeline;
///
/// let timeline = Timeline::new([0.0, 0.5, 1.0]);
/// assert_eq!(timeline.times_secs().last(), Some(&1.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    times_secs: Arc<[f32]>,
}

impl Timeline {
    /// Creates a timeline with keys at these times in seconds.
    ///
    /// # Panics
    /// If there are no times, or they are negative, infinite, NaN or decreasing.
    pub fn new(times_secs: impl Into<Arc<[f32]>>) -> Self {
        let times_secs = times_secs.into();
        let is_valid = times_secs.first().is_some_and(|first| *first >= 0.0)
            && times_secs.iter().all(|time| time.is_finite())
            && times_secs.is_sorted();
        assert!(is_valid, "key times must be finite, not negative and in order");
        Self { times_secs }
    }

    /// Returns the times in seconds.
    pub fn times_secs(&self) -> &[f32] {
        &self.times_secs
    }
}

/// The keys of one property of one joint.
#[derive(Clone, Debug)]
pub struct Track {
    /// The animated joint.
    pub joint: JointIndex,
    /// The timeline of the keys, in [`Clip::timelines`].
    pub timeline: TimelineIndex,
    /// Interpolation between keys.
    pub interpolation: Interpolation,
    /// The animated property with its values.
    pub keys: KeyValues,
}

/// Key values, in key order, with [`Interpolation::values_per_key`] values per key. Tracks of a file share those of one accessor.
#[derive(Clone, Debug)]
pub enum KeyValues {
    /// Translations in parent space.
    Translation(Arc<[Vector3<f32>]>),
    /// Rotation quaternions `x, y, z, w`; of unit length except tangents.
    Rotation(Arc<[Vector4<f32>]>),
    /// Scales.
    Scale(Arc<[Vector3<f32>]>),
    /// Morph weights: each value has one weight per target of the joint's mesh.
    Weights(Arc<[f32]>),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame_rate(times_secs: Vec<f32>) -> Option<f64> {
        let timelines = if times_secs.is_empty() { Vec::new() } else { vec![Timeline::new(times_secs)] };
        Clip { timelines, ..Clip::default() }.frame_rate()
    }

    #[test]
    fn frame_rate_is_that_of_the_keys() {
        for rate in FRAME_RATES {
            let every_frame: Vec<f32> = (0..4000).map(|frame| frame as f32 / rate as f32).collect();
            assert_eq!(frame_rate(every_frame.clone()), Some(rate), "each frame");
            let few = [0, 1, 7, 11, 23].map(|i| every_frame[i]).to_vec();
            assert_eq!(frame_rate(few), Some(rate), "some frames");
        }
        let summed = std::iter::successors(Some(0.0_f32), |time| Some(time + 1.0 / 30.0)).take(600).collect();
        assert_eq!(frame_rate(summed), Some(30.0), "summed steps");
        assert_eq!(frame_rate(vec![3600.0, 3600.5, 3600.5 + 1.0 / 24.0]), Some(24.0), "timecode");
    }

    #[test]
    fn mixed_frame_rates_are_those_of_the_steps() {
        let timeline =
            |rate: f32, frames: &[u16]| Timeline::new(frames.iter().map(|i| f32::from(*i) / rate).collect::<Vec<_>>());
        for (timelines, expected) in [
            (vec![timeline(24.0, &[0, 1, 7]), timeline(30.0, &[0, 1, 7])], (Some(120.0), Some([24.0, 30.0]))),
            // Keys at 24 FPS after a first one at 1/30 s.
            (vec![timeline(120.0, &[4, 9, 14])], (Some(120.0), Some([24.0, 30.0]))),
            // Keys at 24 FPS, and a gap of 0.2 s, as in the Run of the sample Fox.
            (vec![timeline(120.0, &[0, 5, 10, 34, 39])], (Some(120.0), Some([24.0, 24.0]))),
            (vec![timeline(30.0, &[0, 1, 7]), timeline(30.0, &[0, 2])], (Some(30.0), None)),
            (vec![timeline(24.0, &[0, 1, 7])], (Some(24.0), None)),
            (vec![timeline(120.0, &[0, 1, 7])], (Some(120.0), None)),
            (vec![timeline(120.0, &[0, 24, 48])], (None, None)),
        ] {
            let clip = Clip { timelines, ..Clip::default() };
            assert_eq!((clip.frame_rate(), clip.mixed_frame_rates()), expected, "{:?}", clip.timelines);
        }
    }

    #[test]
    fn unclear_frame_rates_are_none() {
        for times in [vec![], vec![0.0], vec![0.0, 1.0, 2.0], vec![0.0, 1.0 / 6.0], vec![0.0, 0.0123, 0.7], vec![0.113]]
        {
            assert_eq!(frame_rate(times.clone()), None, "{times:?}");
        }
    }
}
