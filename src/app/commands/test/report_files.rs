//! Files of reports, which must not be links, and goldens.

use crate::app::AppError;
use crate::app::files::atomic_write;
use rigview_core::util::regular_file::read_bytes;
use std::io;
use std::path::Path;
use std::sync::OnceLock;

const MAX_FILE_BYTES: u64 = 1 << 30;

/// Writes a file of a report, but not through a link.
pub(crate) fn write_file(file: &Path, bytes: &[u8]) -> Result<(), AppError> {
    refuse_link(file)?;
    atomic_write::write_atomic(file, bytes)
}

/// The first error of a report that cannot be written. The comparison goes on without it, and the run fails at its end.
#[derive(Default)]
pub(crate) struct ReportError(OnceLock<AppError>);

impl ReportError {
    pub(crate) fn set(&self, error: AppError) {
        drop(self.0.set(error));
    }

    /// Keeps the error of a full disk. Returns the value, or its default.
    ///
    /// # Errors
    /// Any other error.
    pub(crate) fn unless_full<T: Default>(&self, result: Result<T, AppError>) -> Result<T, AppError> {
        match result {
            Err(error) if error.is_full_disk() => {
                self.set(error);
                Ok(T::default())
            }
            other => other,
        }
    }

    pub(crate) fn into_result(self) -> Result<(), AppError> {
        self.0.into_inner().map_or(Ok(()), Err)
    }
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
        return Err(AppError::Usage(message));
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
