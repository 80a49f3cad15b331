//! `rigview sheet`.

use crate::app::AppError;
use crate::app::console::progress::{CancelToken, ProgressSink, StepCounter};
use crate::app::console::report;
use crate::app::tasks::contact_sheet;
use crate::cli::SheetArgs;
use crate::request::ContactSheetRequest;

/// Prints the progress on the terminal; Ctrl+C cancels.
pub(crate) fn run(args: &SheetArgs, cancel: CancelToken) -> Result<(), AppError> {
    let counter = StepCounter::start("rendering thumbnail");
    let on_step = |done, total| counter.at(done, total);
    let progress = ProgressSink { on_step: &on_step, cancel };
    let notices = contact_sheet::make(&ContactSheetRequest::from(args), &args.output, &progress)?;
    drop(counter);
    report::notices(&notices);
    Ok(())
}
