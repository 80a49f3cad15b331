//! `rigview completions` and `rigview man`.

use crate::app::AppError;
use crate::app::console::report;
use crate::app::files::atomic_write;
use crate::app::viewer::keys_page;
use crate::cli::{CompletionsArgs, ManArgs, command, manual, reference};

pub(crate) fn completions(args: &CompletionsArgs) -> Result<(), AppError> {
    report::bytes(&args.script(command()))
}

pub(crate) fn man(args: &ManArgs) -> Result<(), AppError> {
    let failed = |source| AppError::output(&args.folder, source);
    std::fs::create_dir_all(&args.folder).map_err(failed)?;
    let pages = if args.markdown {
        let keys = ("keys.md".to_owned(), keys_page());
        reference(command()).into_iter().chain([keys]).map(|(name, page)| (name, page.into_bytes())).collect()
    } else {
        manual(command()).map_err(failed)?
    };
    for (name, page) in pages {
        atomic_write::write_atomic(&args.folder.join(name), &page)?;
    }
    Ok(())
}
