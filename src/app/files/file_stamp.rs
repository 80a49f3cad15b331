//! File stamps: size and modification time, which detect changes without reading a file.

use rigview_core::import::file_on_disk;
use std::path::PathBuf;
use std::time::SystemTime;

pub(crate) type FileStamp = (u64, Option<SystemTime>);

/// Returns the current stamps; `None` for a missing file.
pub(crate) fn file_stamps(files: &[PathBuf]) -> Vec<Option<FileStamp>> {
    let stamp = |file: &PathBuf| {
        let metadata = std::fs::metadata(file_on_disk(file)).ok()?;
        Some((metadata.len(), metadata.modified().ok()))
    };
    files.iter().map(stamp).collect()
}
