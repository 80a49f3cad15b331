//! Hashes of the files of a shot, by which an unchanged shot passes without a draw.

use super::planned_shot::PlannedShot;
use rigview_core::import::{ImportPolicy, ModelOutline, file_on_disk};
use rigview_core::util::hash::{FNV_OFFSET_BASIS, fnv1a};
use rigview_core::util::regular_file::open_regular;
use rigview_render::image_file::{PngMetadata, png_metadata};
use rigview_suite::suite::InputFile;
use std::collections::HashMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Hashes by file; `None` for files that cannot be read.
#[derive(Default)]
pub(crate) struct InputHashes(Mutex<HashMap<PathBuf, Option<u64>>>);

impl InputHashes {
    /// Returns a hash of the files that a shot depends on, with the buffers and images of its models; `None` if one cannot be read.
    pub(crate) fn of(&self, planned: &PlannedShot) -> Option<String> {
        let (policy, mut state) = (planned.request.scene.import.policy(), FNV_OFFSET_BASIS);
        for InputFile { path, is_optional } in planned.input_files() {
            if !is_optional || path.exists() {
                state = fnv1a(state, self.of_file(&path, &policy)?.to_le_bytes());
            }
        }
        Some(format!("{state:016x}"))
    }

    fn of_file(&self, file: &Path, policy: &ImportPolicy) -> Option<u64> {
        let known =
            |hashes: &Mutex<HashMap<_, _>>| hashes.lock().unwrap_or_else(PoisonError::into_inner).get(file).copied();
        if let Some(hash) = known(&self.0) {
            return hash;
        }
        let hash = hash_of(file, policy).ok();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(file.to_owned(), hash);
        hash
    }

    /// Returns `true` if the golden of a shot records the same files, options, version and renderer as `metadata`.
    pub(crate) fn are_those_of_golden(&self, planned: &PlannedShot, metadata: &PngMetadata) -> bool {
        let golden = planned.read_golden(metadata.renderer.as_deref()).ok().flatten();
        let Some(recorded) = golden.and_then(|bytes| png_metadata(&bytes)) else { return false };
        let provenance = |metadata: &PngMetadata| {
            let PngMetadata { software, renderer, driver, command, .. } = metadata.clone();
            [software, renderer, driver, command]
        };
        provenance(&recorded) == provenance(metadata)
            && recorded.inputs.is_some()
            && recorded.inputs == self.of(planned)
    }
}

/// Hashes a file in blocks, and what an import reads of its external files: nothing of a file that the policy refuses.
fn hash_of(file: &Path, policy: &ImportPolicy) -> io::Result<u64> {
    let mut state = FNV_OFFSET_BASIS;
    let mut opened = open_regular(file_on_disk(file))?.ok_or_else(|| io::Error::other("not a regular file"))?;
    let mut block = vec![0; 1 << 16];
    loop {
        match opened.read(&mut block)? {
            0 => break,
            count => state = fnv1a(state, block[..count].iter().copied()),
        }
    }
    if let Ok(outline) = ModelOutline::open(file, policy) {
        outline.stream_external_files(&mut |bytes| state = fnv1a(state, bytes.iter().copied()));
    }
    Ok(state)
}
