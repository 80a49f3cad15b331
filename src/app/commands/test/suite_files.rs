//! The files of a suite: its folder and its goldens.

use super::report_files::read_regular;
use crate::app::AppError;
use rigview_core::util::git_lfs::{LFS_POINTER, is_lfs_pointer};
use rigview_suite::store::Store;
use rigview_suite::suite::{SuiteErrorKind, Trust, is_beneath, renderer_name};
use std::path::{Path, PathBuf};

/// Placeholder for the renderer's short name in the folder of the goldens.
const RENDERER: &str = "{renderer}";
pub(crate) struct SuiteFiles {
    /// The suite file as given on the command line.
    pub(crate) file: PathBuf,
    /// Folder of the suite file; goldens are not written outside it.
    pub(crate) folder: PathBuf,
    /// Start of the names of its shots in the report.
    pub(crate) prefix: String,
    /// Folder of the goldens, perhaps with a placeholder.
    goldens: PathBuf,
    /// Replaces the folder.
    pub(crate) store: Option<Store>,
    /// Whether the suite may name files outside of its folder. Goldens that are links of an untrusted suite are not read.
    pub(crate) trust: Trust,
}

impl SuiteFiles {
    pub(crate) fn new(file: &Path, folder: &Path, goldens: PathBuf, prefix: String, trust: Trust) -> Self {
        Self { file: file.to_owned(), folder: folder.to_owned(), prefix, goldens, store: None, trust }
    }

    pub(crate) fn needs_renderer(&self) -> bool {
        self.goldens.to_string_lossy().contains(RENDERER)
    }

    /// The folder of the goldens, if `renderer` is the GL renderer.
    pub(crate) fn goldens(&self, renderer: Option<&str>) -> PathBuf {
        match self.goldens.to_str() {
            Some(text) if self.needs_renderer() => {
                text.replace(RENDERER, &renderer_name(renderer.unwrap_or_default())).into()
            }
            _ => self.goldens.clone(),
        }
    }

    /// The folder of the goldens with links resolved, with the placeholder.
    pub(crate) fn golden_folder(&self) -> PathBuf {
        if let Some(store) = &self.store {
            return store.manifest().to_owned();
        }
        let relative = self.goldens.strip_prefix(&self.folder).unwrap_or(&self.goldens);
        let folder = || self.folder.canonicalize().unwrap_or_else(|_| self.folder.clone());
        self.goldens.canonicalize().unwrap_or_else(|_| folder().join(relative).components().collect())
    }

    /// Refuses goldens outside of the folder of an untrusted suite.
    pub(crate) fn check_goldens(&self, renderer: Option<&str>) -> Result<(), AppError> {
        let goldens = self.goldens(renderer);
        if self.trust == Trust::Untrusted && goldens.exists() && !is_beneath(&self.folder, &goldens) {
            let message = "--untrusted: the folder of the goldens is a link out of the suite's folder".to_owned();
            let source = SuiteErrorKind::Option { message }.into();
            return Err(AppError::Suite { file: self.file.clone(), source });
        }
        Ok(())
    }

    /// Returns `true` unless the suite is untrusted and `file` is outside its folder.
    pub(crate) fn may_open(&self, file: &Path) -> bool {
        self.trust == Trust::Trusted || is_beneath(&self.folder, file)
    }

    /// Reads the golden `name`, if `renderer` is the GL renderer; `None` if there is none. All goldens are read here.
    ///
    /// # Errors
    /// The reason, if it cannot be read, is not the file of its hash in the store, or is a link in an untrusted suite.
    pub(crate) fn read_golden(&self, name: &str, renderer: Option<&str>) -> Result<Option<Vec<u8>>, String> {
        if let Some(store) = &self.store {
            return store.read(name);
        }
        let file = self.goldens(renderer).join(name);
        if self.trust == Trust::Untrusted && file.is_symlink() || !self.may_open(&file) {
            return Err("it is a link, and --untrusted reads no links".to_owned());
        }
        match read_regular(&file) {
            Ok(bytes) if is_lfs_pointer(&bytes) => Err(LFS_POINTER.to_owned()),
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholder_is_replaced_by_the_short_name() {
        let of = |goldens: &str| {
            SuiteFiles::new("a.toml".as_ref(), ".".as_ref(), goldens.into(), String::new(), Trust::Trusted)
        };
        let goldens = of("./goldens/{renderer}").goldens(Some("llvmpipe (LLVM 15.0.6, 256 bits)"));
        assert_eq!(goldens, Path::new("./goldens/llvmpipe"));
        assert!(!of("goldens").needs_renderer() && of("{renderer}-goldens").needs_renderer());
        assert_eq!(of("goldens").goldens(None), Path::new("goldens"));
    }
}
