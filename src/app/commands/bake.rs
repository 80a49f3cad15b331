//! `rigview bake`.

use crate::app::AppError;
use crate::app::console::progress::Progress;
use crate::app::console::report;
use crate::app::tasks::bake;
use crate::cli::BakeArgs;
use rigview_render::platform::shader_compiler;

pub(crate) fn run(args: &BakeArgs) -> Result<(), AppError> {
    shader_compiler::disable_optimization();
    let progress = Progress::start(format!("baking {}", args.file.display()));
    let notices = bake::make(args)?;
    drop(progress);
    report::notices(&notices);
    Ok(())
}
