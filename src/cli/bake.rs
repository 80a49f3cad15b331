//! `rigview bake`.

use super::PoseArgs;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `bake`.
#[derive(Clone, Debug, Args)]
pub struct BakeArgs {
    /// The .glb or .gltf file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The .glb file to write
    #[arg(short, long, value_name = "POSED.glb")]
    pub output: PathBuf,

    /// What is posed.
    #[command(flatten)]
    pub pose: PoseArgs,

    /// Pose the vertices with the vertex shader that draws them instead of on the processor
    #[arg(long)]
    pub gpu: bool,
}
