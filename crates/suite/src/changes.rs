//! Changes of a suite and of the files of its shots since a revision of git.

use crate::git::{ChangedFiles, Revision};
use crate::suite::{self, InputFile, Shot, Trust};
use rigview_core::import::{ImportPolicy, ModelOutline};
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What a suite and its repository have in common with a revision.
pub struct Changes {
    files: ChangedFiles,
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
    pub fn since(revision: &str, file: &Path, options: &[String], trust: Trust) -> Result<Self, String> {
        let folder = suite::folder_of(file);
        let revision = Revision::open(folder, revision)?;
        let files = revision.changed_files()?;
        let shots = if file.canonicalize().is_ok_and(|file| files.unchanged.contains(&file)) {
            None
        } else {
            let text = revision
                .read(file, suite::MAX_FILE_BYTES)?
                .and_then(|bytes| String::from_utf8(bytes).ok())
                .unwrap_or_default();
            // All shots are new if the former suite was none.
            let suite = suite::from_text(&text, folder, options, trust).unwrap_or_default();
            Some(suite.shots.iter().map(|shot| suite::hash(std::slice::from_ref(shot))).collect())
        };
        let unchanged_names = files.unchanged.iter().filter_map(|file| Some(file.file_name()?.to_owned())).collect();
        Ok(Self { files, unchanged_names, shots })
    }

    /// Returns `true` if the shot, its golden, one of its `inputs` or a side file of one differs from the revision. `policy` is that
    /// of the models.
    ///
    /// Files that git does not track count as changed.
    pub fn affect(&self, shot: &Shot, golden: Option<&OsStr>, inputs: &[InputFile], policy: &ImportPolicy) -> bool {
        let is_same = |file: &Path| match file.canonicalize() {
            Ok(file) => self.files.unchanged.contains(&file),
            Err(_) => false,
        };
        // An optional file that is not there was there, if git has it.
        let is_deleted =
            |file: &Path| self.files.root_path(file).is_some_and(|file| self.files.changed.contains(&file));
        let has_changed = |InputFile { path, is_optional }: &InputFile| match *is_optional && !path.exists() {
            true => is_deleted(path),
            false => !is_same(path),
        };
        let is_new = |shots: &HashSet<String>| !shots.contains(&suite::hash(std::slice::from_ref(shot)));
        let side_files = |file: &InputFile| {
            ModelOutline::open(&file.path, policy).map_or_else(|_| Vec::new(), |outline| outline.external_files())
        };
        golden.is_some_and(|name| !self.unchanged_names.contains(name))
            || self.shots.as_ref().is_some_and(is_new)
            || inputs.iter().any(has_changed)
            || inputs.iter().flat_map(side_files).any(|file: PathBuf| !is_same(&file))
    }
}
