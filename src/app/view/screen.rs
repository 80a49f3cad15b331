//! The window with all that draws on it.

use super::WINDOW_SIZE;
use crate::app::{AppError, report};
use crate::model::Model;
use crate::palette::{Packing, Palette, PaletteLayout};
use crate::platform::window::GlWindowContext;
use crate::render::{GpuModel, RenderOptions, Renderer, Target};
use crate::scene::{Background, Camera, Frame, Lighting};
use nalgebra::Vector3;
use winit::event_loop::ActiveEventLoop;

/// A window with all that draws on it; the context goes last.
pub(super) struct Screen {
    /// What is drawn while there is no model.
    pub(super) nothing: GpuModel,
    pub(super) target: Target,
    pub(super) renderer: Renderer,
    pub(super) gl_window: GlWindowContext,
}

impl Screen {
    pub(super) fn new(event_loop: &ActiveEventLoop, title: &str, samples: u32) -> Result<Self, AppError> {
        let gl_window = GlWindowContext::new(event_loop, title, WINDOW_SIZE)?;
        let renderer = Renderer::new(gl_window.gpu(), RenderOptions::default())?;
        let [width, height] = gl_window.size();
        let target = Target::new(gl_window.gpu(), width, height, samples)?;
        if target.samples() != samples {
            report::notice(format_args!("--samples {samples} is not to be had here; {} it is", target.samples()));
        }
        let nothing = renderer.upload(&Model::default(), &PaletteLayout::default())?;
        Ok(Self { nothing, target, renderer, gl_window })
    }

    pub(super) fn aspect(&self) -> f64 {
        let [width, height] = self.gl_window.size();
        f64::from(width) / f64::from(height)
    }

    /// Draws the backdrop alone.
    pub(super) fn draw_nothing(&mut self) -> Result<(), AppError> {
        let layout = PaletteLayout::default();
        let palette = Palette::new(&layout, Packing::default());
        let camera = Camera::look_at(Vector3::z(), Vector3::zeros(), 1.0);
        let frame = Frame {
            layout: &layout,
            palette: &palette,
            camera,
            lighting: &Lighting::Studio,
            background: Background::Studio,
        };
        Ok(self.renderer.draw(&self.nothing, &frame, &mut self.target)?)
    }
}
