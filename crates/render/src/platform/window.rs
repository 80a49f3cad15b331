//! A window with a current OpenGL context.

use super::{PlatformError, create_context_with_fallback};
use crate::gpu::{Fence, Gpu};
use glutin::config::{Api, Config, ConfigTemplateBuilder};
use glutin::context::PossiblyCurrentContext;
use glutin::display::{GetGlDisplay, GlDisplay};
use glutin::error::ErrorKind;
use glutin::prelude::{GlConfig, NotCurrentGlContext, PossiblyCurrentGlContext};
use glutin::surface::{GlSurface, Surface, SurfaceAttributesBuilder, SwapInterval, WindowSurface};
use glutin_winit::{ApiPreference, DisplayBuilder, GlWindow};
use std::cell::RefCell;
use std::num::NonZeroU32;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};
use winit::dpi::{LogicalSize, PhysicalSize};
use winit::event_loop::ActiveEventLoop;
use winit::raw_window_handle::HasWindowHandle;
use winit::window::{Icon, Window};

/// Largest part of the screen that a new window covers, per axis.
const MAX_SCREEN_FRACTION: f64 = 0.95;

/// Smaller screens are not plausible, in logical pixels.
const MIN_SCREEN_SIZE: f64 = 320.0;

/// On Windows an EGL library in the search path, such as AMD's or ANGLE's, may support OpenGL ES only.
const API_PREFERENCE: ApiPreference = if cfg!(windows) { ApiPreference::FallbackEgl } else { ApiPreference::PreferEgl };

/// A lost context is replaced so many times in [`LOSS_PERIOD`], and each replacement is attempted so many times.
const MAX_REPLACEMENTS: usize = 3;

const LOSS_PERIOD: Duration = Duration::from_secs(60);

/// Time between attempts to create a context after a reset.
const ATTEMPT_INTERVAL: Duration = Duration::from_secs(1);

/// Environment variable with a file. Once it exists, a window removes it, and its context counts as lost.
const LOSS_VARIABLE: &str = "RIGVIEW_LOSE_CONTEXT";

/// A window with its surface and OpenGL 3.3 context.
///
/// The context stays current on the thread that created it. Fields are dropped in order: GL objects, surface, context,
/// window.
pub struct GlWindowContext {
    /// End of the last presented frame.
    presented: RefCell<Option<Fence>>,
    gpu: Rc<Gpu>,
    surface: Surface<WindowSurface>,
    context: PossiblyCurrentContext,
    window: Window,
    config: Config,
    size: [u32; 2],
    /// Times at which a context was replaced.
    replacements: Vec<Instant>,
    /// The file of [`LOSS_VARIABLE`].
    loss_file: Option<PathBuf>,
}

/// What a window draws with, in the order of drops.
type GlParts = (Rc<Gpu>, Surface<WindowSurface>, PossiblyCurrentContext);

/// Panic payload that reports a display without configurations.
struct NoConfig;

impl GlWindowContext {
    /// Creates an invisible window with `title` and an inner size in logical pixels.
    pub fn new(event_loop: &ActiveEventLoop, title: &str, size: [f64; 2]) -> Result<Self, PlatformError> {
        let monitor = event_loop.primary_monitor().or_else(|| event_loop.available_monitors().next());
        let size = monitor.map_or(size, |monitor| {
            let screen: LogicalSize<f64> = monitor.size().to_logical(monitor.scale_factor());
            fit_to_screen(size, [screen.width, screen.height])
        });
        let attributes = Window::default_attributes()
            .with_title(title)
            .with_visible(false)
            .with_inner_size(LogicalSize::new(size[0], size[1]))
            .with_min_inner_size(LogicalSize::new(160.0, 120.0))
            .with_window_icon(program_icon());
        // The window needs neither depth nor samples: scenes have framebuffers of their own.
        let template = ConfigTemplateBuilder::new().with_api(Api::OPENGL).with_depth_size(0).with_stencil_size(0);
        let builder = DisplayBuilder::new().with_preference(API_PREFERENCE).with_window_attributes(Some(attributes));
        // The builder's callback cannot return an error, so it unwinds.
        let built = std::panic::catch_unwind(AssertUnwindSafe(|| {
            builder.build(event_loop, template, |configs| {
                pick_config(configs).unwrap_or_else(|| std::panic::resume_unwind(Box::new(NoConfig)))
            })
        }));
        let (window, config) = match built {
            Ok(Ok((Some(window), config))) => (window, config),
            Ok(Ok((None, _))) => return Err(PlatformError::no_window("the system created no window")),
            Ok(Err(error)) => return Err(PlatformError::no_window(error)),
            Err(panic) if panic.is::<NoConfig>() => {
                return Err(PlatformError::no_window("the display has no OpenGL configuration"));
            }
            Err(panic) => std::panic::resume_unwind(panic),
        };

        #[cfg(target_os = "macos")]
        super::color_space::keep_srgb(&window);
        let (gpu, surface, context) = create_parts(&window, &config)?;
        let PhysicalSize { width, height } = window.inner_size();
        Ok(Self {
            presented: RefCell::default(),
            gpu,
            surface,
            context,
            window,
            config,
            size: [width.max(1), height.max(1)],
            replacements: Vec::new(),
            loss_file: std::env::var_os(LOSS_VARIABLE).map(PathBuf::from),
        })
    }

    /// Replaces the lost context by a new one of the same window. All objects of the lost one are dropped before.
    ///
    /// # Errors
    /// When three attempts fail, or the third replacement in a minute is lost.
    pub fn replace_context(self) -> Result<Self, PlatformError> {
        let Self { presented, gpu, surface, context, window, config, size, mut replacements, loss_file } = self;
        let now = Instant::now();
        replacements.retain(|replaced| now.duration_since(*replaced) < LOSS_PERIOD);
        if replacements.len() >= MAX_REPLACEMENTS {
            return Err(gpu.lost("drawing in the window", " several times in a minute").into());
        }
        replacements.push(now);
        drop((presented, gpu));
        // A current context is not destroyed, and a window has one surface at a time.
        let _ = context.make_not_current();
        drop(surface);
        let mut attempts = 1;
        let (gpu, surface, context) = loop {
            match create_parts(&window, &config) {
                Ok(parts) => break parts,
                Err(error) if attempts == MAX_REPLACEMENTS => return Err(error),
                Err(_) => std::thread::sleep(ATTEMPT_INTERVAL),
            }
            attempts += 1;
        };
        let presented = RefCell::default();
        Ok(Self { presented, gpu, surface, context, window, config, size, replacements, loss_file })
    }

    /// Returns the GL context.
    pub fn gpu(&self) -> &Rc<Gpu> {
        &self.gpu
    }

    /// Returns the window.
    pub fn window(&self) -> &Window {
        &self.window
    }

    /// Returns the inner size in pixels, at least 1, as set by [`resize`](Self::resize).
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Sets the size from a window event. A closing window cannot be queried.
    pub fn resize(&mut self, size: PhysicalSize<u32>) {
        self.size = [size.width.max(1), size.height.max(1)];
        let [width, height] = self.size.map(|side| NonZeroU32::new(side).unwrap_or(NonZeroU32::MIN));
        self.surface.resize(&self.context, width, height);
    }

    /// Presents the frame, and waits until the GPU has drawn the one before. Input that is read afterwards is in the next frame, which
    /// is then at most two frames late.
    ///
    /// # Errors
    /// When the context is lost or out of memory.
    pub fn swap(&self) -> Result<(), PlatformError> {
        const DURING: &str = "drawing in the window";
        self.window.pre_present_notify();
        let _functions = self.gpu.functions();
        self.surface.swap_buffers(&self.context).map_err(|error| {
            // Whatever the reason, the surface shows nothing any more.
            let lost = self.gpu.lost(DURING, "");
            match error.error_kind() {
                ErrorKind::ContextLost => lost.into(),
                _ => PlatformError::no_window(error),
            }
        })?;
        if self.loss_file.as_ref().is_some_and(|file| std::fs::remove_file(file).is_ok()) {
            return Err(self.gpu.lost(DURING, "").into());
        }
        if let Some(before) = self.presented.replace(Some(Fence::new(&self.gpu)?)) {
            before.wait()?;
        }
        Ok(self.gpu.check_presented(DURING)?)
    }

    /// Returns the refresh interval of the display; 1/60 s if unknown.
    pub fn refresh_interval(&self) -> Duration {
        let rate_mhz = self.window.current_monitor().and_then(|monitor| monitor.refresh_rate_millihertz());
        Duration::from_secs_f64(1000.0 / f64::from(rate_mhz.filter(|&rate| rate >= 1000).unwrap_or(60_000)))
    }
}

/// Creates a surface of the window with a current context.
fn create_parts(window: &Window, config: &Config) -> Result<GlParts, PlatformError> {
    let display = config.display();
    let handle = window.window_handle().map_err(PlatformError::no_window)?.as_raw();
    let surface_attributes =
        window.build_surface_attributes(SurfaceAttributesBuilder::default()).map_err(PlatformError::no_window)?;
    // SAFETY: `handle` belongs to `window`, which outlives surface and context (the fields of the window's owner).
    let (surface, context) = unsafe {
        let context =
            create_context_with_fallback(|attributes| display.create_context(config, &attributes.build(Some(handle))))
                .map_err(PlatformError::no_window)?;
        let surface = display.create_window_surface(config, &surface_attributes).map_err(PlatformError::no_window)?;
        (surface, context)
    };
    let context = context.make_current(&surface).map_err(PlatformError::no_window)?;
    // Optional: the event loop paces frames otherwise.
    let _ = surface.set_swap_interval(&context, SwapInterval::Wait(NonZeroU32::MIN));
    // SAFETY: the context is current on this thread. The window's owner keeps it alive and current, and drops it after `gpu`.
    // The connection to the display server has a screen of its own; WGL has one per process.
    let gpu = unsafe { Gpu::new_serialized(|name| display.get_proc_address(name), cfg!(windows)) }?;
    Ok((gpu, surface, context))
}

/// Returns the icon that the build script embeds. winit's window class has none.
#[cfg(windows)]
fn program_icon() -> Option<Icon> {
    use winit::platform::windows::IconExtWindows;
    const RESOURCE_NUMBER: u16 = 1;
    Icon::from_resource(RESOURCE_NUMBER, None).ok()
}

/// Returns `None`: on other systems the icon comes from the desktop file or the bundle.
#[cfg(not(windows))]
fn program_icon() -> Option<Icon> {
    None
}

/// Picks the configuration with the fewest samples and the smallest depth and stencil buffers.
fn pick_config(configs: Box<dyn Iterator<Item = Config> + '_>) -> Option<Config> {
    configs.min_by_key(|config| (config.num_samples(), config.depth_size(), config.stencil_size()))
}

/// Limits the size of a new window, so that title bar and docks have room. Some systems report screens without a size.
fn fit_to_screen(size: [f64; 2], screen: [f64; 2]) -> [f64; 2] {
    if screen.iter().any(|side| *side < MIN_SCREEN_SIZE) {
        return size;
    }
    [0, 1].map(|axis| size[axis].min(MAX_SCREEN_FRACTION * screen[axis]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_is_smaller_than_the_screen() {
        assert_eq!(fit_to_screen([1280.0, 800.0], [1920.0, 1080.0]), [1280.0, 800.0]);
        assert_eq!(fit_to_screen([1280.0, 800.0], [1000.0, 700.0]), [950.0, 665.0]);
        assert_eq!(fit_to_screen([1280.0, 800.0], [0.0, 0.0]), [1280.0, 800.0]);
    }
}
