//! `rigview bake`.

use crate::app::AppError;
use crate::app::console::progress::Progress;
use crate::app::console::report;
use crate::app::tasks::bake;
use crate::cli::BakeArgs;

pub(crate) fn run(args: &BakeArgs) -> Result<(), AppError> {
    let progress = Progress::start(format!("baking {}", args.file.display()));
    let notices = bake::make(args)?;
    drop(progress);
    report::notices(&notices);
    Ok(())
}
