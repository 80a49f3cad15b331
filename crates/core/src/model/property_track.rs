//! Keyframes of properties other than joint transforms (KHR_animation_pointer).

use super::{CameraProperty, Interpolation, JointIndex, LightProperty, MaterialIndex, MaterialProperty, TimelineIndex};
use std::sync::Arc;

/// The keyframes of one animated property.
#[derive(Clone, Debug, PartialEq)]
pub struct PropertyTrack {
    /// The property.
    pub target: PropertyTarget,
    /// The timeline of the keys, in [`Clip::timelines`](super::Clip::timelines).
    pub timeline: TimelineIndex,
    /// The interpolation between keys.
    pub interpolation: Interpolation,
    /// Finite values in key order: [`Interpolation::values_per_key`] values a key, of
    /// [`PropertyTarget::component_count`] components each.
    pub values: Arc<[f32]>,
}

/// A property that a clip can animate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PropertyTarget {
    /// A property that this material has.
    Material(MaterialIndex, MaterialProperty),
    /// A property of the light with this index in the file, at all of its nodes.
    Light(u32, LightProperty),
    /// A property of the camera with this index in the file, at all of its nodes.
    Camera(u32, CameraProperty),
    /// Visibility of a joint and of its descendants: 0 hides them (KHR_node_visibility).
    Visible(JointIndex),
}

impl PropertyTarget {
    /// The largest component count of any property.
    pub const MAX_COMPONENTS: usize = 4;

    /// Number of components of a value.
    pub fn component_count(self) -> usize {
        match self {
            Self::Material(_, property) => property.layout().0,
            Self::Light(_, LightProperty::Color) => 3,
            Self::Light(..) | Self::Camera(..) | Self::Visible(_) => 1,
        }
    }
}
