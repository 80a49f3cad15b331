//! Files that are written whole or not at all.

use crate::app::AppError;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::{NamedTempFile, SpooledTempFile};

/// Writes `bytes` to `file`: first under a temporary name beside it, then renamed, so that nobody sees half a file.
///
/// A symbolic link keeps pointing where it does. What is there and is no regular file (a pipe, `/dev/stdout`) is written
/// to as it is.
pub(crate) fn write_atomic(file: &Path, bytes: &[u8]) -> Result<(), AppError> {
    write_atomic_with(file, |file| file.write_all(bytes))
}

/// The same for what comes bit by bit.
pub(crate) fn write_atomic_with(
    file: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), AppError> {
    // The temporary name, which some errors mention, tells nobody anything.
    try_write(file, write).map_err(|source| AppError::Output { file: file.to_owned(), source: source.kind().into() })
}

fn try_write(file: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    if std::fs::metadata(file).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return write(&mut std::fs::OpenOptions::new().write(true).open(file)?);
    }
    let (mut temporary, target) = temporary_beside(file)?;
    write(&mut temporary)?;
    temporary.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

/// Room for what cannot be written to `file` yet: in memory, and beyond `bytes_in_memory` in a file without a name on the
/// same disk.
pub(crate) fn scratch(file: &Path, bytes_in_memory: usize) -> SpooledTempFile {
    // Where the result goes there will have to be room for it anyway.
    match file.parent().filter(|_| std::fs::metadata(file).map_or(true, |there| there.is_file())) {
        Some(folder) if folder != Path::new("") => tempfile::spooled_tempfile_in(bytes_in_memory, folder),
        Some(_) => tempfile::spooled_tempfile_in(bytes_in_memory, "."),
        None => tempfile::spooled_tempfile(bytes_in_memory),
    }
}

/// A file under a temporary name in the folder of `file`, and the name that it gets in the end: the one that a symbolic
/// link points to.
fn temporary_beside(file: &Path) -> io::Result<(NamedTempFile, PathBuf)> {
    let target = match std::fs::metadata(file) {
        Ok(there) if there.is_dir() => return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")),
        Ok(there) if !there.is_file() => return Err(io::Error::other("it is no regular file")),
        Ok(_) => file.canonicalize()?,
        Err(_) => file.to_owned(),
    };
    let folder = match target.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".rigview-").suffix(".tmp");
    #[cfg(unix)]
    {
        // What any other program would create; the user's mask takes from it.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    Ok((builder.tempfile_in(folder)?, target))
}

/// A file that is written bit by bit under a temporary name; unless it is finished, nothing is left of it.
pub(crate) struct AtomicFile {
    file: PathBuf,
    target: PathBuf,
    temporary: NamedTempFile,
}

impl AtomicFile {
    /// A file that will be called `file`.
    pub(crate) fn new(file: &Path) -> Result<Self, AppError> {
        let (temporary, target) = temporary_beside(file)
            .map_err(|source| AppError::Output { file: file.to_owned(), source: source.kind().into() })?;
        Ok(Self { file: file.to_owned(), target, temporary })
    }

    /// What writes to it.
    pub(crate) fn writer(&self) -> Result<io::BufWriter<std::fs::File>, AppError> {
        let file = self.temporary.as_file().try_clone().map_err(|error| self.failed(error))?;
        Ok(io::BufWriter::new(file))
    }

    /// Its name until it is finished, for other programs to write to.
    pub(crate) fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// The error for a writer that failed.
    pub(crate) fn failed(&self, source: io::Error) -> AppError {
        AppError::Output { file: self.file.clone(), source }
    }

    /// Gives it its name. Every writer is flushed already.
    pub(crate) fn finish(self) -> Result<(), AppError> {
        let Self { file, target, temporary } = self;
        temporary.persist(&target).map_err(|error| AppError::Output { file, source: error.error })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.bin");
        write_atomic(&file, b"first").unwrap();
        write_atomic(&file, b"second").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"second");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_or_a_missing_one_is_an_error_that_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        assert!(write_atomic(folder.path(), b"x").is_err());
        assert!(write_atomic(&folder.path().join("missing/a.bin"), b"x").is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_is_not_finished_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.bin");
        let unfinished = AtomicFile::new(&file).unwrap();
        unfinished.writer().unwrap().write_all(b"half").unwrap();
        drop(unfinished);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let finished = AtomicFile::new(&file).unwrap();
        finished.writer().unwrap().write_all(b"whole").unwrap();
        finished.finish().unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"whole");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_keeps_pointing_at_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a.bin"), folder.path().join("link"));
        std::fs::write(&file, b"first").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_atomic(&link, b"second").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"second");
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
