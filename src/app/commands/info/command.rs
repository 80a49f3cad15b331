//! `rigview info`.

use super::gpu;
use super::model_info::Info;
use super::text::table_header;
use crate::app::AppError;
use crate::app::console::report;
use crate::app::files::model_file::open_model;
use crate::app::files::model_folder::model_files;
use crate::cli::InfoArgs;
use rigview_core::import::{ImageLoading, ImportOptions};
use rigview_core::util::panic_guard::catch;
use std::path::Path;

/// Describes one file, or several in a table. A file that cannot be read does not end the command.
pub(crate) fn run(args: &InfoArgs) -> Result<(), AppError> {
    if args.gpu {
        return gpu::report(args.json);
    }
    let files = model_files(&args.files)?;
    if let [file] = files.as_slice() {
        let info = describe(file, args)?;
        return if args.json { report::json(&info) } else { report::lines(&info.lines()) };
    }
    if !args.json {
        report::line(table_header())?;
    }
    let mut last = None;
    for file in &files {
        match catch(|| describe(file, args)).unwrap_or_else(|| Err(AppError::Crashed(file.clone()))) {
            Ok(info) if args.json => report::json_in_a_line(&info)?,
            Ok(info) => report::line(info.row())?,
            Err(error) => last.replace(error).iter().for_each(|error| report::error(error)),
        }
    }
    last.map_or(Ok(()), Err)
}

fn describe(file: &Path, args: &InfoArgs) -> Result<Info, AppError> {
    let options = ImportOptions::default().with_images(ImageLoading::SizesOnly).with_policy(args.policy.policy());
    let loaded = open_model(file, &args.conversion, &options)?;
    // A model of an archive has no file of its own.
    let size_bytes = std::fs::metadata(file).map_or_else(|_| loaded.gltf_file.size_bytes(), |file| file.len());
    Ok(Info::new(file.display().to_string(), size_bytes, loaded))
}
