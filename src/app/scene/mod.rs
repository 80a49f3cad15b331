//! Loaded models with their crowds, poses, lights and debug views. Neither prints nor needs a window.

pub(crate) mod clip_blend;
pub(crate) mod crowd;
mod crowd_spec;
pub(crate) mod debug_view;
mod gpu_scene;
pub(crate) mod lighting;
mod load;
mod loaded_model;
mod loaded_scene;
pub(crate) mod lookup;
pub(crate) mod motion;
pub(crate) mod pose_overrides;
mod queries;
pub(crate) mod selection;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use crowd_spec::{find_clip, find_clips};
pub(crate) use gpu_scene::{GpuScene, SceneUpload};
pub(crate) use loaded_model::LoadedModel;
pub(crate) use loaded_scene::{LoadedGround, LoadedScene};
