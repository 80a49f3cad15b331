//! Transports of a palette to the vertex shader other than an orphaned buffer texture. `rigview bench transports`
//! compares them; images do not depend on the transport.

use super::pages::PagePlan;
use crate::gpu::{Buffer, BufferTexture, Fence, Gpu, GpuError, Limits, Program};
use crate::render::bindings::{block, unit};
use rigview_core::palette::Palette;
use std::rc::Rc;

/// GLSL resource from which vertex shaders read the palette.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PaletteSource {
    /// RGBA32F buffer texture; one draw call for all instances of a draw. The default.
    #[default]
    BufferTexture,
    /// Array of uniforms, set for each instance and draw.
    UniformArray,
    /// Uniform block, bound to another buffer range for each instance and draw.
    UniformBlock,
    /// Shader storage buffer (OpenGL 4.3); one draw call for all instances of a draw.
    StorageBuffer,
}

/// Upload method of a palette in a buffer texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PaletteUpload {
    /// Orphans the buffer and copies. The default.
    #[default]
    Orphan,
    /// Maps the buffer with its content invalidated.
    Map,
    /// Maps the least recently used of three buffers after waiting for its fence.
    Ring,
}

/// Uniform components that are left for the driver's own use, in `vec4`.
const RESERVED_UNIFORM_TEXELS: usize = 16;

/// Uniform array of [`PaletteSource::UniformArray`].
const UNIFORM_ARRAY: &str = "palette_texels";

impl PaletteSource {
    /// All sources.
    pub const ALL: [Self; 4] = [Self::BufferTexture, Self::UniformArray, Self::UniformBlock, Self::StorageBuffer];

    /// Returns the display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::BufferTexture => "buffer texture",
            Self::UniformArray => "uniform array",
            Self::UniformBlock => "uniform buffer range",
            Self::StorageBuffer => "storage buffer",
        }
    }

    /// Returns the number of RGBA32F texels that a draw can read; `None` if the context does not support the source.
    pub fn capacity(self, limits: &Limits) -> Option<usize> {
        match self {
            Self::BufferTexture => Some(limits.buffer_texels),
            Self::UniformArray => Some(limits.uniform_texels.saturating_sub(RESERVED_UNIFORM_TEXELS)),
            Self::UniformBlock => Some(limits.block_texels),
            Self::StorageBuffer => limits.storage_texels,
        }
    }

    /// Returns `true` if a draw can read one instance only.
    pub(crate) fn is_per_instance(self) -> bool {
        matches!(self, Self::UniformArray | Self::UniformBlock)
    }

    /// Returns the define that declares the palette in `mesh.vert`, for instances of `texels` texels.
    pub(crate) fn define(self, texels: usize) -> Option<(&'static str, String)> {
        match self {
            Self::BufferTexture => None,
            Self::UniformArray => Some(("PALETTE_UNIFORMS", texels.to_string())),
            Self::UniformBlock => Some(("PALETTE_BLOCK", texels.to_string())),
            Self::StorageBuffer => Some(("PALETTE_STORAGE", block::PALETTE.to_string())),
        }
    }

    pub(crate) fn glsl_version(self) -> u32 {
        if self == Self::StorageBuffer { 430 } else { 330 }
    }
}

impl PaletteUpload {
    /// All upload methods.
    pub const ALL: [Self; 3] = [Self::Orphan, Self::Map, Self::Ring];

    /// Returns the display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Orphan => "orphaned",
            Self::Map => "mapped, invalidated",
            Self::Ring => "ring of three, fences",
        }
    }
}

/// Source and upload method of a palette.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Transport {
    pub(crate) source: PaletteSource,
    pub(crate) upload: PaletteUpload,
}

impl Transport {
    /// Returns the buffers of this transport; `None` for the default one, which needs none of its own.
    pub(super) fn new_buffers(self, gpu: &Rc<Gpu>) -> Result<Option<TransportBuffers>, GpuError> {
        Ok(match (self.source, self.upload) {
            (PaletteSource::BufferTexture, PaletteUpload::Orphan) => None,
            (PaletteSource::BufferTexture, upload) => Some(TransportBuffers::Mapped { copies: Vec::new(), upload }),
            (PaletteSource::UniformArray, _) => Some(TransportBuffers::UniformArray { texels: Vec::new(), stride: 0 }),
            (PaletteSource::UniformBlock, _) => {
                Some(TransportBuffers::UniformBlock { buffer: Buffer::new(gpu)?, size_bytes: 0, stride_bytes: 0 })
            }
            (PaletteSource::StorageBuffer, _) => Some(TransportBuffers::StorageBuffer(Buffer::new(gpu)?)),
        })
    }
}

/// Buffers of a palette with another transport than the default.
pub(super) enum TransportBuffers {
    /// Copies of all pages, the current one last.
    Mapped { copies: Vec<MappedPages>, upload: PaletteUpload },
    /// Texels of all instances, and texels per instance.
    UniformArray { texels: Vec<[f32; 4]>, stride: usize },
    /// One range per instance.
    UniformBlock { buffer: Buffer, size_bytes: usize, stride_bytes: usize },
    /// All instances.
    StorageBuffer(Buffer),
}

/// Pages that are written through mappings.
#[derive(Default)]
pub(super) struct MappedPages {
    pages: Vec<BufferTexture>,
    /// Signaled when the GPU has executed the draws that read the pages.
    fence: Option<Fence>,
}

impl TransportBuffers {
    pub(super) fn source(&self) -> PaletteSource {
        match self {
            Self::Mapped { .. } => PaletteSource::BufferTexture,
            Self::UniformArray { .. } => PaletteSource::UniformArray,
            Self::UniformBlock { .. } => PaletteSource::UniformBlock,
            Self::StorageBuffer(_) => PaletteSource::StorageBuffer,
        }
    }

    /// Uploads `palette`, split as in `plan`.
    pub(super) fn update(&mut self, gpu: &Rc<Gpu>, palette: &Palette, plan: &PagePlan) -> Result<(), GpuError> {
        match self {
            Self::Mapped { copies, upload } => {
                let count = if *upload == PaletteUpload::Ring { 3 } else { 1 };
                copies.resize_with(count, MappedPages::default);
                if let (PaletteUpload::Ring, Some(current)) = (*upload, copies.last_mut()) {
                    current.fence = Some(Fence::new(gpu)?);
                }
                copies.rotate_left(1);
                let MappedPages { pages, fence } = &mut copies[count - 1];
                if let Some(fence) = fence.take() {
                    fence.wait();
                }
                let ranges: Vec<_> = plan.pages(palette.instance_count()).collect();
                while pages.len() < ranges.len() {
                    pages.push(BufferTexture::new(gpu)?);
                }
                for (page, range) in pages.iter_mut().zip(ranges) {
                    page.upload_mapped(&palette.texels()[range], *upload == PaletteUpload::Map)?;
                }
            }
            Self::UniformArray { texels, stride } => {
                (*texels, *stride) = (palette.texels().to_vec(), palette.stride_texels());
            }
            Self::UniformBlock { buffer, size_bytes, stride_bytes } => {
                let stride = palette.stride_texels();
                *size_bytes = stride * size_of::<[f32; 4]>();
                *stride_bytes = size_bytes.next_multiple_of(gpu.limits().uniform_alignment);
                let mut bytes = vec![0_u8; *stride_bytes * palette.instance_count()];
                let blocks = palette.texels().chunks_exact(stride.max(1));
                for (range, block) in bytes.chunks_exact_mut((*stride_bytes).max(1)).zip(blocks) {
                    range[..*size_bytes].copy_from_slice(bytemuck::cast_slice(block));
                }
                buffer.upload_orphaning(&bytes)?;
            }
            Self::StorageBuffer(buffer) => buffer.upload_orphaning(bytemuck::cast_slice(palette.texels()))?,
        }
        Ok(())
    }

    /// Binds the pages that hold a draw's matrices and weights.
    pub(super) fn bind(&self, program: &Program, matrices: usize, weights: usize) {
        match self {
            Self::Mapped { copies, .. } => {
                let pages = &copies[copies.len() - 1].pages;
                pages[matrices].bind(unit::PALETTE_MATRICES);
                pages[weights].bind(unit::PALETTE_WEIGHTS);
            }
            Self::UniformArray { texels, stride } => {
                program.set_vectors(UNIFORM_ARRAY, &texels[matrices * stride..][..*stride]);
            }
            Self::UniformBlock { buffer, size_bytes, stride_bytes } => {
                buffer.bind_uniform_range(block::PALETTE, matrices * stride_bytes, *size_bytes);
            }
            Self::StorageBuffer(buffer) => buffer.bind_storage(block::PALETTE),
        }
    }
}
