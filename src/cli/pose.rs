//! Clip, time and pose options, common to all commands that pose a model.

use super::{CrowdArgs, ImportPolicyArgs};
use crate::request::{JointPoseRequest, LayerRequest, MorphWeightRequest, SceneRequest, finite};
use clap::Args;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Scene and animation")]
pub struct PoseArgs {
    /// Clip to play, by name or by index from 0; `none` for the rest pose [default: the first clip]
    #[arg(long, value_name = "NAME|INDEX|none")]
    pub clip: Option<String>,

    /// Time in the clip, in seconds; clamped to the clip
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, value_parser = finite, allow_negative_numbers = true)]
    pub time: f64,

    /// Scene to show, by name or by index from 0 [default: the file's default scene]
    #[arg(long, value_name = "NAME|INDEX")]
    pub scene: Option<String>,

    /// Material variant, by name or by index from 0 [default: the file's default materials]
    #[arg(long, value_name = "NAME|INDEX")]
    pub variant: Option<String>,

    /// Import the clips of another file, onto joints of the same names; repeatable
    #[arg(long, value_name = "FILE")]
    pub clips_from: Vec<PathBuf>,

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

    #[command(flatten)]
    pub crowd: CrowdArgs,

    #[command(flatten)]
    pub policy: ImportPolicyArgs,
}

impl From<&PoseArgs> for SceneRequest {
    fn from(args: &PoseArgs) -> Self {
        Self {
            clip: args.clip.clone(),
            time_secs: args.time,
            scene: args.scene.clone(),
            variant: args.variant.clone(),
            clip_sources: args.clips_from.clone(),
            layers: args.layers.clone(),
            joint_poses: args.joint_poses.clone(),
            morph_weights: args.morph_weights.clone(),
            ignore_required: args.ignore_required,
            import: (&args.policy).into(),
            crowd: (&args.crowd).into(),
        }
    }
}
