//! Issues that an earlier `check --json` found.

use crate::Issue;
use rigview_core::util::hash::{FNV_OFFSET_BASIS, fnv1a};
use rigview_core::util::regular_file::{open_regular, read_text};
use serde::Deserialize;
use std::collections::HashSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

const MAX_FILE_BYTES: u64 = 256 << 20;

/// A baseline cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: not the output of `rigview check --json`", .file.display())]
pub struct BaselineError {
    /// The file.
    pub file: PathBuf,
    /// The cause.
    pub source: io::Error,
}

/// File or hash, code and pointer of each known issue. Messages may contain numbers that change.
#[derive(Default)]
pub struct Baseline(HashSet<[String; 3]>);

#[derive(Deserialize)]
struct KnownFile {
    file: String,
    hash: Option<String>,
    issues: Vec<KnownIssue>,
}

#[derive(Deserialize)]
struct KnownIssue {
    code: String,
    pointer: String,
}

impl Baseline {
    /// Reads the output of `check --json`: an object per checked file.
    ///
    /// # Errors
    /// If the file cannot be read, or is another one.
    pub fn open(file: &Path) -> Result<Self, BaselineError> {
        Self::read(file).map_err(|source| BaselineError { file: file.to_owned(), source })
    }

    fn read(file: &Path) -> io::Result<Self> {
        let text = read_text(file, MAX_FILE_BYTES)?;
        let mut known = HashSet::new();
        for object in serde_json::Deserializer::from_str(&text).into_iter::<KnownFile>() {
            let KnownFile { file, hash, issues } = object?;
            for name in [Some(without_dot(&file).to_owned()), hash].into_iter().flatten() {
                known.extend(issues.iter().map(|issue| [name.clone(), issue.code.clone(), issue.pointer.clone()]));
            }
        }
        Ok(Self(known))
    }

    /// Returns `true` if the baseline has this issue of `file`, or of a file of the same `hash` under another name.
    pub fn has(&self, file: &str, hash: Option<&str>, issue: &Issue) -> bool {
        let has = |name: &str| self.0.contains(&[name.to_owned(), issue.code.to_owned(), issue.pointer.clone()]);
        !self.0.is_empty() && (has(without_dot(file)) || hash.is_some_and(has))
    }

    /// Returns the hash of a file in the output of `check --json`.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn hash_of(file: &Path) -> io::Result<String> {
        let mut opened = open_regular(file)?.ok_or_else(|| io::Error::other("not a regular file"))?;
        let (mut hash, mut buffer) = (FNV_OFFSET_BASIS, vec![0; 1 << 16]);
        loop {
            match opened.read(&mut buffer)? {
                0 => return Ok(format!("{hash:016x}")),
                count => hash = fnv1a(hash, buffer[..count].iter().copied()),
            }
        }
    }
}

/// Removes a leading `./`, so that `check .` has the paths of `check *.glb`.
fn without_dot(file: &str) -> &str {
    Path::new(file).strip_prefix(".").ok().and_then(Path::to_str).unwrap_or(file)
}
