//! Recorded movement.

use super::{Interpolation, JointIndex, PropertyTrack};
use nalgebra::{Vector3, Vector4};

/// One glTF animation: tracks that are played together.
#[derive(Clone, Debug, Default)]
pub struct Clip {
    /// Its name in the file, which need not be unique.
    pub name: Option<String>,
    /// The time of its last key, in seconds from 0; the clip lasts from 0 to here.
    pub duration_secs: f32,
    /// The time of its first key, in seconds; before it the first values hold.
    pub first_key_secs: f32,
    /// The key times that its tracks use, each distinct list once.
    pub timelines: Vec<Timeline>,
    /// What is moved, at most one track for each joint and property.
    pub tracks: Vec<Track>,
    /// What else is changed, at most one track for each target.
    pub values: Vec<PropertyTrack>,
}

/// Key times in seconds: at least one, finite, not negative, never decreasing.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// The times.
    pub times_secs: Vec<f32>,
}

/// The keys of one property of one joint.
#[derive(Clone, Debug)]
pub struct Track {
    /// The joint that is moved.
    pub joint: JointIndex,
    /// The clip's timeline that its keys follow, as an index into [`Clip::timelines`].
    pub timeline: usize,
    /// How values between keys are found.
    pub interpolation: Interpolation,
    /// What is moved, and the values.
    pub keys: Keys,
}

/// Key values, in key order, with [`Interpolation::values_per_key`] values a key.
#[derive(Clone, Debug)]
pub enum Keys {
    /// Translations in the parent's space.
    Translation(Vec<Vector3<f32>>),
    /// Rotation quaternions `x, y, z, w`; of unit length, but for tangents.
    Rotation(Vec<Vector4<f32>>),
    /// Scales.
    Scale(Vec<Vector3<f32>>),
    /// Morph weights: for each value as many numbers as the joint's mesh has targets.
    Weights(Vec<f32>),
}
