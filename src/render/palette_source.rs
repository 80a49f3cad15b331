//! The ways for a palette to reach a vertex shader.

use crate::gpu::Limits;

/// How vertex shaders read the palette. Pictures do not depend on it; what fits, and what it costs, does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PaletteSource {
    /// RGBA32F texels of a buffer texture, fetched by their numbers: all instances of a draw in one call. What rigview uses.
    #[default]
    BufferTexture,
    /// An array of uniforms, set anew for each instance and draw.
    UniformArray,
    /// A uniform block, shown another range of one buffer for each instance and draw.
    UniformBlock,
    /// A shader storage buffer (OpenGL 4.3): all instances of a draw in one call.
    StorageBuffer,
}

/// Uniforms that a driver may want for itself.
const SPARE_UNIFORM_TEXELS: usize = 16;

impl PaletteSource {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::BufferTexture, Self::UniformArray, Self::UniformBlock, Self::StorageBuffer];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::BufferTexture => "buffer texture",
            Self::UniformArray => "uniform array",
            Self::UniformBlock => "uniform buffer range",
            Self::StorageBuffer => "storage buffer",
        }
    }

    /// Four-float texels that a draw can reach; none where the context does not have it.
    pub fn capacity(self, limits: &Limits) -> Option<usize> {
        match self {
            Self::BufferTexture => Some(limits.buffer_texels),
            Self::UniformArray => Some(limits.uniform_texels.saturating_sub(SPARE_UNIFORM_TEXELS)),
            Self::UniformBlock => Some(limits.block_texels),
            Self::StorageBuffer => limits.storage_texels,
        }
    }

    /// Whether a draw reaches one instance only.
    pub(crate) fn is_by_instance(self) -> bool {
        matches!(self, Self::UniformArray | Self::UniformBlock)
    }
}

/// How a palette gets to the driver, where that is a buffer texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PaletteUpload {
    /// The old memory is let go and as much is asked for; then it is copied. What rigview uses.
    #[default]
    Orphan,
    /// The buffer is mapped, its old content declared void.
    Map,
    /// Of three buffers, the one used longest ago is mapped when a fence tells that the GPU is done with it.
    Ring,
}

impl PaletteUpload {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Orphan, Self::Map, Self::Ring];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Orphan => "orphaned",
            Self::Map => "mapped, invalidated",
            Self::Ring => "ring of three, fences",
        }
    }

    /// Copies that are kept.
    pub(crate) fn copies(self) -> usize {
        if self == Self::Ring { 3 } else { 1 }
    }
}
