//! `rigview bench frame`: time of complete frames, as the window draws them without panels.

use crate::app::AppError;
use crate::app::console::report::{self, Lines};
use crate::app::offscreen::OffscreenRenderer;
use crate::app::scene::LoadedScene;
use crate::cli::FrameBenchArgs;
use crate::request::{Quality, TimeRequest};
use rigview_core::import::ImageLoading;
use rigview_core::util::text::counted;
use rigview_render::gpu::{DeviceType, Fence};
use rigview_render::platform::clock::{Clock, median};
use rigview_render::render::FramePass;
use serde::Serialize;
use std::collections::VecDeque;
use std::time::Instant;

/// Frames before the measurement, which compile shaders and allocate buffers.
const WARM_UP_FRAMES: u32 = 3;
/// Submitted frames that the GPU may still draw, as in the window.
const FRAMES_IN_FLIGHT: usize = 2;

/// Times are medians over the frames, in milliseconds.
#[derive(Serialize)]
struct FrameReport {
    file: String,
    renderer: String,
    driver: String,
    device_type: DeviceType,
    size: [u32; 2],
    samples: u32,
    instances: usize,
    draw_calls: usize,
    vertices: u64,
    frames: u32,
    frames_in_flight: usize,
    /// From the start of the program to the end of the first frame.
    first_frame_ms: f64,
    /// Wall time of all frames, divided by their number.
    frame_ms: f64,
    /// Wall time to pose all instances, in and out of view, alone.
    pose_ms: f64,
    /// Wall time to upload their palettes, alone. The GPU is idle.
    upload_ms: f64,
    /// Wall time to pose, upload and submit a frame.
    submit_ms: f64,
    /// CPU time of the thread that submits; `None` if the system does not report it.
    submit_cpu_ms: Option<f64>,
    /// GPU time of each pass. A software renderer draws when it waits, so that the passes of other frames count, too.
    passes: Vec<PassTime>,
}

#[derive(Serialize)]
struct PassTime {
    pass: FramePass,
    gpu_ms: f64,
}

pub(crate) fn run(args: &FrameBenchArgs) -> Result<(), AppError> {
    let begun = Instant::now();
    let mut request = args.render.to_request(args.size);
    if request.quality == Quality::High {
        let message = "frames of the window have standard quality; omit --quality high".to_owned();
        return Err(AppError::Usage(message));
    }
    let mut offscreen = OffscreenRenderer::new()?;
    let mut scene = LoadedScene::open(&request.file, &request.scene, ImageLoading::Decode)?;
    let models = offscreen.upload(&scene, request.level_of_detail)?;
    let first_time_secs = scene.time_secs(&request.scene);
    let duration_secs = scene.duration_secs().max(1e-3);
    let (mut first_frame_ms, mut samples) = (0.0, 0);
    let (mut submit, mut submit_cpu, mut passes) = (Vec::new(), Vec::new(), Vec::<(FramePass, Vec<f64>)>::new());
    let mut in_flight = VecDeque::new();
    let mut measured_since = begun;
    for number in 0..WARM_UP_FRAMES + args.frames {
        if number == WARM_UP_FRAMES {
            in_flight.clear();
            offscreen.headless.gpu().finish();
            measured_since = Instant::now();
        }
        request.scene.time = TimeRequest::Secs(first_time_secs + f64::from(number) / 60.0 % duration_secs);
        let clock = Clock::start();
        samples = offscreen.draw(&mut scene, &models, &request, None)?.samples;
        if number >= WARM_UP_FRAMES {
            submit.push(1e3 * clock.elapsed(Clock::Wall).as_secs_f64());
            submit_cpu.push(1e3 * clock.elapsed(Clock::ThreadCpu).as_secs_f64());
        }
        in_flight.push_back(Fence::new(offscreen.headless.gpu())?);
        if in_flight.len() > FRAMES_IN_FLIGHT
            && let Some(oldest) = in_flight.pop_front()
        {
            oldest.wait()?;
        }
        if number == 0 {
            offscreen.headless.gpu().finish();
            first_frame_ms = 1e3 * begun.elapsed().as_secs_f64();
        }
    }
    offscreen.headless.gpu().finish();
    let frame_ms = 1e3 * measured_since.elapsed().as_secs_f64() / f64::from(args.frames);
    let (mut pose, mut upload) = (Vec::new(), Vec::new());
    for number in 0..args.frames {
        let clock = Clock::start();
        scene.show_all();
        scene.pose_at_clip_time(first_time_secs + f64::from(number) / 60.0 % duration_secs);
        pose.push(1e3 * clock.elapsed(Clock::Wall).as_secs_f64());
        let clock = Clock::start();
        offscreen.upload_palettes(&scene)?;
        upload.push(1e3 * clock.elapsed(Clock::Wall).as_secs_f64());
        offscreen.headless.gpu().finish();
    }
    // In frames of their own, because the results are waited for.
    offscreen.renderer.enable_pass_timer();
    for _ in 0..args.frames.min(20) {
        offscreen.draw(&mut scene, &models, &request, None)?;
        for (pass, time) in offscreen.renderer.pass_times() {
            let ms = 1e3 * time.as_secs_f64();
            match passes.iter_mut().find(|(other, _)| *other == pass) {
                Some((_, times)) => times.push(ms),
                None => passes.push((pass, vec![ms])),
            }
        }
    }
    let info = offscreen.headless.gpu().info();
    let statistics = offscreen.renderer.statistics();
    let report = FrameReport {
        file: request.file.display().to_string(),
        renderer: info.renderer,
        driver: info.version,
        device_type: info.device_type,
        size: request.size,
        samples,
        instances: scene.instance_count(),
        draw_calls: statistics.draw_calls,
        vertices: statistics.vertices,
        frames: args.frames,
        frames_in_flight: FRAMES_IN_FLIGHT,
        first_frame_ms,
        frame_ms,
        pose_ms: median(pose).unwrap_or_default(),
        upload_ms: median(upload).unwrap_or_default(),
        submit_ms: median(submit).unwrap_or_default(),
        submit_cpu_ms: Clock::cpu_time().and_then(|_| median(submit_cpu)),
        passes: passes
            .into_iter()
            .map(|(pass, times)| PassTime { pass, gpu_ms: median(times).unwrap_or_default() })
            .collect(),
    };
    if args.json { report::json(&report) } else { report::lines(&report.lines()) }
}

impl FrameReport {
    fn lines(&self) -> Lines {
        let [width, height] = self.size;
        let mut lines = Lines::default();
        lines.push(format_args!(
            "{}: {} x {}, {}, {}, {} in {}",
            self.file,
            width,
            height,
            counted(self.samples as usize, "sample", "samples"),
            counted(self.instances, "instance", "instances"),
            counted(self.vertices as usize, "vertex", "vertices"),
            counted(self.draw_calls, "draw call", "draw calls"),
        ));
        lines.push(format_args!("{}, {}", self.renderer, self.driver));
        lines.push(format_args!("first frame  {:.1} ms after the start", self.first_frame_ms));
        let cpu = self.submit_cpu_ms.map(|ms| format!(", {ms:.3} ms of its CPU time")).unwrap_or_default();
        lines.push(format_args!(
            "frame        {:.3} ms of wall time, with {} in flight; {:.3} ms to submit{cpu}",
            self.frame_ms,
            counted(self.frames_in_flight, "frame", "frames"),
            self.submit_ms,
        ));
        lines.push(format_args!(
            "alone        {:.3} ms to pose all instances, {:.3} ms to upload their palettes",
            self.pose_ms, self.upload_ms,
        ));
        for PassTime { pass, gpu_ms } in &self.passes {
            lines.push(format_args!("  {:<24}{gpu_ms:.3} ms of GPU time", pass.name()));
        }
        lines
    }
}
