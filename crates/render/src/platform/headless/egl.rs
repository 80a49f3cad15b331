//! Headless contexts by the EGL device platform, which needs no display server.

use crate::gpu::{DriverLock, DropUnderLock, Gpu};
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

/// The EGL device to use: its index, or part of its description; by default the first that works.
const DEVICE_VARIABLE: &str = "RIGVIEW_EGL_DEVICE";

/// A headless context, current on the thread that created it.
///
/// Objects created with [`gpu`](Self::gpu) must be dropped first. A second context on the same thread replaces the
/// first as current. Several threads may have contexts; those of a software renderer run one at a time.
pub struct Headless {
    // In drop order: GL functions, context, surface.
    gpu: Rc<Gpu>,
    _context: DropUnderLock<PossiblyCurrentContext>,
    _surface: DropUnderLock<Option<Surface<PbufferSurface>>>,
}

impl Headless {
    /// Creates a context on the first EGL device that supports OpenGL 3.3 core, of those that `RIGVIEW_EGL_DEVICE` chooses
    /// by an index or a part of their description.
    ///
    /// # Errors
    /// When no device does; the message lists each device and the packages to install.
    pub fn new() -> Result<Self, PlatformError> {
        let devices: Vec<Device> =
            Device::query_devices().map_err(|error| PlatformError::NoEgl { reason: error.to_string() })?.collect();
        let names: Vec<String> = (0..).zip(&devices).map(|(number, device)| describe(number, device)).collect();
        let requested = std::env::var(DEVICE_VARIABLE).ok();
        let chosen = chosen_devices(&names, requested.as_deref());
        if let (Some(requested), true) = (requested, chosen.is_empty()) {
            return Err(PlatformError::NoSuchDevice { requested, devices: names });
        }
        let mut tried = Vec::new();
        for number in chosen {
            match Self::on_device(&devices[number]) {
                Ok(headless) => return Ok(headless),
                Err(reason) => tried.push(format!("{}: {reason}", names[number])),
            }
        }
        Err(PlatformError::NoDevice { tried })
    }

    /// Describes the EGL devices, in the order of `RIGVIEW_EGL_DEVICE`.
    pub fn devices() -> Vec<String> {
        let devices = Device::query_devices().into_iter().flatten();
        devices.enumerate().map(|(number, device)| describe(number, &device)).collect()
    }

    /// Returns the GL context.
    pub fn gpu(&self) -> &Rc<Gpu> {
        &self.gpu
    }

    fn on_device(device: &Device) -> Result<Self, String> {
        let lock = DriverLock::new();
        // SAFETY: there is no raw display handle.
        let display = unsafe { Display::with_device(device, None) }.map_err(|e| format!("no display: {e}"))?;
        let (context, surface) = current_context(&display)?;
        // SAFETY: the context is current on this thread and belongs to this display. `Self` keeps it alive and
        // current, and drops it after `gpu`.
        let gpu = unsafe { Gpu::new(|name| display.get_proc_address(name).cast()) }.map_err(|e| e.to_string())?;
        Ok(Self { gpu, _context: DropUnderLock::new(&lock, context), _surface: DropUnderLock::new(&lock, surface) })
    }
}

/// Makes a context current: without a surface if supported, else with a pbuffer of one pixel.
fn current_context(display: &Display) -> Result<(PossiblyCurrentContext, Option<Surface<PbufferSurface>>), String> {
    // The default template requires window support.
    let (context, _) = new_context(display, ConfigSurfaceTypes::empty())?;
    let surfaceless_error = match context.make_current_surfaceless() {
        Ok(context) => return Ok((context, None)),
        Err(error) => error,
    };
    let (context, config) = new_context(display, ConfigSurfaceTypes::PBUFFER)
        .map_err(|e| format!("neither without a surface ({surfaceless_error}) nor with one: {e}"))?;
    let attributes = SurfaceAttributesBuilder::<PbufferSurface>::new().build(NonZeroU32::MIN, NonZeroU32::MIN);
    // SAFETY: a pbuffer has no native window.
    let surface = unsafe { display.create_pbuffer_surface(&config, &attributes) }
        .map_err(|e| format!("neither without a surface ({surfaceless_error}) nor with one: {e}"))?;
    let context = context.make_current(&surface).map_err(|e| format!("cannot be made current: {e}"))?;
    Ok((context, Some(surface)))
}

fn new_context(
    display: &Display,
    surfaces: ConfigSurfaceTypes,
) -> Result<(NotCurrentContext, glutin::api::egl::config::Config), String> {
    // The default template requests OpenGL ES.
    let template = ConfigTemplateBuilder::new().with_surface_type(surfaces).with_api(Api::OPENGL).build();
    // SAFETY: the template names no native window.
    let config = unsafe { display.find_configs(template) }
        .map_err(|e| format!("no configurations: {e}"))?
        .next()
        .ok_or("no configuration for desktop OpenGL")?;
    // SAFETY: the attributes name no native window and no context to share with.
    let context =
        create_context_with_fallback(|attributes| unsafe { display.create_context(&config, &attributes.build(None)) })
            .map_err(|e| format!("no OpenGL 3.3 core context: {e}"))?;
    Ok((context, config))
}

/// Returns the indices of the devices that the variable chooses.
fn chosen_devices(names: &[String], requested: Option<&str>) -> Vec<usize> {
    let Some(requested) = requested else { return (0..names.len()).collect() };
    let is_chosen = |number: &usize| match requested.parse::<usize>() {
        Ok(index) => *number == index,
        Err(_) => names[*number].to_lowercase().contains(&requested.to_lowercase()),
    };
    (0..names.len()).filter(is_chosen).collect()
}

/// Describes a device; many drivers report neither name nor vendor.
fn describe(number: usize, device: &Device) -> String {
    let kind = if device.extensions().contains("EGL_MESA_device_software") { "software" } else { "hardware" };
    let name = match (device.vendor(), device.name()) {
        (Some(vendor), Some(name)) => format!(", {vendor} {name}"),
        (None, Some(name)) | (Some(name), None) => format!(", {name}"),
        (None, None) => device.drm_device_node_path().map_or_else(String::new, |path| format!(", {}", path.display())),
    };
    format!("device {number} ({kind}{name})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_chosen_by_index_or_by_part_of_their_description() {
        let names = ["device 0 (hardware, NVIDIA)", "device 1 (hardware, /dev/dri/card0)", "device 2 (software)"]
            .map(str::to_owned);
        let chosen = |requested| chosen_devices(&names, requested);
        assert_eq!(chosen(None), [0, 1, 2]);
        assert_eq!([chosen(Some("1")), chosen(Some("nvidia")), chosen(Some("software"))], [[1], [0], [2]]);
        assert_eq!(chosen(Some("hardware")), [0, 1], "the first that works is used");
        for wrong in ["3", "-1", "intel"] {
            assert!(chosen(Some(wrong)).is_empty(), "{wrong}");
        }
    }
}
