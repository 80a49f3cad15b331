//! Arguments of `rigview info`.

use crate::request::ImportRequest;
use clap::Args;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
pub struct InfoArgs {
    /// Model to describe (.glb or .gltf)
    #[arg(value_name = "FILE", required_unless_present = "gpu")]
    pub file: Option<PathBuf>,

    /// Describe the device that images are drawn on: driver, limits and extensions
    #[arg(long, conflicts_with = "file")]
    pub gpu: bool,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub policy: ImportRequest,
}
