//! `rigview bench`: what crowds cost.

mod contest;
mod draw;
mod skinning;
mod transports;
mod update;

use super::{AppError, report};
use crate::cli::{BenchArgs, Contest};
use serde::Serialize;

/// Measures and tells.
pub(super) fn run(args: &BenchArgs) -> Result<(), AppError> {
    match (&args.contest, &args.update.file) {
        (Some(Contest::Transports(args)), _) => transports::run(args),
        (Some(Contest::Skinning(args)), _) => skinning::run(args),
        (None, Some(file)) => update::run(file, &args.update),
        (None, None) => unreachable!("the parser asks for a file"),
    }
}

/// Prints what was found: as JSON, or in words.
fn tell<T: Serialize>(found: &T, json: bool, text: impl Fn(&T) -> String) -> Result<(), AppError> {
    let text = match json {
        true => serde_json::to_string_pretty(found).expect("plain data becomes JSON") + "\n",
        false => text(found),
    };
    report::text(&text)
}
