//! The posed scene of a request.

use super::{ClipWeight, CrowdRequest, ImportRequest, JointPoseRequest, LayerRequest, MorphWeightRequest};
use rigview_core::import::ImageLoading;
use std::path::{Path, PathBuf};

/// The contents to load from a file, and their pose. Items are given by name or by index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneRequest {
    /// `none` for the rest pose; without one, the first clip.
    pub clip: Option<String>,
    /// Seconds into the clip.
    pub time_secs: f64,
    /// Without one, the file's default scene.
    pub scene: Option<String>,
    /// Material variant; without one, the default materials.
    pub variant: Option<String>,
    /// Files whose clips are added, matched by joint names.
    pub clip_sources: Vec<PathBuf>,
    /// Clips that are blended with the main one.
    pub layers: Vec<LayerRequest>,
    /// Pose overrides of joints.
    pub joint_poses: Vec<JointPoseRequest>,
    /// Pose overrides of morph weights.
    pub morph_weights: Vec<MorphWeightRequest>,
    /// Loads the file even if it requires an unsupported extension.
    pub ignore_required: bool,
    /// Policy for every file of the request.
    pub import: ImportRequest,
    /// Instances.
    pub crowd: CrowdRequest,
}

impl SceneRequest {
    /// The model files that the options name: clip sources and other models.
    pub fn model_files(&self) -> impl Iterator<Item = &Path> {
        let clip_sources = self.clip_sources.iter().map(PathBuf::as_path);
        let other_models = self.crowd.other_models.iter().map(|model| model.file.as_path());
        clip_sources.chain(other_models).chain(self.crowd.clips.iter().filter_map(ClipWeight::clip_source))
    }

    /// Returns which images to load, if the variant does not change later.
    pub(crate) fn drawn_images(&self) -> ImageLoading {
        match self.variant {
            None => ImageLoading::DecodeWithoutVariants,
            Some(_) => ImageLoading::Decode,
        }
    }
}
