//! Typed wrappers of OpenGL 3.3 core objects, state and draw calls. Contains the unsafe code of rendering.
//!
//! A wrapper consists of an id, the shared [`Gpu`] and a fixed description. `new` returns a result; `Drop` deletes the
//! object.
#![allow(unsafe_code, reason = "OpenGL is called through function pointers; the safety invariant is stated on `Gpu`")]

mod buffer;
mod channels;
mod cube_texture;
mod data_texture;
mod deletion;
mod depth_map;
mod driver_lock;
mod error;
mod error_check;
#[cfg(test)]
mod fake_driver;
#[cfg(test)]
pub(crate) mod fault_injection;
mod fence;
mod framebuffer;
mod info;
mod object;
mod pass_timer;
mod program;
mod render_texture;
mod shader_source;
mod state;
mod texture;
mod timer;
mod vertex_array;
mod visibility_query;
mod volume_texture;
mod warm_up;

pub use driver_lock::GlGuard;
pub use error::{GpuError, INSTALL_DRIVER};

pub use buffer::Buffer;
pub use channels::Channels;
pub(crate) use cube_texture::CubeTexture;
pub(crate) use data_texture::{ArrayTexture, DoubleBufferedTexture};
pub(crate) use depth_map::DepthMap;
pub(crate) use driver_lock::DriverLock;
#[cfg(not(target_os = "macos"))]
pub(crate) use driver_lock::DropUnderLock;
pub use fence::Fence;
pub(crate) use framebuffer::{Attachments, DepthBuffer, Framebuffer};
pub use info::GpuInfo;
pub(crate) use pass_timer::PassTimer;
pub(crate) use program::{Program, ProgramSource};
pub(crate) use render_texture::RenderTexture;
pub(crate) use shader_source::ShaderSource;
pub(crate) use state::{Blending, Culling, DrawState};
pub(crate) use texture::{ColorSpace, Sampler, Texture2d, TextureFormat, TextureLevel};
pub use timer::Timer;
pub(crate) use vertex_array::{AttributeFormat, AttributeType, IndexType, VertexArray};
pub(crate) use visibility_query::VisibilityQuery;
pub(crate) use volume_texture::VolumeTexture;
pub(crate) use warm_up::WarmUp;

use crate::disk_cache::DiskCache;
use glow::HasContext;
use rigview_core::model::BlockFormat;
use serde::Serialize;
use std::cell::{Cell, OnceCell, RefCell};
use std::ffi::{CStr, c_void};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

/// A current OpenGL context with its limits.
///
/// # The `Gpu` invariant
/// The context is current on the thread that created the `Gpu`, and outlives every clone of the `Rc` and every object made
/// from it. [`Gpu::new`] requires this of its caller. A `Gpu` is neither `Send` nor `Sync`. Each object id belongs to this
/// context and is deleted once, by its wrapper. Sizes passed to GL are checked against the slices that it reads.
pub struct Gpu {
    gl: Arc<glow::Context>,
    limits: Limits,
    renderer: String,
    version: String,
    device_type: DeviceType,
    reset_status: Option<error_check::ResetStatus>,
    /// An error has reported that the context is lost.
    is_lost: Cell<bool>,
    /// `glUnmapBuffer` with its result, which `glow` drops.
    unmap_buffer: buffer::UnmapBuffer,
    /// A software renderer with a screen that other contexts share.
    serializes_calls: bool,
    /// Binaries of programs; unset without a cache.
    program_cache: OnceCell<DiskCache>,
    /// Errors that [`take_error`](Self::take_error) has returned or returns next, by code.
    presented_errors: Cell<error_check::PresentedErrors>,
    /// The driver has the completion status of programs (KHR_parallel_shader_compile).
    has_completion_status: bool,
    program_use: Cell<ProgramUse>,
    /// The warm-up that draw calls are part of.
    warm_up: Cell<Option<WarmUp>>,
    deletions: RefCell<deletion::Deletions>,
    /// Number of queries of the completion status that return `false`.
    #[cfg(test)]
    pub(crate) incomplete_queries: Cell<u32>,
    /// Folder for the texts of programs.
    shader_dump: Option<PathBuf>,
    /// Texture units that a sampler object may be bound to, one bit each.
    samplers: Cell<u32>,
}

/// Kind of a renderer. Choices for speed depend on it; images do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceType {
    /// Draws on the CPU, such as Mesa's llvmpipe.
    Software,
    /// Draws on a GPU.
    Hardware,
}

/// Returns `true` if contexts write the messages of the driver to stderr.
pub(crate) fn is_debugging() -> bool {
    std::env::var_os("RIGVIEW_GL_DEBUG").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Environment variable with a folder that the text of each program is written to.
const SHADER_DUMP_VARIABLE: &str = "RIGVIEW_SHADER_DUMP";

/// The first use of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgramUse {
    /// Waits for its compilation.
    Waits,
    /// Fails while the driver compiles it on other threads.
    FailsWhileCompiling,
    /// Fails: a warm-up is to use it first.
    FailsIfNew,
}

/// Limits of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// Samples per pixel.
    pub samples: u32,
    /// Width and height of a texture or framebuffer.
    pub texture_size: u32,
    /// Layers of an array texture.
    pub array_layers: u32,
    /// Texels of a buffer texture, whose buffer is smaller than 2 GiB.
    pub buffer_texels: usize,
    /// Alignment of uniform buffer ranges in bytes.
    pub uniform_alignment: usize,
    /// Maximum anisotropy of texture filtering; 1 if unsupported.
    pub anisotropy: u32,
}

/// Limits that the renderer relies on without a query at their use, with the value that OpenGL 3.3 guarantees (core profile, section 6.2).
const GUARANTEED_LIMITS: [(u32, &str, i32); 9] = [
    (glow::MAX_TEXTURE_SIZE, "texels along a side of a texture", 1024),
    (glow::MAX_3D_TEXTURE_SIZE, "texels along a side of a 3D texture", 256),
    (glow::MAX_ARRAY_TEXTURE_LAYERS, "layers of an array texture", 256),
    (glow::MAX_TEXTURE_BUFFER_SIZE, "texels of a buffer texture", 65536),
    (glow::MAX_TEXTURE_IMAGE_UNITS, "textures of a fragment shader", 16),
    (glow::MAX_VERTEX_TEXTURE_IMAGE_UNITS, "textures of a vertex shader", 16),
    (glow::MAX_COMBINED_TEXTURE_IMAGE_UNITS, "texture units", 48),
    (glow::MAX_UNIFORM_BLOCK_SIZE, "bytes of a uniform block", MIN_UNIFORM_BLOCK_BYTES as i32),
    (glow::MAX_VERTEX_ATTRIBS, "vertex attributes", 16),
];

/// Size of a uniform block that every driver supports.
pub(crate) const MIN_UNIFORM_BLOCK_BYTES: usize = 16384;

impl Gpu {
    /// Wraps the current context, whose functions `load` returns by name.
    ///
    /// # Safety
    /// - A context is current on this thread, and `load` returns its functions with the types that OpenGL specifies.
    /// - It stays current while the returned `Rc`, a clone of it, or an object made from it exists.
    /// - It is destroyed after all of them.
    ///
    /// # Errors
    /// When the context is older than OpenGL 3.3 or an OpenGL ES context, or has a limit below what OpenGL 3.3 guarantees.
    pub unsafe fn new(load: impl FnMut(&CStr) -> *const c_void) -> Result<Rc<Self>, GpuError> {
        // SAFETY: required of the caller.
        unsafe { Self::new_serialized(load, true) }
    }

    /// Like [`new`](Self::new). With `serialize`, a process-wide lock serializes the GL calls of llvmpipe contexts.
    ///
    /// # Safety
    /// As for [`new`](Self::new), and no other context has the same EGL screen if `serialize` is `false`.
    pub(crate) unsafe fn new_serialized(
        mut load: impl FnMut(&CStr) -> *const c_void,
        serialize: bool,
    ) -> Result<Rc<Self>, GpuError> {
        let _lock = DriverLock::new();
        #[cfg(test)]
        let mut load = |name: &CStr| fault_injection::wrap(name, load(name));
        // SAFETY: required of the caller.
        let mut gl = unsafe { glow::Context::from_loader_function_cstr(&mut load) };
        if is_debugging() {
            error_check::print_messages(&mut gl);
        }
        #[cfg(test)]
        fault_injection::arm();
        let reset_status = error_check::reset_status(&gl, &mut load);
        // SAFETY: OpenGL 1.5 has the function with this type. Null is `None`.
        let unmap_buffer = unsafe { std::mem::transmute::<*const c_void, buffer::UnmapBuffer>(load(c"glUnmapBuffer")) };
        disable_coverage_dithering(&gl, &mut load);
        let has_completion_status = ["GL_KHR_parallel_shader_compile", "GL_ARB_parallel_shader_compile"]
            .iter()
            .any(|name| gl.supported_extensions().contains(*name));
        if has_completion_status {
            // As many threads as the driver has.
            // SAFETY: the context has the extension.
            unsafe { gl.max_shader_compiler_threads(u32::MAX) };
        }
        let [version, renderer] = [glow::VERSION, glow::RENDERER].map(|name| string(name, &mut load));
        let number = gl.version();
        if number.is_embedded || (number.major, number.minor) < (3, 3) {
            return Err(GpuError::TooOld { version, renderer });
        }
        // SAFETY: the `Gpu` invariant; each of these is a single integer.
        let [samples, texture_samples, texture_size, renderbuffer_size, array_layers, buffer_texels, uniform_alignment] = unsafe {
            [
                glow::MAX_SAMPLES,
                glow::MAX_COLOR_TEXTURE_SAMPLES,
                glow::MAX_TEXTURE_SIZE,
                glow::MAX_RENDERBUFFER_SIZE,
                glow::MAX_ARRAY_TEXTURE_LAYERS,
                glow::MAX_TEXTURE_BUFFER_SIZE,
                glow::UNIFORM_BUFFER_OFFSET_ALIGNMENT,
            ]
            .map(|name| gl.get_parameter_i32(name).max(1) as u32)
        };
        let limits = Limits {
            samples: samples.min(texture_samples),
            texture_size: texture_size.min(renderbuffer_size),
            array_layers,
            buffer_texels: (buffer_texels as usize).min(i32::MAX as usize / size_of::<[f32; 4]>()),
            uniform_alignment: uniform_alignment as usize,
            anisotropy: anisotropy(&gl),
        };
        #[allow(clippy::arc_with_non_send_sync, reason = "egui's painter requires an `Arc`; both stay on one thread")]
        let gl = Arc::new(gl);
        let device_type = DeviceType::of(&renderer);
        let serializes_calls = serialize && device_type == DeviceType::Software;
        let gpu = Self {
            gl,
            limits,
            renderer,
            version,
            device_type,
            reset_status,
            is_lost: Cell::new(false),
            unmap_buffer,
            serializes_calls,
            program_cache: OnceCell::new(),
            presented_errors: Cell::default(),
            has_completion_status,
            program_use: Cell::new(ProgramUse::Waits),
            warm_up: Cell::new(None),
            deletions: RefCell::default(),
            #[cfg(test)]
            incomplete_queries: Cell::new(0),
            shader_dump: std::env::var_os(SHADER_DUMP_VARIABLE).map(PathBuf::from),
            samplers: Cell::new(0),
        };
        match gpu.check_limits() {
            Ok(()) => Ok(Rc::new(gpu)),
            Err(error) => Err(gpu.failure("creating a context", error)),
        }
    }

    /// Returns an error if a limit is below what OpenGL 3.3 guarantees.
    fn check_limits(&self) -> Result<(), GpuError> {
        for (name, limit, guaranteed) in GUARANTEED_LIMITS {
            // SAFETY: the `Gpu` invariant; each of these is a single integer.
            let value = unsafe { self.gl.get_parameter_i32(name) };
            if value < guaranteed {
                return Err(GpuError::Limit { renderer: self.renderer.clone(), limit, value, guaranteed });
            }
        }
        Ok(())
    }

    /// Returns the limits of the context.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns `GL_RENDERER`.
    pub fn renderer(&self) -> &str {
        &self.renderer
    }

    /// Returns `GL_VERSION`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the kind of renderer.
    pub fn device_type(&self) -> DeviceType {
        self.device_type
    }

    /// Caches the binaries of programs in `folder` from now on, if the driver has binaries. Software renderers compile at the first
    /// draw, with or without them.
    ///
    /// On an NVIDIA H100 (driver 580.159), a binary loads in 1 ms instead of 25 to 35 ms of compilation, but the first draw
    /// takes another 20 to 30 ms, unless the driver's own cache (`__GL_SHADER_DISK_CACHE=1`) has the native code. A binary that is
    /// read after a draw does not shorten it, either.
    pub fn cache_programs(&self, folder: PathBuf) {
        /// About 30 KB per program.
        const MAX_BYTES: u64 = 64 << 20;
        if self.program_binary_formats() > 0 {
            // A second call changes nothing.
            let _ = self.program_cache.set(DiskCache::new(folder, MAX_BYTES));
        }
    }

    /// Selects if the first use of a program waits for its compilation, or fails with [`GpuError::Compiling`].
    pub(crate) fn set_program_use(&self, program_use: ProgramUse) {
        self.program_use.set(program_use);
    }

    /// Returns an error if a program, or a pass that creates several, has to wait for another frame.
    pub(crate) fn check_new_program(&self) -> Result<(), GpuError> {
        if self.program_use.get() == ProgramUse::FailsIfNew || !self.begin_compilation() {
            return Err(GpuError::Compiling);
        }
        Ok(())
    }

    /// Returns the number of formats of program binaries (ARB_get_program_binary).
    fn program_binary_formats(&self) -> u32 {
        let gl = self.functions();
        let version = gl.version();
        if (version.major, version.minor) < (4, 1) && !gl.supported_extensions().contains("GL_ARB_get_program_binary") {
            return 0;
        }
        // SAFETY: the `Gpu` invariant; the query is that of the extension.
        unsafe { gl.get_parameter_i32(glow::NUM_PROGRAM_BINARY_FORMATS) }.max(0) as u32
    }

    /// Returns the compressed formats that the hardware samples directly. Empty for software renderers, which decompress at
    /// every sample.
    pub fn hardware_compressed_formats(&self) -> Vec<BlockFormat> {
        match self.device_type {
            DeviceType::Software => Vec::new(),
            DeviceType::Hardware => self.compressed_formats(),
        }
    }

    /// Returns the compressed formats that can be uploaded.
    pub fn compressed_formats(&self) -> Vec<BlockFormat> {
        let has = |extension: &str| self.functions().supported_extensions().contains(extension);
        let all = [
            (BlockFormat::Bc7, has("GL_ARB_texture_compression_bptc")),
            (BlockFormat::Bc3, has("GL_EXT_texture_compression_s3tc") && has("GL_EXT_texture_sRGB")),
            (BlockFormat::Etc2, has("GL_ARB_ES3_compatibility")),
            (BlockFormat::Astc4x4, has("GL_KHR_texture_compression_astc_ldr")),
        ];
        all.into_iter().filter(|(_, has)| *has).map(|(format, _)| format).collect()
    }

    /// Returns `true` if textures can be allocated without content in each format (ARB_texture_storage).
    pub(crate) fn has_texture_storage(&self) -> bool {
        self.functions().supported_extensions().contains("GL_ARB_texture_storage")
    }

    /// Returns the context's functions, for other code that draws with it. Each pass sets all state that it relies on.
    /// On a software renderer, other contexts wait until the returned value is dropped.
    pub fn functions(&self) -> GlGuard<'_> {
        GlGuard::new(&self.gl, self.serializes_calls)
    }

    /// Returns the functions for shared ownership. They must be dropped before the context.
    pub fn shared_functions(&self) -> Arc<glow::Context> {
        Arc::clone(&self.gl)
    }

    /// Waits until the GPU has executed all commands.
    pub fn finish(&self) {
        // SAFETY: the `Gpu` invariant.
        unsafe { self.functions().finish() };
    }

    /// Waits for a software renderer, which queues about 20 KB per pending draw. Does nothing for hardware.
    pub(crate) fn throttle_software_renderer(&self) {
        if self.device_type == DeviceType::Software {
            self.finish();
        }
    }
}

impl DeviceType {
    /// Returns the type of the device of a `GL_RENDERER`.
    fn of(renderer: &str) -> Self {
        // Mesa's virgl has the name of the host's renderer in upper case.
        const SOFTWARE: [&str; 6] =
            ["llvmpipe", "softpipe", "swiftshader", "gdi generic", "microsoft basic render", "apple software renderer"];
        let renderer = renderer.to_lowercase();
        if SOFTWARE.iter().any(|name| renderer.contains(name)) { Self::Software } else { Self::Hardware }
    }
}

/// Returns a string of the context; an empty one if the context is lost.
fn string(name: u32, load: &mut dyn FnMut(&CStr) -> *const c_void) -> String {
    type GetString = unsafe extern "system" fn(name: u32) -> *const std::ffi::c_char;
    // SAFETY: OpenGL has the function with this type; it returns null or a string that lives as long as the context.
    unsafe {
        let get = std::mem::transmute::<*const c_void, Option<GetString>>(load(c"glGetString"));
        let text = get.map_or(std::ptr::null(), |get| get(name));
        if text.is_null() { String::new() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
    }
}

/// Returns the maximum anisotropy of texture filtering (EXT_texture_filter_anisotropic).
fn anisotropy(gl: &glow::Context) -> u32 {
    const MAX_TEXTURE_MAX_ANISOTROPY: u32 = 0x84FF;
    if !gl.supported_extensions().contains("GL_EXT_texture_filter_anisotropic") {
        return 1;
    }
    // SAFETY: the `Gpu` invariant; the extension is supported.
    let limit = unsafe { gl.get_parameter_f32(MAX_TEXTURE_MAX_ANISOTROPY) };
    (limit as u32).max(1)
}

/// Makes alpha to coverage depend on alpha alone (NV_alpha_to_coverage_dither_control). By default, NVIDIA's driver dithers it
/// by pixel.
fn disable_coverage_dithering(gl: &glow::Context, load: &mut dyn FnMut(&CStr) -> *const c_void) {
    const DITHER_DISABLE: u32 = 0x934F;
    let function = load(c"glAlphaToCoverageDitherControlNV");
    if gl.supported_extensions().contains("GL_NV_alpha_to_coverage_dither_control") && !function.is_null() {
        // SAFETY: the context has the extension, so the function takes a GLenum and returns nothing.
        unsafe { std::mem::transmute::<*const c_void, unsafe extern "system" fn(u32)>(function)(DITHER_DISABLE) };
    }
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gpu").field("renderer", &self.renderer).field("version", &self.version).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_below_those_of_opengl_3_3_are_named() {
        for (name, limit, guaranteed) in GUARANTEED_LIMITS {
            fake_driver::LIMIT.set(Some((name, guaranteed)));
            assert!(fake_driver::new_gpu().is_ok(), "{limit}");
            fake_driver::LIMIT.set(Some((name, guaranteed - 1)));
            let message = fake_driver::new_gpu().unwrap_err().to_string();
            let words =
                format!("a driver that fails has {} {limit}, but OpenGL 3.3 guarantees {guaranteed}: ", guaranteed - 1);
            assert!(message.starts_with(&words) && message.contains(INSTALL_DRIVER), "{message}");
        }
        fake_driver::LIMIT.set(None);
    }

    #[test]
    fn renderers_on_the_cpu_are_software() {
        for renderer in [
            "llvmpipe (LLVM 15.0.6, 256 bits)",
            "softpipe",
            "virgl (LLVMPIPE (LLVM 15.0.6, 256 bits))",
            "zink (llvmpipe (LLVM 15.0.6, 256 bits))",
            "Apple Software Renderer",
        ] {
            assert_eq!(DeviceType::of(renderer), DeviceType::Software, "{renderer}");
        }
        for renderer in
            ["NVIDIA H100/PCIe/SSE2", "Mesa Intel(R) UHD Graphics 620 (KBL GT2)", "zink (AMD Radeon RX 6800)"]
        {
            assert_eq!(DeviceType::of(renderer), DeviceType::Hardware, "{renderer}");
        }
    }
}
