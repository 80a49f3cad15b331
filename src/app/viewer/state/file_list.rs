//! Files of the command line or of a folder, and recent files.

use rigview_core::util::text::file_name;
use std::path::{Path, PathBuf};

/// Number of recent files.
const MAX_RECENT_FILES: usize = 12;

/// What a chosen file is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FilePurpose {
    #[default]
    Open,
    Compare,
    ImportClips,
    Environment,
    FlexLimits,
    /// The rules of a project.
    Profile,
    Ground,
    /// A folder for exports.
    ExportFolder,
}

/// The files to step through: those of the command line, of a folder, or one opened later.
#[derive(Debug, Default)]
pub(crate) struct FileList {
    list: Vec<PathBuf>,
    current: usize,
}

impl FileList {
    pub(crate) fn new(list: Vec<PathBuf>) -> Self {
        Self { list, current: 0 }
    }

    /// The visible file, or the one that is loading.
    pub(crate) fn current(&self) -> Option<&Path> {
        self.list.get(self.current).map(PathBuf::as_path)
    }

    /// The position from 1 and the number of files; `None` for a single file.
    pub(crate) fn position(&self) -> Option<(usize, usize)> {
        (self.list.len() > 1).then(|| (self.current + 1, self.list.len()))
    }

    /// The position of `file` from 1 and the number of files; `None` for a single or unknown file.
    pub(crate) fn position_of(&self, file: &Path) -> Option<(usize, usize)> {
        let index = self.list.iter().position(|other| other == file)?;
        (self.list.len() > 1).then_some((index + 1, self.list.len()))
    }

    /// All files.
    pub(crate) fn list(&self) -> &[PathBuf] {
        &self.list
    }

    /// The name of a file; that of its folder if a neighbor in the list has the same name.
    pub(crate) fn label(&self, index: usize) -> String {
        let file = &self.list[index];
        let neighbors = [index.wrapping_sub(1), index + 1].map(|other| self.list.get(other));
        let is_repeated = neighbors.into_iter().flatten().any(|other| other.file_name() == file.file_name());
        file_name(file.parent().filter(|_| is_repeated).unwrap_or(file))
    }

    /// Steps cyclically. Returns the file, unless there is only one.
    pub(crate) fn step(&mut self, steps: i32) -> Option<PathBuf> {
        let count = self.list.len() as i64;
        if count < 2 {
            return None;
        }
        self.current = (self.current as i64 + i64::from(steps)).rem_euclid(count) as usize;
        self.current().map(Path::to_owned)
    }

    /// Goes back to `file` after another one has failed to open.
    pub(crate) fn go_back_to(&mut self, file: &Path) {
        self.current = self.list.iter().position(|other| other == file).unwrap_or(self.current);
    }

    /// Lists several files in place of the former ones. A single file keeps the list until it is [loaded](Self::go_to).
    ///
    /// Returns the first file.
    pub(crate) fn open(&mut self, files: Vec<PathBuf>) -> Option<PathBuf> {
        let first = files.first().cloned();
        if files.len() > 1 {
            *self = Self::new(files);
        }
        first
    }

    /// Goes to `file`, which replaces the list if it is not part of it.
    pub(crate) fn go_to(&mut self, file: &Path) {
        match self.list.iter().position(|other| other == file) {
            Some(index) => self.current = index,
            None => (self.list, self.current) = (vec![file.to_owned()], 0),
        }
    }
}

/// Adds `file` as an absolute path to the front of the recent files.
pub(crate) fn remember(recent: &mut Vec<PathBuf>, file: &Path) {
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    recent.retain(|other| *other != file);
    recent.insert(0, file);
    recent.truncate(MAX_RECENT_FILES);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stepping_is_cyclic_and_an_unknown_file_replaces_the_list() {
        let mut files = FileList::new(["a", "b", "c"].map(PathBuf::from).to_vec());
        assert_eq!((files.current(), files.position()), (Some(Path::new("a")), Some((1, 3))));
        assert_eq!(files.step(-1), Some(PathBuf::from("c")));
        // The visible file keeps its position while another one is loading.
        assert_eq!((files.position_of(Path::new("a")), files.position()), (Some((1, 3)), Some((3, 3))));
        assert_eq!(files.position_of(Path::new("d")), None);
        assert_eq!(files.step(1), Some(PathBuf::from("a")));
        files.go_back_to(Path::new("c"));
        assert_eq!(files.position(), Some((3, 3)), "a file failed to open");
        files.go_to(Path::new("b"));
        assert_eq!(files.position(), Some((2, 3)));
        files.go_to(Path::new("d"));
        assert_eq!((files.current(), files.position()), (Some(Path::new("d")), None));
        assert_eq!(files.step(1), None);
        assert_eq!(FileList::default().current(), None);
    }

    #[test]
    fn several_opened_files_replace_the_list() {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let mut files = FileList::new(paths(&["a", "b", "c"]));
        assert_eq!(files.open(paths(&["b"])), Some(PathBuf::from("b")));
        assert_eq!(files.position_of(Path::new("b")), Some((2, 3)));
        assert_eq!(files.open(paths(&["d", "e"])), Some(PathBuf::from("d")));
        assert_eq!((files.current(), files.position()), (Some(Path::new("d")), Some((1, 2))));
        assert_eq!(files.open(Vec::new()), None);
        assert_eq!(files.position(), Some((1, 2)));
        let files = FileList::new(paths(&["fox/model.gltf", "hare/model.gltf", "mill/mill.gltf"]));
        assert_eq!([0, 1, 2].map(|index| files.label(index)), ["fox", "hare", "mill.gltf"]);
    }

    #[test]
    fn recent_files_are_unique_and_latest_first() {
        let mut recent = Vec::new();
        for file in ["/a", "/b", "/a"] {
            remember(&mut recent, Path::new(file));
        }
        assert_eq!(recent, ["/a", "/b"].map(|file| std::path::absolute(file).unwrap()));
        (0..50).for_each(|i| remember(&mut recent, Path::new(&format!("/{i}"))));
        assert_eq!(recent.len(), MAX_RECENT_FILES);
    }
}
