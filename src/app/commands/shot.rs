//! `rigview shot`.

use crate::app::AppError;
use crate::app::console::progress::{CancelToken, ProgressSink};
use crate::app::console::report;
use crate::app::tasks::screenshot;
use crate::cli::ShotArgs;
use crate::request::RenderRequest;

pub(crate) fn run(args: &ShotArgs, cancel: CancelToken) -> Result<(), AppError> {
    let steps = ProgressSink { cancel, ..ProgressSink::none() };
    report::notices(&screenshot::make(&RenderRequest::from(args), &args.output, &steps)?);
    Ok(())
}
