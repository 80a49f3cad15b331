//! Files of reports, which must not be links, and goldens.

use crate::app::AppError;
use crate::app::files::atomic_write;
use rigview_core::util::regular_file::read_bytes;
use std::io;
use std::path::Path;

const MAX_FILE_BYTES: u64 = 1 << 30;

/// Writes a file of a report, but not through a link.
pub(crate) fn write_file(file: &Path, bytes: &[u8]) -> Result<(), AppError> {
    refuse_link(file)?;
    atomic_write::write_atomic(file, bytes)
}

/// Reads a file of a report, but not through a link.
pub(crate) fn read_link_free(file: &Path) -> io::Result<Vec<u8>> {
    if is_link(file) {
        return Err(io::Error::other("a report contains no links"));
    }
    read_regular(file)
}

/// Refuses a link in a report: it could lead to any file of the user.
pub(crate) fn refuse_link(path: &Path) -> Result<(), AppError> {
    if is_link(path) {
        let message = format!("{}: this is a link, and a report contains no links; remove it", path.display());
        return Err(AppError::Usage { message });
    }
    Ok(())
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_symlink())
}

/// Reads a regular file of at most [`MAX_FILE_BYTES`].
pub(crate) fn read_regular(file: &Path) -> io::Result<Vec<u8>> {
    read_bytes(file, MAX_FILE_BYTES)
}
