//! Arguments of `rigview diff`.

use crate::request::{ConversionRequest, ImportRequest, finite};
use clap::Args;
use rigview_check::diff::Tolerances;
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

    /// Change a tolerance, such as degrees=0.1: distance (relative to the size), degrees, scale, weight, seconds or value. Repeatable
    #[arg(long = "tolerance", value_name = "NAME=VALUE", value_parser = tolerance)]
    pub tolerances: Vec<(String, f64)>,

    /// Set all tolerances to 0, and fail if something was not compared
    #[arg(long, conflicts_with = "tolerances")]
    pub exact: bool,

    #[command(flatten)]
    pub policy: ImportRequest,

    #[command(flatten)]
    pub conversion: ConversionRequest,
}

impl DiffArgs {
    /// The default tolerances with the changes of the command line.
    pub(crate) fn tolerances(&self) -> Tolerances {
        let mut tolerances = if self.exact { Tolerances::EXACT } else { Tolerances::default() };
        for (name, value) in &self.tolerances {
            tolerances.set(name, *value);
        }
        tolerances
    }
}

fn tolerance(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, such as degrees=0.1")?;
    match finite(value)? {
        value if value < 0.0 => Err(format!("{name} takes a number of at least 0")),
        value if Tolerances::default().set(name, value) => Ok((name.to_owned(), value)),
        _ => Err("expected distance, degrees, scale, weight, seconds or value".to_owned()),
    }
}
