//! Comparison of a rendered shot with its golden.

use super::changed_parts::ShotParts;
use super::inputs::InputHashes;
use super::model_changes::ModelChanges;
use super::planned_shot::PlannedShot;
use super::report_files::{ReportError, read_regular, write_file};
use super::{golden_differences, update_goldens};
use crate::app::offscreen::RenderedImage;
use crate::cli::{ReportImages, UpdateMode, limit_option};
use rigview_core::import::{Limit, Limits};
use rigview_core::util::git_lfs::{LFS_POINTER, is_lfs_pointer};
use rigview_core::util::text::{counted, escaped};
use rigview_render::image_file::{self, DecodedPng, PngMetadata};
use rigview_suite::compare::{self, Baseline, ImageMetrics, Mask, RgbaImage, Tolerances};
use rigview_suite::report::{ImageBudget, ImageKind, ShotResult, Status};
use rigview_suite::suite::MaskRegion;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Maximum width and height in pixels.
const THUMBNAIL_SIZE: u32 = 240;
/// Maximum printed characters of the renderer of a golden.
const MAX_RENDERER_CHARS: usize = 200;
/// Goldens of another size than the image are shown up to 4K.
const MAX_OTHER_SIZE_PIXELS: u64 = 3840 * 2160;

pub(crate) struct GoldenComparer {
    /// Folder for the images of the report.
    pub(crate) images: PathBuf,
    /// Goldens to write.
    pub(crate) update: Option<UpdateMode>,
    /// Lists the goldens to write, and writes none.
    pub(crate) dry_run: bool,
    /// A golden of another renderer is a change.
    pub(crate) same_renderer: bool,
    pub(crate) report_images: ReportImages,
    pub(crate) budget: ImageBudget,
    pub(crate) report_error: ReportError,
    /// Shots whose golden records the same files are not drawn.
    pub(crate) skip_unchanged: bool,
    pub(crate) inputs: InputHashes,
    pub(crate) model_changes: ModelChanges,
}

#[derive(Default)]
pub(crate) struct RenderedShot {
    /// Without the comparison.
    pub(crate) result: ShotResult,
    /// `None` after an error, which the result has.
    pub(crate) image: Option<RenderedImage>,
    pub(crate) metadata: PngMetadata,
    /// Rectangles of the mask's joints.
    pub(crate) joint_rects: Vec<[u32; 4]>,
    /// `None` without an image.
    pub(crate) parts: Option<ShotParts>,
}

enum Golden {
    None,
    Unreadable(String),
    /// Its width and height differ from those of the image, and it is too large to show.
    OtherSize([u32; 2]),
    Decoded {
        png: Box<DecodedPng>,
        /// The file.
        bytes: Vec<u8>,
    },
}

impl GoldenComparer {
    /// Returns the result of a shot that passes without a draw. `metadata` is that of its image.
    pub(crate) fn unchanged(&self, planned: &PlannedShot, metadata: &PngMetadata) -> Option<ShotResult> {
        let is_unchanged = self.skip_unchanged
            && planned.shot.expect_failure.is_none()
            && self.inputs.are_those_of_golden(planned, metadata);
        is_unchanged.then(|| ShotResult {
            status: Status::Passed,
            is_unchanged: true,
            same_driver: Some(true),
            ..planned.result()
        })
    }

    /// Compares a rendered shot with its golden, writes the images of the report, and updates the golden if requested.
    ///
    pub(crate) fn compare(&self, planned: &PlannedShot, mut rendered: RenderedShot) -> ShotResult {
        let shot = &planned.shot;
        let mut result = ShotResult { status: Status::Error, ..rendered.result };
        let Some(image) = rendered.image else { return result.with_expectation(shot) };
        rendered.metadata.inputs = self.inputs.of(planned);
        let started = Instant::now();
        let actual = RgbaImage::new(image.size[0], image.size[1], image.rgba);
        let renderer = rendered.metadata.renderer.as_deref();
        let golden = decoded(planned.read_golden(renderer), actual.size());
        let mask = match read_mask(&planned.suite.folder, &shot.mask, &rendered.joint_rects, actual.size()) {
            Ok(mask) => mask,
            Err(message) => {
                result.message = message;
                return result.with_expectation(shot);
            }
        };
        result.masked_pixels = mask.as_ref().map_or(0, Mask::count);
        let expected = set_status(&golden, &actual, mask.as_ref(), &rendered.metadata, &mut result);
        if let Golden::Decoded { bytes, .. } = &golden
            && result.status == Status::Changed
        {
            let changes = self.model_changes.since_golden(planned, bytes, renderer).or_else(|| {
                let expected = expected.as_ref().filter(|expected| expected.size() == actual.size())?;
                let parts = rendered.parts?;
                let masked = mask.as_ref().map(|mask| mask.apply(expected, &actual));
                parts.under_changes(expected, masked.as_ref().unwrap_or(&actual))
            });
            if let Some(changes) = changes {
                result.message += &format!("; {changes}");
                result.golden_differences.push(changes);
            }
        }
        if self.same_renderer && result.status == Status::Passed && result.same_driver != Some(true) {
            result.status = Status::Changed;
            result.message = match &result.golden_renderer {
                Some(golden) => format!("the golden was rendered by another renderer: {golden}"),
                None => "the golden has no driver metadata".to_owned(),
            };
        }
        planned.set_moved(&mut result);
        result.compare_secs = started.elapsed().as_secs_f64();
        let is_updated = self.update.is_some_and(|mode| update_goldens::should_update(mode, &result));
        if is_updated && result.is_empty {
            result.status = Status::Error;
            result.message =
                "nothing of the model is in view, so no golden is written; check camera, clip and time".to_owned();
        } else if is_updated {
            let png =
                || image_file::encode_small_png(actual.width(), actual.height(), actual.rgba(), &rendered.metadata);
            self.write_golden(planned, renderer, png, &mut result);
        }
        self.write_images(&golden, expected.as_ref(), &actual, mask.as_ref(), &rendered.metadata, &mut result);
        result.with_expectation(shot)
    }

    /// Writes the golden of a shot, unless the run is dry or the suite expects a failure of the shot.
    pub(super) fn write_golden(
        &self,
        planned: &PlannedShot,
        renderer: Option<&str>,
        bytes: impl FnOnce() -> Vec<u8>,
        result: &mut ShotResult,
    ) {
        if planned.shot.expect_failure.is_some() {
            return;
        }
        let written = match self.dry_run {
            true => Ok(()),
            false => update_goldens::write_golden(planned, &planned.golden(renderer), &bytes())
                .map(|()| planned.delete_former_golden(renderer)),
        };
        let what = match (&planned.former_golden, result.status) {
            (Some(_), _) => "moved",
            (None, Status::New) => "new",
            (None, _) => "changed",
        };
        match written {
            Ok(()) => result.updated = Some(what.to_owned()),
            Err(message) => (result.status, result.message) = (Status::Error, message),
        }
    }

    /// Writes the images of a result. The file of the golden is copied.
    fn write_images(
        &self,
        golden: &Golden,
        expected: Option<&RgbaImage>,
        actual: &RgbaImage,
        mask: Option<&Mask>,
        metadata: &PngMetadata,
        result: &mut ShotResult,
    ) {
        let has_passed = result.status == Status::Passed;
        if has_passed && self.report_images == ReportImages::Failed {
            return;
        }
        let nothing = PngMetadata::default();
        let thumbnail = compare::thumbnail(actual, THUMBNAIL_SIZE);
        let small = image_file::encode_small_png(thumbnail.width(), thumbnail.height(), thumbnail.rgba(), &nothing);
        self.write_image(ImageKind::Thumbnail, &small, result);
        let golden = match golden {
            Golden::Decoded { bytes, .. } => bytes.as_slice(),
            _ => &[],
        };
        if has_passed {
            if !golden.is_empty() && self.budget.takes_golden(golden.len()) {
                self.write_image(ImageKind::Golden, golden, result);
            }
            return;
        }
        self.write_image(ImageKind::Actual, &encoded(actual, metadata), result);
        if let Some(expected) = expected.filter(|_| self.budget.takes_comparison()) {
            let difference = difference(expected, actual, mask);
            let all = compare::side_by_side(&[expected, &difference, actual]);
            self.write_image(ImageKind::Golden, golden, result);
            self.write_image(ImageKind::Difference, &encoded(&difference, &nothing), result);
            self.write_image(ImageKind::SideBySide, &encoded(&all, &nothing), result);
        }
    }

    pub(super) fn write_image(&self, kind: ImageKind, bytes: &[u8], result: &mut ShotResult) {
        match write_file(&self.images.join(kind.file(&result.name)), bytes) {
            Ok(()) => result.images.push(kind),
            Err(error) => self.report_error.set(error),
        }
    }
}

/// Returns the mask of an image of `size`, with files in `folder`; `None` without regions. `joint_rects` are those of joints.
fn read_mask(
    folder: &Path,
    regions: &[MaskRegion],
    joint_rects: &[[u32; 4]],
    size: [u32; 2],
) -> Result<Option<Mask>, String> {
    if regions.is_empty() {
        return Ok(None);
    }
    let mut mask = Mask::new(size);
    joint_rects.iter().for_each(|rect| mask.add_rect(*rect));
    for region in regions {
        match region {
            MaskRegion::Pixels(rect) => mask.add_rect(*rect),
            MaskRegion::Fraction(rect) => mask.add_fraction(*rect),
            MaskRegion::Joint { .. } => {}
            MaskRegion::File(file) => {
                let cannot = |reason: String| format!("the mask {} cannot be read: {reason}", file.display());
                let bytes = read_regular(&folder.join(file));
                let bytes = bytes.map_err(|error| cannot(error.to_string()))?;
                if let Some([width, height]) = image_file::png_size(&bytes).filter(|found| *found != size) {
                    let [w, h] = size;
                    return Err(cannot(format!("it has {width} x {height} pixels, the image {w} x {h}")));
                }
                let png = image_file::decode_png(&bytes).map_err(cannot)?;
                mask.add_image(&RgbaImage::new(png.width, png.height, png.rgba));
            }
        }
    }
    if mask.count() == size[0] as usize * size[1] as usize {
        return Err("the mask covers the whole image".to_owned());
    }
    Ok(Some(mask))
}

/// The difference image, with the mask hatched.
fn difference(expected: &RgbaImage, actual: &RgbaImage, mask: Option<&Mask>) -> RgbaImage {
    match mask.filter(|_| expected.size() == actual.size()) {
        Some(mask) => mask.hatched(&compare::difference(expected, &mask.apply(expected, actual))),
        None => compare::difference(expected, actual),
    }
}

/// Compares two image files like a golden and its image. Returns the result, and the difference image if both can be shown.
pub(crate) fn compare_files(
    [expected, actual]: [&Path; 2],
    limits: Tolerances,
    mask: &[MaskRegion],
    import_limits: &Limits,
) -> Result<(ShotResult, Option<RgbaImage>), String> {
    let unreadable = |file: &Path, reason: String| format!("{}: cannot be read: {reason}", file.display());
    let bytes = read_regular(actual).map_err(|error| unreadable(actual, error.to_string()))?;
    let max = import_limits.get(Limit::Image);
    if let Some([width, height]) = image_file::png_size(&bytes)
        && let needed = 4 * u64::from(width) * u64::from(height)
        && needed > max
    {
        let advice = limit_option(Limit::Image, needed);
        let reason = format!("it has {width} x {height} pixels, more than {}; add {advice}", Limit::Image.format(max));
        return Err(unreadable(actual, reason));
    }
    let png = image_file::decode_png(&bytes).map_err(|reason| unreadable(actual, reason))?;
    let image = RgbaImage::new(png.width, png.height, png.rgba);
    let golden = match read_regular(expected) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        bytes => bytes.map(Some).map_err(|error| error.to_string()),
    };
    let golden = match decoded(golden, image.size()) {
        Golden::None => return Err(unreadable(expected, "it does not exist".to_owned())),
        Golden::Unreadable(reason) => return Err(unreadable(expected, reason)),
        golden => golden,
    };
    let mask = read_mask(Path::new(""), mask, &[], image.size())?;
    let masked_pixels = mask.as_ref().map_or(0, Mask::count);
    let mut result = ShotResult { limits, size: image.size(), masked_pixels, ..ShotResult::default() };
    let golden = set_status(&golden, &image, mask.as_ref(), &png.metadata, &mut result);
    Ok((result, golden.map(|golden| difference(&golden, &image, mask.as_ref()))))
}

/// Sets the status, message and metrics of `result`. Returns the golden image if it is readable.
fn set_status(
    golden: &Golden,
    actual: &RgbaImage,
    mask: Option<&Mask>,
    metadata: &PngMetadata,
    result: &mut ShotResult,
) -> Option<RgbaImage> {
    let golden = match golden {
        Golden::None => {
            result.status = Status::New;
            result.message = "no golden yet: review the image, then write it with --update".to_owned();
            return None;
        }
        Golden::Unreadable(reason) => {
            result.status = Status::Changed;
            result.message = format!("the golden cannot be read: {reason}");
            return None;
        }
        Golden::OtherSize(size) => {
            result.status = Status::Changed;
            result.message = size_message(*size, actual.size());
            return None;
        }
        Golden::Decoded { png, .. } => png,
    };
    let expected = RgbaImage::new(golden.width, golden.height, golden.rgba.clone());
    let recorded = &golden.metadata;
    result.golden_renderer = recorded.renderer.as_ref().map(|renderer| match &recorded.driver {
        Some(driver) => escaped(&format!("{renderer}, {driver}"), MAX_RENDERER_CHARS),
        None => escaped(renderer, MAX_RENDERER_CHARS),
    });
    result.golden_differences = golden_differences::differences(recorded, metadata);
    let are_recorded = recorded.renderer.is_some() && metadata.renderer.is_some();
    result.same_driver = are_recorded.then(|| same_driver(recorded, metadata));
    let masked = mask.filter(|_| expected.size() == actual.size()).map(|mask| mask.apply(&expected, actual));
    let Some(measures) = ImageMetrics::between(&expected, masked.as_ref().unwrap_or(actual)) else {
        result.status = Status::Changed;
        result.message = size_message(expected.size(), actual.size());
        return Some(expected);
    };
    // Without recorded renderers, the stricter tolerances apply.
    let driver = if result.same_driver == Some(false) { Baseline::OtherRenderer } else { Baseline::SameRenderer };
    result.exceeded = result.limits.violations(&measures, driver);
    result.status = if result.exceeded.is_empty() { Status::Passed } else { Status::Changed };
    if result.status == Status::Changed {
        let beyond = |e: &compare::Violation| format!("{} {} > {}", e.name, short(e.found), short(e.limit));
        result.message = result.exceeded.iter().map(beyond).collect::<Vec<_>>().join(", ");
        if let Some([left, top, width, height]) = measures.changed_rect {
            let count = counted(measures.changed_count as usize, "pixel differs", "pixels differ");
            result.message += &format!("; {count}, within {width} x {height} pixels at ({left}, {top})");
        }
        if !result.golden_differences.is_empty() {
            result.message += &format!("; since the golden: {}", result.golden_differences.join(", "));
        }
        for notice in golden_differences::new_notices(recorded, metadata) {
            result.message += &format!("; new notice: {notice}");
        }
        match result.same_driver {
            Some(true) => {}
            Some(false) => {
                let golden = result.golden_renderer.clone().unwrap_or_default();
                result.message += &format!("; the golden was rendered by another renderer: {golden}");
            }
            None => result.message += "; no renderer is recorded, so the tolerances for the same renderer apply",
        }
    }
    result.measures = Some(measures);
    Some(expected)
}

/// Formats a number with three significant digits.
pub(crate) fn short(number: f64) -> String {
    if number == 0.0 || number.fract() == 0.0 {
        return format!("{number}");
    }
    let digits = (2 - number.abs().log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{number:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns `true` for the same renderer and driver version. The SIMD width in the renderer's name is ignored, because it
/// depends on the CPU.
fn same_driver(a: &PngMetadata, b: &PngMetadata) -> bool {
    let renderer = |metadata: &PngMetadata| {
        let text = metadata.renderer.clone().unwrap_or_default();
        match text.rsplit_once(", ") {
            Some((rest, bits)) if bits.ends_with(" bits)") => format!("{rest})"),
            _ => text,
        }
    };
    renderer(a) == renderer(b) && a.driver == b.driver
}

fn encoded(image: &RgbaImage, metadata: &PngMetadata) -> Vec<u8> {
    image_file::encode_png(image.width(), image.height(), image.rgba(), metadata)
}

fn size_message([a, b]: [u32; 2], [c, d]: [u32; 2]) -> String {
    format!("the golden has {a} x {b} pixels, the image {c} x {d}")
}

/// Decodes a golden for an image of `size`. A golden of another size is decoded only if it is small enough to show.
fn decoded(golden: Result<Option<Vec<u8>>, String>, size: [u32; 2]) -> Golden {
    let pixels = |[width, height]: [u32; 2]| u64::from(width) * u64::from(height);
    let bytes = match golden {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Golden::None,
        Err(reason) => return Golden::Unreadable(reason),
    };
    match image_file::png_size(&bytes) {
        Some(found) if found != size && pixels(found) > MAX_OTHER_SIZE_PIXELS.max(pixels(size)) => {
            Golden::OtherSize(found)
        }
        _ => match image_file::decode_png(&bytes) {
            Ok(png) => Golden::Decoded { png: Box::new(png), bytes },
            Err(_) if is_lfs_pointer(&bytes) => Golden::Unreadable(LFS_POINTER.to_owned()),
            Err(reason) => Golden::Unreadable(reason),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renderer_comparison_ignores_the_simd_width() {
        let metadata = |renderer: &str, driver: &str| PngMetadata {
            renderer: Some(renderer.to_owned()),
            driver: Some(driver.to_owned()),
            ..PngMetadata::default()
        };
        let here = metadata("llvmpipe (LLVM 15.0.6, 256 bits)", "Mesa 22.3.6");
        assert!(same_driver(&here, &metadata("llvmpipe (LLVM 15.0.6, 128 bits)", "Mesa 22.3.6")));
        assert!(!same_driver(&here, &metadata("llvmpipe (LLVM 17.0.1, 256 bits)", "Mesa 22.3.6")));
        assert!(!same_driver(&here, &metadata("llvmpipe (LLVM 15.0.6, 256 bits)", "Mesa 25.0.1")));
        assert!(!same_driver(&here, &PngMetadata::default()));
    }

    #[test]
    fn short_formats_three_significant_digits() {
        let rendered: Vec<String> = [0.0, 12.0, 0.012_345, 0.5, 1.0 / 3.0, 1e-4].into_iter().map(short).collect();
        assert_eq!(rendered, ["0", "12", "0.0123", "0.5", "0.333", "0.0001"]);
    }
}
