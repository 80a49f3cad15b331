//! Renders and encodes a video frame by frame.

use super::common_period::CommonPeriod;
use super::encoder::{self, VideoEncoder, VideoFormat};
use super::schedule::FrameSchedule;
use crate::app::AppError;
use crate::app::console::progress::ProgressSink;
use crate::app::files::output_path::check_request_output;
use crate::app::notices::{
    dual_quaternion_notice, loop_seam_notice, no_mesh_notice, opening_clips_notice, out_of_view_notice,
    overexposure_notice, samples_notice, scene_notices,
};
use crate::app::offscreen::OffscreenRenderer;
use crate::app::scene::{GpuScene, LoadedScene};
use crate::request::{BackgroundRequest, RenderRequest, TimeRequest, VideoRequest};
use std::path::Path;

/// Number of frames that determine the color table of a GIF.
const PALETTE_SAMPLE_FRAMES: usize = 8;

/// Renders the video. Returns notices.
pub(crate) fn make(
    request: &VideoRequest,
    output: &Path,
    progress: &ProgressSink<'_>,
) -> Result<Vec<String>, AppError> {
    let format = VideoFormat::of(output)?;
    check_request_output(output, &request.frame, None)?;
    let scene = LoadedScene::open_with_progress(&request.frame.file, &request.frame.scene)?;
    let mut notices = Vec::new();
    let mut shot = request.frame.clone();
    if format.needs_ffmpeg() && shot.size.iter().any(|side| side % 2 == 1) {
        shot.size = shot.size.map(|side| side.next_multiple_of(2));
        notices.push(format!("this format needs an even size; using {} x {} pixels", shot.size[0], shot.size[1]));
    }
    if shot.background == Some(BackgroundRequest::Transparent) && !format.can_be_transparent() {
        return Err(AppError::Usage("an .mp4 cannot be transparent; use .webm, .png or .gif".to_owned()));
    }
    let common = CommonPeriod::of(&scene).filter(|_| request.range_secs.is_none());
    let schedule = match &common {
        Some(common) => FrameSchedule::new(request, 0.0, common.secs)?,
        None => FrameSchedule::new(request, scene.first_key_secs(), scene.duration_secs())?,
    };
    notices.extend(common.and_then(|common| common.notice));
    let mut renderer = FrameRenderer {
        offscreen: OffscreenRenderer::new()?,
        shot,
        scene,
        schedule,
        model: None,
        samples: None,
        is_empty: true,
    };

    progress.step(0, schedule.frames)?;
    let spec = encoder::VideoSpec {
        size: renderer.shot.size,
        schedule,
        transparent: request.frame.background == Some(BackgroundRequest::Transparent),
    };
    let sample_count = if format == VideoFormat::Gif { PALETTE_SAMPLE_FRAMES } else { 0 };
    let samples: Result<Vec<_>, _> =
        schedule.evenly_spaced(sample_count).map(|frame| renderer.render_frame(frame)).collect();
    let mut encoder = VideoEncoder::new(format, output, spec, &samples?)?;
    for frame in 0..schedule.frames {
        progress.step(frame, schedule.frames)?;
        let rgba = renderer.render_frame(frame)?;
        encoder.add(&rgba)?;
    }
    progress.step(schedule.frames, schedule.frames)?;
    encoder.finish()?;
    notices.extend(scene_notices(&renderer.scene));
    notices.extend(dual_quaternion_notice(&renderer.scene, &request.frame.debug_view));
    notices.extend(no_mesh_notice(&renderer.scene));
    notices.extend(opening_clips_notice(&renderer.scene, &request.frame.scene));
    notices.extend(loop_seam_notice(&renderer.scene).filter(|_| request.range_secs.is_none()));
    notices.extend(out_of_view_notice(&renderer.scene, renderer.is_empty));
    notices.extend(overexposure_notice(&renderer.scene, &renderer.shot.light));
    notices.extend(renderer.samples.and_then(|samples| samples_notice(request.frame.samples(), samples)));
    Ok(notices)
}

struct FrameRenderer {
    // In drop order: GPU resources before their context.
    model: Option<GpuScene>,
    offscreen: OffscreenRenderer,
    shot: RenderRequest,
    scene: LoadedScene,
    schedule: FrameSchedule,
    samples: Option<u32>,
    /// All frames so far show nothing of the model.
    is_empty: bool,
}

impl FrameRenderer {
    /// Returns RGBA with straight alpha, top row first.
    fn render_frame(&mut self, frame: usize) -> Result<Vec<u8>, AppError> {
        let (time_secs, turntable_angle) = (self.schedule.clip_time_secs(frame), self.schedule.turntable_angle(frame));
        self.shot.scene.time = TimeRequest::Secs(time_secs);
        let model = match &self.model {
            Some(model) => model,
            None => {
                self.model.insert(self.offscreen.upload_and_free_images(&mut self.scene, self.shot.level_of_detail)?)
            }
        };
        let image = self.offscreen.draw(&mut self.scene, model, &self.shot, turntable_angle)?.read()?;
        self.samples = Some(image.samples);
        self.is_empty &= image.is_empty;
        Ok(image.rgba)
    }
}
