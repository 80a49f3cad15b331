//! GPU half of a document: its meshes and textures, and the frame on its render target.

use super::jobs::event::EventSink;
use super::jobs::simplifier;
use super::state::{Document, FrameTimings};
use crate::app::AppError;
use crate::app::scene::{GpuScene, LoadedScene, debug_view::DebugViewBuilder, lighting::LightSetup};
use crate::request::{DebugViewRequest, Quality};
use rigview_core::model::ClipIndex;
use rigview_render::gpu::{DeviceType, Fence, Timer};
use rigview_render::render::{AdaptiveQuality, FrameQuality, ModelLevels, Renderer, Target};
use rigview_render::scene::{Background, Camera, DebugView, FrameSamples};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// The first frame of a crowd with more vertices waits for levels of detail.
const MIN_LEVELS_WAIT_VERTICES: u64 = 2_000_000;

/// Maximum time of that wait.
const MAX_LEVELS_WAIT: Duration = Duration::from_secs(1);

pub(crate) struct GpuDocument {
    models: GpuScene,
    levels: Levels,
    /// The next frame selects levels of detail without those of the last one.
    resets_levels: bool,
    /// The ground that is uploaded, as [`LoadedScene::ground_revision`].
    ground_revision: u64,
    /// Time and revision of the pose in the palette.
    posed_key: Option<(f64, u64)>,
    /// The frame on the render target; `None` if its contents are stale.
    drawn_key: Option<FrameKey>,
    /// Quality of that frame.
    pub(crate) drawn_quality: FrameQuality,
    /// Adapts to the times from the begin of frames to their ends on the screen.
    pub(crate) adaptive: AdaptiveQuality,
    /// Target of frames of less than full quality.
    moving_target: Option<Target>,
    still_image: StillImage,
    /// Measures draws.
    timer: Timer,
    /// Measures samples of the still image.
    sample_timer: Timer,
}

/// Progress of a still image to high quality.
enum StillImage {
    /// The image is final, or not to be refined.
    Idle,
    /// The image was drawn at this time, of lower quality, or with programs that are still compiled.
    Pending(Instant),
    Accumulating {
        samples: Box<FrameSamples>,
        begun: Instant,
        /// End of the samples that the GPU has not drawn yet.
        queued: Option<Fence>,
    },
}

/// Number of samples of a still image.
const MAX_ACCUMULATED_SAMPLES: u32 = 256;

/// Number of samples from which the mean is shown.
const MIN_SHOWN_SAMPLES: u32 = 48;

/// Time for which an image is still before it is refined, so that a drag stays smooth.
const REFINEMENT_DELAY: Duration = Duration::from_millis(150);

/// Maximum time of the samples of one frame of the window, which a drag waits for.
const MAX_ACCUMULATION_TIME: Duration = Duration::from_millis(12);

/// Everything besides the document that its frame depends on.
#[derive(Clone, Copy)]
pub(crate) struct FrameOptions<'a> {
    pub(crate) background: Background,
    pub(crate) light: &'a LightSetup,
    /// `Some` enables levels of detail of crowds; receives the event when simplification ends.
    pub(crate) level_of_detail_sink: Option<&'a EventSink>,
    /// Quality of images that are drawn repeatedly without a change.
    pub(crate) quality: Quality,
    /// Pixels per unit of the widths of lines and edges.
    pub(crate) pixels_per_point: f32,
}

/// Levels of detail of the models.
enum Levels {
    /// Not needed so far.
    None,
    Running(Receiver<Vec<ModelLevels>>),
    Uploaded,
}

/// Everything that a frame of one document depends on.
#[derive(Clone, PartialEq)]
struct FrameKey {
    camera: Camera,
    clock_secs: f64,
    revision: u64,
    clip: Option<ClipIndex>,
    background: Background,
    light: LightSetup,
    debug_view: DebugViewRequest,
    pixels_per_point: f32,
    level_of_detail: bool,
    quality: Quality,
}

impl GpuDocument {
    /// A document whose scene is uploaded.
    pub(crate) fn new(renderer: &Renderer, scene: &LoadedScene, mut models: GpuScene) -> Result<Self, AppError> {
        models.ground_file = scene.ground_file().map(Path::to_owned);
        Ok(Self {
            models,
            levels: Levels::None,
            resets_levels: false,
            ground_revision: scene.ground_revision,
            posed_key: None,
            drawn_key: None,
            drawn_quality: FrameQuality::Full,
            adaptive: AdaptiveQuality::default(),
            moving_target: None,
            still_image: StillImage::Idle,
            timer: Timer::new(renderer.gpu())?,
            sample_timer: Timer::new(renderer.gpu())?,
        })
    }

    /// Keeps an uploaded ground of a file until the scene has it.
    pub(crate) fn keep_ground(&mut self, file: PathBuf, ground: GpuScene) {
        self.models.keep_ground(file, ground);
    }

    /// Returns `true` if the next frame poses and draws everything: for a new document, and after an edit.
    pub(crate) fn is_stale(&self, document: &Document) -> bool {
        self.posed_key.is_none_or(|(_, revision)| revision != document.revision)
    }

    /// Forces the next [`draw`](Self::draw).
    pub(crate) fn invalidate(&mut self) {
        self.drawn_key = None;
    }

    /// Lets the next [`draw`](Self::draw) draw what a command does: with full quality, and levels of detail that do not depend on
    /// earlier frames.
    pub(crate) fn require_command_quality(&mut self) {
        if self.drawn_quality != FrameQuality::Full || self.has_levels() {
            self.invalidate();
        }
        self.resets_levels = true;
    }

    /// Returns `true` if the last frame has levels of detail.
    pub(crate) fn has_levels(&self) -> bool {
        self.drawn_key.as_ref().is_some_and(|drawn| drawn.level_of_detail)
    }

    /// Returns `true` if the models have levels of detail. Otherwise starts to simplify them; `sink` receives the result.
    fn prepare_levels(&mut self, document: &Document, renderer: &Renderer, sink: &EventSink) -> Result<bool, AppError> {
        let mut max_wait = Duration::ZERO;
        if let Levels::None = self.levels {
            self.levels = Levels::Running(simplifier::start(&document.scene, sink.clone()));
            if document.vertex_count() > MIN_LEVELS_WAIT_VERTICES {
                max_wait = MAX_LEVELS_WAIT;
            }
        }
        if let Levels::Running(running) = &self.levels
            && let Ok(levels) = running.recv_timeout(max_wait)
        {
            self.models.set_levels(renderer, &levels)?;
            self.levels = Levels::Uploaded;
        }
        Ok(matches!(self.levels, Levels::Uploaded))
    }

    /// Returns `true` if the next [`draw`](Self::draw) refines the image, or draws it with full quality, or programs are still
    /// compiled.
    pub(crate) fn needs_redraw(&self) -> bool {
        !matches!(self.still_image, StillImage::Idle)
    }

    /// Adds samples to the still image that `target` shows.
    fn refine(
        &mut self,
        document: &mut Document,
        options: FrameOptions<'_>,
        renderer: &mut Renderer,
        target: &mut Target,
    ) -> Result<(), AppError> {
        let (FrameOptions { background, light, .. }, clock_secs) = (options, document.clock_secs());
        let camera = document.camera();
        let scene = &mut document.scene;
        let lighting = light.at(scene, clock_secs);
        match self.still_image {
            StillImage::Idle => return Ok(()),
            StillImage::Pending(_) => {
                // Instances outside of the view cast shadows, too.
                scene.show_all();
                scene.pose_at_clock(clock_secs);
                target.begin_accumulation()?;
                let virtual_point_lights = self.models.virtual_point_lights(scene, MAX_ACCUMULATED_SAMPLES)?;
                let samples =
                    FrameSamples::new(&lighting, virtual_point_lights, scene.bounds(), MAX_ACCUMULATED_SAMPLES).into();
                self.still_image = StillImage::Accumulating { samples, begun: Instant::now(), queued: None };
            }
            StillImage::Accumulating { .. } => {}
        }
        let StillImage::Accumulating { samples, begun: refined_since, queued } = &mut self.still_image else {
            return Ok(());
        };
        if queued.as_ref().is_some_and(|queued| !queued.is_signaled()) {
            return Ok(());
        }
        let others = scene.posed_others();
        let frame = scene.frame(&others, camera, &lighting, background, DebugView::default());
        let gpu = Rc::clone(renderer.gpu());
        let (begun, mut gpu_time) = (Instant::now(), Duration::ZERO);
        while target.accumulated_samples() < MAX_ACCUMULATED_SAMPLES {
            let sample = samples.get(target.accumulated_samples());
            self.sample_timer.start();
            renderer.accumulate(&self.models.models(), &frame, &sample, target)?;
            self.sample_timer.stop();
            // Hardware draws later. The time of the first sample is unknown.
            if gpu.device_type() == DeviceType::Hardware {
                gpu_time += self.sample_timer.last().unwrap_or(MAX_ACCUMULATION_TIME);
            }
            if gpu_time.max(begun.elapsed()) >= MAX_ACCUMULATION_TIME {
                break;
            }
        }
        *queued = Some(Fence::new(&gpu)?);
        // A few samples are noisy.
        if target.accumulated_samples() >= MIN_SHOWN_SAMPLES {
            renderer.resolve_accumulation(&frame, target)?;
        }
        let count = target.accumulated_samples();
        let secs =
            refined_since.elapsed().as_secs_f64() * f64::from(MAX_ACCUMULATED_SAMPLES - count) / f64::from(count);
        document.refinement = Some(format!("High quality: {count} of {MAX_ACCUMULATED_SAMPLES}, {secs:.0} s left"));
        if count >= MAX_ACCUMULATED_SAMPLES {
            document.refinement = None;
            self.still_image = StillImage::Idle;
        }
        Ok(())
    }

    /// Draws `document` onto `target`. If the target already shows the same frame, refines it.
    pub(crate) fn draw(
        &mut self,
        document: &mut Document,
        options: FrameOptions<'_>,
        renderer: &mut Renderer,
        target: &mut Target,
    ) -> Result<FrameTimings, AppError> {
        let FrameOptions { background, light, level_of_detail_sink, quality, pixels_per_point } = options;
        let clock_secs = document.clock_secs();
        let level_of_detail = match level_of_detail_sink.filter(|_| document.scene.instance_count() > 1) {
            Some(sink) => self.prepare_levels(document, renderer, sink)?,
            None => false,
        };
        let key = FrameKey {
            camera: document.camera(),
            clock_secs,
            revision: document.revision,
            clip: document.scene.clip,
            background,
            light: light.clone(),
            debug_view: document.debug_view.clone(),
            pixels_per_point,
            level_of_detail,
            quality,
        };
        let moves = |drawn: &FrameKey| drawn.camera != key.camera || drawn.clock_secs != key.clock_secs;
        let quality_now =
            if self.drawn_key.as_ref().is_some_and(moves) { self.adaptive.quality } else { FrameQuality::Full };
        let begun = Instant::now();
        if self.drawn_key.as_ref() == Some(&key) {
            let is_waiting = matches!(self.still_image, StillImage::Pending(drawn) if begun - drawn < REFINEMENT_DELAY);
            if is_waiting {
                return Ok(FrameTimings::default());
            }
            if self.drawn_quality == FrameQuality::Full {
                self.refine(document, options, renderer, target)?;
                return Ok(FrameTimings::default());
            }
        }
        if self.ground_revision != document.scene.ground_revision {
            self.models.set_ground(renderer, &document.scene)?;
            self.ground_revision = document.scene.ground_revision;
        }
        let scene = &mut document.scene;
        let heads_moved = scene.aim_heads(&key.camera);
        let mut lighting = light.at(scene, clock_secs);
        lighting.ambient_occlusion &= quality_now == FrameQuality::Full;
        lighting.sun_shadow = lighting.sun_shadow.filter(|_| quality_now != FrameQuality::Coarse);
        // A skeleton without a mesh is an overlay. The view does not fail: the request only names joints of this file.
        let is_default = document.debug_view == DebugViewRequest::default() && !scene.is_skeleton();
        let view = if is_default { None } else { DebugViewBuilder::new(&document.debug_view, scene, clock_secs).ok() };
        let ghosts = view.as_ref().map(DebugViewBuilder::ghosts).unwrap_or_default();
        let mut debug_view = view.as_ref().map(|view| view.debug_view(&ghosts)).unwrap_or_default();
        let step: u32 = if quality_now == FrameQuality::Coarse { 2 } else { 1 };
        debug_view.pixels_per_point = Some(pixels_per_point / step as f32);
        // The bounds place the eye of a parallel projection, too.
        let camera = match &view {
            Some(view) if document.camera.is_free() => {
                document.camera.orbit.camera(&view.depth_bounds(&view.hull(scene)))
            }
            _ => key.camera,
        };
        let prepared = Instant::now();
        let aspect = f64::from(target.width()) / f64::from(target.height());
        let visibility_changed = scene.cull(&camera, aspect, &debug_view, &lighting);
        if heads_moved || visibility_changed || self.posed_key != Some((clock_secs, key.revision)) {
            scene.pose_at_clock(clock_secs);
            self.posed_key = Some((clock_secs, key.revision));
        }
        if std::mem::take(&mut self.resets_levels) {
            scene.select_detail(&camera, None);
        }
        scene.select_detail(&camera, level_of_detail.then_some([target.width(), target.height()]));
        let posed = Instant::now();
        self.models.prepare_view(renderer, scene, debug_view.mode)?;
        let others = scene.posed_others();
        let frame = scene.frame(&others, camera, &lighting, background, debug_view);
        renderer.upload_palettes(&frame)?;
        let uploaded = Instant::now();
        self.timer.start();
        if quality_now == FrameQuality::Full {
            renderer.draw(&self.models.models(), &frame, target)?;
        } else {
            let (width, height) = (target.width().div_ceil(step), target.height().div_ceil(step));
            let has_size = |moving: &Target| (moving.width(), moving.height()) == (width, height);
            let mut moving = match self.moving_target.take().filter(has_size) {
                Some(moving) => moving,
                None => Target::new(renderer.gpu(), width, height, 1)?,
            };
            renderer.draw(&self.models.models(), &frame, &mut moving)?;
            if !renderer.has_skipped_frame() {
                target.copy_scaled(&moving);
            }
            self.moving_target = Some(moving);
        }
        self.drawn_quality = quality_now;
        self.timer.stop();
        document.drawn = renderer.statistics();
        document.refinement = None;
        let is_high = quality == Quality::High && is_default;
        let redraws_later = renderer.is_compiling() || quality_now != FrameQuality::Full || is_high;
        self.still_image = if redraws_later { StillImage::Pending(Instant::now()) } else { StillImage::Idle };
        self.drawn_key = (!renderer.is_compiling()).then_some(key);
        if renderer.has_skipped_frame() {
            return Ok(FrameTimings::default());
        }
        Ok(FrameTimings {
            pose: posed - prepared,
            upload: uploaded - posed,
            draw: uploaded.elapsed() + (prepared - begun),
            gpu: self.timer.last().unwrap_or_default(),
            ..FrameTimings::default()
        })
    }
}
