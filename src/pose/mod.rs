//! Model and time to joint transforms.
//!
//! A [`Pose`] holds `parent_from_joint` of every joint and the morph weights; a [`ModelPose`] holds `model_from_joint`.
//! [`sample()`] fills a pose from a clip, [`ModelPose::update`] walks the hierarchy once.

mod interpolate;
mod local;
mod model_pose;
mod playback;
pub(crate) mod rows;
mod sample;
mod timetable;

pub use local::Pose;
pub use model_pose::ModelPose;
pub use playback::Playback;
pub use sample::{Cursor, clamp_to_clip, sample};
pub(crate) use timetable::Timetable;
