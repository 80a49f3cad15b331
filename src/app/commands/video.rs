//! `rigview video`.

use crate::app::AppError;
use crate::app::console::progress::{CancelToken, ProgressSink, StepCounter};
use crate::app::console::report;
use crate::app::tasks::video;
use crate::cli::VideoArgs;
use crate::request::VideoRequest;

/// Prints the progress on the terminal; Ctrl+C cancels.
pub(crate) fn run(args: &VideoArgs, cancel: CancelToken) -> Result<(), AppError> {
    let counter = StepCounter::start("rendering frame");
    let progress = ProgressSink { on_step: &|done, total| counter.at(done, total), cancel };
    let notices = video::make(&VideoRequest::from(args), &args.output, &progress)?;
    drop(counter);
    report::notices(&notices);
    Ok(())
}
