//! `rigview test --changed-since REV`: only shots with a change since a revision of git.

use super::planned_shot::PlannedShot;
use crate::app::AppError;
use crate::cli::shot_option_names;
use rigview_suite::git::Revision;
use rigview_suite::suite::{self, MaskRegion, external_files};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Keeps the shots whose model, side files, other files, golden or entry in the suite differ from the revision.
///
/// Files that git does not track count as changed.
pub(super) fn retain(planned: &mut Vec<PlannedShot>, revision: &str) -> Result<(), AppError> {
    let mut suites: HashMap<PathBuf, State> = HashMap::new();
    for planned in planned.iter() {
        let file = &planned.suite.file;
        if !suites.contains_key(file) {
            let failed = |reason| AppError::Usage { message: format!("--changed-since: {}: {reason}", file.display()) };
            suites.insert(file.clone(), State::read(file, revision).map_err(failed)?);
        }
    }
    planned.retain(|planned| !suites[&planned.suite.file].is_unchanged(planned));
    Ok(())
}

/// What a suite has in common with its revision.
struct State {
    unchanged: HashSet<PathBuf>,
    /// Names of the unchanged files, among which a golden of any renderer is.
    unchanged_names: HashSet<std::ffi::OsString>,
    /// Hashes of the shots in the revision; `None` if the suite is unchanged.
    shots: Option<HashSet<String>>,
}

impl State {
    fn read(file: &Path, revision: &str) -> Result<Self, String> {
        let folder = suite::folder_of(file);
        let revision = Revision::open(folder, revision)?;
        let unchanged = revision.unchanged_files()?;
        let shots = if file.canonicalize().is_ok_and(|file| unchanged.contains(&file)) {
            None
        } else {
            let text = revision.read(file)?.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
            // All shots are new if the former suite was none.
            let suite = suite::from_text(&text, folder, &shot_option_names()).unwrap_or_default();
            Some(suite.shots.iter().map(|shot| suite::hash(std::slice::from_ref(shot))).collect())
        };
        let unchanged_names = unchanged.iter().filter_map(|file| Some(file.file_name()?.to_owned())).collect();
        Ok(Self { unchanged, unchanged_names, shots })
    }

    fn is_unchanged(&self, planned: &PlannedShot) -> bool {
        let hash = || suite::hash(std::slice::from_ref(&planned.shot));
        let inputs = planned.request.input_files().map(Path::to_owned);
        let masks = planned.shot.mask.iter().filter_map(MaskRegion::file).map(|file| planned.suite.folder.join(file));
        let mut files = inputs.chain(masks).chain(planned.suite.file_before(&planned.shot));
        let is_same = |file: &Path| file.canonicalize().is_ok_and(|file| self.unchanged.contains(&file));
        self.unchanged_names.contains(std::ffi::OsStr::new(&planned.golden_name()))
            && self.shots.as_ref().is_none_or(|shots| shots.contains(&hash()))
            && files.all(|file| is_same(&file) && external_files(&file).iter().all(|file| is_same(file)))
    }
}
