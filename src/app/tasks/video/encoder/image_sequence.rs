//! Image sequence: one PNG per frame.

use super::spec::VideoSpec;
use crate::app::AppError;
use crate::app::files::atomic_write::PartialOutput;
use rigview_render::image_file::{self, PngMetadata};
use std::path::{Path, PathBuf};

/// A file name with a frame number: `%d`, or `%04d` for four digits.
pub(crate) struct Pattern {
    before: String,
    digits: usize,
    after: String,
}

impl Pattern {
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

/// Frames in a temporary folder, which are moved when all are complete.
pub(crate) struct ImageSequence {
    pattern: Pattern,
    folder: PathBuf,
    temporary: tempfile::TempDir,
    _partial: PartialOutput,
    spec: VideoSpec,
    count: usize,
}

impl ImageSequence {
    pub(crate) fn new(file: &Path, spec: VideoSpec) -> Result<Self, AppError> {
        let pattern = Pattern::of(file).expect("the format was detected by its pattern");
        let folder = file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new(".")).to_owned();
        let temporary = std::fs::create_dir_all(&folder)
            .and_then(|()| tempfile::Builder::new().prefix(".rigview-").tempdir_in(&folder))
            .map_err(|source| AppError::output(file, source))?;
        let partial = PartialOutput::new(temporary.path());
        Ok(Self { pattern, folder, temporary, _partial: partial, spec, count: 0 })
    }

    pub(crate) fn add(&mut self, rgba: &[u8]) -> Result<(), AppError> {
        let [width, height] = self.spec.size;
        let name = self.pattern.name(self.count);
        let file = self.temporary.path().join(&name);
        std::fs::write(file, image_file::encode_png(width, height, rgba, &PngMetadata::default()))
            .map_err(|source| AppError::output(&self.folder.join(name), source))?;
        self.count += 1;
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<(), AppError> {
        for number in 0..self.count {
            let name = self.pattern.name(number);
            let file = self.folder.join(&name);
            std::fs::rename(self.temporary.path().join(&name), &file)
                .map_err(|source| AppError::output(&file, source))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_formats_the_frame_number() {
        let name = |file: &str, number| Pattern::of(Path::new(file)).map(|pattern| pattern.name(number));
        assert_eq!(name("out/f%04d.png", 12).as_deref(), Some("f0012.png"));
        assert_eq!(name("%d.png", 12).as_deref(), Some("12.png"));
        assert!(name("out%/a.png", 1).is_none() && name("100%.png", 1).is_none() && name("%99d.png", 1).is_none());
    }
}
