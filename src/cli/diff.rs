//! Arguments of `rigview diff`.

use crate::request::ImportRequest;
use clap::Args;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
pub struct DiffArgs {
    /// Old version of the model (.glb or .gltf)
    #[arg(value_name = "OLD")]
    pub before: PathBuf,

    /// New version of the model
    #[arg(value_name = "NEW")]
    pub after: PathBuf,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub policy: ImportRequest,
}
