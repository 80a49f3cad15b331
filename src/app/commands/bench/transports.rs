//! Comparison of the transports of joint matrices to the vertex shader: capacity and cost.

use super::comparison::{Candidate, Conditions, count_different_pixels, draw_alternating, scene};
use crate::app::AppError;
use crate::cli::ComparisonArgs;
use rigview_core::util::text::{counted, one_line};
use rigview_render::platform::headless::Headless;
use rigview_render::render::{PaletteSource, PaletteUpload, RenderOptions};
use serde::Serialize;

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    conditions: Conditions,
    version: String,
    /// Matrices per instance: one per joint of a skin and one per rigid mesh.
    matrices: u32,
    /// Texels per instance, for matrices and morph weights.
    texels: usize,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    transport: &'static str,
    /// Upload method of a buffer texture.
    #[serde(rename = "streaming")]
    upload: Option<&'static str>,
    /// Maximum number of matrices per instance in this file's format; `None` if the context does not support the transport.
    #[serde(rename = "most_matrices")]
    max_matrices: Option<usize>,
    /// Maximum number of instances of this model per draw call.
    instances_per_call: Option<usize>,
    /// Draw calls per frame; `None` if the transport cannot draw this model.
    draw_calls: Option<usize>,
    upload_and_draw_ms: Option<f64>,
    cpu_ms: Option<f64>,
    /// Pixels that differ from the first transport's by more than 1 of 255.
    differing_pixels: Option<usize>,
    /// `None` if the transport can draw this model.
    #[serde(rename = "why_not")]
    unsupported_reason: Option<String>,
}

pub(crate) fn run(args: &ComparisonArgs) -> Result<(), AppError> {
    let mut scenes = [scene(args, args.clip.clone(), &|_| {})?];
    let headless = Headless::new()?;
    let gpu = headless.gpu();
    let per_matrix = scenes[0].palette().format().texels_per_matrix();
    let texels = scenes[0].palette().stride_texels();
    let mut rows = Vec::new();
    let mut candidates = Vec::new();
    for transport in PaletteSource::ALL {
        let uploads = match transport {
            PaletteSource::BufferTexture => &PaletteUpload::ALL[..],
            _ => &[PaletteUpload::Orphan],
        };
        for &upload in uploads {
            let capacity = transport.capacity(gpu.limits());
            let one_instance_per_call = matches!(transport, PaletteSource::UniformArray | PaletteSource::UniformBlock);
            let per_call = capacity.map(|capacity| match one_instance_per_call {
                true => usize::from(capacity >= texels),
                false => capacity.checked_div(texels).unwrap_or(capacity),
            });
            let unsupported_reason = match (capacity, per_call) {
                (None, _) => Some("not supported by this context: needs OpenGL 4.3".to_owned()),
                (Some(capacity), Some(0)) if transport != PaletteSource::BufferTexture => {
                    Some(format!("an instance needs {texels} texels; the maximum is {capacity}"))
                }
                _ => None,
            };
            rows.push(Row {
                transport: transport.name(),
                upload: (transport == PaletteSource::BufferTexture).then_some(upload.name()),
                max_matrices: capacity.map(|capacity| capacity / per_matrix),
                instances_per_call: per_call,
                draw_calls: None,
                upload_and_draw_ms: None,
                cpu_ms: None,
                differing_pixels: None,
                unsupported_reason,
            });
            let options =
                RenderOptions { palette_source: transport, palette_upload: upload, ..RenderOptions::default() };
            candidates.push(Candidate::new(0, options));
        }
    }
    let supported: Vec<Candidate> = candidates
        .into_iter()
        .zip(&rows)
        .filter(|(_, row)| row.unsupported_reason.is_none())
        .map(|(candidate, _)| candidate)
        .collect();
    let costs = draw_alternating(&args.frames, &headless, &mut scenes, &supported)?;
    for (row, cost) in rows.iter_mut().filter(|row| row.unsupported_reason.is_none()).zip(&costs) {
        row.draw_calls = Some(cost.draw_calls);
        row.upload_and_draw_ms = Some(cost.wall_ms);
        row.cpu_ms = cost.cpu_ms;
        row.differing_pixels = Some(count_different_pixels(&costs[0].rgba, &cost.rgba));
    }
    let report = Report {
        conditions: Conditions::new(args, &headless),
        version: gpu.version().to_owned(),
        matrices: scenes[0].layout().matrix_count,
        texels,
        rows,
    };
    super::output::print(&report, args.frames.json, Report::text)
}

impl Report {
    fn text(&self) -> String {
        let conditions = &self.conditions;
        let mut text = format!(
            "{}: {} of {} matrices ({} texels), {} x {}, median of {} alternating frames\n{}, OpenGL {}\n\n",
            one_line(&conditions.file),
            counted(conditions.instances as usize, "instance", "instances"),
            self.matrices,
            self.texels,
            conditions.width,
            conditions.height,
            conditions.frames,
            conditions.renderer,
            self.version,
        );
        text += "                                         matrices     per call   calls     ms/frame      CPU ms     different pixels\n";
        for row in &self.rows {
            let name = match row.upload {
                Some(upload) => format!("{} ({upload})", row.transport),
                None => row.transport.to_owned(),
            };
            let number = |number: Option<usize>| number.map_or("-".to_owned(), |number| number.to_string());
            let millis = |millis: Option<f64>| millis.map_or("-".to_owned(), |millis| format!("{millis:.2}"));
            text += &format!(
                "{name:<38}{:>11}{:>13}{:>8}{:>13}{:>12}{:>21}\n",
                number(row.max_matrices),
                number(row.instances_per_call),
                number(row.draw_calls),
                millis(row.upload_and_draw_ms),
                millis(row.cpu_ms),
                number(row.differing_pixels),
            );
            if let Some(reason) = &row.unsupported_reason {
                text += &format!("    {reason}\n");
            }
        }
        text += "\nmatrices: maximum per instance; per call: maximum number of instances of this model\n";
        text
    }
}
