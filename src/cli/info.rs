//! `rigview info`.

use super::TrustArgs;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `info`.
#[derive(Clone, Debug, Args)]
pub struct InfoArgs {
    /// The .glb or .gltf file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// One JSON object instead of text
    #[arg(long)]
    pub json: bool,

    /// How far the file is trusted.
    #[command(flatten)]
    pub trust: TrustArgs,
}
