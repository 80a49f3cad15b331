//! Which model, clip and moment: common to everything that poses a model.

use super::{CrowdArgs, TrustArgs};
use crate::request::{JointPoseRequest, LayerRequest, MorphWeightRequest, SceneRequest, finite};
use clap::Args;

/// What is common to everything that poses a model.
#[derive(Clone, Debug, Args)]
pub struct PoseArgs {
    /// The clip to play, by name or by number from 0; `none` for the rest pose [default: the first]
    #[arg(long, value_name = "NAME|INDEX|none")]
    pub clip: Option<String>,

    /// Seconds into the clip; before its start and after its end the nearest pose holds
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, value_parser = finite, allow_negative_numbers = true)]
    pub time: f64,

    /// The scene to show, by name or by number from 0 [default: the file's own choice]
    #[arg(long, value_name = "NAME|INDEX")]
    pub scene: Option<String>,

    /// The variant of its materials to show, by name or by number from 0 [default: the materials that the file shows
    /// without one]
    #[arg(long, value_name = "NAME|INDEX")]
    pub variant: Option<String>,

    /// A file that lends its clips, to joints of the same names: they come behind the file's own. May be repeated
    #[arg(long, value_name = "FILE")]
    pub borrow: Vec<std::path::PathBuf>,

    /// Play another clip beside it, mixed by weights: the first has 1. @SECONDS begins there. May be repeated
    #[arg(long = "layer", value_name = "CLIP[:WEIGHT[@SECONDS]]")]
    pub layers: Vec<LayerRequest>,

    /// Put a joint by hand, whatever the clip says: degrees about X, Y and Z of its parent, then where it stands in its
    /// parent, then its scale [default: as at rest]. May be repeated
    #[arg(long = "put", value_name = "JOINT=RX,RY,RZ[,X,Y,Z[,SX,SY,SZ]]", allow_hyphen_values = true)]
    pub puts: Vec<JointPoseRequest>,

    /// Put a morph weight by hand, by its target's name or number, of all nodes that have such a target or of one. May be
    /// repeated
    #[arg(long = "morph", value_name = "[NODE:]TARGET=WEIGHT", allow_hyphen_values = true)]
    pub morphs: Vec<MorphWeightRequest>,

    /// Show what can be shown even when the file requires an extension that rigview lacks
    #[arg(long)]
    pub ignore_required: bool,

    /// How far the file is trusted.
    #[command(flatten)]
    pub trust: TrustArgs,

    /// How many there are, and what they do.
    #[command(flatten)]
    pub crowd: CrowdArgs,
}

impl From<&PoseArgs> for SceneRequest {
    fn from(args: &PoseArgs) -> Self {
        Self {
            clip: args.clip.clone(),
            time_secs: args.time,
            scene: args.scene.clone(),
            variant: args.variant.clone(),
            clip_sources: args.borrow.clone(),
            layers: args.layers.clone(),
            joint_poses: args.puts.clone(),
            morph_weights: args.morphs.clone(),
            ignore_required: args.ignore_required,
            import: (&args.trust).into(),
            crowd: (&args.crowd).into(),
        }
    }
}
