//! `rigview video`.

use crate::app::AppError;
use crate::app::console::progress::{ProgressSink, StepCounter, cancel_on_signal};
use crate::app::console::report;
use crate::app::tasks::video;
use crate::cli::VideoArgs;
use crate::request::VideoRequest;

/// Prints the progress on the terminal; Ctrl+C cancels.
pub(crate) fn run(args: &VideoArgs) -> Result<(), AppError> {
    let counter = StepCounter::start("rendering frame");
    let progress = ProgressSink { on_step: &|done, total| counter.at(done, total), cancel: cancel_on_signal() };
    let notices = video::make(&VideoRequest::from(args), &args.output, &progress)?;
    drop(counter);
    report::notices(&notices);
    Ok(())
}
