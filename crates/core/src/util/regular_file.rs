//! Opens regular files at paths that may be untrusted. Opening a pipe could block forever.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a file for reading; `None` if it is a pipe, a folder or a device.
///
/// Does not block, even if the file is replaced by a pipe at the same time.
pub fn open_regular(path: &Path) -> io::Result<Option<File>> {
    if !std::fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    options.custom_flags(libc::O_NONBLOCK);
    regular(options.read(true).open(path)?)
}

/// Reads a file of at most `max_bytes`.
///
/// # Errors
/// If it cannot be read, is not a regular file, or is longer; the latter are of kind [`InvalidInput`](io::ErrorKind::InvalidInput).
pub fn read_bytes(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let error = |message: String| io::Error::new(io::ErrorKind::InvalidInput, message);
    let file = open_regular(path)?.ok_or_else(|| error("it is not a regular file".to_owned()))?;
    let mut bytes = Vec::new();
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > max_bytes {
        true => Err(error(format!("it is larger than {} MiB", max_bytes >> 20))),
        false => Ok(bytes),
    }
}

/// [`read_bytes`] as text.
///
/// # Errors
/// As of [`read_bytes`], and if it is not UTF-8.
pub fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    let text = String::from_utf8(read_bytes(path, max_bytes)?);
    text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

/// Opens a file of `folder` for reading; `None` as in [`open_regular`].
///
/// # Errors
/// Of kind [`CrossesDevices`](io::ErrorKind::CrossesDevices) if a link leads out of the folder. Systems without
/// `openat2` do not check that.
pub(crate) fn open_regular_beneath(folder: &Path, path: &Path) -> io::Result<Option<File>> {
    #[cfg(target_os = "linux")]
    match open_beneath(folder, path) {
        // Old kernels, and filters of system calls in containers.
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EPERM)) => {}
        file => return regular(file?),
    }
    open_regular(&folder.join(path))
}

/// Opens with `openat2` and `RESOLVE_BENEATH`.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "neither std nor libc wraps openat2, and rustix would add three crates to the core")]
fn open_beneath(folder: &Path, path: &Path) -> io::Result<File> {
    use std::ffi::CString;
    use std::os::fd::{AsRawFd, FromRawFd};
    use std::os::unix::ffi::OsStrExt;

    let folder = OpenOptions::new().read(true).custom_flags(libc::O_DIRECTORY).open(folder)?;
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: `open_how` is a C structure of integers, for which zero is valid.
    let mut how: libc::open_how = unsafe { std::mem::zeroed() };
    how.flags = (libc::O_RDONLY | libc::O_CLOEXEC | libc::O_NONBLOCK) as u64;
    how.resolve = libc::RESOLVE_BENEATH;
    // SAFETY: `path` ends with a zero byte, and both pointers are valid during the call.
    let descriptor = unsafe {
        libc::syscall(libc::SYS_openat2, folder.as_raw_fd(), path.as_ptr(), &raw const how, size_of_val(&how))
    };
    match i32::try_from(descriptor) {
        // SAFETY: the kernel has just opened this descriptor, and nothing else owns it.
        Ok(descriptor) if descriptor >= 0 => Ok(unsafe { File::from_raw_fd(descriptor) }),
        _ => Err(io::Error::last_os_error()),
    }
}

fn regular(file: File) -> io::Result<Option<File>> {
    Ok(file.metadata()?.is_file().then_some(file))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use std::os::unix::fs::symlink;

    #[test]
    fn pipes_and_folders_do_not_block() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        for path in [&pipe, folder.path()] {
            assert!(open_regular(path).unwrap().is_none());
        }
        assert!(open_regular_beneath(folder.path(), Path::new("pipe")).unwrap().is_none());
        assert!(open_regular_beneath(folder.path(), Path::new(".")).unwrap().is_none());
    }

    #[test]
    fn links_that_lead_out_of_the_folder_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (inner, outside) = (folder.path().join("inner"), folder.path().join("outside"));
        std::fs::create_dir(&inner).unwrap();
        std::fs::write(&outside, "secret").unwrap();
        std::fs::write(inner.join("a"), "a").unwrap();
        symlink("../outside", inner.join("file")).unwrap();
        symlink("..", inner.join("folder")).unwrap();
        symlink("a", inner.join("same")).unwrap();
        for (path, expected) in [("a", true), ("same", true), ("file", false), ("folder/outside", false)] {
            match open_regular_beneath(&inner, Path::new(path)) {
                Ok(file) => assert!(file.is_some() && expected, "{path}"),
                Err(error) => assert!(error.kind() == io::ErrorKind::CrossesDevices && !expected, "{path}: {error}"),
            }
        }
    }
}
