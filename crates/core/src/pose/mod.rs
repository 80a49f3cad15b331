//! Poses: from model and time to joint transforms.
//!
//! A [`Pose`] holds `parent_from_joint` of every joint and the morph weights, a [`ModelPose`] `model_from_joint`.
//! [`sample()`] fills a pose from a clip, [`sample_layers`] blends several clips, and [`PoseOverride::apply`] replaces joint
//! transforms. [`ModelPose::update`] evaluates the hierarchy. [`Playback`] maps clock time to clip time.
//! [`AnimatedProperties`] holds animated material, light, camera and visibility properties.

mod animated_properties;
mod hidden_joints;
mod interpolate;
mod layers;
mod local_pose;
mod model_pose;
mod playback;
mod pose_override;
mod sample;

pub use animated_properties::AnimatedProperties;
pub(crate) use hidden_joints::HiddenJoints;
pub(crate) use interpolate::{slerp_tangent, unit};
pub(crate) use layers::normalized_weights;
pub use layers::{Layer, LayerScratch, MAX_LAYERS, sample_layers};
pub use local_pose::Pose;
pub use model_pose::ModelPose;
pub use playback::{LoopMode, Playback};
pub use pose_override::PoseOverride;
pub use sample::{Cursor, clamp_to_clip, sample};
pub use sample::{reset_tracks, sample_tracks};
