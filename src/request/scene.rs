//! The posed scene of a request.

use super::parse::{finite, with_names};
use super::{ClipWeight, CrowdRequest, ImportRequest, JointPoseRequest, LayerRequest, MorphWeightRequest};
use clap::Args;
use clap::builder::StringValueParser;
use rigview_core::import::ImageLoading;
use std::path::{Path, PathBuf};

/// The contents to load from a file, and their pose. Items are given by name or by index.
#[derive(Clone, Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "Scene and animation")]
pub struct SceneRequest {
    /// Clip to play, by name or by index from 0; `none` for the rest pose [default: the first clip]
    #[arg(long, value_name = "NAME|INDEX|none", hide_possible_values = true,
        value_parser = with_names(StringValueParser::new(), ["none"]))]
    pub clip: Option<String>,

    /// Time in the clip, in seconds; clamped to the clip
    #[arg(long = "time", value_name = "SECONDS", default_value_t = 0.0, value_parser = finite, allow_negative_numbers = true)]
    pub time_secs: f64,

    /// Scene to show, by name or by index from 0 [default: the file's default scene]
    #[arg(long, value_name = "NAME|INDEX")]
    pub scene: Option<String>,

    /// Material variant, by name or by index from 0 [default: the file's default materials]
    #[arg(long, value_name = "NAME|INDEX")]
    pub variant: Option<String>,

    /// Import the clips of another file, onto joints of the same names; repeatable
    #[arg(long = "clips-from", value_name = "FILE")]
    pub clip_sources: Vec<PathBuf>,

    /// Blend another clip with the first, which has weight 1; @SECONDS shifts its start. Such as Run:0.5; repeatable
    #[arg(long = "layer", value_name = "CLIP[:WEIGHT[@SECONDS]]")]
    pub layers: Vec<LayerRequest>,

    /// Override the pose of a joint: rotation in degrees about X, Y and Z of its parent, then translation, then scale
    /// [default: the rest pose]. Such as Head=0,30,0; repeatable
    #[arg(long = "pose", value_name = "JOINT=RX,RY,RZ[,X,Y,Z[,SX,SY,SZ]]", allow_hyphen_values = true)]
    pub joint_poses: Vec<JointPoseRequest>,

    /// Override a morph target weight (shape key value), on all nodes or on one. Such as smile=0.5; repeatable
    #[arg(long = "morph-weight", value_name = "[NODE:]TARGET=WEIGHT", allow_hyphen_values = true)]
    pub morph_weights: Vec<MorphWeightRequest>,

    /// Open the file even if it requires an extension that is not supported
    #[arg(long)]
    pub ignore_required: bool,

    /// Instances.
    #[command(flatten)]
    pub crowd: CrowdRequest,

    /// Policy for every file of the request.
    #[command(flatten)]
    pub import: ImportRequest,
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
