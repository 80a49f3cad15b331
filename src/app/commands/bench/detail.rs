//! Cost of a crowd with levels of detail, relative to full meshes.

use super::comparison::{Candidate, Conditions, View, draw_alternating, scene};
use crate::app::AppError;
use crate::app::cpu_time::median;
use crate::cli::ComparisonArgs;
use rigview_core::util::text::{counted, one_line};
use rigview_render::platform::headless::Headless;
use rigview_render::render::RenderOptions;
use rigview_suite::compare::{ImageMetrics, RgbaImage};
use serde::Serialize;

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    conditions: Conditions,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    view: &'static str,
    full_ms: f64,
    detail_ms: f64,
    /// Median of the ratios of consecutive frames: full meshes over levels of detail.
    speedup: f64,
    /// Drawn vertices of full meshes, and of levels of detail.
    vertices: [u64; 2],
    /// Mean of FLIP between both images.
    flip_mean: f64,
}

pub(crate) fn run(args: &ComparisonArgs) -> Result<(), AppError> {
    const VIEWS: [(View, &str); 3] =
        [(View::Above, "from above"), (View::Default, "from the side"), (View::Near, "near")];
    let mut scenes = [scene(args, args.clip.clone(), &|_| {})?];
    let headless = Headless::new()?;
    let candidate = |view: View, level_of_detail: bool| Candidate {
        view,
        level_of_detail,
        ..Candidate::new(0, RenderOptions::default())
    };
    let candidates: Vec<Candidate> =
        VIEWS.iter().flat_map(|(view, _)| [candidate(*view, false), candidate(*view, true)]).collect();
    let costs = draw_alternating(&args.frames, &headless, &mut scenes, &candidates)?;
    let [width, height] = args.frames.size;
    let image = |rgba: &[u8]| RgbaImage::new(width, height, rgba.to_vec());
    let row = |((_, view), costs): (&(View, &'static str), &[_; 2])| {
        let [full, detail]: &[super::comparison::Cost; 2] = costs;
        let ratios = full.frame_ms.iter().zip(&detail.frame_ms).map(|(full, detail)| full / detail).collect();
        let metrics = ImageMetrics::between(&image(&full.rgba), &image(&detail.rgba));
        Row {
            view,
            full_ms: median(full.frame_ms.clone()).unwrap_or_default(),
            detail_ms: median(detail.frame_ms.clone()).unwrap_or_default(),
            speedup: median(ratios).unwrap_or_default(),
            vertices: [full.vertices, detail.vertices],
            flip_mean: metrics.map_or(0.0, |metrics| metrics.flip_mean),
        }
    };
    let rows = VIEWS.iter().zip(costs.as_chunks::<2>().0).map(row).collect();
    let report = Report { conditions: Conditions::new(args, &headless), rows };
    super::output::print(&report, args.frames.json, Report::text)
}

impl Report {
    fn text(&self) -> String {
        let conditions = &self.conditions;
        let mut text = format!(
            "{}: {}, {} x {}, median of {} alternating frames, {}\n\n",
            one_line(&conditions.file),
            counted(conditions.instances as usize, "instance", "instances"),
            conditions.width,
            conditions.height,
            conditions.frames,
            conditions.renderer,
        );
        text +=
            "view             full CPU ms   detail CPU ms   speedup   full vertices   detail vertices   mean FLIP\n";
        for row in &self.rows {
            let [full, detail] = row.vertices;
            text += &format!(
                "{:<14}{:>14.2}{:>16.2}{:>10.2}{:>16}{:>18}{:>12.4}\n",
                row.view, row.full_ms, row.detail_ms, row.speedup, full, detail, row.flip_mean,
            );
        }
        text
    }
}
