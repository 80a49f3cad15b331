//! Opening of the files that models refer to, and of model files: the only code of the import that does.
//!
//! Every path of a model passes the rules of [`uri`] and [`open_external`], and every read is bounded.

use super::diagnostic::Problem;
use super::error::ImportError;
use super::limits::{ImportPolicy, Limit, Limits, PolicyChange};
use super::resolver::FileResolver;
use super::uri::{self, external_file};
use crate::util::fallible::fallible;
use crate::util::git_lfs::{LFS_POINTER, LFS_START, is_lfs_pointer};
use crate::util::regular_file::{open_regular, open_regular_beneath};
use crate::util::text::quoted;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Reads the file of a relative URI from the resolver, else from the folder `base`. See [`read_external`].
pub(super) fn read_uri(
    uri: &str,
    base: Option<&Path>,
    resolver: Option<&FileResolver>,
    policy: &ImportPolicy,
    length: Option<u64>,
) -> Result<Vec<u8>, Problem> {
    let Some(resolver) = resolver else { return read_external(uri, base, policy, length) };
    let max_image = policy.limits.get(Limit::ImageFile);
    for path in uri::relative_paths(uri, policy.allow_external_paths)? {
        return match resolver.read(&uri::without_dots(&path)) {
            Ok(bytes) if is_lfs_pointer(&bytes) => Err(format!("the file {}: {LFS_POINTER}", quoted(uri)).into()),
            Ok(bytes) if length.is_none() && bytes.len() as u64 > max_image => {
                Err(too_long(uri, bytes.len() as u64, max_image))
            }
            Ok(mut bytes) => {
                bytes.truncate(length.and_then(|length| usize::try_from(length).ok()).unwrap_or(usize::MAX));
                Ok(bytes)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => Err(format!("cannot read {}: {error}", quoted(uri)).into()),
        };
    }
    Err(format!("the file {} is missing", quoted(uri)).into())
}

/// Returns the problem of an image file that exceeds its limit.
fn too_long(uri: &str, size: u64, limit: u64) -> Problem {
    let message = format!("{} has {size} bytes, more than the {limit} that rigview reads", quoted(uri));
    Problem::with_change(message, PolicyChange::RaiseLimit { limit: Limit::ImageFile, needed: size })
}

/// Reads the file of a relative URI: the first `length` bytes, or all of an image within its limit.
///
/// # Errors
/// A message that starts like `the file "a.bin" is missing`.
pub fn read_external(
    uri: &str,
    base: Option<&Path>,
    policy: &ImportPolicy,
    length: Option<u64>,
) -> Result<Vec<u8>, Problem> {
    let max_length = length;
    // A pointer of Git LFS may be longer than the buffer.
    let first = |length: u64| ReadLength::First(length.max(LFS_START.len() as u64));
    let length = length.map_or(ReadLength::AllOf(policy.limits.get(Limit::ImageFile)), first);
    let mut missing = None;
    for path in uri::paths(uri, base, policy.allow_external_paths)? {
        match open_external(&path, base, policy).and_then(|file| read_file(file, length)) {
            Ok(bytes) if is_lfs_pointer(&bytes) => {
                return Err(format!("the file {}: {LFS_POINTER}", quoted(uri)).into());
            }
            Ok(mut bytes) => {
                let max_length = max_length.and_then(|length| usize::try_from(length).ok());
                bytes.truncate(max_length.unwrap_or(usize::MAX));
                return Ok(bytes);
            }
            Err(FileError::Outside) => {
                return Err(external_file(&format!("{} is a link that leads out of the model's folder", quoted(uri))));
            }
            Err(FileError::NotAFile) => return Err(format!("{} is not a regular file", quoted(uri)).into()),
            Err(FileError::TooLong { size, limit }) => return Err(too_long(uri, size, limit)),
            Err(FileError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                missing.get_or_insert(path);
            }
            Err(FileError::Io(error)) => return Err(format!("cannot read {}: {error}", quoted(uri)).into()),
        }
    }
    let uri = quoted(uri);
    let message = match missing.map(|path| similar_file(&path)) {
        Some(Some(name)) => format!("the file {uri} is missing, but {} exists; rename it", quoted(&name)),
        Some(None) => format!("the file {uri} is missing; put it into the model's folder, or export as .glb"),
        None => format!("its URI {uri} has no path"),
    };
    Err(message.into())
}

/// Returns the name of a file in the folder of `path` that differs in case, or from which `path` has a query such as `?v=1`.
fn similar_file(path: &Path) -> Option<String> {
    // Each missing file reads the folder.
    const MAX_ENTRIES: usize = 1000;
    let name = path.file_name()?.to_str()?;
    let name = name.split(['?', '#']).next().unwrap_or_default();
    let entries = std::fs::read_dir(path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new(".")));
    let names = entries.ok()?.take(MAX_ENTRIES).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|found| found.to_lowercase() == name.to_lowercase()).min()
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

/// Reads a text file of at most `max_bytes` beside a model, such as a map of its joints: links lead out of its folder only if the
/// policy permits external files.
///
/// # Errors
/// If it cannot be read, is not a regular file in the folder, is longer, or is not UTF-8.
pub fn read_text_beside(path: &Path, max_bytes: u64, policy: &ImportPolicy) -> io::Result<String> {
    let error = |message: &str| io::Error::new(io::ErrorKind::InvalidInput, message.to_owned());
    let file = open_external(path, Some(path.parent().unwrap_or(Path::new(""))), policy);
    let bytes =
        file.and_then(|file| read_file(file, ReadLength::AllOf(max_bytes))).map_err(|problem| match problem {
            FileError::Outside => error("it is a link that leads out of the model's folder"),
            FileError::NotAFile => error("it is not a regular file"),
            FileError::TooLong { .. } => error(&format!("it is larger than {} MiB", max_bytes >> 20)),
            FileError::Io(source) => source,
        })?;
    String::from_utf8(bytes).map_err(|_| error("it is not UTF-8"))
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
enum ReadLength {
    /// At most the first bytes.
    First(u64),
    /// The whole file; a longer one is an error.
    AllOf(u64),
}

/// An error of reading a file.
enum FileError {
    /// A link leads out of the model's folder.
    Outside,
    /// A directory, a pipe or a device.
    NotAFile,
    /// The file exceeds [`ReadLength::AllOf`].
    TooLong { size: u64, limit: u64 },
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
pub(super) fn open_main_file(path: &Path) -> Result<File, ImportError> {
    let file = open_regular(path).map_err(FileError::Io);
    file.and_then(|file| file.ok_or(FileError::NotAFile)).map_err(FileError::of_main_file)
}

/// Reads a model file or an environment.
pub fn read_main_file(path: &Path, limits: &Limits) -> Result<Vec<u8>, ImportError> {
    let file = open_regular(path).map_err(FileError::Io);
    let bytes = file.and_then(|file| read_file(file, ReadLength::AllOf(limits.get(Limit::File))));
    bytes.map_err(FileError::of_main_file)
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
    fn of_main_file(self) -> ImportError {
        match self {
            Self::NotAFile | Self::Outside => ImportError::NotAFile { what: "it".into() },
            Self::Io(source) => ImportError::Read { what: "the file".into(), source },
            Self::TooLong { size, limit } => {
                let (pointer, what) = (String::new(), "bytes".into());
                ImportError::Limit { pointer, what, count: size, limit: Limit::File, max: limit }
            }
        }
    }
}
