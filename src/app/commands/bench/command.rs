//! `rigview bench`.

use super::{animation, detail, generated_scene, skinning};
use crate::app::AppError;
use crate::cli::{BenchArgs, BenchComparison};

pub(crate) fn run(args: &BenchArgs) -> Result<(), AppError> {
    match (&args.comparison, &args.animation.file) {
        (Some(BenchComparison::Skinning(args)), _) => skinning::run(args),
        (Some(BenchComparison::Scene(args)), _) => generated_scene::run(args),
        (Some(BenchComparison::Detail(args)), _) => detail::run(args),
        (None, Some(file)) => animation::run(file, &args.animation),
        (None, None) => unreachable!("the parser requires a file"),
    }
}
