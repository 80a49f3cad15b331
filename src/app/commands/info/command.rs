//! `rigview info`.

use super::gpu;
use super::model_info::Info;
use crate::app::AppError;
use crate::app::console::report;
use crate::app::files::model_file::open_model;
use crate::cli::InfoArgs;
use rigview_core::import::{ImageLoading, ImportOptions, Limit};

pub(crate) fn run(args: &InfoArgs) -> Result<(), AppError> {
    let Some(file) = &args.file else { return gpu::report(args.json) };
    let options = ImportOptions::default().with_images(ImageLoading::SizesOnly).with_policy(args.policy.policy());
    let loaded = open_model(file, &options)?;
    let size_bytes = std::fs::metadata(file).map_or(0, |file| file.len());
    let info = Info::new(file.display().to_string(), size_bytes, loaded, options.policy.limits.get(Limit::Vertices));
    if args.json { report::json(&info) } else { report::lines(&info.lines()) }
}
