//! The window.

use super::{LightArgs, PoseArgs};
use clap::Args;
use std::path::PathBuf;

/// Arguments of the window.
#[derive(Clone, Debug, Args)]
pub struct ViewArgs {
    /// The .glb or .gltf file to open
    #[arg(value_name = "FILE", required = true)]
    pub file: Option<PathBuf>,

    /// What is shown of it.
    #[command(flatten)]
    pub pose: PoseArgs,

    /// What lights it.
    #[command(flatten)]
    pub light: LightArgs,

    /// Anti-aliasing samples for each pixel; 1 for none. At most what the driver offers
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub samples: u32,
}
