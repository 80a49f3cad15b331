//! Contact sheet of the clips of a file, or of its worst joints.

use crate::app::console::progress::ProgressSink;
use crate::app::files::atomic_write;
use crate::app::files::output_path::check_request_output;
use crate::app::notices::{
    dual_quaternion_notice, no_mesh_notice, out_of_view_notice, overexposure_notice, scene_notices,
};
use crate::app::offscreen::OffscreenRenderer;
use crate::app::scene::LoadedScene;
use crate::app::scene::lookup::find_by_name_or_index;
use crate::app::{AppError, FileError};
use crate::request::{ContactSheetRequest, TimeRequest};
use rigview_check::flex::{FlexFinding, FlexLimits, JointFlex, clear_view, measure};
use rigview_core::math::{Aabb, SupportHull};
use rigview_core::model::{ClipIndex, Model};
use rigview_core::pose::PoseOverride;
use rigview_core::util::text::{counted, file_name};
use rigview_render::image_file;
use rigview_render::image_text::{Canvas, TextRasterizer};
use std::collections::HashSet;
use std::f64::consts::TAU;
use std::path::Path;

const BACKGROUND_COLOR: [u8; 3] = [35, 36, 40];
const TEXT_COLOR: [u8; 3] = [236, 236, 232];
const MUTED_TEXT_COLOR: [u8; 3] = [150, 154, 162];
/// Margin between and around the thumbnails, in pixels.
const GAP: u32 = 8;
/// Line heights in pixels.
const TITLE_HEIGHT: u32 = 30;
const LINE_HEIGHT: u32 = 22;
const SMALL_LINE_HEIGHT: u32 = 18;

/// Maximum joints of a sheet of the worst joints.
const MAX_JOINTS: usize = 6;

/// Maximum size of a sheet: 1 GiB of RGBA.
const MAX_PIXELS: u64 = 1 << 28;

/// Renders the thumbnails and writes the sheet. Returns notices.
pub(crate) fn make(
    request: &ContactSheetRequest,
    output: &Path,
    progress: &ProgressSink<'_>,
) -> Result<Vec<String>, AppError> {
    check_request_output(output, &request.thumbnail, Some("png"))?;
    let in_file = |source| AppError::in_file(&request.thumbnail.file, source);
    let mut shot = request.thumbnail.clone();
    let mut scene = LoadedScene::open_with_progress(&shot.file, &shot.scene)?;
    let flex = request.flex.then(|| measure(scene.rig(), &FlexLimits::default(), &|_, _| true));
    let rows = match &flex {
        Some(flex) => flex.joints.iter().take(MAX_JOINTS).filter_map(flex_row).collect(),
        None => rows(scene.model(), &request.clips).map_err(in_file)?,
    };
    let columns = if flex.is_some() { 2 } else { request.frames_per_clip };
    let [cell_width, cell_height] = shot.size;
    let row_height = row_height(cell_height);
    let width = u64::from(columns) * u64::from(cell_width + GAP) + u64::from(GAP);
    let height = u64::from(TITLE_HEIGHT) + rows.len() as u64 * u64::from(row_height) + 2 * u64::from(GAP);
    if width.saturating_mul(height) > MAX_PIXELS || width.max(height) > u64::from(u32::MAX) {
        return Err(AppError::Usage(format!(
            "a sheet of {width} x {height} pixels is too large: select clips (--clip) or use smaller thumbnails (--size)"
        )));
    }
    let mut canvas = Canvas::new(width as u32, height as u32, BACKGROUND_COLOR);
    let (title, text, small) = (TextRasterizer::new(21.0), TextRasterizer::new(17.0), TextRasterizer::new(14.0));
    let max_width = canvas.width - 2 * GAP;
    let name = file_name(&request.thumbnail.file);
    let used = title.write(&mut canvas, [GAP, GAP], max_width, &name, TEXT_COLOR);
    let model = scene.model();
    let model_summary = format!(
        "{}, {}, {}",
        counted(model.skeleton.len(), "joint", "joints"),
        counted(scene.layout().vertex_count(model) as usize, "vertex", "vertices"),
        counted(model.clips.len(), "clip", "clips")
    );
    let start = GAP + used + 14;
    text.write(&mut canvas, [start, GAP + 4], max_width.saturating_sub(start), &model_summary, MUTED_TEXT_COLOR);

    let mut offscreen = OffscreenRenderer::new()?;
    let gpu_model = offscreen.upload_and_free_images(&mut scene, false)?;
    let mut all_are_empty = true;
    for (row, Row { title, summary, clip, joint }) in rows.iter().enumerate() {
        let top = GAP + TITLE_HEIGHT + row as u32 * row_height;
        scene.set_overrides(PoseOverride::new());
        scene.play(*clip, Vec::new());
        let middle = if clip.is_none() && joint.is_none() { scene.show_middle_frame() } else { None };
        let title =
            &middle.map_or_else(|| title.clone(), |clip| format!("{} (middle)", title_of(scene.model(), Some(clip))));
        if let Some((joint, _)) = joint {
            shot.debug_view.view_mode = format!("weights:{}", joint.name).parse().ok();
            let [min, max] = [joint.bounds.min, joint.bounds.max].map(|corner| corner - scene.origin);
            let aspect = f64::from(cell_width) / f64::from(cell_height);
            let mut orbit = scene.first_view(&SupportHull::from_aabb(&Aabb { min, max }), aspect);
            orbit.look_from(clear_view(scene.rig(), joint));
            offscreen.fixed_camera = Some(orbit.camera(scene.bounds()));
        }
        let used = text.write(&mut canvas, [GAP, top], max_width, title, TEXT_COLOR);
        let start = GAP + used + 10;
        small.write(&mut canvas, [start, top + 2], max_width.saturating_sub(start), summary, MUTED_TEXT_COLOR);
        for column in 0..columns {
            progress.step(row * columns as usize + column as usize, rows.len() * columns as usize)?;
            let fraction = f64::from(column) / f64::from(columns.max(2) - 1);
            let (start_secs, end_secs) = (scene.first_key_secs(), scene.duration_secs());
            let time_secs = start_secs + (end_secs - start_secs) * fraction;
            // The rest pose does not move, so the camera orbits it.
            let angle = (clip.is_none() && joint.is_none()).then(|| TAU * f64::from(column) / f64::from(columns));
            if let Some((_, worst)) = joint {
                let is_posed = column == 1;
                scene.set_overrides(if is_posed { worst.pose.joints.clone() } else { PoseOverride::new() });
            }
            shot.scene.time = TimeRequest::Secs(time_secs);
            let image = offscreen.draw(&mut scene, &gpu_model, &shot, angle)?.read()?;
            all_are_empty &= image.is_empty;
            let (left, cell_top) = (GAP + column * (cell_width + GAP), top + LINE_HEIGHT);
            canvas.put(left, cell_top, &image.rgba, cell_width);
            let label = match (angle, joint) {
                (Some(angle), _) => format!("{:.0}°", angle.to_degrees()),
                (None, Some((_, worst))) if column == 1 => worst.pose.description.clone(),
                (None, Some(_)) => "rest pose".to_owned(),
                (None, None) => format!("{time_secs:.2} s"),
            };
            small.write(&mut canvas, [left + 2, cell_top + cell_height + 1], cell_width, &label, MUTED_TEXT_COLOR);
        }
    }
    let rgba: Vec<u8> = canvas.rgb.as_chunks::<3>().0.iter().flat_map(|[r, g, b]| [*r, *g, *b, 255]).collect();
    let png = image_file::encode_png(canvas.width, canvas.height, &rgba, &image_file::PngMetadata::default());
    atomic_write::write_atomic(output, &png)?;
    let mut notices = scene_notices(&scene);
    notices.extend(no_mesh_notice(&scene));
    notices.extend(dual_quaternion_notice(&scene, &shot.debug_view));
    notices.extend(out_of_view_notice(&scene, all_are_empty));
    notices.extend(overexposure_notice(&scene, &shot.light));
    Ok(notices)
}

const fn row_height(cell_height: u32) -> u32 {
    LINE_HEIGHT + cell_height + SMALL_LINE_HEIGHT + GAP
}

/// Returns left and top of the worst pose of a joint in a sheet of the worst joints, whose thumbnails have this width and height.
pub(crate) fn worst_pose_corner(rank: usize, [width, height]: [u32; 2]) -> [u32; 2] {
    [2 * GAP + width, GAP + TITLE_HEIGHT + rank as u32 * row_height(height) + LINE_HEIGHT]
}

/// A row of thumbnails: of a clip, or of a joint at rest and in its worst pose.
struct Row<'a> {
    title: String,
    summary: String,
    clip: Option<ClipIndex>,
    joint: Option<(&'a JointFlex, &'a FlexFinding)>,
}

fn flex_row(joint: &JointFlex) -> Option<Row<'_>> {
    let worst = joint.worst()?;
    Some(Row { title: joint.name.clone(), summary: worst.to_string(), clip: None, joint: Some((joint, worst)) })
}

/// Returns the rows of clips: the rest pose and all clips, or the requested clips.
fn rows<'a>(model: &Model, requested: &[String]) -> Result<Vec<Row<'a>>, FileError> {
    let row = |clip| Row { title: title_of(model, clip), summary: summary(model, clip), clip, joint: None };
    let index = |number: usize| row(Some(ClipIndex(number as u32)));
    if requested.is_empty() {
        return Ok(std::iter::once(row(None)).chain((0..model.clips.len()).map(index)).collect());
    }
    let names = model.clips.iter().map(|clip| clip.name.as_deref());
    requested
        .iter()
        .map(|name_or_index| Ok(index(find_by_name_or_index("clip", name_or_index, names.clone())?)))
        .collect()
}

fn title_of(model: &Model, clip: Option<ClipIndex>) -> String {
    match clip {
        None => "rest pose".to_owned(),
        Some(clip) => model.clips[clip.get()].name.clone().unwrap_or_else(|| format!("clip {clip}")),
    }
}

fn summary(model: &Model, clip: Option<ClipIndex>) -> String {
    let Some(clip) = clip.map(|clip| &model.clips[clip.get()]) else { return String::new() };
    let joints: HashSet<_> = clip.tracks.iter().map(|track| track.joint).collect();
    format!("{:.2} s, moves {}", clip.duration_secs, counted(joints.len(), "joint", "joints"))
}
