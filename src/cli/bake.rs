//! Arguments of `rigview bake`.

use crate::request::SceneRequest;
use clap::Args;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
pub struct BakeArgs {
    /// Model to bake (.glb or .gltf)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Static .glb file to write
    #[arg(short, long, value_name = "POSED.glb")]
    pub output: PathBuf,

    /// Skin the vertices on the GPU, with the shader that draws them, instead of on the CPU
    #[arg(long)]
    pub gpu: bool,

    #[command(flatten)]
    pub pose: SceneRequest,
}
