//! GL objects, state and draw calls, typed and owned; the unsafe code lives here.
//!
//! Only what OpenGL 3.3 core has is called. A wrapper is an id, the shared [`Gpu`] and a fixed description: `new`
//! returns a result, `Drop` deletes.
#![allow(unsafe_code, reason = "OpenGL is called through function pointers; the common ground is stated on `Gpu`")]

mod buffer;
mod data_texture;
mod error;
mod error_check;
mod fence;
mod framebuffer;
mod program;
mod render_texture;
mod shader_source;
mod state;
mod texture;
mod timer;
mod vertex_array;
mod volume_texture;

pub use error::GpuError;

pub(crate) use buffer::Buffer;
pub(crate) use data_texture::{ArrayTexture, BufferTexture};
pub(crate) use fence::Fence;
pub(crate) use framebuffer::{Attachment, DepthBuffer, Framebuffer};
pub(crate) use program::{Program, ProgramSource};
pub(crate) use render_texture::RenderTexture;
pub(crate) use shader_source::{shader_source, shader_source_of};
pub(crate) use state::{Blending, Culling, DrawState};
pub(crate) use texture::{ColorSpace, CompressedLevel, Sampler, Texture2d, TextureLevel};
pub(crate) use timer::Timer;
pub(crate) use vertex_array::{AttributeFormat, AttributeType, IndexType, VertexArray};
pub(crate) use volume_texture::VolumeTexture;

use crate::model::BlockFormat;
use glow::HasContext;
use std::ffi::{CStr, c_void};
use std::rc::Rc;
use std::sync::Arc;

/// A current OpenGL context: its functions, its limits, and what it calls itself.
///
/// # The ground that every unsafe block here stands on
/// Whoever makes a `Gpu` has made its context current on this thread, keeps it current while any clone of the `Rc` or
/// any object made with it lives, and lets it go last. A `Gpu` is neither `Send` nor `Sync`. Ids come from this context
/// and are deleted once, by their wrapper; sizes that GL is told are checked against the slices that it reads.
pub struct Gpu {
    gl: Arc<glow::Context>,
    limits: Limits,
    renderer: String,
    version: String,
    reset_status: Option<error_check::ResetStatus>,
}

/// What a context can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Samples of a pixel.
    pub samples: u32,
    /// Texels along a side of a texture, a picture included.
    pub texture_size: u32,
    /// Layers of an array texture.
    pub array_layers: u32,
    /// Texels of a buffer texture.
    pub buffer_texels: usize,
    /// Vectors of four floats that a vertex shader's own uniforms hold.
    pub uniform_texels: usize,
    /// The same for a uniform block.
    pub block_texels: usize,
    /// The same for a storage buffer of a vertex shader; none before OpenGL 4.3. Nothing but a comparison uses one.
    pub storage_texels: Option<usize>,
    /// A uniform block's place in a buffer is a multiple of this many bytes.
    pub uniform_alignment: usize,
    /// How many times as long as wide what a texture sample covers may be; 1 where that cannot be told, or costs too much.
    pub anisotropy: u32,
}

impl Gpu {
    /// Looks at the context that is current, whose functions `load` finds by their names; it may tell of a driver's reset.
    ///
    /// # Safety
    /// What `load` returns are functions of that context, with the types that their names have in OpenGL.
    ///
    /// # Errors
    /// When it is older than OpenGL 3.3, or an OpenGL ES context.
    pub unsafe fn new(mut load: impl FnMut(&CStr) -> *const c_void) -> Result<Rc<Self>, GpuError> {
        // SAFETY: what is asked of the caller.
        let gl = unsafe { glow::Context::from_loader_function_cstr(&mut load) };
        let reset_status = error_check::reset_status(&gl, &mut load);
        Self::with(gl, reset_status)
    }

    fn with(gl: glow::Context, reset_status: Option<error_check::ResetStatus>) -> Result<Rc<Self>, GpuError> {
        // SAFETY: the common ground; queries of strings and integers that GL 3.3 knows.
        let (version, renderer) =
            unsafe { (gl.get_parameter_string(glow::VERSION), gl.get_parameter_string(glow::RENDERER)) };
        let number = gl.version();
        if number.is_embedded || (number.major, number.minor) < (3, 3) {
            return Err(GpuError::TooOld { version, renderer });
        }
        // SAFETY: as above; each of these names has one integer.
        let [
            samples,
            texture_samples,
            texture_size,
            renderbuffer_size,
            array_layers,
            buffer_texels,
            uniform_floats,
            block_bytes,
            uniform_alignment,
        ] = unsafe {
            [
                glow::MAX_SAMPLES,
                glow::MAX_COLOR_TEXTURE_SAMPLES,
                glow::MAX_TEXTURE_SIZE,
                glow::MAX_RENDERBUFFER_SIZE,
                glow::MAX_ARRAY_TEXTURE_LAYERS,
                glow::MAX_TEXTURE_BUFFER_SIZE,
                glow::MAX_VERTEX_UNIFORM_COMPONENTS,
                glow::MAX_UNIFORM_BLOCK_SIZE,
                glow::UNIFORM_BUFFER_OFFSET_ALIGNMENT,
            ]
            .map(|name| gl.get_parameter_i32(name).max(1) as u32)
        };
        let limits = Limits {
            samples: samples.min(texture_samples),
            texture_size: texture_size.min(renderbuffer_size),
            array_layers,
            buffer_texels: buffer_texels as usize,
            uniform_texels: uniform_floats as usize / 4,
            block_texels: block_bytes as usize / 16,
            storage_texels: storage_texels(&gl),
            uniform_alignment: uniform_alignment as usize,
            anisotropy: anisotropy(&gl, &renderer),
        };
        #[allow(
            clippy::arc_with_non_send_sync,
            reason = "the interface's painter shares them so; both stay on one thread"
        )]
        let gl = Arc::new(gl);
        Ok(Rc::new(Self { gl, limits, renderer, version, reset_status }))
    }

    /// What the context can hold.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The driver's name for what draws (`GL_RENDERER`).
    pub fn renderer(&self) -> &str {
        &self.renderer
    }

    /// The driver's version (`GL_VERSION`).
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The blocks that the context samples without unfolding them first. None for a processor that draws: it would
    /// have to unfold them again at every look.
    pub fn hardware_compressed_formats(&self) -> Vec<BlockFormat> {
        if is_software_renderer(&self.renderer) {
            return Vec::new();
        }
        self.compressed_formats()
    }

    /// The blocks that can be uploaded, however long a look at them takes.
    pub fn compressed_formats(&self) -> Vec<BlockFormat> {
        let has = |extension: &str| self.gl.supported_extensions().contains(extension);
        let all = [
            (BlockFormat::Bc7, has("GL_ARB_texture_compression_bptc")),
            (BlockFormat::Bc3, has("GL_EXT_texture_compression_s3tc") && has("GL_EXT_texture_sRGB")),
            (BlockFormat::Etc2, has("GL_ARB_ES3_compatibility")),
            (BlockFormat::Astc4x4, has("GL_KHR_texture_compression_astc_ldr")),
        ];
        all.into_iter().filter(|(_, has)| *has).map(|(format, _)| format).collect()
    }

    /// The context's functions, for others who draw with it; each pass here sets all the state that it relies on.
    pub fn functions(&self) -> &glow::Context {
        &self.gl
    }

    /// The same functions, for who keeps them. They must be let go before the context.
    pub fn shared_functions(&self) -> Arc<glow::Context> {
        Arc::clone(&self.gl)
    }

    /// Waits until all that was asked for is done.
    pub fn finish(&self) {
        // SAFETY: the common ground.
        unsafe { self.gl.finish() };
    }

    /// Waits for a processor that draws, which keeps some 20 KB for each draw that it has not come to yet. A graphics card
    /// needs no such rest.
    pub(crate) fn throttle_software_renderer(&self) {
        if is_software_renderer(&self.renderer) {
            self.finish();
        }
    }
}

/// Vectors of four floats that a storage buffer of a vertex shader holds, where there are such.
fn storage_texels(gl: &glow::Context) -> Option<usize> {
    let version = gl.version();
    if (version.major, version.minor) < (4, 3) {
        return None;
    }
    // SAFETY: the common ground; OpenGL 4.3 knows both names.
    let [blocks, bytes] = unsafe {
        [glow::MAX_VERTEX_SHADER_STORAGE_BLOCKS, glow::MAX_SHADER_STORAGE_BLOCK_SIZE]
            .map(|name| gl.get_parameter_i32(name))
    };
    (blocks > 0).then_some(bytes.max(0) as usize / 16)
}

/// Whether a renderer of this name is a program, and draws on the processor.
fn is_software_renderer(renderer: &str) -> bool {
    ["llvmpipe", "softpipe", "SwiftShader"].iter().any(|name| renderer.contains(name))
}

/// The anisotropy of texture samples (EXT_texture_filter_anisotropic): 8, or what the driver has of it. On a processor
/// each sample would cost as many times as much.
fn anisotropy(gl: &glow::Context, renderer: &str) -> u32 {
    const MAX_TEXTURE_MAX_ANISOTROPY: u32 = 0x84FF;
    const MOST: u32 = 8;
    if is_software_renderer(renderer) || !gl.supported_extensions().contains("GL_EXT_texture_filter_anisotropic") {
        return 1;
    }
    // SAFETY: the common ground; the extension that knows the name is there.
    let most = unsafe { gl.get_parameter_f32(MAX_TEXTURE_MAX_ANISOTROPY) };
    (most as u32).clamp(1, MOST)
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gpu").field("renderer", &self.renderer).field("version", &self.version).finish_non_exhaustive()
    }
}
