//! Textures of arbitrary data that shaders fetch by index.

use super::texture::{TextureId, set_tight_unpack_alignment};
use super::{Buffer, Fence, Gpu, GpuError};
use glow::HasContext;
use std::rc::Rc;

/// A buffer texture of RGBA32F texels that change from frame to frame.
///
/// Two buffers take turns, so that a frame is written while the GPU draws the one before. On an NVIDIA H100 (driver 580.159),
/// 32 MiB take 0.75 ms with two mapped buffers, 0.8 ms with three, and 7 to 11 ms with one that is orphaned.
pub(crate) struct DoubleBufferedTexture {
    gpu: Rc<Gpu>,
    /// The buffer with the texels.
    drawn: Option<BufferTexture>,
    /// The buffer that is written next.
    next: Option<BufferTexture>,
}

/// One of the two buffer textures of a [`DoubleBufferedTexture`].
struct BufferTexture {
    buffer: Buffer,
    texture: TextureId,
    /// End of the draws that read the buffer.
    last_draw: Option<Fence>,
}

impl DoubleBufferedTexture {
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Self {
        Self { gpu: Rc::clone(gpu), drawn: None, next: None }
    }

    /// Replaces all texels. The caller respects the limit on their number.
    ///
    /// Copies a finished palette. `CrowdAnimator::update_into` could write mapped memory without the copy. But the palette is also
    /// read on the CPU, to sort blended draws, for the bounds of a single instance, and for automatic exposure and points of light;
    /// mapped memory is slow to read. Palettes may also have several pages. The copy of 300,000 instances of BoxAnimated takes 1.1 ms
    /// with two threads, their poses 24 ms.
    pub(crate) fn write(&mut self, texels: &[[f32; 4]]) -> Result<(), GpuError> {
        if let Some(drawn) = &mut self.drawn {
            drawn.last_draw = Some(Fence::new(&self.gpu)?);
        }
        let next = match &mut self.next {
            Some(next) => next,
            none => none.insert(BufferTexture {
                buffer: Buffer::new(&self.gpu)?,
                texture: TextureId::new(&self.gpu)?,
                last_draw: None,
            }),
        };
        if let Some(fence) = next.last_draw.take() {
            fence.wait();
        }
        if next.buffer.write_mapped(bytemuck::cast_slice(texels))? {
            next.attach();
        }
        std::mem::swap(&mut self.drawn, &mut self.next);
        Ok(())
    }

    /// Binds the texels. [`write`](Self::write) precedes it.
    pub(crate) fn bind(&self, unit: u32) {
        if let Some(drawn) = &self.drawn {
            drawn.texture.bind_to_unit(glow::TEXTURE_BUFFER, unit);
        }
    }
}

impl BufferTexture {
    fn attach(&self) {
        self.texture.bind_to_unit(glow::TEXTURE_BUFFER, 0);
        // SAFETY: the `Gpu` invariant; the buffer lives as long as the texture.
        unsafe {
            let gl = self.texture.gpu.functions();
            gl.tex_buffer(glow::TEXTURE_BUFFER, glow::RGBA32F, Some(self.buffer.id()));
            gl.bind_texture(glow::TEXTURE_BUFFER, None);
        }
    }
}

/// A two-dimensional array texture of RGBA32F texels, filled row by row and layer by layer.
pub(crate) struct ArrayTexture(TextureId);

impl ArrayTexture {
    /// Width and height of a layer, which every GL 3.3 driver supports.
    pub(crate) const SIDE: usize = 1024;

    /// Returns the maximum number of texels.
    pub(crate) fn capacity(gpu: &Gpu) -> usize {
        Self::SIDE * Self::SIDE * gpu.limits().array_layers as usize
    }

    /// Uploads `texels`, padded to whole rows.
    ///
    /// # Panics
    /// If there are none, or more than [`capacity`](Self::capacity).
    pub(crate) fn new(gpu: &Rc<Gpu>, mut texels: Vec<[f32; 4]>) -> Result<Self, GpuError> {
        assert!(!texels.is_empty() && texels.len() <= Self::capacity(gpu), "array texture of an unsupported size");
        let rows = texels.len().div_ceil(Self::SIDE);
        let layers = rows.div_ceil(Self::SIDE);
        let rows_per_layer = if layers == 1 { rows } else { Self::SIDE };
        texels.resize(Self::SIDE * rows_per_layer * layers, [0.0; 4]);
        let texture = TextureId::new(gpu)?;
        texture.bind_to_unit(glow::TEXTURE_2D_ARRAY, 0);
        set_tight_unpack_alignment(&gpu.functions());
        // SAFETY: the `Gpu` invariant; the slice holds every layer.
        unsafe {
            let gl = gpu.functions();
            let (side, rows, layers) = (Self::SIDE as i32, rows_per_layer as i32, layers as i32);
            let pixels = glow::PixelUnpackData::Slice(Some(bytemuck::cast_slice(&texels)));
            let target = glow::TEXTURE_2D_ARRAY;
            gl.tex_image_3d(target, 0, glow::RGBA32F as i32, side, rows, layers, 0, glow::RGBA, glow::FLOAT, pixels);
            gl.tex_parameter_i32(target, glow::TEXTURE_MAX_LEVEL, 0);
            gl.tex_parameter_i32(target, glow::TEXTURE_MIN_FILTER, glow::NEAREST as i32);
            gl.tex_parameter_i32(target, glow::TEXTURE_MAG_FILTER, glow::NEAREST as i32);
            gl.bind_texture(target, None);
        }
        gpu.check_errors("uploading morph targets")?;
        Ok(Self(texture))
    }

    pub(crate) fn bind(&self, unit: u32) {
        self.0.bind_to_unit(glow::TEXTURE_2D_ARRAY, unit);
        self.0.gpu.bind_sampler(unit, None);
    }
}
