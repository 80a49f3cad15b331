//! Arguments of `rigview diff`.

use crate::request::ImportRequest;
use clap::Args;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
pub struct DiffArgs {
    /// Old version of the model (.glb or .gltf)
    #[arg(value_name = "OLD")]
    pub before: PathBuf,

    /// New version of the model; with --against-git by default the same file
    #[arg(value_name = "NEW", required_unless_present = "against_git")]
    pub after: Option<PathBuf>,

    /// Read OLD and its side files from this revision of its git repository, such as HEAD or main
    #[arg(long, value_name = "REV")]
    pub against_git: Option<String>,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub policy: ImportRequest,
}
