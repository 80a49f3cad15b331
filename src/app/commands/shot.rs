//! `rigview shot`.

use crate::app::AppError;
use crate::app::console::progress::ProgressSink;
use crate::app::console::report;
use crate::app::tasks::screenshot;
use crate::cli::ShotArgs;
use crate::request::RenderRequest;

pub(crate) fn run(args: &ShotArgs) -> Result<(), AppError> {
    report::notices(&screenshot::make(&RenderRequest::from(args), &args.output, &ProgressSink::none())?);
    Ok(())
}
