//! The files that a person steps through, and those opened lately.

use std::path::{Path, PathBuf};

/// As many files are remembered.
const RECENT: usize = 12;

/// Purpose of the file dialog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FileDialogPurpose {
    #[default]
    Open,
    Compare,
    ImportClips,
}

/// The files of the command line, or of a drop, and which of them is shown.
#[derive(Debug, Default)]
pub(crate) struct FileList {
    list: Vec<PathBuf>,
    present: usize,
}

impl FileList {
    /// These files, the first of them shown.
    pub(crate) fn new(list: Vec<PathBuf>) -> Self {
        Self { list, present: 0 }
    }

    /// The one that is shown, or asked for.
    pub(crate) fn present(&self) -> Option<&Path> {
        self.list.get(self.present).map(PathBuf::as_path)
    }

    /// Its number from 1, and how many there are; `None` for one alone.
    pub(crate) fn position(&self) -> Option<(usize, usize)> {
        (self.list.len() > 1).then(|| (self.present + 1, self.list.len()))
    }

    /// The number of a file from 1, and how many there are; `None` for one alone, or for one that is not of them.
    pub(crate) fn position_of(&self, file: &Path) -> Option<(usize, usize)> {
        let place = self.list.iter().position(|known| known == file)?;
        (self.list.len() > 1).then_some((place + 1, self.list.len()))
    }

    /// Goes `places` on, round the ends; the file there, unless it is the same.
    pub(crate) fn step(&mut self, places: i32) -> Option<PathBuf> {
        let count = self.list.len() as i64;
        if count < 2 {
            return None;
        }
        self.present = (self.present as i64 + i64::from(places)).rem_euclid(count) as usize;
        self.present().map(Path::to_owned)
    }

    /// Goes to `file`: one of the list, or another one that takes its place.
    pub(crate) fn go_to(&mut self, file: &Path) {
        match self.list.iter().position(|known| known == file) {
            Some(place) => self.present = place,
            None => (self.list, self.present) = (vec![file.to_owned()], 0),
        }
    }
}

/// Puts `file` in front of the files opened lately. They are kept with their whole paths.
pub(crate) fn remember(recent: &mut Vec<PathBuf>, file: &Path) {
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    recent.retain(|known| *known != file);
    recent.insert(0, file);
    recent.truncate(RECENT);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stepping_goes_round_and_another_file_stands_alone() {
        let mut files = FileList::new(["a", "b", "c"].map(PathBuf::from).to_vec());
        assert_eq!((files.present(), files.position()), (Some(Path::new("a")), Some((1, 3))));
        assert_eq!(files.step(-1), Some(PathBuf::from("c")));
        // What is shown stays the first one, should the third be broken.
        assert_eq!((files.position_of(Path::new("a")), files.position()), (Some((1, 3)), Some((3, 3))));
        assert_eq!(files.position_of(Path::new("d")), None);
        assert_eq!(files.step(1), Some(PathBuf::from("a")));
        files.go_to(Path::new("b"));
        assert_eq!(files.position(), Some((2, 3)));
        files.go_to(Path::new("d"));
        assert_eq!((files.present(), files.position()), (Some(Path::new("d")), None));
        assert_eq!(files.step(1), None);
        assert_eq!(FileList::default().present(), None);
    }

    #[test]
    fn the_latest_file_comes_first_and_once() {
        let mut recent = Vec::new();
        for file in ["/a", "/b", "/a"] {
            remember(&mut recent, Path::new(file));
        }
        assert_eq!(recent, ["/a", "/b"].map(PathBuf::from));
        (0..50).for_each(|i| remember(&mut recent, Path::new(&format!("/{i}"))));
        assert_eq!(recent.len(), RECENT);
    }
}
