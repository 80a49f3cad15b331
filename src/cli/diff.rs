//! Arguments of `rigview diff`.

use crate::request::{ConversionRequest, ImportRequest, finite, with_names};
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

    /// Change a tolerance, such as degrees=0.1: distance (relative to the size), degrees, scale, weight, seconds or value; `exact` sets
    /// all to 0, and fails if something was not compared. Repeatable
    #[arg(long = "tolerance", value_name = "NAME=VALUE|exact", value_parser = with_names(tolerance, ["exact"]),
        hide_possible_values = true)]
    pub tolerances: Vec<DiffTolerance>,

    #[command(flatten)]
    pub policy: ImportRequest,

    #[command(flatten)]
    pub conversion: ConversionRequest,
}

impl DiffArgs {
    /// The default tolerances with the changes of the command line.
    pub(crate) fn tolerances(&self) -> Tolerances {
        let mut tolerances = Tolerances::default();
        for change in &self.tolerances {
            match change {
                DiffTolerance::Exact => tolerances = Tolerances::EXACT,
                DiffTolerance::Value(name, value) => _ = tolerances.set(name, *value),
            }
        }
        tolerances
    }

    /// Returns `true` if a part that is not compared is a failure.
    pub(crate) fn is_exact(&self) -> bool {
        self.tolerances.contains(&DiffTolerance::Exact)
    }
}

/// A change of the tolerances.
#[derive(Clone, Debug, PartialEq)]
pub enum DiffTolerance {
    Exact,
    Value(String, f64),
}

fn tolerance(text: &str) -> Result<DiffTolerance, String> {
    if text == "exact" {
        return Ok(DiffTolerance::Exact);
    }
    let (name, value) = text.split_once('=').ok_or("expected exact, or NAME=VALUE, such as degrees=0.1")?;
    match finite(value)? {
        value if value < 0.0 => Err(format!("{name} takes a number of at least 0")),
        value if Tolerances::default().set(name, value) => Ok(DiffTolerance::Value(name.to_owned(), value)),
        _ => Err("expected distance, degrees, scale, weight, seconds or value".to_owned()),
    }
}
