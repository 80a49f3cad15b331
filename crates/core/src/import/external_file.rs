//! Opening of the files in the folders of models, and of model files: the only code of the import that does.
//!
//! Every path of a model passes the rules of [`uri`] and [`open_external`], and every read is bounded.

use super::error::ImportError;
use super::limits::{ImportPolicy, Limit, Limits};
use super::uri;
use crate::util::fallible::fallible;
use crate::util::regular_file::{open_regular, open_regular_beneath};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Returns the name of a file in the folder of `path` that differs in case, or from which `path` has a query such as `?v=1`.
pub(super) fn similar_file(path: &Path) -> Option<String> {
    // Each missing file reads the folder.
    const MAX_ENTRIES: usize = 1000;
    let name = path.file_name()?.to_str()?;
    let name = name.split(['?', '#']).next().unwrap_or_default();
    let entries = std::fs::read_dir(path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new(".")));
    let names = entries.ok()?.take(MAX_ENTRIES).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|found| found.to_lowercase() == name.to_lowercase()).min()
}

/// Reads a path of [`uri::paths`] by the rules of [`open_external`].
pub(super) fn read_external(
    path: &Path,
    base: Option<&Path>,
    policy: &ImportPolicy,
    length: ReadLength,
) -> Result<Vec<u8>, FileError> {
    open_external(path, base, policy).and_then(|file| read_file(file, length))
}

/// Opens a path of [`uri::paths`], with links resolved within `base` if the policy forbids other folders. All external files are
/// opened here.
fn open_external(path: &Path, base: Option<&Path>, policy: &ImportPolicy) -> Result<Option<File>, FileError> {
    match base {
        Some(base) if !policy.allow_external_paths => open_inside(path, base),
        _ => open_regular(path).map_err(FileError::Io),
    }
}

/// Opens a file, if it is in the folder `base` after links are resolved.
fn open_inside(path: &Path, base: &Path) -> Result<Option<File>, FileError> {
    let base = if base == Path::new("") { Path::new(".") } else { base };
    let (real, base) = (path.canonicalize().map_err(FileError::Io)?, base.canonicalize().map_err(FileError::Io)?);
    let within = real.strip_prefix(&base).map_err(|_| FileError::Outside)?;
    // A link may have been created since.
    open_regular_beneath(&base, within).map_err(|error| match error.kind() {
        io::ErrorKind::CrossesDevices => FileError::Outside,
        _ => FileError::Io(error),
    })
}

/// Passes the bytes that an import reads of an external file to `sink`, in blocks: the first `length` bytes, or all of an image.
/// Returns their number; `None` if the import does not read the file: it is refused, missing or too long.
pub(super) fn stream_external(
    uri: &str,
    base: &Path,
    policy: &ImportPolicy,
    length: Option<u64>,
    sink: &mut dyn FnMut(&[u8]),
) -> Option<u64> {
    let paths = uri::paths(uri, Some(base), policy.allow_external_paths).ok()?;
    let file = paths.iter().find_map(|path| open_external(path, Some(base), policy).ok())??;
    let max_image = policy.limits.get(Limit::ImageFile);
    if length.is_none() && file.metadata().ok()?.len() > max_image {
        return None;
    }
    let (mut file, mut block, mut size) = (file.take(length.unwrap_or(max_image)), vec![0; 1 << 16], 0);
    loop {
        match file.read(&mut block).ok()? {
            0 => return Some(size),
            count => {
                sink(&block[..count]);
                size += count as u64;
            }
        }
    }
}

/// Returns the paths of URIs that the policy permits: for each the one that exists, else the most probable one.
pub(super) fn external_paths<'a>(
    uris: impl Iterator<Item = &'a str>,
    base: Option<&Path>,
    policy: &ImportPolicy,
) -> Vec<PathBuf> {
    let path = |uri: &str| {
        let paths = uri::paths(uri, base, policy.allow_external_paths).ok()?;
        paths.iter().find(|path| path.exists()).or(paths.first()).cloned()
    };
    uris.filter(|uri| !uri::is_data(uri)).filter_map(path).collect()
}

/// The part of a file to read, in bytes.
#[derive(Clone, Copy)]
pub(super) enum ReadLength {
    /// At most the first bytes.
    First(u64),
    /// The whole file; a longer one is an error.
    AllOf(u64),
}

/// An error of reading a file.
pub(super) enum FileError {
    /// A link leads out of the model's folder, or a path out of its archive.
    Outside,
    /// A directory, a pipe or a device.
    NotAFile,
    /// The file exceeds [`ReadLength::AllOf`].
    TooLong { size: u64, limit: u64 },
    /// The directory of an archive is longer than the limit `elements`.
    #[cfg_attr(not(feature = "zip"), expect(dead_code, reason = "of archives"))]
    TooManyEntries { count: u64, max: u64 },
    /// The problem of an archive or of a file in it, with its remedy.
    Archive(String),
    /// A system error.
    Io(io::Error),
}

/// Reads a regular file; `None` is a file of another kind.
fn read_file(file: Option<File>, length: ReadLength) -> Result<Vec<u8>, FileError> {
    let file = file.ok_or(FileError::NotAFile)?;
    let size = file.metadata().map_err(FileError::Io)?.len();
    let max = match length {
        ReadLength::First(max) => max,
        ReadLength::AllOf(limit) if size > limit => return Err(FileError::TooLong { size, limit }),
        ReadLength::AllOf(limit) => limit,
    };
    let mut bytes = Vec::new();
    let capacity = usize::try_from(size.min(max)).unwrap_or(usize::MAX);
    fallible(|| bytes.try_reserve_exact(capacity)).map_err(|_| FileError::Io(io::ErrorKind::OutOfMemory.into()))?;
    file.take(max).read_to_end(&mut bytes).map_err(FileError::Io)?;
    Ok(bytes)
}

/// Opens a model file.
pub(super) fn open_main_file(path: &Path) -> Result<File, FileError> {
    open_regular(path).map_err(FileError::Io)?.ok_or(FileError::NotAFile)
}

/// Reads a file of the user that is no model, such as an environment.
pub fn read_main_file(path: &Path, limits: &Limits) -> Result<Vec<u8>, ImportError> {
    open_main_file(path).and_then(|file| read_whole(file, limits)).map_err(FileError::of_main_file)
}

/// Reads a model file that is open.
pub(super) fn read_whole(file: File, limits: &Limits) -> Result<Vec<u8>, FileError> {
    read_file(Some(file), ReadLength::AllOf(limits.get(Limit::File)))
}

/// Reads a model from a stream, such as standard input.
pub fn read_stream(stream: impl Read, limits: &Limits) -> Result<Vec<u8>, ImportError> {
    let (mut bytes, limit) = (Vec::new(), limits.get(Limit::File));
    let read = stream.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(FileError::Io);
    let fits =
        |size: usize| if size as u64 > limit { Err(FileError::TooLong { size: size as u64, limit }) } else { Ok(()) };
    read.and_then(fits).map_err(FileError::of_main_file)?;
    Ok(bytes)
}

impl FileError {
    pub(super) fn of_main_file(self) -> ImportError {
        match self {
            Self::NotAFile | Self::Outside => ImportError::NotAFile { what: "it".into() },
            Self::Io(source) => ImportError::Read { what: "the file".into(), source },
            Self::TooLong { size, limit } => {
                let (pointer, what) = (String::new(), "bytes".into());
                ImportError::Limit { pointer, what, count: size, limit: Limit::File, max: limit }
            }
            Self::TooManyEntries { count, max } => {
                let (pointer, what) = (String::new(), "entries of the archive".into());
                ImportError::Limit { pointer, what, count, limit: Limit::Elements, max }
            }
            Self::Archive(problem) => ImportError::Archive { problem },
        }
    }
}
