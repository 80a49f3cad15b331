//! One PNG a frame.

use super::encoder::Spot;
use crate::app::AppError;
use crate::export::{self, PngMetadata};
use std::path::{Path, PathBuf};

/// A file name with a place for the frame's number: `%d`, or `%04d` for four digits.
pub(crate) struct Pattern {
    before: String,
    digits: usize,
    after: String,
}

impl Pattern {
    /// The pattern in a file's name, if it has one.
    pub(crate) fn of(file: &Path) -> Option<Self> {
        let name = file.file_name()?.to_str()?;
        let (before, rest) = name.split_once('%')?;
        let (digits, after) = rest.split_once('d')?;
        let digits = if digits.is_empty() { 0 } else { digits.parse().ok().filter(|digits| *digits <= 12)? };
        Some(Self { before: before.to_owned(), digits, after: after.to_owned() })
    }

    fn name(&self, number: usize) -> String {
        let digits = self.digits;
        format!("{}{number:0digits$}{}", self.before, self.after)
    }
}

/// Pictures that wait in a folder of their own until all are there.
pub(crate) struct Frames {
    pattern: Pattern,
    folder: PathBuf,
    waiting: tempfile::TempDir,
    spot: Spot,
    count: usize,
}

impl Frames {
    pub(crate) fn new(file: &Path, spot: Spot) -> Result<Self, AppError> {
        let pattern = Pattern::of(file).expect("a pattern, looked for before");
        let folder = file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new(".")).to_owned();
        let waiting = std::fs::create_dir_all(&folder)
            .and_then(|()| tempfile::Builder::new().prefix(".rigview-").tempdir_in(&folder))
            .map_err(|source| AppError::Output { file: file.to_owned(), source: source.kind().into() })?;
        Ok(Self { pattern, folder, waiting, spot, count: 0 })
    }

    pub(crate) fn add(&mut self, rgba: &[u8]) -> Result<(), AppError> {
        let [width, height] = self.spot.size;
        let name = self.pattern.name(self.count);
        let file = self.waiting.path().join(&name);
        std::fs::write(file, export::encode_png(width, height, rgba, &PngMetadata::default()))
            .map_err(|source| AppError::Output { file: self.folder.join(name), source })?;
        self.count += 1;
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<(), AppError> {
        for number in 0..self.count {
            let name = self.pattern.name(number);
            let file = self.folder.join(&name);
            std::fs::rename(self.waiting.path().join(&name), &file)
                .map_err(|source| AppError::Output { file, source })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_has_a_place_for_the_number() {
        let name = |file: &str, number| Pattern::of(Path::new(file)).map(|pattern| pattern.name(number));
        assert_eq!(name("out/f%04d.png", 12).as_deref(), Some("f0012.png"));
        assert_eq!(name("%d.png", 12).as_deref(), Some("12.png"));
        assert!(name("out%/a.png", 1).is_none() && name("100%.png", 1).is_none() && name("%99d.png", 1).is_none());
    }
}
