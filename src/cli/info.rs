//! Arguments of `rigview info`.

use crate::request::{ConversionRequest, ImportRequest};
use clap::Args;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
pub struct InfoArgs {
    /// Models to describe (.glb or .gltf), folders with their subfolders, or patterns in quotes
    #[arg(value_name = "FILE", required_unless_present = "gpu")]
    pub files: Vec<PathBuf>,

    /// Describe the device that images are drawn on: driver, limits and extensions
    #[arg(long, conflicts_with = "files")]
    pub gpu: bool,

    /// Print one JSON object per file instead of text
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub policy: ImportRequest,

    #[command(flatten)]
    pub conversion: ConversionRequest,
}
