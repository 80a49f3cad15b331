//! `rigview compare`: compares two images like `rigview test`.

use super::test::compare_files;
use crate::app::AppError;
use crate::app::console::report;
use crate::app::files::{atomic_write, output_path};
use crate::cli::CompareArgs;
use rigview_core::import::ImportPolicy;
use rigview_core::util::text::counted;
use rigview_render::image_file::{PngMetadata, encode_png};
use rigview_render::platform::oom_handler;
use rigview_suite::compare::{ImageMetrics, Tolerances, Violation};
use rigview_suite::report::Status;
use rigview_suite::suite::MaskRegion;
use serde::Serialize;

/// Output of `--json`. The names are those of the report of `rigview test`.
#[derive(Serialize)]
struct Output<'a> {
    expected: String,
    actual: String,
    /// Equal within the tolerances.
    same: bool,
    message: &'a str,
    measures: Option<&'a ImageMetrics>,
    masked_pixels: usize,
    same_driver: Option<bool>,
    limits: &'a Tolerances,
    exceeded: &'a [Violation],
}

pub(crate) fn run(args: &CompareArgs) -> Result<(), AppError> {
    // 1 means that the images differ.
    oom_handler::set_exit_code(2);
    match compare(args) {
        Ok(true) => Ok(()),
        Ok(false) => Err(AppError::Differs {
            before: args.expected.display().to_string(),
            after: args.actual.display().to_string(),
        }),
        Err(error) => Err(AppError::CannotCompare(Box::new(error))),
    }
}

/// Returns `true` if the images are equal within the tolerances.
fn compare(args: &CompareArgs) -> Result<bool, AppError> {
    let files = [args.expected.as_path(), &args.actual];
    if let Some(output) = &args.output {
        let masks = args.masks.iter().filter_map(MaskRegion::file);
        output_path::check_output(output, files.into_iter().chain(masks), &ImportPolicy::default(), Some("png"))?;
    }
    let (result, difference) =
        compare_files(files, args.limits(), &args.masks, &args.import_limits()).map_err(AppError::Usage)?;
    if let Some(output) = &args.output {
        let Some(image) = difference else {
            return Err(AppError::Usage(format!("{}; there is no difference image", result.message)));
        };
        let png = encode_png(image.width(), image.height(), image.rgba(), &PngMetadata::default());
        atomic_write::write_atomic(output, &png)?;
    }
    let same = result.status == Status::Passed;
    if args.json {
        let output = Output {
            expected: args.expected.display().to_string(),
            actual: args.actual.display().to_string(),
            same,
            message: &result.message,
            measures: result.measures.as_ref(),
            masked_pixels: result.masked_pixels,
            same_driver: result.same_driver,
            limits: &result.limits,
            exceeded: &result.exceeded,
        };
        report::json(&output)?;
    } else {
        let message = match &result.measures {
            Some(measures) if same && !measures.is_equal() => format!(
                "within the tolerances: {}, by at most {} of 255",
                counted(measures.changed_count as usize, "pixel differs", "pixels differ"),
                measures.max_channel_diff
            ),
            _ if same => "equal".to_owned(),
            _ => result.message.clone(),
        };
        report::line(message)?;
    }
    Ok(same)
}
