//! One frame: user interface, scene, composite, present.

use super::actions::Action;
use super::gpu_document::{FrameOptions, GpuDocument};
use super::jobs::event::{EventSink, UserEvent, ViewportSide};
use super::state::{AppState, CompareMode, ComparisonState, Document, FrameTimings};
use super::ui::{Gui, JobStatus, UiContext};
use super::uploads::PendingUpload;
use super::window::surface::WindowRenderer;
use crate::app::AppError;
use crate::app::scene::GpuScene;
use crate::app::scene::lighting::LightSetup;
use crate::request::Quality;
use rigview_render::drop_elsewhere;
use rigview_render::platform::clock::Clock;
use rigview_render::render::{Comparison, Target};
use rigview_render::scene::Background;
use std::time::{Duration, Instant};
use winit::event_loop::{ActiveEventLoop, EventLoopProxy};

/// Everything that lives in the GL context. The fields drop in order; the surface owns the context and goes last.
pub(crate) struct Graphics {
    pub(crate) document: Option<GpuDocument>,
    /// The second file of a comparison, and its render target.
    pub(crate) second: Option<GpuDocument>,
    second_target: Option<Target>,
    /// At most one per side.
    pub(crate) uploads: Vec<PendingUpload>,
    pub(crate) gui: Gui,
    pub(crate) surface: WindowRenderer,
}

/// What a frame is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FramePurpose {
    /// It may have lower quality while something moves, and shows the selection.
    Window,
    /// An image that is equal to that of its command.
    Image,
}

impl Graphics {
    pub(crate) fn new(
        event_loop: &ActiveEventLoop,
        size: [f64; 2],
        samples: u32,
        events: EventLoopProxy<UserEvent>,
    ) -> Result<Self, AppError> {
        let surface = WindowRenderer::new(event_loop, size, samples)?;
        let gui = Gui::new(event_loop, &surface.gl_window, events)?;
        Ok(Self { document: None, second: None, second_target: None, uploads: Vec::new(), gui, surface })
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.surface.gl_window.gpu().is_lost()
    }

    /// Replaces the lost context. Nothing is uploaded then. Returns the uploads that were lost.
    pub(crate) fn replace_context(self) -> Result<(Self, Vec<PendingUpload>), AppError> {
        let Self { document, second, second_target, uploads, mut gui, surface } = self;
        drop((document, second, second_target));
        let surface = surface.replace_context()?;
        gui.replace_context(&surface.gl_window)?;
        Ok((Self { document: None, second: None, second_target: None, uploads: Vec::new(), gui, surface }, uploads))
    }

    /// Draws the open file from now on. Returns the former one.
    pub(crate) fn set_document(
        &mut self,
        document: &Document,
        models: GpuScene,
    ) -> Result<Option<GpuDocument>, AppError> {
        let document = GpuDocument::new(&self.surface.renderer, &document.scene, models)?;
        Ok(self.document.replace(document))
    }

    /// Draws the second file of a comparison from now on.
    pub(crate) fn set_second(&mut self, document: &Document, models: GpuScene) -> Result<(), AppError> {
        self.second = Some(GpuDocument::new(&self.surface.renderer, &document.scene, models)?);
        Ok(())
    }

    pub(crate) fn close_comparison(&mut self) {
        (self.second, self.second_target, self.surface.comparison_target) = (None, None, None);
        self.cancel_upload(ViewportSide::Second);
    }

    /// Ends the upload of a side.
    pub(crate) fn cancel_upload(&mut self, side: ViewportSide) {
        let cancelled = self.uploads.extract_if(.., |upload| upload.file.side == side);
        cancelled.for_each(|upload| drop_elsewhere(upload.contents));
    }

    /// Forces all documents to be drawn again.
    pub(crate) fn invalidate(&mut self) {
        self.document.iter_mut().chain(&mut self.second).for_each(GpuDocument::invalidate);
    }

    /// Runs the user interface. Returns its actions and the delay until it should run again.
    pub(crate) fn run_ui(&mut self, state: &mut AppState, jobs: JobStatus<'_>) -> (Vec<Action>, Option<Duration>) {
        let ctx = UiContext::new(state, jobs, self.surface.target_size());
        let (window, size) = (self.surface.gl_window.window(), self.surface.gl_window.size());
        self.surface.viewport_rect = self.gui.run(window, size, &ctx);
        let actions = ctx.actions.into_inner();
        let panels = &mut state.settings.panels;
        panels.outliner_width = self.gui.state.outliner_width.unwrap_or(panels.outliner_width);
        panels.sidebar_width = self.gui.state.sidebar_width.unwrap_or(panels.sidebar_width);
        panels.timeline_height = self.gui.state.timeline_height.unwrap_or(panels.timeline_height);
        (actions, self.gui.repaint_after)
    }

    /// Draws the scene, or the comparison of two, onto the render target. Returns the timings of the first document. Background
    /// work for later frames reports to `sink`.
    pub(crate) fn draw(
        &mut self,
        state: &mut AppState,
        light: &LightSetup,
        sink: &EventSink,
        purpose: FramePurpose,
        now: Instant,
    ) -> Result<FrameTimings, AppError> {
        if purpose == FramePurpose::Image {
            self.document.iter_mut().chain(&mut self.second).for_each(GpuDocument::require_command_quality);
        }
        self.surface.renderer.compile_in_steps(purpose == FramePurpose::Window);
        let background = state.settings.background.map_or(Background::Studio, Into::into);
        self.surface.has_panes = state.comparison.as_ref().is_some_and(ComparisonState::has_panes);
        let aspect_before = self.surface.fit_target()?;
        if let (Some(document), Some(aspect_before)) = (&mut state.document, aspect_before) {
            document.camera.reshape(&document.scene, aspect_before, self.surface.aspect());
        }
        let (Some(document), Some(gpu)) = (&mut state.document, &mut self.document) else {
            self.surface.draw_empty(background)?;
            return Ok(FrameTimings::default());
        };
        let surface = &mut self.surface;
        if aspect_before.is_some() {
            gpu.invalidate();
        }
        document.debug_view = document.view_request(&state.view, document.joint());
        // Without panels the window shows what `rigview shot` renders.
        let shows_highlight =
            purpose == FramePurpose::Window && !state.settings.panels.hidden && state.view.shows_highlight();
        let highlighted = document.highlighted_part().filter(|_| shows_highlight);
        document.debug_view.highlight = highlighted.map(|part| part.request(document.scene.model()));
        let options = FrameOptions {
            background,
            light,
            level_of_detail_sink: Some(sink).filter(|_| state.view.request.level_of_detail),
            pixels_per_point: match purpose {
                FramePurpose::Window => surface.window().scale_factor() as f32,
                FramePurpose::Image => 1.0,
            },
            quality: if state.comparison.is_some() { Quality::Standard } else { state.view.request.quality },
        };
        let timings = gpu.draw(document, options, &mut surface.renderer, &mut surface.target)?;
        if !self.surface.renderer.has_skipped_frame() {
            self.draw_comparison(state, options, now)?;
        }
        Ok(timings)
    }

    /// Draws the second document with the first one's view and composites both.
    fn draw_comparison(
        &mut self,
        state: &mut AppState,
        options: FrameOptions<'_>,
        now: Instant,
    ) -> Result<(), AppError> {
        let (Some(first), Some(comparison)) = (&state.document, &mut state.comparison) else { return Ok(()) };
        comparison.sync_from(first);
        let visible_file = comparison.visible_file(now);
        let (Some(second), Some(gpu)) = (&mut comparison.document, &mut self.second) else {
            self.surface.comparison_target = None;
            return Ok(());
        };
        let size = self.surface.target_size();
        let has_size = |target: &Target, size: [u32; 2]| [target.width(), target.height()] == size;
        let mut target = match self.second_target.take().filter(|target| has_size(target, size)) {
            Some(target) => target,
            None => {
                gpu.invalidate();
                self.surface.new_target(size)?
            }
        };
        second.debug_view = second.view_request(&state.view, second.matching_joint(first));
        gpu.draw(second, options, &mut self.surface.renderer, &mut target)?;
        if self.surface.renderer.has_skipped_frame() {
            self.second_target = Some(target);
            return Ok(());
        }
        let [_, _, width, height] = self.surface.viewport_rect;
        let former = self.surface.comparison_target.take().filter(|target| has_size(target, [width, height]));
        let mut composite = match former {
            Some(composite) => composite,
            None => self.surface.new_target([width, height])?,
        };
        let targets = [&self.surface.target, &target];
        if comparison.places_split {
            self.surface.renderer.compare(targets, Comparison::Difference, &mut composite)?;
            comparison.place_split(&composite.read_rgba()?, width as usize);
        }
        let mode = match (comparison.mode, visible_file) {
            (CompareMode::Difference, _) => Comparison::Difference,
            (CompareMode::SideBySide, _) => Comparison::SideBySide,
            (_, Some(0)) => Comparison::Split(f32::INFINITY),
            (_, Some(_)) => Comparison::Split(0.0),
            (_, None) => Comparison::Split((comparison.split * f64::from(size[0])).round() as f32),
        };
        self.surface.renderer.compare(targets, mode, &mut composite)?;
        (self.second_target, self.surface.comparison_target) = (Some(target), Some(composite));
        Ok(())
    }

    /// Returns `true` if the still image gains quality with the next frame.
    pub(crate) fn needs_redraw(&self) -> bool {
        self.surface.renderer.has_skipped_frame()
            || self.document.iter().chain(&self.second).any(GpuDocument::needs_redraw)
    }

    /// Presents the visible image with the panels around it. Returns the CPU time of painting the panels.
    pub(crate) fn present(&mut self) -> Result<Duration, AppError> {
        self.surface.blit();
        let painting = Clock::start();
        // egui calls functions of its own.
        let functions = self.surface.gl_window.gpu().functions();
        self.gui.paint(self.surface.gl_window.size());
        drop(functions);
        let paint = painting.elapsed(Clock::ThreadCpu);
        self.surface.gl_window.swap()?;
        Ok(paint)
    }
}
