//! Animation clips.

use super::{Interpolation, JointIndex, PropertyTrack};
use nalgebra::{Vector3, Vector4};

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
}

/// Key times: at least one, finite, not negative, never decreasing.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// Times in seconds.
    pub times_secs: Vec<f32>,
}

/// The keys of one property of one joint.
#[derive(Clone, Debug)]
pub struct Track {
    /// The animated joint.
    pub joint: JointIndex,
    /// Index into [`Clip::timelines`].
    pub timeline: usize,
    /// Interpolation between keys.
    pub interpolation: Interpolation,
    /// The animated property with its values.
    pub keys: KeyValues,
}

/// Key values, in key order, with [`Interpolation::values_per_key`] values per key.
#[derive(Clone, Debug)]
pub enum KeyValues {
    /// Translations in parent space.
    Translation(Vec<Vector3<f32>>),
    /// Rotation quaternions `x, y, z, w`; of unit length except tangents.
    Rotation(Vec<Vector4<f32>>),
    /// Scales.
    Scale(Vec<Vector3<f32>>),
    /// Morph weights: each value has one weight per target of the joint's mesh.
    Weights(Vec<f32>),
}
