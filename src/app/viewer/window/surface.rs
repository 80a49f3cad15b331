//! The window with all that draws on it.

use crate::app::AppError;
use crate::app::console::report;
use crate::app::cpu_time::Clock;
use crate::app::viewer::ui::Gui;
use crate::import::BlockSupport;
use crate::model::Model;
use crate::palette::{MatrixFormat, Palette, PaletteLayout};
use crate::platform::window::GlWindowContext;
use crate::render::{GpuModel, RenderOptions, Renderer, Target};
use crate::scene::{Background, Camera, DebugView, Frame, Lighting};
use nalgebra::Vector3;
use std::time::{Duration, Instant};
use winit::event_loop::ActiveEventLoop;

/// A new window waits this long for a model before it shows itself empty.
const EMPTY_REVEAL_DELAY: Duration = Duration::from_millis(300);

/// A window with all that draws on it; the context goes last.
pub(crate) struct WindowSurface {
    /// What is drawn while there is no model.
    empty_model: GpuModel,
    pub(crate) target: Target,
    /// What is shown in place of the target's picture: two files put together.
    pub(crate) comparison_target: Option<Target>,
    /// Where the target is shown: `[left, top, width, height]` in pixels of the window.
    pub(crate) place: [u32; 4],
    pub(crate) renderer: Renderer,
    pub(crate) gui: Gui,
    pub(crate) gl_window: GlWindowContext,
    samples: u32,
    made_at: Instant,
    /// Whether it shows itself.
    visible: bool,
    /// Whether the last picture was drawn before there was a place for it on screen.
    present_pending: bool,
}

impl WindowSurface {
    /// A window that does not show itself yet; `size` in units of the display's scale.
    pub(crate) fn new(event_loop: &ActiveEventLoop, size: [f64; 2], samples: u32) -> Result<Self, AppError> {
        let gl_window = GlWindowContext::new(event_loop, "rigview", size)?;
        let mut renderer = Renderer::new(gl_window.gpu(), RenderOptions::default())?;
        renderer.enable_gpu_timer()?;
        let [width, height] = gl_window.size();
        let target = Target::new(gl_window.gpu(), width, height, samples)?;
        if target.samples() != samples {
            report::notice(format_args!("--samples {samples} is not to be had here; {} it is", target.samples()));
        }
        let empty_model = renderer.upload(&Model::default(), &PaletteLayout::default())?;
        let gui = Gui::new(&gl_window)?;
        Ok(Self {
            empty_model,
            target,
            comparison_target: None,
            place: [0, 0, width, height],
            renderer,
            gui,
            gl_window,
            samples,
            made_at: Instant::now(),
            visible: false,
            present_pending: false,
        })
    }

    /// What its GPU samples besides texels.
    pub(crate) fn block_support(&self) -> BlockSupport {
        let gpu = self.gl_window.gpu();
        BlockSupport { formats: gpu.hardware_compressed_formats(), side: gpu.limits().texture_size }
    }

    /// Width by height of the picture.
    pub(crate) fn aspect(&self) -> f64 {
        f64::from(self.target.width()) / f64::from(self.target.height())
    }

    /// When it shows itself even without a model; `None` once it does.
    pub(crate) fn reveal_deadline(&self) -> Option<Instant> {
        (!self.visible).then(|| self.made_at + EMPTY_REVEAL_DELAY)
    }

    /// Shows itself. The first picture should have been drawn, so that nothing else flashes up.
    pub(crate) fn show(&mut self) {
        (self.visible, self.present_pending) = (true, true);
        self.gl_window.window().set_visible(true);
    }

    /// Makes the target as large as its place; the shape that it had, if it was another.
    pub(crate) fn fit_target(&mut self) -> Result<Option<f64>, AppError> {
        let [_, _, width, height] = self.place;
        if [self.target.width(), self.target.height()] == [width, height] {
            return Ok(None);
        }
        let aspect_before = self.aspect();
        self.target = self.new_target([width, height])?;
        Ok(Some(aspect_before))
    }

    /// Another target like the screen's own, of this size.
    pub(crate) fn new_target(&self, [width, height]: [u32; 2]) -> Result<Target, AppError> {
        Ok(Target::new(self.gl_window.gpu(), width, height, self.samples)?)
    }

    /// The picture that is shown.
    pub(crate) fn picture(&self) -> &Target {
        self.comparison_target.as_ref().unwrap_or(&self.target)
    }

    /// Shows the picture that was drawn before the window showed itself, if nobody has seen it yet.
    pub(crate) fn present_pending(&mut self) -> Result<(), AppError> {
        if self.visible && std::mem::take(&mut self.present_pending) {
            self.present()?;
        }
        Ok(())
    }

    /// Shows what was drawn onto the target, with the panels around it; how long painting these took.
    pub(crate) fn present(&mut self) -> Result<Duration, AppError> {
        let [left, top, width, height] = self.place;
        let bottom = self.gl_window.size()[1].saturating_sub(top + height);
        self.picture().blit_to_screen([left, bottom, width, height]);
        let painting = Clock::start();
        self.gui.paint(self.gl_window.size());
        let paint = painting.elapsed(Clock::Cpu);
        self.gl_window.swap()?;
        Ok(paint)
    }

    /// Draws the backdrop alone.
    pub(crate) fn draw_empty(&mut self, background: Background) -> Result<(), AppError> {
        let layout = PaletteLayout::default();
        let palette = Palette::new(&layout, MatrixFormat::default());
        let camera = Camera::look_at(Vector3::z(), Vector3::zeros(), 1.0);
        let frame = Frame {
            layout: &layout,
            palette: &palette,
            other_crowds: &[],
            camera,
            lighting: &Lighting::default(),
            background,
            debug_view: DebugView::default(),
        };
        Ok(self.renderer.draw(&[&self.empty_model], &frame, &mut self.target)?)
    }
}
