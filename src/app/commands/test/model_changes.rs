//! What `rigview diff` reports of a model since the commit that wrote its golden.

use super::planned_shot::PlannedShot;
use crate::app::files::model_file::compare_models;
use rigview_check::diff::Tolerances;
use rigview_core::util::panic_guard::catch;
use rigview_core::util::text::escaped;
use rigview_suite::git::{Revision, extract_model};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Characters of a commit's hash in a message.
const COMMIT_CHARS: usize = 10;

/// Maximum characters of the changes in a message.
const MAX_CHARS: usize = 400;

/// Summaries by model and commit; `None` for an unchanged model, or one that cannot be compared.
#[derive(Default)]
pub(crate) struct ModelChanges(Mutex<HashMap<(PathBuf, String), Option<String>>>);

impl ModelChanges {
    /// Returns the changes of a shot's model since the commit that wrote `golden`, in one line; `None` without git, changes, or such a
    /// commit.
    pub(crate) fn since_golden(&self, planned: &PlannedShot, golden: &[u8], renderer: Option<&str>) -> Option<String> {
        let commit = commit_of_golden(planned, golden, renderer)?;
        let key = (planned.request.file.clone(), commit);
        // The lock is held, so that the shots of a model do not compare it at once.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(key).or_insert_with_key(|(_, commit)| catch(|| changes_since(planned, commit)).flatten()).clone()
    }
}

fn commit_of_golden(planned: &PlannedShot, golden: &[u8], renderer: Option<&str>) -> Option<String> {
    let file = planned.golden(renderer);
    let revision = match &planned.suite.store {
        Some(store) => Revision::of_last_change(store.manifest(), file.file_name()?.to_str()).ok()??,
        None => {
            let revision = Revision::of_last_change(&file, None).ok()??;
            let committed = revision.read(&file, golden.len() as u64).ok()??;
            // Else the golden is not yet committed.
            (committed == golden).then_some(revision)?
        }
    };
    Some(revision.commit().to_owned())
}

fn changes_since(planned: &PlannedShot, commit: &str) -> Option<String> {
    let (file, scene) = (&planned.request.file, &planned.request.scene);
    let (request, conversion) = (&scene.import, &scene.conversion);
    let folder = tempfile::tempdir().ok()?;
    let old = extract_model(file, commit, folder.path(), &request.policy()).ok()?;
    let diff = compare_models([&old, file], request, conversion, &Tolerances::default()).ok()?;
    let commit = commit.get(..COMMIT_CHARS).unwrap_or(commit);
    let differs = |changes: String| format!("the model differs from commit {commit}: {}", escaped(&changes, MAX_CHARS));
    (!diff.is_empty()).then(|| differs(diff.summary()))
}
