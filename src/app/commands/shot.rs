//! `rigview shot`.

use crate::app::AppError;
use crate::app::console::progress::{CancelToken, ProgressSink};
use crate::app::console::report;
use crate::app::tasks::screenshot;
use crate::cli::ShotArgs;
use crate::request::{Quality, RenderRequest};
use rigview_render::platform::shader_compiler;

pub(crate) fn run(args: &ShotArgs, cancel: CancelToken) -> Result<(), AppError> {
    let request = RenderRequest::from(args);
    // The hundreds of draws of high quality take longer than compilation.
    if request.quality == Quality::Standard {
        shader_compiler::disable_optimization();
    }
    let steps = ProgressSink { cancel, ..ProgressSink::none() };
    report::notices(&screenshot::make(&request, &args.output, &steps)?);
    Ok(())
}
