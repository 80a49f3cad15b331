//! A picture against its golden.

use super::planned_shot::PlannedShot;
use super::result::{Kind, Outcome, Status};
use super::update_goldens;
use crate::app::AppError;
use crate::app::files::atomic_write;
use crate::app::offscreen::RenderedImage;
use crate::compare::{self, Baseline, ImageMetrics, RgbaImage};
use crate::export::{self, DecodedPng, PngMetadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The most bytes of a golden's file.
const MAX_GOLDEN: u64 = 1 << 30;
/// Width or height of the small pictures, in pixels.
const THUMBNAIL: u32 = 240;

/// Compares pictures with goldens.
pub(crate) struct Judge {
    /// The folder of the goldens.
    pub(crate) goldens: PathBuf,
    /// The folder of the suite, which goldens never leave.
    pub(crate) folder: PathBuf,
    /// The folder for the report's pictures.
    pub(crate) pictures: PathBuf,
    /// Whether pictures are taken as goldens.
    pub(crate) bless: bool,
}

/// A shot that was taken, or why it was not.
pub(crate) struct Shown {
    pub(crate) taken: Result<RenderedImage, String>,
    pub(crate) origin: PngMetadata,
    pub(crate) notices: Vec<String>,
    pub(crate) load_secs: f64,
    pub(crate) draw_secs: f64,
}

/// A golden on disk.
enum Golden {
    None,
    Broken(String),
    There(DecodedPng),
}

impl Judge {
    /// Compares a picture with its golden, writes what there is to see, and takes it as the golden if that is asked for.
    ///
    /// The error is one of the report's folder; what is wrong with the shot is in the outcome.
    pub(crate) fn judge(&self, planned: &PlannedShot, shown: Shown) -> Result<Outcome, AppError> {
        let PlannedShot { shot, args, .. } = planned;
        let mut outcome = Outcome {
            name: shot.name.clone(),
            status: Status::Failed,
            message: String::new(),
            command: shown.origin.command.clone().unwrap_or_default(),
            line: shot.line,
            size: args.size,
            measures: None,
            same_driver: None,
            golden_renderer: None,
            limits: shot.limits,
            reason: shot.reason.clone(),
            exceeded: Vec::new(),
            blessed: None,
            notices: shown.notices,
            load_secs: shown.load_secs,
            draw_secs: shown.draw_secs,
            compare_secs: 0.0,
            pictures: Vec::new(),
        };
        let taken = match shown.taken {
            Ok(taken) => taken,
            Err(message) => {
                outcome.message = message;
                return Ok(outcome);
            }
        };
        let started = Instant::now();
        let actual = RgbaImage::new(taken.size[0], taken.size[1], taken.rgba);
        let file = self.goldens.join(format!("{}.png", shot.name));
        let golden = read_golden(&file);
        let expected = compare_with(&golden, &actual, &shown.origin, &mut outcome);
        outcome.compare_secs = started.elapsed().as_secs_f64();
        if self.bless && update_goldens::is_wanted(&outcome) {
            let png = encoded(&actual, &shown.origin);
            match update_goldens::take(&self.folder, &self.goldens, &file, &png) {
                Ok(()) => {
                    let kind = if outcome.status == Status::Missing { "new" } else { "changed" };
                    outcome.blessed = Some(kind.to_owned());
                }
                Err(message) => (outcome.status, outcome.message) = (Status::Failed, message),
            }
        }
        self.write_pictures(expected.as_ref(), &actual, &shown.origin, &mut outcome)?;
        Ok(outcome)
    }

    fn write_pictures(
        &self,
        expected: Option<&RgbaImage>,
        actual: &RgbaImage,
        origin: &PngMetadata,
        outcome: &mut Outcome,
    ) -> Result<(), AppError> {
        let mut write = |kind: Kind, picture: &RgbaImage, origin: &PngMetadata| {
            let file = self.pictures.join(kind.file(&outcome.name));
            outcome.pictures.push(kind);
            atomic_write::write_atomic(&file, &encoded(picture, origin))
        };
        let nothing = PngMetadata::default();
        write(Kind::Thumbnail, &compare::thumbnail(actual, THUMBNAIL), &nothing)?;
        if outcome.status == Status::Same {
            return Ok(());
        }
        write(Kind::Actual, actual, origin)?;
        if let Some(expected) = expected {
            let difference = compare::difference(expected, actual);
            write(Kind::Golden, expected, &nothing)?;
            write(Kind::Difference, &difference, &nothing)?;
            write(Kind::SideBySide, &compare::side_by_side(&[expected, &difference, actual]), &nothing)?;
        }
        Ok(())
    }
}

/// Says in `outcome` how the picture compares; returns the golden's, if it has one.
fn compare_with(golden: &Golden, actual: &RgbaImage, origin: &PngMetadata, outcome: &mut Outcome) -> Option<RgbaImage> {
    let golden = match golden {
        Golden::None => {
            outcome.status = Status::Missing;
            outcome.message = "there is no golden yet: look at the picture, and take it with --update".to_owned();
            return None;
        }
        Golden::Broken(reason) => {
            outcome.status = Status::Differs;
            outcome.message = format!("the golden cannot be read: {reason}");
            return None;
        }
        Golden::There(golden) => golden,
    };
    let expected = RgbaImage::new(golden.width, golden.height, golden.rgba.clone());
    let recorded = &golden.metadata;
    outcome.golden_renderer = recorded.renderer.as_ref().map(|renderer| match &recorded.driver {
        Some(driver) => format!("{renderer}, {driver}"),
        None => renderer.clone(),
    });
    outcome.same_driver = recorded.renderer.is_some().then(|| same_driver(recorded, origin));
    let Some(measures) = ImageMetrics::between(&expected, actual) else {
        outcome.status = Status::Differs;
        let ([a, b], [c, d]) = (expected.size(), actual.size());
        outcome.message = format!("the golden has {a} x {b} pixels, the picture {c} x {d}");
        return Some(expected);
    };
    // A golden that does not tell what drew it gets no allowance.
    let driver = if outcome.same_driver == Some(false) { Baseline::OtherRenderer } else { Baseline::SameRenderer };
    outcome.exceeded = outcome.limits.violations(&measures, driver);
    outcome.status = if outcome.exceeded.is_empty() { Status::Same } else { Status::Differs };
    if outcome.status == Status::Differs {
        let beyond = |e: &compare::Violation| format!("{} {} > {}", e.name, short(e.found), short(e.limit));
        outcome.message = outcome.exceeded.iter().map(beyond).collect::<Vec<_>>().join(", ");
        match outcome.same_driver {
            Some(true) => {}
            Some(false) => {
                let golden = outcome.golden_renderer.clone().unwrap_or_default();
                outcome.message += &format!("; the golden was drawn by another renderer: {golden}");
            }
            None => {
                outcome.message += "; the golden does not tell what drew it, so it was held to its own driver's limits"
            }
        }
    }
    outcome.measures = Some(measures);
    Some(expected)
}

/// A number with as many digits as tell something.
pub(crate) fn short(number: f64) -> String {
    if number == 0.0 || number.fract() == 0.0 {
        return format!("{number}");
    }
    let digits = (2 - number.abs().log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{number:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Whether two pictures come from one renderer and version. How wide its vectors are is the processor's doing.
fn same_driver(a: &PngMetadata, b: &PngMetadata) -> bool {
    let renderer = |origin: &PngMetadata| {
        let text = origin.renderer.clone().unwrap_or_default();
        match text.rsplit_once(", ") {
            Some((rest, bits)) if bits.ends_with(" bits)") => format!("{rest})"),
            _ => text,
        }
    };
    renderer(a) == renderer(b) && a.driver == b.driver
}

fn encoded(picture: &RgbaImage, origin: &PngMetadata) -> Vec<u8> {
    export::encode_png(picture.width(), picture.height(), picture.rgba(), origin)
}

fn read_golden(file: &Path) -> Golden {
    match read(file) {
        Ok(bytes) => match export::decode_png(&bytes) {
            Ok(png) => Golden::There(png),
            Err(reason) => Golden::Broken(reason),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Golden::None,
        Err(error) => Golden::Broken(error.to_string()),
    }
}

/// The bytes of a regular file of bounded size.
pub(crate) fn read(file: &Path) -> io::Result<Vec<u8>> {
    // Asked before it is opened: opening a pipe waits for who writes into it.
    if !std::fs::metadata(file)?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(file)?.take(MAX_GOLDEN + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_GOLDEN {
        return Err(io::Error::other("it is too large"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_renderer_is_the_same_on_another_processor() {
        let origin = |renderer: &str, driver: &str| PngMetadata {
            renderer: Some(renderer.to_owned()),
            driver: Some(driver.to_owned()),
            ..PngMetadata::default()
        };
        let here = origin("llvmpipe (LLVM 15.0.6, 256 bits)", "Mesa 22.3.6");
        assert!(same_driver(&here, &origin("llvmpipe (LLVM 15.0.6, 128 bits)", "Mesa 22.3.6")));
        assert!(!same_driver(&here, &origin("llvmpipe (LLVM 17.0.1, 256 bits)", "Mesa 22.3.6")));
        assert!(!same_driver(&here, &origin("llvmpipe (LLVM 15.0.6, 256 bits)", "Mesa 25.0.1")));
        assert!(!same_driver(&here, &PngMetadata::default()));
    }

    #[test]
    fn numbers_are_short() {
        let shown: Vec<String> = [0.0, 12.0, 0.012_345, 0.5, 1.0 / 3.0, 1e-4].into_iter().map(short).collect();
        assert_eq!(shown, ["0", "12", "0.0123", "0.5", "0.333", "0.0001"]);
    }
}
