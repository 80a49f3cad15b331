//! `rigview info --gpu`.

use crate::app::AppError;
use crate::app::console::report::{self, Lines};
use rigview_render::gpu::{GpuInfo, Limits};
use rigview_render::platform::headless::Headless;
use serde::Serialize;

#[derive(Serialize)]
struct GpuReport {
    /// Devices that can be chosen by `RIGVIEW_EGL_DEVICE`, in order; empty on systems without a choice.
    devices: Vec<String>,
    #[serde(flatten)]
    gpu: GpuInfo,
}

/// Prints a description of the device that images are drawn on.
pub(super) fn report(as_json: bool) -> Result<(), AppError> {
    let headless = Headless::new()?;
    let report = GpuReport { devices: Headless::devices(), gpu: headless.gpu().info() };
    if as_json { report::json(&report) } else { report::lines(&report.lines()) }
}

impl GpuReport {
    fn lines(&self) -> Lines {
        let GpuInfo {
            vendor,
            renderer,
            version,
            glsl_version,
            device_type,
            limits,
            program_binary_formats,
            extensions,
        } = &self.gpu;
        let Limits { samples, texture_size, array_layers, buffer_texels, uniform_alignment, anisotropy } = limits;
        let mut out = Lines::default();
        let mut line = |name: &str, value: &dyn std::fmt::Display| out.push(format_args!("{name:<24}{value}"));
        for device in &self.devices {
            line("device", device);
        }
        line("vendor", vendor);
        line("renderer", renderer);
        line("device type", &format!("{device_type:?}").to_lowercase());
        line("OpenGL", version);
        line("GLSL", glsl_version);
        line("samples per pixel", samples);
        line("texture size", texture_size);
        line("array layers", array_layers);
        line("buffer texels", buffer_texels);
        line("uniform alignment", uniform_alignment);
        line("anisotropy", anisotropy);
        line("program binary formats", program_binary_formats);
        line("extensions", &extensions.join(" "));
        out
    }
}
