//! Window surface: the GL window with its renderer and render targets.

use crate::app::AppError;
use crate::app::console::report;
use crate::app::files::caches::cache_programs;
use crate::app::notices::samples_notice;
use crate::app::viewer::state::comparison::pane_width;
use nalgebra::Vector3;
use rigview_core::import::SupportedBlockFormats;
use rigview_core::model::Model;
use rigview_core::palette::{MatrixFormat, Palette, PaletteLayout};
use rigview_render::gpu::DeviceType;
use rigview_render::platform::window::GlWindowContext;
use rigview_render::render::{GpuModel, RenderOptions, Renderer, Target};
use rigview_render::scene::{Background, Camera, DebugView, Frame, Lighting};
use std::time::{Duration, Instant};
use winit::dpi::PhysicalPosition;
use winit::event_loop::ActiveEventLoop;
use winit::window::{Fullscreen, Window};

/// A new window waits this long for a model before it is revealed empty.
const EMPTY_REVEAL_DELAY: Duration = Duration::from_millis(300);

/// Maximum anisotropy of textures on hardware. Software renderers take several times longer for it.
const MAX_ANISOTROPY: u32 = 16;

/// The fields drop in order; the GL context goes last.
pub(crate) struct WindowRenderer {
    /// Drawn while no file is open.
    empty_model: GpuModel,
    pub(crate) target: Target,
    /// Composite of two files, shown in place of `target`.
    pub(crate) comparison_target: Option<Target>,
    /// The viewport: `[left, top, width, height]` in pixels of the window.
    pub(crate) viewport_rect: [u32; 4],
    /// Two panes share the viewport. Each has the size of `target`.
    pub(crate) has_panes: bool,
    pub(crate) renderer: Renderer,
    pub(crate) gl_window: GlWindowContext,
    samples: u32,
    /// Maximum anisotropy of textures.
    pub(crate) anisotropy: u32,
    created_at: Instant,
    revealed: bool,
    /// The last frame was drawn before the window was visible.
    drawn_before_reveal: bool,
}

impl WindowRenderer {
    /// Creates a hidden window; `size` is in logical pixels.
    pub(crate) fn new(event_loop: &ActiveEventLoop, size: [f64; 2], samples: u32) -> Result<Self, AppError> {
        let gl_window = GlWindowContext::new(event_loop, "rigview", size)?;
        let target_size = gl_window.size();
        let surface = Self::in_window(gl_window, target_size, samples)?;
        report::notices(samples_notice(samples, surface.target.samples()).as_slice());
        Ok(surface)
    }

    /// Replaces a lost context. Its objects are gone.
    pub(crate) fn replace_context(self) -> Result<Self, AppError> {
        let Self { viewport_rect, has_panes, created_at, revealed, drawn_before_reveal, .. } = self;
        let target_size = self.target_size();
        let Self { empty_model, target, comparison_target, renderer, gl_window, samples, .. } = self;
        drop((empty_model, target, comparison_target, renderer));
        let replaced = Self::in_window(gl_window.replace_context()?, target_size, samples)?;
        Ok(Self { viewport_rect, has_panes, created_at, revealed, drawn_before_reveal, ..replaced })
    }

    fn in_window(gl_window: GlWindowContext, [width, height]: [u32; 2], samples: u32) -> Result<Self, AppError> {
        cache_programs(gl_window.gpu());
        gl_window.gpu().defer_deletion_of_models();
        let mut renderer = Renderer::new(gl_window.gpu(), RenderOptions::default())?;
        let is_hardware = gl_window.gpu().device_type() == DeviceType::Hardware;
        let anisotropy = if is_hardware { MAX_ANISOTROPY } else { 1 };
        renderer.set_texture_anisotropy(anisotropy);
        if is_hardware {
            renderer.draw_while_compiling();
        }
        let target = Target::new(gl_window.gpu(), width, height, samples)?;
        let empty_model = renderer.upload(&Model::default(), &PaletteLayout::default())?;
        Ok(Self {
            empty_model,
            target,
            comparison_target: None,
            viewport_rect: [0, 0, width, height],
            has_panes: false,
            renderer,
            gl_window,
            samples,
            anisotropy,
            created_at: Instant::now(),
            revealed: false,
            drawn_before_reveal: false,
        })
    }

    pub(crate) fn window(&self) -> &Window {
        self.gl_window.window()
    }

    /// Block-compressed texture formats of the GPU.
    pub(crate) fn supported_block_formats(&self) -> SupportedBlockFormats {
        let gpu = self.gl_window.gpu();
        SupportedBlockFormats { formats: gpu.hardware_compressed_formats(), max_dimension: gpu.limits().texture_size }
    }

    /// The viewport or its first pane: `[left, top, width, height]` in pixels of the window.
    pub(crate) fn first_pane(&self) -> [u32; 4] {
        let [left, top, width, height] = self.viewport_rect;
        [left, top, if self.has_panes { pane_width(width) } else { width }, height]
    }

    /// The viewport, or the pane at this position: `[left, top, width, height]` in pixels of the window.
    pub(crate) fn pane_at(&self, position: Option<PhysicalPosition<f64>>) -> [u32; 4] {
        let [left, top, viewport_width, _] = self.viewport_rect;
        let [_, _, width, height] = self.first_pane();
        let second_left = left + viewport_width.saturating_sub(width);
        match position {
            Some(position) if position.x >= f64::from(second_left) => [second_left, top, width, height],
            _ => [left, top, width, height],
        }
    }

    /// Width over height of the viewport or of each pane.
    pub(crate) fn aspect(&self) -> f64 {
        f64::from(self.target.width()) / f64::from(self.target.height())
    }

    /// Width and height of the viewport or of each pane in pixels.
    pub(crate) fn target_size(&self) -> [u32; 2] {
        [self.target.width(), self.target.height()]
    }

    /// The time to reveal the window even without a model; `None` once it is visible.
    pub(crate) fn reveal_deadline(&self) -> Option<Instant> {
        (!self.revealed).then(|| self.created_at + EMPTY_REVEAL_DELAY)
    }

    /// Shows the window. Call it after the first frame, so that nothing flashes.
    pub(crate) fn reveal(&mut self) {
        (self.revealed, self.drawn_before_reveal) = (true, true);
        self.window().set_visible(true);
    }

    /// Resizes the target to the viewport or pane. Returns the previous aspect ratio if the size changed.
    pub(crate) fn fit_target(&mut self) -> Result<Option<f64>, AppError> {
        let [_, _, width, height] = self.first_pane();
        if self.target_size() == [width, height] {
            return Ok(None);
        }
        let aspect_before = self.aspect();
        self.target.resize(width, height)?;
        Ok(Some(aspect_before))
    }

    pub(crate) fn new_target(&self, [width, height]: [u32; 2]) -> Result<Target, AppError> {
        Ok(Target::new(self.gl_window.gpu(), width, height, self.samples)?)
    }

    /// The visible image.
    pub(crate) fn image(&self) -> &Target {
        self.comparison_target.as_ref().unwrap_or(&self.target)
    }

    /// Returns `true` once after the window was revealed: its last frame must be presented again.
    pub(crate) fn take_pending_present(&mut self) -> bool {
        self.revealed && std::mem::take(&mut self.drawn_before_reveal)
    }

    /// Copies the visible image to the window.
    pub(crate) fn blit(&self) {
        let [left, top, width, height] = self.viewport_rect;
        let bottom = self.gl_window.size()[1].saturating_sub(top + height);
        self.image().blit_to_screen([left, bottom, width, height]);
    }

    /// Draws the background without a model.
    pub(crate) fn draw_empty(&mut self, background: Background) -> Result<(), AppError> {
        let layout = PaletteLayout::default();
        let palette = Palette::new(&layout, MatrixFormat::default());
        let frame = Frame {
            layout: &layout,
            palette: &palette,
            detail: None,
            other_crowds: &[],
            camera: Camera::look_at(Vector3::z(), Vector3::zeros(), 1.0),
            lighting: &Lighting::default(),
            background,
            debug_view: DebugView::default(),
        };
        Ok(self.renderer.draw(&[&self.empty_model], &frame, &mut self.target)?)
    }

    /// Returns `false` if the window does not fill the screen.
    pub(crate) fn leave_full_screen(&self) -> bool {
        let is_full = self.window().fullscreen().is_some();
        self.window().set_fullscreen(None);
        is_full
    }

    pub(crate) fn toggle_full_screen(&self) {
        let full_screen = self.window().fullscreen().is_none().then_some(Fullscreen::Borderless(None));
        self.window().set_fullscreen(full_screen);
    }
}

/// Returns `true` on Wayland, where winit does not report dropped files.
pub(crate) fn is_wayland(event_loop: &ActiveEventLoop) -> bool {
    #[cfg(all(unix, not(target_vendor = "apple")))]
    {
        use winit::platform::wayland::ActiveEventLoopExtWayland;
        event_loop.is_wayland()
    }
    #[cfg(not(all(unix, not(target_vendor = "apple"))))]
    {
        let _ = event_loop;
        false
    }
}
