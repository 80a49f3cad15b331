//! A context without a window, for pictures and tests.

#[cfg(all(unix, not(target_vendor = "apple")))]
pub use egl::Headless;
#[cfg(not(all(unix, not(target_vendor = "apple"))))]
pub use unsupported::Headless;

/// EGL's device platform: it needs neither a display server nor a window.
#[cfg(all(unix, not(target_vendor = "apple")))]
mod egl {
    use crate::gpu::Gpu;
    use crate::platform::{PlatformError, create_context_with_fallback};
    use glutin::api::egl::context::{NotCurrentContext, PossiblyCurrentContext};
    use glutin::api::egl::device::Device;
    use glutin::api::egl::display::Display;
    use glutin::api::egl::surface::Surface;
    use glutin::config::{Api, ConfigSurfaceTypes, ConfigTemplateBuilder};
    use glutin::display::GlDisplay;
    use glutin::prelude::NotCurrentGlContext;
    use glutin::surface::{PbufferSurface, SurfaceAttributesBuilder};
    use std::num::NonZeroU32;
    use std::rc::Rc;

    /// Number of the EGL device to use, in EGL's order; without it the first that works is taken.
    const DEVICE_VARIABLE: &str = "RIGVIEW_EGL_DEVICE";

    /// A context without a window, current on the thread that made it.
    ///
    /// Whatever is drawn with [`gpu`](Self::gpu) goes before this does. One a thread: a second one becomes current
    /// instead of the first.
    pub struct Headless {
        // In drop order: the functions go before the context, and the context before its surface.
        gpu: Rc<Gpu>,
        _context: PossiblyCurrentContext,
        _surface: Option<Surface<PbufferSurface>>,
    }

    impl Headless {
        /// Makes a context on the first EGL device that gives OpenGL 3.3 core, or on the one that the environment
        /// variable `RIGVIEW_EGL_DEVICE` numbers.
        ///
        /// # Errors
        /// When no device does; the text names each and what to install.
        pub fn new() -> Result<Self, PlatformError> {
            let devices: Vec<Device> =
                Device::query_devices().map_err(|error| PlatformError::NoEgl { reason: error.to_string() })?.collect();
            let asked = std::env::var(DEVICE_VARIABLE).ok();
            let numbers = match &asked {
                None => 0..devices.len(),
                Some(asked) => match asked.parse::<usize>() {
                    Ok(number) if number < devices.len() => number..number + 1,
                    _ => {
                        return Err(PlatformError::NoSuchDevice {
                            asked: asked.clone(),
                            count: devices.len(),
                            devices: (0..).zip(&devices).map(|(number, device)| describe(number, device)).collect(),
                        });
                    }
                },
            };
            let mut tried = Vec::new();
            for number in numbers {
                match Self::on_device(&devices[number]) {
                    Ok(headless) => return Ok(headless),
                    Err(reason) => tried.push(format!("{}: {reason}", describe(number, &devices[number]))),
                }
            }
            Err(PlatformError::NoDevice { tried })
        }

        /// The current context's functions.
        pub fn gpu(&self) -> &Rc<Gpu> {
            &self.gpu
        }

        fn on_device(device: &Device) -> Result<Self, String> {
            // SAFETY: without a raw display handle there is nothing that could be invalid.
            let display = unsafe { Display::with_device(device, None) }.map_err(|e| format!("no display: {e}"))?;
            let (context, surface) = current_context(&display)?;
            // SAFETY: the context is current, and the display is the one that it came from.
            let gpu = unsafe { Gpu::new(|name| display.get_proc_address(name).cast()) }.map_err(|e| e.to_string())?;
            Ok(Self { gpu, _context: context, _surface: surface })
        }
    }

    /// A current context, without a surface where the driver can, else with one of a pixel.
    fn current_context(display: &Display) -> Result<(PossiblyCurrentContext, Option<Surface<PbufferSurface>>), String> {
        // The default template asks for windows, which a device does not have.
        let (context, _) = new_context(display, ConfigSurfaceTypes::empty())?;
        let surfaceless_error = match context.make_current_surfaceless() {
            Ok(context) => return Ok((context, None)),
            Err(error) => error,
        };
        let (context, config) = new_context(display, ConfigSurfaceTypes::PBUFFER)
            .map_err(|e| format!("neither without a surface ({surfaceless_error}) nor with one: {e}"))?;
        let attributes = SurfaceAttributesBuilder::<PbufferSurface>::new().build(NonZeroU32::MIN, NonZeroU32::MIN);
        // SAFETY: a pbuffer has no native window that could go away.
        let surface = unsafe { display.create_pbuffer_surface(&config, &attributes) }
            .map_err(|e| format!("neither without a surface ({surfaceless_error}) nor with one: {e}"))?;
        let context = context.make_current(&surface).map_err(|e| format!("cannot be made current: {e}"))?;
        Ok((context, Some(surface)))
    }

    fn new_context(
        display: &Display,
        surfaces: ConfigSurfaceTypes,
    ) -> Result<(NotCurrentContext, glutin::api::egl::config::Config), String> {
        // The default asks for OpenGL ES; a driver may then give just that.
        let template = ConfigTemplateBuilder::new().with_surface_type(surfaces).with_api(Api::OPENGL).build();
        // SAFETY: the template names no native window.
        let config = unsafe { display.find_configs(template) }
            .map_err(|e| format!("no configurations: {e}"))?
            .next()
            .ok_or("no configuration for desktop OpenGL")?;
        // SAFETY: the attributes name no native window and no context to share with.
        let context = create_context_with_fallback(|attributes| unsafe {
            display.create_context(&config, &attributes.build(None))
        })
        .map_err(|e| format!("no OpenGL 3.3 core context: {e}"))?;
        Ok((context, config))
    }

    /// What is known of a device; many drivers tell neither name nor vendor.
    fn describe(number: usize, device: &Device) -> String {
        let kind = if device.extensions().contains("EGL_MESA_device_software") { "software" } else { "hardware" };
        match (device.vendor(), device.name()) {
            (Some(vendor), Some(name)) => format!("device {number} ({vendor} {name})"),
            (None, Some(name)) | (Some(name), None) => format!("device {number} ({name})"),
            (None, None) => match device.drm_device_node_path() {
                Some(path) => format!("device {number} ({kind}, {})", path.display()),
                None => format!("device {number} ({kind})"),
            },
        }
    }
}

/// Systems without EGL: a picture needs a window there.
#[cfg(not(all(unix, not(target_vendor = "apple"))))]
mod unsupported {
    use crate::gpu::Gpu;
    use crate::platform::PlatformError;
    use std::convert::Infallible;
    use std::rc::Rc;

    /// A context without a window, which this system cannot give.
    pub struct Headless {
        never: Infallible,
    }

    impl Headless {
        /// Always fails here.
        ///
        /// # Errors
        /// Always.
        pub fn new() -> Result<Self, PlatformError> {
            Err(PlatformError::HeadlessUnsupported)
        }

        /// The current context's functions.
        pub fn gpu(&self) -> &Rc<Gpu> {
            match self.never {}
        }
    }
}
