//! `rigview bench`: what crowds cost.

use super::{animation, skinning, transports};
use crate::app::AppError;
use crate::cli::{BenchArgs, Contest};

/// Measures and tells.
pub(crate) fn run(args: &BenchArgs) -> Result<(), AppError> {
    match (&args.contest, &args.update.file) {
        (Some(Contest::Transports(args)), _) => transports::run(args),
        (Some(Contest::Skinning(args)), _) => skinning::run(args),
        (None, Some(file)) => animation::run(file, &args.update),
        (None, None) => unreachable!("the parser asks for a file"),
    }
}
