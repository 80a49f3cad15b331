//! Description of a context.

use super::{DeviceType, Gpu, Limits};
use glow::HasContext;
use serde::Serialize;

/// Driver, limits and extensions of a context.
#[derive(Clone, Debug, Serialize)]
pub struct GpuInfo {
    /// `GL_VENDOR`.
    pub vendor: String,
    /// `GL_RENDERER`.
    pub renderer: String,
    /// `GL_VERSION`.
    pub version: String,
    /// `GL_SHADING_LANGUAGE_VERSION`.
    pub glsl_version: String,
    /// Draws on the CPU or on a GPU.
    pub device_type: DeviceType,
    /// Limits.
    pub limits: Limits,
    /// Formats of program binaries; without one, programs are compiled at each start.
    pub program_binary_formats: u32,
    /// `GL_EXTENSIONS`, sorted.
    pub extensions: Vec<String>,
}

impl Gpu {
    /// Describes the context.
    pub fn info(&self) -> GpuInfo {
        let gl = self.functions();
        // SAFETY: the `Gpu` invariant; GL 3.3 defines these queries.
        let text = |name| unsafe { gl.get_parameter_string(name) };
        let mut extensions: Vec<String> = gl.supported_extensions().iter().cloned().collect();
        extensions.sort();
        GpuInfo {
            vendor: text(glow::VENDOR),
            renderer: self.renderer.clone(),
            version: self.version.clone(),
            glsl_version: text(glow::SHADING_LANGUAGE_VERSION),
            device_type: self.device_type,
            limits: self.limits,
            program_binary_formats: self.program_binary_formats(),
            extensions,
        }
    }
}
