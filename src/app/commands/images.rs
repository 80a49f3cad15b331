//! `rigview shot`, `sheet`, `video` and `bake`.

use crate::app::AppError;
use crate::app::console::progress::{CancelToken, Progress, ProgressSink, StepCounter};
use crate::app::console::report;
use crate::app::tasks;
use crate::cli::{BakeArgs, SheetArgs, ShotArgs, VideoArgs};
use crate::request::RenderRequest;

pub(crate) fn shot(args: &ShotArgs, cancel: CancelToken) -> Result<(), AppError> {
    let progress = ProgressSink { on_step: &|_, _| (), cancel };
    report::notices(&tasks::screenshot::make(&RenderRequest::from(args), &args.output, &progress)?);
    Ok(())
}

pub(crate) fn sheet(args: &SheetArgs, cancel: CancelToken) -> Result<(), AppError> {
    with_steps("rendering thumbnail", cancel, |progress| {
        tasks::contact_sheet::make(&args.into(), &args.output, progress)
    })
}

pub(crate) fn video(args: &VideoArgs, cancel: CancelToken) -> Result<(), AppError> {
    with_steps("rendering frame", cancel, |progress| tasks::video::make(&args.into(), &args.output, progress))
}

pub(crate) fn bake(args: &BakeArgs) -> Result<(), AppError> {
    let progress = Progress::start(format!("baking {}", args.file.display()));
    let notices = tasks::bake::make(args)?;
    drop(progress);
    report::notices(&notices);
    Ok(())
}

/// Prints the progress of `make` on the terminal, then its notices; Ctrl+C cancels.
fn with_steps(
    what: &'static str,
    cancel: CancelToken,
    make: impl FnOnce(&ProgressSink<'_>) -> Result<Vec<String>, AppError>,
) -> Result<(), AppError> {
    let counter = StepCounter::start(what);
    let notices = make(&ProgressSink { on_step: &|done, total| counter.at(done, total), cancel })?;
    drop(counter);
    report::notices(&notices);
    Ok(())
}
