//! Arguments of `rigview compare`.

use crate::request::ImportRequest;
use clap::Args;
use rigview_core::import::{Limit, Limits};
use rigview_suite::compare::Tolerances;
use rigview_suite::suite::MaskRegion;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
pub struct CompareArgs {
    /// Expected image
    #[arg(value_name = "EXPECTED.png")]
    pub expected: PathBuf,

    /// Actual image
    #[arg(value_name = "ACTUAL.png")]
    pub actual: PathBuf,

    /// Save the difference image: the expected image dimmed, differences from blue to white
    #[arg(short, long, value_name = "DIFF.png")]
    pub output: Option<PathBuf>,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,

    /// Change a tolerance, such as pixels=40 or changed-pixels=0.001. Repeatable
    #[arg(long = "tolerance", value_name = "NAME=VALUE", value_parser = tolerance)]
    pub tolerances: Vec<(String, f64)>,

    /// Ignore a rectangle: LEFT,TOP,WIDTH,HEIGHT in pixels, or with a decimal point in fractions; or the pixels of a PNG. Repeatable
    #[arg(long = "mask", value_name = "RECT|MASK.png")]
    pub masks: Vec<MaskRegion>,

    /// Change the limit of the memory of an image, such as image=1G
    #[arg(long = "limit", value_name = "NAME=VALUE", value_parser = crate::request::limit)]
    pub import_limits: Vec<(Limit, u64)>,
}

impl CompareArgs {
    /// The import limits.
    pub(crate) fn import_limits(&self) -> Limits {
        ImportRequest { limits: self.import_limits.clone(), ..ImportRequest::default() }.policy().limits
    }

    /// The default tolerances with the changes of the command line.
    pub(crate) fn limits(&self) -> Tolerances {
        let mut limits = Tolerances::default();
        for (name, value) in &self.tolerances {
            limits.set(name, *value).expect("validated by the parser");
        }
        limits
    }
}

fn tolerance(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, such as pixels=40")?;
    let value = crate::request::finite(value)?;
    let unknown = "expected max-channel-diff, changed-pixels, pixels, flip-mean, flip-p99, different-pixels, alpha-mean or alpha-pixels";
    match Tolerances::default().set(name, value) {
        Ok(true) => Ok((name.to_owned(), value)),
        Ok(false) => Err(unknown.to_owned()),
        Err(expected) => Err(format!("{name} takes {expected}")),
    }
}
