//! The files that a model refers to: in its folder, in its archive, or by the resolver of a program.
//!
//! Every reader of buffers and images reads them by [`SideFiles`], so that all have the same rules and limits.

use super::archive::Archive;
use super::diagnostic::Problem;
use super::external_file::{FileError, ReadLength, external_paths, read_external, similar_file, stream_external};
use super::limits::{ImportPolicy, Limit, PolicyChange};
use super::resolver::FileResolver;
use super::uri::{self, external_file};
use crate::util::git_lfs::{LFS_POINTER, LFS_START, is_lfs_pointer};
use crate::util::text::quoted;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where the external files of a model are.
#[derive(Clone)]
pub(super) enum SideFiles {
    /// In a folder; `None` if a model in memory has none.
    Folder(Option<PathBuf>),
    /// In an archive, relative to a folder of it.
    Archive(Arc<Archive>, String),
    /// Where a program finds them.
    Resolver(FileResolver),
}

impl SideFiles {
    /// Reads the file of a relative URI: the first `length` bytes, or all of an image within its limit.
    ///
    /// # Errors
    /// A message that starts like `the file "a.bin" is missing`.
    pub(super) fn read(&self, uri: &str, policy: &ImportPolicy, length: Option<u64>) -> Result<Vec<u8>, Problem> {
        // A pointer of Git LFS may be longer than the buffer.
        let first = |length: u64| ReadLength::First(length.max(LFS_START.len() as u64));
        let part = length.map_or(ReadLength::AllOf(policy.limits.get(Limit::ImageFile)), first);
        let paths = match self {
            Self::Folder(base) => uri::paths(uri, base.as_deref(), policy.allow_external_paths)?,
            Self::Resolver(_) => {
                uri::relative_paths(uri, policy.allow_external_paths)?.into_iter().map(Into::into).collect()
            }
            // All files of an archive come from one source.
            Self::Archive(..) => uri::relative_paths(uri, true)?.into_iter().map(Into::into).collect(),
        };
        let mut missing = None;
        for path in paths {
            match self.read_path(&path, policy, part) {
                Ok(bytes) if is_lfs_pointer(&bytes) => {
                    return Err(format!("the file {}: {LFS_POINTER}", quoted(uri)).into());
                }
                Ok(mut bytes) => {
                    let max_length = length.and_then(|length| usize::try_from(length).ok());
                    bytes.truncate(max_length.unwrap_or(usize::MAX));
                    return Ok(bytes);
                }
                Err(FileError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                    missing.get_or_insert(path);
                }
                Err(error) => return Err(self.problem(uri, error)),
            }
        }
        let uri = quoted(uri);
        Err(match (missing, self) {
            (None, _) => format!("its URI {uri} has no path"),
            (_, Self::Resolver(_)) => format!("the file {uri} is missing"),
            (Some(path), _) => match (self.similar(&path), self) {
                (Some(name), _) => format!("the file {uri} is missing, but {} exists; rename it", quoted(&name)),
                (None, Self::Archive(..)) => {
                    format!("the file {uri} is missing in the archive; download the archive again")
                }
                (None, _) => format!("the file {uri} is missing; put it into the model's folder, or export as .glb"),
            },
        }
        .into())
    }

    fn read_path(&self, path: &Path, policy: &ImportPolicy, length: ReadLength) -> Result<Vec<u8>, FileError> {
        match self {
            Self::Folder(base) => read_external(path, base.as_deref(), policy, length),
            Self::Archive(archive, folder) => {
                archive.read(&path_in_archive(folder, path).ok_or(FileError::Outside)?, length)
            }
            Self::Resolver(resolver) => {
                let bytes = resolver.read(&uri::without_dots(&path.to_string_lossy())).map_err(FileError::Io)?;
                match length {
                    ReadLength::AllOf(limit) if bytes.len() as u64 > limit => {
                        Err(FileError::TooLong { size: bytes.len() as u64, limit })
                    }
                    _ => Ok(bytes),
                }
            }
        }
    }

    fn problem(&self, uri: &str, error: FileError) -> Problem {
        let uri = quoted(uri);
        match (error, self) {
            (FileError::Outside, Self::Archive(..)) => format!("{uri} is outside of the archive; unpack it").into(),
            (FileError::Outside, _) => external_file(&format!("{uri} is a link that leads out of the model's folder")),
            (FileError::NotAFile, _) => format!("{uri} is not a regular file").into(),
            (FileError::TooLong { size, limit }, _) => {
                let message = format!("{uri} has {size} bytes, more than the {limit} that rigview reads");
                Problem::with_change(message, PolicyChange::RaiseLimit { limit: Limit::ImageFile, needed: size })
            }
            (FileError::TooManyEntries { .. }, _) => format!("cannot read {uri}").into(),
            (FileError::Archive(problem), _) => problem.into(),
            (FileError::Io(error), _) => format!("cannot read {uri}: {error}").into(),
        }
    }

    /// Returns the name of a file beside a missing one that differs in case.
    fn similar(&self, path: &Path) -> Option<String> {
        match self {
            Self::Folder(_) => similar_file(path),
            Self::Archive(archive, folder) => {
                let missing = path_in_archive(folder, path)?.to_lowercase();
                archive.names().find(|name| name.to_lowercase() == missing).map(str::to_owned)
            }
            Self::Resolver(_) => None,
        }
    }

    /// Passes the bytes that an import reads of a file to `sink`: the first `length` bytes, or all of an image. Returns their number;
    /// `None` if the import does not read the file: it is refused, missing or too long.
    pub(super) fn stream(
        &self,
        uri: &str,
        policy: &ImportPolicy,
        length: Option<u64>,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Option<u64> {
        if let Self::Folder(Some(base)) = self {
            return stream_external(uri, base, policy, length, sink);
        }
        let bytes = self.read(uri, policy, length).ok()?;
        sink(&bytes);
        Some(bytes.len() as u64)
    }

    /// Returns the paths of URIs that the policy permits, whether they exist or not; none of files that have no path of their own.
    pub(super) fn paths<'a>(&self, uris: impl Iterator<Item = &'a str>, policy: &ImportPolicy) -> Vec<PathBuf> {
        match self {
            Self::Folder(base) => external_paths(uris, base.as_deref(), policy),
            Self::Archive(..) | Self::Resolver(_) => Vec::new(),
        }
    }
}

/// Returns the path in an archive of a path that is relative to one of its folders; `None` if it leads out of the archive.
fn path_in_archive(folder: &str, path: &Path) -> Option<String> {
    let path = path.to_str()?;
    let joined = if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
    let is_relative = !path.starts_with('/');
    let joined = uri::without_dots(&joined);
    (is_relative && !uri::leaves_folder(&joined)).then_some(joined)
}
