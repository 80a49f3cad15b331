//! Timing of complete frames: pose, upload and draw.

use super::pose::update;
use crate::app::AppError;
use crate::app::cpu_time::median;
use crate::app::scene::GpuScene;
use crate::app::scene::LoadedScene;
use rigview_core::math::SimdLevel;
use rigview_core::util::text::counted;
use rigview_render::gpu::Timer;
use rigview_render::platform::headless::Headless;
use rigview_render::render::{RenderOptions, Renderer, Target};
use rigview_render::scene::{Background, DebugView, Lighting, Orbit};
use serde::Serialize;
use std::time::Instant;

/// Frame size in pixels; the default of `rigview shot`, without multisampling.
const SIZE: [u32; 2] = [1280, 720];

const DEFAULT_FRAMES: u32 = 15;

/// Time limit for all frames. At least three frames are measured.
const MAX_TOTAL_SECS: f64 = 30.0;

/// Median wall-clock times per frame. The GPU finishes each part before the next part starts.
#[derive(Serialize)]
pub(crate) struct FrameTimings {
    /// GL renderer.
    renderer: String,
    width: u32,
    height: u32,
    frames: usize,
    /// Sampling, hierarchy and packing, which are one pass.
    pose_ms: f64,
    upload_ms: f64,
    draw_ms: f64,
    /// Time of a GPU timer query; `None` if not supported. A software renderer counts CPU time.
    gpu_ms: Option<f64>,
    frame_ms: f64,
    draw_calls: usize,
    vertices: u64,
}

pub(crate) struct FrameBench {
    // In drop order; the context goes last.
    models: GpuScene,
    target: Target,
    renderer: Renderer,
    headless: Headless,
}

impl FrameBench {
    pub(crate) fn new(scene: &LoadedScene) -> Result<Self, AppError> {
        let headless = Headless::new()?;
        let renderer = Renderer::new(headless.gpu(), RenderOptions::default())?;
        let target = Target::new(headless.gpu(), SIZE[0], SIZE[1], 1)?;
        let models = GpuScene::new(&renderer, scene)?;
        Ok(Self { models, target, renderer, headless })
    }

    pub(crate) fn measure(
        mut self,
        pool: &rayon::ThreadPool,
        scene: &mut LoadedScene,
        dispatch: Option<SimdLevel>,
        frames: Option<u32>,
    ) -> Result<FrameTimings, AppError> {
        let orbit = Orbit::framing(&scene.hull, f64::from(SIZE[0]) / f64::from(SIZE[1]));
        let (camera, lighting) = (orbit.camera(scene.bounds()), Lighting::studio());
        let duration = scene.duration_secs().max(1e-3);
        let mut timer = Timer::new(self.headless.gpu())?;
        let mut gpu_times: Vec<f64> = Vec::new();
        // Of each part and of the complete frame.
        let mut times: [Vec<f64>; 4] = Default::default();
        let begun = Instant::now();
        for number in 0..=frames.unwrap_or(DEFAULT_FRAMES).max(1) {
            if number > 3 && begun.elapsed().as_secs_f64() > MAX_TOTAL_SECS {
                break;
            }
            let start = Instant::now();
            pool.install(|| update(scene, dispatch, f64::from(number) / 60.0 % duration));
            let posed = Instant::now();
            let others = scene.posed_others();
            let frame = scene.frame(&others, camera, &lighting, Background::Studio, DebugView::default());
            self.renderer.upload_palettes(&frame)?;
            self.headless.gpu().finish();
            let uploaded = Instant::now();
            timer.start();
            self.renderer.draw(&self.models.models(), &frame, &mut self.target)?;
            timer.stop();
            self.headless.gpu().finish();
            let drawn = Instant::now();
            // Available with the next frame.
            gpu_times.extend(timer.last().filter(|_| number > 1).map(|time| time.as_secs_f64() * 1e3));
            // The first frame compiles shaders and allocates buffers.
            if number > 0 {
                let parts = [posed - start, uploaded - posed, drawn - uploaded, drawn - start];
                times.iter_mut().zip(parts).for_each(|(times, part)| times.push(part.as_secs_f64() * 1e3));
            }
        }
        let frames = times[0].len();
        let [pose_ms, upload_ms, draw_ms, frame_ms] = times.map(|times| median(times).unwrap_or_default());
        Ok(FrameTimings {
            renderer: self.headless.gpu().renderer().to_owned(),
            width: SIZE[0],
            height: SIZE[1],
            frames,
            pose_ms,
            upload_ms,
            draw_ms,
            gpu_ms: median(gpu_times),
            frame_ms,
            draw_calls: self.renderer.statistics().draw_calls,
            vertices: scene.layout().vertex_count(scene.model()) * scene.crowd.len() as u64,
        })
    }
}

impl FrameTimings {
    pub(crate) fn text(&self) -> String {
        let gpu = self.gpu_ms.map_or_else(String::new, |ms| format!(" ({ms:.2} by the GPU's clock)"));
        format!(
            "frame      {:.2} ms: {:.2} to pose, {:.2} to upload, {:.2} to draw{gpu} {} in {} ({} x {}, {})\n",
            self.frame_ms,
            self.pose_ms,
            self.upload_ms,
            self.draw_ms,
            counted(self.vertices as usize, "vertex", "vertices"),
            counted(self.draw_calls, "instanced call", "instanced calls"),
            self.width,
            self.height,
            self.renderer,
        )
    }
}
