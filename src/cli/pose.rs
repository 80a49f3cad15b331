//! Which model, clip and moment: common to everything that poses a model.

use super::values::finite;
use super::{CrowdArgs, TrustArgs};
use clap::Args;

/// What is common to everything that poses a model.
#[derive(Clone, Debug, Default, Args)]
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
