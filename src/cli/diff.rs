//! `rigview diff`.

use super::TrustArgs;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `diff`.
#[derive(Clone, Debug, Args)]
pub struct DiffArgs {
    /// The .glb or .gltf file as it was
    #[arg(value_name = "A")]
    pub before: PathBuf,

    /// The file as it is now
    #[arg(value_name = "B")]
    pub after: PathBuf,

    /// As one JSON object instead of text
    #[arg(long)]
    pub json: bool,

    /// How far the files are trusted.
    #[command(flatten)]
    pub trust: TrustArgs,
}
