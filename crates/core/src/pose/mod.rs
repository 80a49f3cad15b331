//! Poses: from model and time to joint transforms.
//!
//! A [`Pose`] holds `parent_from_joint` of every joint and the morph weights, a [`ModelPose`] `model_from_joint`.
//! [`sample()`] fills a pose from a clip, [`sample_layers`] blends several clips, and [`PoseOverride::apply`] replaces joint
//! transforms. [`ModelPose::update`] evaluates the hierarchy. [`Playback`] maps clock time to clip time.
//! [`RootMotion`] moves instances as far as their clips walk. [`AnimatedProperties`] holds animated material, light, camera and visibility properties.
//! [`moving_parts()`] measures what a clip moves, and [`opening_clips()`] chooses those that play when a file opens.

mod animated_properties;
mod blend_weights;
mod face_tracks;
mod hidden_joints;
mod interpolate;
mod key_times;
mod layer;
mod layers;
mod local_pose;
mod model_pose;
mod moving_parts;
mod opening_clips;
mod playback;
mod pose_clip;
mod pose_override;
mod root_motion;
mod sample;

pub use animated_properties::AnimatedProperties;
pub(crate) use blend_weights::{LayerWeight, WHOLE, layer_weights, positive_weight};
pub(crate) use face_tracks::FaceTracks;
pub(crate) use hidden_joints::HiddenJoints;
pub(crate) use interpolate::{slerp_tangent, unit};
pub use key_times::{KeyTimes, animated_joint_count};
pub use layer::{Layer, LayerMode, MAX_LAYERS};
pub use layers::{LayerScratch, sample_layers};
pub use local_pose::Pose;
pub use model_pose::ModelPose;
pub use moving_parts::{MovingPart, PartRotation, SpeedStep, moving_parts};
pub use opening_clips::{clips_by_duration, opening_clips};
pub use playback::{LoopMode, Playback};
pub use pose_clip::pose_clip;
pub use pose_override::PoseOverride;
pub use root_motion::RootMotion;
pub use sample::{Cursor, clamp_to_clip, sample};
pub use sample::{reset_tracks, sample_tracks};
