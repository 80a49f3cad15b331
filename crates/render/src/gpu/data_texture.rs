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
                texture: TextureId::new_texture(&self.gpu)?,
                last_draw: None,
            }),
        };
        if let Some(fence) = next.last_draw.take() {
            fence.wait()?;
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

    /// Creates a texture for so many texels, whose content is undefined until [`write_rows`](Self::write_rows).
    ///
    /// # Panics
    /// If there are none, or more than [`capacity`](Self::capacity).
    pub(crate) fn new(gpu: &Rc<Gpu>, texels: usize) -> Result<Self, GpuError> {
        assert!((1..=Self::capacity(gpu)).contains(&texels), "array texture of an unsupported size");
        let rows = texels.div_ceil(Self::SIDE);
        let layers = rows.div_ceil(Self::SIDE);
        let (side, rows, layers) = (Self::SIDE as i32, rows.min(Self::SIDE) as i32, layers as i32);
        let texture = TextureId::new_texture(gpu)?;
        texture.bind_to_unit(glow::TEXTURE_2D_ARRAY, 0);
        set_tight_unpack_alignment(&gpu.functions());
        // SAFETY: the `Gpu` invariant; no memory is read.
        unsafe {
            let gl = gpu.functions();
            let (target, no_pixels) = (glow::TEXTURE_2D_ARRAY, glow::PixelUnpackData::Slice(None));
            let format = glow::RGBA32F as i32;
            gl.tex_image_3d(target, 0, format, side, rows, layers, 0, glow::RGBA, glow::FLOAT, no_pixels);
            gl.tex_parameter_i32(target, glow::TEXTURE_MAX_LEVEL, 0);
            gl.tex_parameter_i32(target, glow::TEXTURE_MIN_FILTER, glow::NEAREST as i32);
            gl.tex_parameter_i32(target, glow::TEXTURE_MAG_FILTER, glow::NEAREST as i32);
            gl.bind_texture(target, None);
        }
        gpu.check_errors("allocating morph targets")?;
        Ok(Self(texture))
    }

    /// Writes whole rows of one layer; `first_row` counts through all layers.
    ///
    /// # Panics
    /// If the texels are no whole rows of one layer.
    pub(crate) fn write_rows(&self, first_row: usize, texels: &[[f32; 4]]) -> Result<(), GpuError> {
        let (layer, row, rows) = (first_row / Self::SIDE, first_row % Self::SIDE, texels.len() / Self::SIDE);
        let is_of_one_layer = texels.len() == rows * Self::SIDE && row + rows <= Self::SIDE;
        assert!(is_of_one_layer, "rows of several layers of an array texture");
        let Self(texture) = self;
        texture.bind_to_unit(glow::TEXTURE_2D_ARRAY, 0);
        set_tight_unpack_alignment(&texture.gpu.functions());
        let (side, layer, row, rows) = (Self::SIDE as i32, layer as i32, row as i32, rows as i32);
        // SAFETY: the `Gpu` invariant; the slice holds these rows. The driver refuses rows outside of the texture.
        unsafe {
            let gl = texture.gpu.functions();
            let (target, texels) =
                (glow::TEXTURE_2D_ARRAY, glow::PixelUnpackData::Slice(Some(bytemuck::cast_slice(texels))));
            gl.tex_sub_image_3d(target, 0, 0, row, layer, side, rows, 1, glow::RGBA, glow::FLOAT, texels);
            gl.bind_texture(target, None);
        }
        texture.gpu.check_errors("uploading morph targets")
    }

    pub(crate) fn bind(&self, unit: u32) {
        self.0.bind_to_unit(glow::TEXTURE_2D_ARRAY, unit);
        self.0.gpu.bind_sampler(unit, None);
    }
}
