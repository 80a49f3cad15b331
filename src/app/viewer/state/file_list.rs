//! Files of the command line or of a folder, and recent files.

use rigview_check::names::{NameSearch, shared_affixes};
use rigview_core::util::text::file_name;
use std::path::{Path, PathBuf};

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
    /// Their names without what they share.
    labels: Vec<String>,
    /// Words that the names of shown files have.
    filter: String,
    /// Indices of the files with these words.
    shown: Vec<usize>,
    current: usize,
    /// The last file that failed to open, from which the next step starts.
    failed: Option<usize>,
}

impl FileList {
    pub(crate) fn new(list: Vec<PathBuf>) -> Self {
        let labels = labels(&list);
        Self { shown: (0..list.len()).collect(), list, labels, ..Self::default() }
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

    pub(crate) fn list(&self) -> &[PathBuf] {
        &self.list
    }

    /// The name of a file without what the names share; that of its folder if a neighbor in the list has the same name.
    pub(crate) fn label(&self, index: usize) -> &str {
        &self.labels[index]
    }

    pub(crate) fn filter(&self) -> &str {
        &self.filter
    }

    /// Indices of the files that the filter leaves.
    pub(crate) fn shown(&self) -> &[usize] {
        &self.shown
    }

    /// Shows the files whose names have these words.
    pub(crate) fn set_filter(&mut self, filter: String) {
        let search = NameSearch::new(&filter);
        let has_words = |index: &usize| search.rank(&file_name(&self.list[*index])).is_some();
        self.shown = (0..self.list.len()).filter(has_words).collect();
        self.filter = filter;
    }

    /// Steps cyclically through the shown files. Returns the file, unless there is no other one.
    pub(crate) fn step(&mut self, steps: i32) -> Option<PathBuf> {
        let (failed, count) = (self.failed.take(), self.shown.len() as i64);
        let from = failed.unwrap_or(self.current);
        // A file that is not shown is between two others.
        let (place, is_between) = match self.shown.binary_search(&from) {
            Ok(place) => (place, false),
            Err(place) => (place, steps > 0),
        };
        if self.list.len() < 2 || count == 0 {
            return None;
        }
        let mut next = (place as i64 + i64::from(steps) - i64::from(is_between)).rem_euclid(count);
        if failed.is_some() && self.shown[next as usize] == self.current {
            // The visible file is not opened again.
            next = (next + i64::from(steps.signum())).rem_euclid(count);
        }
        self.current = self.shown[next as usize];
        self.current().map(Path::to_owned)
    }

    /// Goes back to `file` after another one has failed to open, from which the next step starts.
    pub(crate) fn go_back_to(&mut self, file: &Path) {
        if let Some(index) = self.list.iter().position(|other| other == file) {
            self.failed = Some(std::mem::replace(&mut self.current, index));
        }
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
            Some(index) => (self.current, self.failed) = (index, None),
            None => *self = Self::new(vec![file.to_owned()]),
        }
    }

    /// Goes to `file` if it is part of the list.
    pub(crate) fn go_to_listed(&mut self, file: &Path) {
        if self.list.iter().any(|other| other == file) {
            self.go_to(file);
        }
    }
}

/// The names of files, without the extension and the parts that most of them share.
fn labels(files: &[PathBuf]) -> Vec<String> {
    let name = |index: usize| {
        let file = &files[index];
        let neighbors = [index.wrapping_sub(1), index + 1].map(|other| files.get(other));
        let is_repeated = neighbors.into_iter().flatten().any(|other| other.file_name() == file.file_name());
        file_name(file.parent().filter(|_| is_repeated).unwrap_or(file))
    };
    let mut names: Vec<String> = (0..files.len()).map(name).collect();
    let extensions = || files.iter().map(|file| file.extension());
    if let Some(extension) = files.first().and_then(|file| file.extension()?.to_str())
        && extensions().all(|other| other == Some(extension.as_ref()))
    {
        let ending = format!(".{extension}");
        names.iter_mut().for_each(|name| name.truncate(name.strip_suffix(&ending).unwrap_or(name).len()));
    }
    let affixes = shared_affixes(names.iter().map(String::as_str));
    let shortened = names.iter().zip(affixes).map(|(name, [start, end])| name[start..name.len() - end].to_owned());
    shortened.collect()
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
        assert_eq!(files.step(1), Some(PathBuf::from("b")), "the next one after it");
        files.go_to(Path::new("b"));
        assert_eq!(files.position(), Some((2, 3)));
        assert_eq!(files.step(1), Some(PathBuf::from("c")));
        files.go_back_to(Path::new("b"));
        assert_eq!(files.step(-1), Some(PathBuf::from("a")), "the visible file is not opened again");
        files.go_to(Path::new("b"));
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
        assert_eq!([0, 1, 2].map(|index| files.label(index)), ["fox", "hare", "mill"]);
        let files = FileList::new(paths(&["fem_F_Dance_001.glb", "fem_F_Run_001.glb", "fem_F_Walk_002.glb"]));
        assert_eq!([0, 1, 2].map(|index| files.label(index)), ["Dance_001", "Run_001", "Walk_002"]);
    }

    #[test]
    fn steps_are_those_of_the_filter() {
        let names = (0..1000).map(|i| PathBuf::from(format!("{}_{i}.glb", ["walk", "run", "jump"][i % 3])));
        let mut files = FileList::new(names.collect());
        files.set_filter("run".to_owned());
        assert_eq!(files.shown()[..3], [1, 4, 7]);
        for (steps, expected) in [(1, 1), (1, 4), (1, 7), (-1, 4), (-1, 1), (-1, 997), (1, 1)] {
            assert_eq!(files.step(steps), Some(PathBuf::from(format!("run_{expected}.glb"))), "{steps}");
        }
        files.set_filter("walk 9".to_owned());
        assert_eq!(files.step(-1), Some(PathBuf::from("walk_999.glb")), "the one before run_1, cyclically");
        files.set_filter("swim".to_owned());
        assert_eq!(files.step(1), None);
        files.set_filter(String::new());
        assert_eq!(files.shown().len(), 1000);
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
