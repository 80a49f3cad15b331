//! Model and time to joint transforms.
//!
//! A [`Pose`] holds `parent_from_joint` of every joint and the morph weights; a [`ModelPose`] holds `model_from_joint`.
//! [`sample()`] fills a pose from a clip, [`sample_layers`] from several at once, [`HandPose::apply`] puts joints as a person
//! wants them; [`ModelPose::update`] walks the hierarchy once. A [`Timing`] tells where in a clip somebody is.
//! [`Values`] are the numbers of materials, lights and cameras that clips change besides.

mod hand;
mod interpolate;
mod layers;
mod local;
mod model_pose;
pub(crate) mod rows;
mod sample;
mod timetable;
mod timing;
mod values;

pub use hand::HandPose;
pub(crate) use layers::shares_of;
pub use layers::{Layer, LayerScratch, MAX_LAYERS, sample_layers};
pub use local::Pose;
pub use model_pose::ModelPose;
pub use sample::{Cursor, clamp_to_clip, sample};
pub(crate) use timetable::Timetable;
pub use timing::{LoopMode, Timing};
pub use values::Values;
