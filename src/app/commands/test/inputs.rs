//! Hashes of the files of a shot, by which an unchanged shot passes without a draw.

use super::planned_shot::PlannedShot;
use super::report_files::read_regular;
use rigview_core::util::hash::{FNV_OFFSET_BASIS, fnv1a};
use rigview_render::export::{PngMetadata, png_metadata};
use rigview_suite::suite::external_files;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Hashes by file; `None` for files that cannot be read.
#[derive(Default)]
pub(crate) struct InputHashes(Mutex<HashMap<PathBuf, Option<u64>>>);

impl InputHashes {
    /// Returns a hash of the model of a shot, its side files and other inputs; `None` if one of them cannot be read.
    pub(crate) fn of(&self, planned: &PlannedShot) -> Option<String> {
        let hashes = planned.request.input_files().map(|file| self.of_file(file));
        let bytes: Vec<u8> = hashes.collect::<Option<Vec<u64>>>()?.into_iter().flat_map(u64::to_le_bytes).collect();
        Some(format!("{:016x}", fnv1a(FNV_OFFSET_BASIS, bytes)))
    }

    fn of_file(&self, file: &Path) -> Option<u64> {
        let known =
            |hashes: &Mutex<HashMap<_, _>>| hashes.lock().unwrap_or_else(PoisonError::into_inner).get(file).copied();
        if let Some(hash) = known(&self.0) {
            return hash;
        }
        let files: BTreeSet<PathBuf> = std::iter::once(file.to_owned()).chain(external_files(file)).collect();
        let hash =
            files.into_iter().try_fold(FNV_OFFSET_BASIS, |hash, file| Some(fnv1a(hash, read_regular(&file).ok()?)));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(file.to_owned(), hash);
        hash
    }

    /// Returns `true` if the golden of a shot records the same files, options, version and renderer as `origin`.
    pub(crate) fn are_those_of_golden(&self, planned: &PlannedShot, origin: &PngMetadata) -> bool {
        let golden = planned.golden(origin.renderer.as_deref());
        if planned.suite.is_refused_link(&golden) {
            return false;
        }
        let Some(recorded) = read_regular(&golden).ok().and_then(|bytes| png_metadata(&bytes)) else { return false };
        let facts = |origin: &PngMetadata| {
            let PngMetadata { software, renderer, driver, command, .. } = origin.clone();
            [software, renderer, driver, command]
        };
        facts(&recorded) == facts(origin) && recorded.inputs.is_some() && recorded.inputs == self.of(planned)
    }
}
