//! Arguments of `rigview info`.

use crate::request::ImportRequest;
use clap::Args;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
pub struct InfoArgs {
    /// Model to describe (.glb or .gltf)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub policy: ImportRequest,
}
