//! `rigview info`.

use super::model_info::Info;
use crate::app::console::report;
use crate::app::util::json::json_pretty;
use crate::app::{AppError, FileError};
use crate::cli::InfoArgs;
use rigview_core::import::{self, ImageLoading, ImportOptions, Limit};

pub(crate) fn run(args: &InfoArgs) -> Result<(), AppError> {
    let options =
        ImportOptions { images: ImageLoading::SizesOnly, policy: args.policy.policy(), ..ImportOptions::default() };
    let loaded = import::open(&args.file, &options)
        .map_err(|e| AppError::File { file: args.file.clone(), source: Box::new(FileError::Import(e)) })?;
    let size_bytes = std::fs::metadata(&args.file).map_or(0, |file| file.len());
    let info =
        Info::new(args.file.display().to_string(), size_bytes, loaded, options.policy.limits.get(Limit::Vertices));
    let text = if args.json { json_pretty(&info) } else { info.text() };
    report::text(&text)
}
