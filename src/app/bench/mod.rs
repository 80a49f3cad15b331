//! `rigview bench`: what crowds cost.

pub(super) mod clock;
mod contest;
mod draw;
mod skinning;
mod transports;
mod update;

use super::AppError;
use crate::cli::{BenchArgs, Contest};

/// Measures and tells.
pub(super) fn run(args: &BenchArgs) -> Result<(), AppError> {
    match (&args.contest, &args.update.file) {
        (Some(Contest::Transports(args)), _) => transports::run(args),
        (Some(Contest::Skinning(args)), _) => skinning::run(args),
        (None, Some(file)) => update::run(file, &args.update),
        (None, None) => unreachable!("the parser asks for a file"),
    }
}
