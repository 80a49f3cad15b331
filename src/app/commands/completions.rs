//! `rigview completions` and `rigview man`: what packages bring along.

use crate::app::AppError;
use crate::app::console::report;
use crate::app::files::atomic_write;
use crate::cli::{CompletionsArgs, ManArgs, manual};

/// Prints a shell's script.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<(), AppError> {
    report::text(&String::from_utf8_lossy(&args.script()))
}

/// Writes the pages of the manual.
pub(crate) fn man(args: &ManArgs) -> Result<(), AppError> {
    let failed = |source| AppError::Output { file: args.folder.clone(), source };
    std::fs::create_dir_all(&args.folder).map_err(failed)?;
    for (name, page) in manual().map_err(failed)? {
        atomic_write::write_atomic(&args.folder.join(name), &page)?;
    }
    Ok(())
}
