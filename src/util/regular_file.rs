//! Opens regular files at paths that may be untrusted. Opening a pipe could block forever.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a file for reading; `None` if it is a pipe, a folder or a device.
///
/// Does not block, even if the file is replaced by a pipe at the same time.
pub(crate) fn open_regular(path: &Path) -> io::Result<Option<File>> {
    if !std::fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    regular(options.read(true).open(path)?)
}

/// Opens a file of `folder` for reading; `None` as in [`open_regular`].
///
/// # Errors
/// Of kind [`CrossesDevices`](io::ErrorKind::CrossesDevices) if a link leads out of the folder. Systems without
/// `openat2` do not check that.
pub(crate) fn open_regular_beneath(folder: &Path, path: &Path) -> io::Result<Option<File>> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let folder = openat(CWD, folder, flags | OFlags::DIRECTORY, Mode::empty())?;
        match openat2(&folder, path, flags | OFlags::NONBLOCK, Mode::empty(), ResolveFlags::BENEATH) {
            Ok(file) => return regular(file.into()),
            // Old kernels, and filters of system calls in containers.
            Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
    }
    open_regular(&folder.join(path))
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
