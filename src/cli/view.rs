//! The window.

use super::{LightArgs, LookArgs, PoseArgs};
use clap::Args;
use std::path::PathBuf;

/// Arguments of the window.
#[derive(Clone, Debug, Args)]
pub struct ViewArgs {
    /// The .glb or .gltf files to open; Page Up and Page Down step through several [default: an empty window]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// What is shown of it.
    #[command(flatten)]
    pub pose: PoseArgs,

    /// What lights it.
    #[command(flatten)]
    pub light: LightArgs,

    /// How it is looked at.
    #[command(flatten)]
    pub look: LookArgs,

    /// Compare two files: same view, same moment, split at a line, in turn, or as their difference; and what differs in
    /// words
    #[arg(long)]
    pub compare: bool,

    /// Anti-aliasing samples for each pixel; 1 for none. At most what the driver offers
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub samples: u32,

    /// Begin with only the model in the window; Tab shows the panels
    #[arg(long)]
    pub bare: bool,

    /// Neither read nor write what the window remembers: panels, sizes, recent files
    #[arg(long)]
    pub no_config: bool,
}
