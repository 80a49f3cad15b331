//! Issues that an earlier `check --json` found.

use crate::Issue;
use rigview_core::util::regular_file::read_text;
use serde::Deserialize;
use std::collections::HashSet;
use std::io;
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

/// File, code and pointer of each known issue. Messages may contain numbers that change.
#[derive(Default)]
pub struct Baseline(HashSet<[String; 3]>);

#[derive(Deserialize)]
struct KnownFile {
    file: String,
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
            let KnownFile { file, issues } = object?;
            let file = without_dot(&file);
            known.extend(issues.into_iter().map(|issue| [file.to_owned(), issue.code, issue.pointer]));
        }
        Ok(Self(known))
    }

    /// Returns `true` if the baseline has this issue of `file`.
    pub fn has(&self, file: &str, issue: &Issue) -> bool {
        !self.0.is_empty()
            && self.0.contains(&[without_dot(file).to_owned(), issue.code.to_owned(), issue.pointer.clone()])
    }
}

/// Removes a leading `./`, so that `check .` has the paths of `check *.glb`.
fn without_dot(file: &str) -> &str {
    Path::new(file).strip_prefix(".").ok().and_then(Path::to_str).unwrap_or(file)
}
