//! Comparison of render paths. The candidates alternate frame by frame, so that other load affects all of them equally.

use crate::app::AppError;
use crate::app::console::progress::Progress;
use crate::app::cpu_time::{Clock, median};
use crate::app::scene::GpuScene;
use crate::app::scene::LoadedScene;
use crate::cli::{ComparisonArgs, FrameBenchArgs};
use crate::request::{CrowdRequest, SceneRequest};
use rigview_core::import::ImportOptions;
use rigview_core::model::Model;
use rigview_render::platform::headless::Headless;
use rigview_render::render::{RenderOptions, Renderer, Target};
use rigview_render::scene::{Background, Camera, DebugView, Lighting, Orbit};
use serde::Serialize;
use std::time::{Duration, Instant};

pub(crate) struct Candidate {
    /// Index of the scene.
    pub(crate) scene: usize,
    pub(crate) options: RenderOptions,
    pub(crate) view: View,
    /// Draws levels of detail; their selection is part of the cost.
    pub(crate) level_of_detail: bool,
}

impl Candidate {
    /// Full meshes of a scene in the default view.
    pub(crate) fn new(scene: usize, options: RenderOptions) -> Self {
        Self { scene, options, view: View::Default, level_of_detail: false }
    }
}

/// Camera of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// From the upper right, with all instances in view.
    Default,
    /// From above, with all instances in view.
    Above,
    /// From the upper right, at a tenth of the distance.
    Near,
}

impl View {
    fn camera(self, scene: &LoadedScene, aspect: f64) -> Camera {
        let mut orbit = Orbit::framing(&scene.hull, aspect);
        match self {
            Self::Default => {}
            Self::Above => {
                orbit.pitch = std::f64::consts::FRAC_PI_2;
                orbit.frame(&scene.hull, aspect);
            }
            Self::Near => orbit.distance *= 0.1,
        }
        orbit.camera(scene.bounds())
    }
}

/// Conditions of a comparison, in every report.
#[derive(Serialize)]
pub(crate) struct Conditions {
    pub(crate) file: String,
    /// GL renderer.
    pub(crate) renderer: String,
    pub(crate) instances: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) frames: u32,
}

impl Conditions {
    pub(crate) fn new(args: &ComparisonArgs, headless: &Headless) -> Self {
        let [width, height] = args.frames.size;
        Self {
            file: args.file.display().to_string(),
            renderer: headless.gpu().renderer().to_owned(),
            instances: args.instances,
            width,
            height,
            frames: args.frames.count,
        }
    }
}

/// Median time per frame to upload the matrices and draw, until the GPU has finished.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Cost {
    pub(crate) wall_ms: f64,
    /// CPU time of all threads, including those of a software renderer.
    pub(crate) cpu_ms: Option<f64>,
    pub(crate) draw_calls: usize,
    /// CPU time of each frame in milliseconds; wall time if CPU time is unavailable.
    #[serde(skip)]
    pub(crate) frame_ms: Vec<f64>,
    /// Number of vertices of the last frame.
    #[serde(skip)]
    pub(crate) vertices: u64,
    /// The last frame.
    #[serde(skip)]
    pub(crate) rgba: Vec<u8>,
}

/// Opens the crowd of the file's model after `edit`.
pub(crate) fn scene(
    args: &ComparisonArgs,
    clip: Option<String>,
    edit: &dyn Fn(&mut Model),
) -> Result<LoadedScene, AppError> {
    let crowd = CrowdRequest { instances: args.instances, ..CrowdRequest::default() };
    let pose = SceneRequest { clip, import: args.policy.clone(), crowd, ..SceneRequest::default() };
    LoadedScene::open_edited(&args.file, &pose, ImportOptions::default(), edit)
}

/// Draws all frames with every candidate. The cameras frame the first scene.
pub(crate) fn draw_alternating(
    args: &FrameBenchArgs,
    headless: &Headless,
    scenes: &mut [LoadedScene],
    candidates: &[Candidate],
) -> Result<Vec<Cost>, AppError> {
    struct CandidateState {
        models: GpuScene,
        target: Target,
        renderer: Renderer,
        camera: Camera,
        times: [Vec<f64>; 2],
    }
    let _progress = Progress::start(format!("drawing {} frames with {} candidates", args.count, candidates.len()));
    let [width, height] = args.size;
    let mut states = Vec::new();
    let aspect = f64::from(width) / f64::from(height);
    for Candidate { scene, options, view, level_of_detail } in candidates {
        let renderer = Renderer::new(headless.gpu(), *options)?;
        let target = Target::new(headless.gpu(), width, height, 1)?;
        let mut models = GpuScene::new(&renderer, &scenes[*scene])?;
        if *level_of_detail {
            models.add_levels(&renderer, &scenes[*scene])?;
        }
        let camera = view.camera(&scenes[0], aspect);
        states.push(CandidateState { models, target, renderer, camera, times: Default::default() });
    }
    let lighting = Lighting::studio();
    for frame in 0..=args.count {
        for scene in &mut *scenes {
            let duration_secs = scene.duration_secs().max(1e-3);
            scene.pose(f64::from(frame) / 60.0 % duration_secs);
        }
        for (state, candidate) in states.iter_mut().zip(candidates) {
            let scene = &mut scenes[candidate.scene];
            let (start, cpu_start) = (Instant::now(), Clock::process_cpu_time());
            scene.select_detail(&state.camera, candidate.level_of_detail.then_some(args.size));
            let others = scene.posed_others();
            let image = scene.frame(&others, state.camera, &lighting, Background::Studio, DebugView::default());
            state.renderer.draw(&state.models.models(), &image, &mut state.target)?;
            headless.gpu().finish();
            // The first frame compiles shaders and allocates buffers.
            if frame > 0 {
                let millis = |duration: Duration| duration.as_secs_f64() * 1e3;
                state.times[0].push(millis(start.elapsed()));
                let cpu = cpu_start.zip(Clock::process_cpu_time());
                state.times[1].extend(cpu.map(|(start, end)| millis(end.saturating_sub(start))));
            }
        }
    }
    let cost = |state: CandidateState| {
        let rgba = state.target.read_rgba()?;
        let [wall, cpu] = state.times;
        let frame_ms = if cpu.is_empty() { wall.clone() } else { cpu.clone() };
        let draw_calls = state.renderer.statistics().draw_calls;
        let vertices = state.renderer.statistics().vertices;
        Ok(Cost {
            wall_ms: median(wall).unwrap_or_default(),
            cpu_ms: median(cpu),
            draw_calls,
            frame_ms,
            vertices,
            rgba,
        })
    };
    states.into_iter().map(cost).collect()
}

/// Counts the pixels that differ by more than 1 of 255 in a channel.
pub(crate) fn count_different_pixels(a: &[u8], b: &[u8]) -> usize {
    let differs = |(a, b): (&[u8], &[u8])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 1);
    a.chunks_exact(4).zip(b.chunks_exact(4)).filter(|pair| differs(*pair)).count()
}
