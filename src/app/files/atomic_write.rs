//! Atomic file writes.

use crate::app::AppError;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::{NamedTempFile, SpooledTempFile};

/// Writes `bytes` to a temporary file in the same folder and renames it to `file`.
///
/// Follows symbolic links. Writes directly to existing special files such as pipes and `/dev/stdout`.
pub(crate) fn write_atomic(file: &Path, bytes: &[u8]) -> Result<(), AppError> {
    write_atomic_with(file, |file| file.write_all(bytes))
}

/// Like [`write_atomic`], with a writer.
pub(crate) fn write_atomic_with(
    file: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), AppError> {
    if std::fs::metadata(file).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        let opened = std::fs::OpenOptions::new().write(true).open(file);
        return opened.and_then(|mut there| write(&mut there)).map_err(|source| AppError::output(file, source));
    }
    let mut unfinished = AtomicFile::new(file)?;
    write(&mut unfinished.temporary).map_err(|source| unfinished.failed(source))?;
    unfinished.finish()
}

/// Removes a file if there is one.
pub(crate) fn remove_if_present(file: &Path) -> Result<(), AppError> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(AppError::output(file, error)),
        _ => Ok(()),
    }
}

/// Temporary files and folders of output that is not complete.
static PARTIAL_OUTPUT: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Deletes all output that is not complete, because the process is about to end. Errors are ignored.
pub(crate) fn remove_partial_output() {
    remove_partial_output_in(Path::new(""));
}

/// Deletes the output below `folder` that is not complete; an empty path is above all folders.
fn remove_partial_output_in(folder: &Path) {
    let paths = PARTIAL_OUTPUT.lock().unwrap_or_else(PoisonError::into_inner);
    for path in paths.iter().filter(|path| path.starts_with(folder)) {
        let _ = std::fs::remove_file(path).or_else(|_| std::fs::remove_dir_all(path));
    }
}

/// Lists a temporary file or folder as [partial output](remove_partial_output) until it is dropped.
pub(crate) struct PartialOutput(PathBuf);

impl PartialOutput {
    pub(crate) fn new(path: &Path) -> Self {
        PARTIAL_OUTPUT.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for PartialOutput {
    fn drop(&mut self) {
        PARTIAL_OUTPUT.lock().unwrap_or_else(PoisonError::into_inner).retain(|path| *path != self.0);
    }
}

/// Returns temporary storage for output: in memory up to `bytes_in_memory`, then in an unnamed file on the same disk as
/// `file`.
pub(crate) fn scratch(file: &Path, bytes_in_memory: usize) -> SpooledTempFile {
    // The output needs the space there anyway.
    match file.parent().filter(|_| std::fs::metadata(file).map_or(true, |there| there.is_file())) {
        Some(folder) if folder != Path::new("") => tempfile::spooled_tempfile_in(bytes_in_memory, folder),
        Some(_) => tempfile::spooled_tempfile_in(bytes_in_memory, "."),
        None => tempfile::spooled_tempfile(bytes_in_memory),
    }
}

/// Returns a temporary file in the folder of `file`, and the final path with symbolic links resolved.
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
        // The default mode; the umask applies.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    Ok((builder.tempfile_in(folder)?, target))
}

/// A file with a temporary name until it is finished; deleted if dropped before.
pub(crate) struct AtomicFile {
    file: PathBuf,
    target: PathBuf,
    temporary: NamedTempFile,
    partial: PartialOutput,
}

impl AtomicFile {
    pub(crate) fn new(file: &Path) -> Result<Self, AppError> {
        let (temporary, target) = temporary_beside(file).map_err(|source| AppError::output(file, source))?;
        let partial = PartialOutput::new(temporary.path());
        Ok(Self { file: file.to_owned(), target, temporary, partial })
    }

    pub(crate) fn writer(&self) -> Result<io::BufWriter<std::fs::File>, AppError> {
        let file = self.temporary.as_file().try_clone().map_err(|error| self.failed(error))?;
        Ok(io::BufWriter::new(file))
    }

    /// The temporary path, for other programs to write to.
    pub(crate) fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// Returns the error for a failed writer.
    pub(crate) fn failed(&self, source: io::Error) -> AppError {
        AppError::output(&self.file, source)
    }

    /// Renames the file. All writers must be flushed. A former file keeps its permissions, and its contents until those of
    /// the new one are on the disk.
    pub(crate) fn finish(self) -> Result<(), AppError> {
        let Self { file, target, temporary, partial } = self;
        let rename = || {
            if let Ok(former) = std::fs::metadata(&target) {
                temporary.as_file().set_permissions(former.permissions())?;
                temporary.as_file().sync_all()?;
            }
            temporary.persist(&target).map_err(|error| error.error)
        };
        rename().map_err(|source| AppError::output(&file, source))?;
        drop(partial);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn write_replaces_the_file_and_leaves_no_temporary() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.bin");
        write_atomic(&file, b"first").unwrap();
        write_atomic(&file, b"second").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"second");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn unwritable_paths_are_errors_without_leftovers() {
        let folder = tempfile::tempdir().unwrap();
        assert!(write_atomic(folder.path(), b"x").is_err());
        assert!(write_atomic(&folder.path().join("missing/a.bin"), b"x").is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn errors_have_the_reason_of_the_system_without_the_temporary_name() {
        let folder = tempfile::tempdir().unwrap();
        for (file, expected) in [
            (Path::new("/dev/full").to_owned(), "No space left on device (os error 28)"),
            (folder.path().join("n".repeat(300)), "File name too long (os error 36)"),
            (folder.path().join("missing/a.bin"), "No such file or directory (os error 2)"),
        ] {
            let Err(AppError::Output { source, .. }) = write_atomic(&file, b"x") else { panic!("{}", file.display()) };
            assert_eq!(source.to_string(), expected, "{}", file.display());
        }
    }

    #[test]
    fn unfinished_file_is_deleted() {
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

    #[test]
    #[cfg_attr(windows, ignore = "before Windows 10, and under Wine, a removed file is listed until it is closed")]
    fn partial_output_is_removed_and_finished_output_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let finished = AtomicFile::new(&folder.path().join("finished.bin")).unwrap();
        finished.finish().unwrap();
        let unfinished = AtomicFile::new(&folder.path().join("unfinished.bin")).unwrap();
        let frames = tempfile::tempdir_in(folder.path()).unwrap();
        let _partial = PartialOutput::new(frames.path());
        std::fs::write(frames.path().join("0001.png"), "frame").unwrap();
        // Other tests of this process have output of their own.
        remove_partial_output_in(folder.path());
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert_eq!(left, ["finished.bin"]);
        drop(unfinished);
    }

    #[cfg(unix)]
    #[test]
    fn replaced_file_keeps_its_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.bin");
        std::fs::write(&file, b"first").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        write_atomic(&file, b"second").unwrap();
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn symbolic_links_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a.bin"), folder.path().join("link"));
        std::fs::write(&file, b"first").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_atomic(&link, b"second").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"second");
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
