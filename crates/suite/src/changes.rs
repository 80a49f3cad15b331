//! Changes of a suite and of the files of its shots since a revision of git.

use crate::git::Revision;
use crate::suite::{self, Shot, external_files};
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What a suite and its repository have in common with a revision.
pub struct Changes {
    unchanged: HashSet<PathBuf>,
    /// Names of the unchanged files, among which a golden of any renderer is.
    unchanged_names: HashSet<OsString>,
    /// Hashes of the shots in the revision; `None` if the suite is unchanged.
    shots: Option<HashSet<String>>,
}

impl Changes {
    /// Reads the changes of a suite since a revision. `options` are the names of the options of `rigview shot`.
    ///
    /// # Errors
    /// If git fails, or there is no such revision.
    pub fn since(revision: &str, file: &Path, options: &[String]) -> Result<Self, String> {
        let folder = suite::folder_of(file);
        let revision = Revision::open(folder, revision)?;
        let unchanged = revision.unchanged_files()?;
        let shots = if file.canonicalize().is_ok_and(|file| unchanged.contains(&file)) {
            None
        } else {
            let text = revision.read(file)?.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
            // All shots are new if the former suite was none.
            let suite = suite::from_text(&text, folder, options).unwrap_or_default();
            Some(suite.shots.iter().map(|shot| suite::hash(std::slice::from_ref(shot))).collect())
        };
        let unchanged_names = unchanged.iter().filter_map(|file| Some(file.file_name()?.to_owned())).collect();
        Ok(Self { unchanged, unchanged_names, shots })
    }

    /// Returns `true` if the shot, its golden, one of its `inputs` or a side file of one differs from the revision.
    ///
    /// Files that git does not track count as changed.
    pub fn affect(&self, shot: &Shot, golden: Option<&OsStr>, mut inputs: impl Iterator<Item = PathBuf>) -> bool {
        let is_same = |file: &Path| file.canonicalize().is_ok_and(|file| self.unchanged.contains(&file));
        let is_new = |shots: &HashSet<String>| !shots.contains(&suite::hash(std::slice::from_ref(shot)));
        golden.is_some_and(|name| !self.unchanged_names.contains(name))
            || self.shots.as_ref().is_some_and(is_new)
            || inputs.any(|file| !is_same(&file) || external_files(&file).iter().any(|file| !is_same(file)))
    }
}
