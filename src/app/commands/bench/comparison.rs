//! Several ways to draw a crowd, in turn, frame by frame, so that whatever else the machine does falls on all alike.

use crate::app::AppError;
use crate::app::console::progress::Progress;
use crate::app::cpu_time::{Clock, median};
use crate::app::scene::GpuScene;
use crate::app::scene::LoadedScene;
use crate::cli::ComparisonArgs;
use crate::import::ImportOptions;
use crate::model::Model;
use crate::platform::headless::Headless;
use crate::render::{RenderOptions, Renderer, Target};
use crate::request::{CrowdRequest, SceneRequest};
use crate::scene::{Background, DebugView, Lighting, Orbit};
use serde::Serialize;
use std::time::{Duration, Instant};

/// One way to draw.
pub(crate) struct Candidate {
    /// The number of the stage that it draws.
    pub(crate) scene: usize,
    pub(crate) options: RenderOptions,
}

/// What a frame of one entrant costs: medians of milliseconds, of uploading the matrices and drawing, to the end of it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Cost {
    /// What has passed.
    pub(crate) wall_ms: f64,
    /// What all threads have had of the processor: most of it is drawing, where the driver does so.
    pub(crate) cpu_ms: Option<f64>,
    /// The picture of the last frame.
    #[serde(skip)]
    pub(crate) rgba: Vec<u8>,
}

/// The crowd that is drawn, of the file's model after `change`.
pub(crate) fn scene(
    args: &ComparisonArgs,
    clip: Option<String>,
    change: &dyn Fn(&mut Model),
) -> Result<LoadedScene, AppError> {
    let crowd = CrowdRequest { instances: args.instances, ..CrowdRequest::default() };
    let pose = SceneRequest { clip, import: (&args.policy).into(), crowd, ..SceneRequest::default() };
    LoadedScene::open_changed(&args.file, &pose, ImportOptions::default(), change)
}

/// Draws frame after frame by every entrant, seen as the first one's stage is framed.
pub(crate) fn draw_alternating(
    args: &ComparisonArgs,
    headless: &Headless,
    scenes: &mut [LoadedScene],
    candidates: &[Candidate],
) -> Result<Vec<Cost>, AppError> {
    struct Lane {
        models: GpuScene,
        target: Target,
        renderer: Renderer,
        times: [Vec<f64>; 2],
    }
    let _progress = Progress::start(format!("drawing {} frames, {} ways in turn", args.frames, candidates.len()));
    let [width, height] = args.size;
    let mut lanes = Vec::new();
    for Candidate { scene, options } in candidates {
        let renderer = Renderer::new(headless.gpu(), *options)?;
        let target = Target::new(headless.gpu(), width, height, 1)?;
        let models = GpuScene::new(&renderer, &scenes[*scene])?;
        lanes.push(Lane { models, target, renderer, times: Default::default() });
    }
    let orbit = Orbit::framing(&scenes[0].hull, f64::from(width) / f64::from(height));
    let (camera, lighting) = (orbit.camera(scenes[0].bounds()), Lighting::studio());
    for frame in 0..=args.frames {
        for scene in &mut *scenes {
            let duration_secs = scene.duration_secs().max(1e-3);
            scene.pose(f64::from(frame) / 60.0 % duration_secs);
        }
        for (lane, candidate) in lanes.iter_mut().zip(candidates) {
            let scene = &scenes[candidate.scene];
            let others = scene.posed_others();
            let picture = scene.frame(&others, camera, (&lighting, Background::Studio), DebugView::default());
            let (start, cpu_start) = (Instant::now(), Clock::process_cpu_time());
            lane.renderer.draw(&lane.models.all(), &picture, &mut lane.target)?;
            headless.gpu().finish();
            // The first frame compiles shaders and makes room.
            if frame > 0 {
                let millis = |duration: Duration| duration.as_secs_f64() * 1e3;
                lane.times[0].push(millis(start.elapsed()));
                let cpu = cpu_start.zip(Clock::process_cpu_time());
                lane.times[1].extend(cpu.map(|(start, end)| millis(end.saturating_sub(start))));
            }
        }
    }
    let cost = |lane: Lane| {
        let rgba = lane.target.read_rgba()?;
        let [wall_ms, cpu_ms] = lane.times.map(median);
        Ok(Cost { wall_ms: wall_ms.unwrap_or_default(), cpu_ms, rgba })
    };
    lanes.into_iter().map(cost).collect()
}

/// Pixels of two pictures that differ by more than one step of 255.
pub(crate) fn count_different_pixels(a: &[u8], b: &[u8]) -> usize {
    let differs = |(a, b): (&[u8], &[u8])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 1);
    a.chunks_exact(4).zip(b.chunks_exact(4)).filter(|pair| differs(*pair)).count()
}
