//! Suites and their shots.

use super::confinement::Trust;
use super::error::{SuiteError, SuiteErrorKind};
use super::shot::Shot;
use super::{expansion, parse};
use rigview_core::util::hash::{FNV_OFFSET_BASIS, fnv1a};
use rigview_core::util::regular_file::read_bytes;
use std::path::{Path, PathBuf};

/// Maximum size of a suite file, in bytes.
pub const MAX_FILE_BYTES: u64 = 4 << 20;

/// A suite of image tests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suite {
    /// The folder of the goldens: that of the suite file, or one inside it.
    pub goldens: PathBuf,
    /// The folder of the store of goldens, which replaces the folder of the goldens.
    pub store: Option<PathBuf>,
    /// The shots, in the order of the file. Their names are unique, ignoring case.
    pub shots: Vec<Shot>,
}

/// Reads the suite at `path`. `options` are the names of the options of `rigview shot`.
///
/// # Errors
/// If the file cannot be read or is not a valid suite, with the line where there is one.
pub fn open(path: &Path, options: &[String], trust: Trust) -> Result<Suite, SuiteError> {
    let text = read_bytes(path, MAX_FILE_BYTES).map_err(|source| SuiteErrorKind::Unreadable { source })?;
    let text = String::from_utf8(text).map_err(|_| SuiteErrorKind::NotUtf8)?;
    from_text(&text, folder_of(path), options, trust)
}

/// Reads a suite in memory, whose paths are relative to `folder`. `options` are the names of the options of `rigview shot`.
///
/// # Errors
/// If it is not a valid suite, with the line where there is one.
pub fn from_text(text: &str, folder: &Path, options: &[String], trust: Trust) -> Result<Suite, SuiteError> {
    let file = parse::suite_file(text, options)?;
    if trust == Trust::Untrusted && file.store.is_some() {
        let message = "--untrusted: a suite cannot name a store of goldens".to_owned();
        return Err(SuiteErrorKind::Option { message }.into());
    }
    let shots = expansion::shots(&file, folder, trust)?;
    let store = file.store.map(|store| folder.join(store));
    Ok(Suite { goldens: folder.join(&file.goldens), store, shots })
}

/// The hash of the names, models, options, tolerances and masks of shots, in 16 hexadecimal digits.
pub fn hash(shots: &[Shot]) -> String {
    let state = shots.iter().fold(FNV_OFFSET_BASIS, |state, Shot { name, model, kind, options, limits, mask, .. }| {
        fnv1a(state, format!("{:?}", (name, model, kind, options, limits, mask)).bytes())
    });
    format!("{state:016x}")
}

/// The folder that a suite's paths are relative to.
pub fn folder_of(suite: &Path) -> &Path {
    match suite.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}
