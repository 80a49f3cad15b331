//! Headless contexts by WGL, on a window that is never shown.

use super::hidden_window::HiddenWindow;
use crate::gpu::{DriverLock, DropUnderLock, Gpu};
use crate::platform::{PlatformError, create_context_with_fallback};
use glutin::api::wgl::context::PossiblyCurrentContext;
use glutin::api::wgl::display::Display;
use glutin::api::wgl::surface::Surface;
use glutin::config::{Api, ConfigTemplateBuilder};
use glutin::display::GlDisplay;
use glutin::prelude::NotCurrentGlContext;
use glutin::surface::{SurfaceAttributesBuilder, WindowSurface};
use std::num::NonZeroU32;
use std::rc::Rc;
use winit::raw_window_handle::{RawDisplayHandle, WindowsDisplayHandle};

/// A headless context, current on the thread that created it.
///
/// Objects created with [`gpu`](Self::gpu) must be dropped first. A second context on the same thread replaces the
/// first as current. Several threads may have contexts; those of a software renderer run one at a time.
pub struct Headless {
    // In drop order: GL functions, context, surface, window.
    gpu: Rc<Gpu>,
    _context: DropUnderLock<PossiblyCurrentContext>,
    _surface: DropUnderLock<Surface<WindowSurface>>,
    _window: HiddenWindow,
}

impl Headless {
    /// Creates a context of the driver of the primary display.
    ///
    /// # Errors
    /// When the driver does not support OpenGL 3.3 core.
    pub fn new() -> Result<Self, PlatformError> {
        let window = HiddenWindow::new().map_err(PlatformError::no_headless)?;
        let handle = window.handle();
        let lock = DriverLock::new();
        // SAFETY: `handle` is that of a live window, with the module of its class. The window outlives surface and
        // context (field order).
        let (display, context, surface) = unsafe {
            let display = Display::new(RawDisplayHandle::Windows(WindowsDisplayHandle::new()), Some(handle))
                .map_err(PlatformError::no_headless)?;
            let template =
                ConfigTemplateBuilder::new().with_api(Api::OPENGL).compatible_with_native_window(handle).build();
            let config = display
                .find_configs(template)
                .map_err(PlatformError::no_headless)?
                .next()
                .ok_or_else(|| PlatformError::no_headless("no pixel format for OpenGL"))?;
            let context = create_context_with_fallback(|attributes| {
                display.create_context(&config, &attributes.build(Some(handle)))
            })
            .map_err(PlatformError::no_headless)?;
            let attributes =
                SurfaceAttributesBuilder::<WindowSurface>::new().build(handle, NonZeroU32::MIN, NonZeroU32::MIN);
            let surface = display.create_window_surface(&config, &attributes).map_err(PlatformError::no_headless)?;
            (display, context, surface)
        };
        let context = context.make_current(&surface).map_err(PlatformError::no_headless)?;
        // SAFETY: the context is current on this thread and belongs to this display. `Self` keeps it alive and current,
        // and drops it after `gpu`.
        let gpu = unsafe { Gpu::new(|name| display.get_proc_address(name).cast()) }?;
        Ok(Self {
            gpu,
            _context: DropUnderLock::new(&lock, context),
            _surface: DropUnderLock::new(&lock, surface),
            _window: window,
        })
    }

    /// Describes the devices to choose from: none, since the system chooses.
    pub fn devices() -> Vec<String> {
        Vec::new()
    }

    /// Returns the GL context.
    pub fn gpu(&self) -> &Rc<Gpu> {
        &self.gpu
    }
}
