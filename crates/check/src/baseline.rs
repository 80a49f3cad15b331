//! Issues that an earlier `check --json` found.

use crate::Issue;
use rigview_core::util::regular_file::open_regular;
use serde::Deserialize;
use std::collections::HashSet;
use std::io::Read;
use std::path::Path;

const MAX_FILE_BYTES: u64 = 256 << 20;

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
    pub fn open(file: &Path) -> Result<Self, String> {
        let refused =
            |reason: String| format!("{}: not the output of `rigview check --json`: {reason}", file.display());
        let opened = open_regular(file).map_err(|error| refused(error.to_string()))?;
        let mut text = String::new();
        let opened = opened.ok_or_else(|| refused("not a regular file".to_owned()))?;
        opened.take(MAX_FILE_BYTES).read_to_string(&mut text).map_err(|error| refused(error.to_string()))?;
        let mut known = HashSet::new();
        for object in serde_json::Deserializer::from_str(&text).into_iter::<KnownFile>() {
            let KnownFile { file, issues } = object.map_err(|error| refused(error.to_string()))?;
            known.extend(issues.into_iter().map(|issue| [file.clone(), issue.code, issue.pointer]));
        }
        Ok(Self(known))
    }

    /// Returns `true` if the baseline has this issue of `file`.
    pub fn has(&self, file: &str, issue: &Issue) -> bool {
        !self.0.is_empty() && self.0.contains(&[file.to_owned(), issue.code.to_owned(), issue.pointer.clone()])
    }
}
