//! Which model, clip and moment: common to everything that poses a model.

use super::TrustArgs;
use super::values::finite;
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

    /// How many to show, on a grid, each at its own phase of the clip
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub instances: u32,

    /// Show what can be shown even when the file requires an extension that rigview lacks
    #[arg(long)]
    pub ignore_required: bool,

    /// How far the file is trusted.
    #[command(flatten)]
    pub trust: TrustArgs,
}
