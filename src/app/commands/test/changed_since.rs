//! `rigview test --changed-since REV`: only shots with a change since a revision of git.

use super::planned_shot::PlannedShot;
use crate::app::AppError;
use crate::cli::shot_option_names;
use rigview_suite::changes::Changes;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::PathBuf;

/// Keeps the shots whose model, side files, other files, golden or entry in the suite differ from the revision.
pub(super) fn retain(planned: &mut Vec<PlannedShot>, revision: &str) -> Result<(), AppError> {
    let mut suites: HashMap<PathBuf, Changes> = HashMap::new();
    for planned in planned.iter() {
        let file = &planned.suite.file;
        if !suites.contains_key(file) {
            let failed = |reason| AppError::Usage(format!("--changed-since: {}: {reason}", file.display()));
            let trust = planned.suite.trust;
            suites.insert(file.clone(), Changes::since(revision, file, &shot_option_names(), trust).map_err(failed)?);
        }
    }
    planned.retain(|planned| {
        let PlannedShot { suite, shot, request, .. } = planned;
        let own = planned.golden_name();
        let golden = match &suite.store {
            Some(store) => store.manifest().file_name(),
            None => Some(OsStr::new(&own)),
        };
        suites[&suite.file].affect(shot, golden, &planned.input_files(), &request.scene.import.policy())
    });
    Ok(())
}
