//! Textures and how they are sampled.

use super::{Buffer, Gpu, GpuError};
use crate::model;
use glow::HasContext;
use std::rc::Rc;

/// A texture's id; deleted when dropped.
struct TextureId {
    gpu: Rc<Gpu>,
    id: glow::Texture,
}

impl TextureId {
    fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        // SAFETY: the common ground.
        let id = unsafe { gpu.gl.create_texture() }.map_err(|reason| GpuError::Create { object: "texture", reason })?;
        Ok(Self { gpu: Rc::clone(gpu), id })
    }

    fn bind_to_unit(&self, target: u32, unit: u32) {
        // SAFETY: the common ground; units are a handful of constants below the guaranteed 16.
        unsafe {
            self.gpu.gl.active_texture(glow::TEXTURE0 + unit);
            self.gpu.gl.bind_texture(target, Some(self.id));
        }
    }
}

impl Drop for TextureId {
    fn drop(&mut self) {
        // SAFETY: the common ground.
        unsafe { self.gpu.gl.delete_texture(self.id) };
    }
}

/// Rows of pixels lie close together in slices that GL reads.
fn expect_packed_rows(gl: &glow::Context) {
    // SAFETY: the common ground.
    unsafe {
        gl.bind_buffer(glow::PIXEL_UNPACK_BUFFER, None);
        gl.pixel_store_i32(glow::UNPACK_ALIGNMENT, 4);
        for name in [
            glow::UNPACK_ROW_LENGTH,
            glow::UNPACK_IMAGE_HEIGHT,
            glow::UNPACK_SKIP_ROWS,
            glow::UNPACK_SKIP_PIXELS,
            glow::UNPACK_SKIP_IMAGES,
        ] {
            gl.pixel_store_i32(name, 0);
        }
    }
}

/// How the numbers of a picture are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ColourSpace {
    /// Encoded colours, sampled as linear ones.
    Srgb,
    /// Plain numbers.
    Linear,
}

/// A picture on surfaces, with its smaller copies.
pub(crate) struct PictureTexture(TextureId);

impl PictureTexture {
    /// Uploads `levels`, each half as large as the one before it and the last 1 by 1, or one level alone.
    ///
    /// # Panics
    /// If a level's bytes are not four for each of its pixels.
    pub(crate) fn new(gpu: &Rc<Gpu>, space: ColourSpace, levels: &[(u32, u32, &[u8])]) -> Result<Self, GpuError> {
        let texture = TextureId::new(gpu)?;
        let gl = &gpu.gl;
        let format = match space {
            ColourSpace::Srgb => glow::SRGB8_ALPHA8,
            ColourSpace::Linear => glow::RGBA8,
        };
        texture.bind_to_unit(glow::TEXTURE_2D, 0);
        expect_packed_rows(gl);
        for (level, &(width, height, rgba)) in levels.iter().enumerate() {
            assert_eq!(rgba.len(), width as usize * height as usize * 4, "a picture of another size");
            // SAFETY: the common ground; the slice's length was just checked.
            unsafe {
                gl.tex_image_2d(
                    glow::TEXTURE_2D,
                    level as i32,
                    format as i32,
                    width as i32,
                    height as i32,
                    0,
                    glow::RGBA,
                    glow::UNSIGNED_BYTE,
                    glow::PixelUnpackData::Slice(Some(rgba)),
                );
            }
        }
        // SAFETY: the common ground.
        unsafe {
            gl.tex_parameter_i32(glow::TEXTURE_2D, glow::TEXTURE_BASE_LEVEL, 0);
            gl.tex_parameter_i32(glow::TEXTURE_2D, glow::TEXTURE_MAX_LEVEL, levels.len() as i32 - 1);
            gl.bind_texture(glow::TEXTURE_2D, None);
        }
        gpu.check_always("uploading a picture")?;
        Ok(Self(texture))
    }

    /// Shows it to the shaders at `unit`, through `sampler`.
    pub(crate) fn bind(&self, unit: u32, sampler: &Sampler) {
        self.0.bind_to_unit(glow::TEXTURE_2D, unit);
        // SAFETY: the common ground.
        unsafe { self.0.gpu.gl.bind_sampler(unit, Some(sampler.id)) };
    }
}

/// How texels of a picture become samples.
pub(crate) struct Sampler {
    gpu: Rc<Gpu>,
    id: glow::Sampler,
}

impl Sampler {
    /// The sampler that a file asks for.
    pub(crate) fn new(gpu: &Rc<Gpu>, sampler: &model::Sampler) -> Result<Self, GpuError> {
        use model::{Filter, Wrap};
        let gl = &gpu.gl;
        let magnify = match sampler.magnify {
            Filter::Nearest => glow::NEAREST,
            Filter::Linear => glow::LINEAR,
        };
        let minify = match (sampler.minify, sampler.mipmap) {
            (Filter::Nearest, None) => glow::NEAREST,
            (Filter::Linear, None) => glow::LINEAR,
            (Filter::Nearest, Some(Filter::Nearest)) => glow::NEAREST_MIPMAP_NEAREST,
            (Filter::Linear, Some(Filter::Nearest)) => glow::LINEAR_MIPMAP_NEAREST,
            (Filter::Nearest, Some(Filter::Linear)) => glow::NEAREST_MIPMAP_LINEAR,
            (Filter::Linear, Some(Filter::Linear)) => glow::LINEAR_MIPMAP_LINEAR,
        };
        let wrap = |wrap| match wrap {
            Wrap::Repeat => glow::REPEAT,
            Wrap::MirroredRepeat => glow::MIRRORED_REPEAT,
            Wrap::ClampToEdge => glow::CLAMP_TO_EDGE,
        };
        // SAFETY: the common ground.
        let id = unsafe { gl.create_sampler() }.map_err(|reason| GpuError::Create { object: "sampler", reason })?;
        for (name, value) in [
            (glow::TEXTURE_MAG_FILTER, magnify),
            (glow::TEXTURE_MIN_FILTER, minify),
            (glow::TEXTURE_WRAP_S, wrap(sampler.wrap_u)),
            (glow::TEXTURE_WRAP_T, wrap(sampler.wrap_v)),
        ] {
            // SAFETY: the common ground.
            unsafe { gl.sampler_parameter_i32(id, name, value as i32) };
        }
        Ok(Self { gpu: Rc::clone(gpu), id })
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        // SAFETY: the common ground.
        unsafe { self.gpu.gl.delete_sampler(self.id) };
    }
}

/// A buffer that shaders read as RGBA32F texels, one after another.
pub(crate) struct BufferTexture {
    buffer: Buffer,
    texture: TextureId,
}

impl BufferTexture {
    /// One without texels.
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        Ok(Self { buffer: Buffer::new(gpu)?, texture: TextureId::new(gpu)? })
    }

    /// Replaces all texels; the caller keeps to the limit on their number.
    pub(crate) fn stream(&mut self, texels: &[[f32; 4]]) -> Result<(), GpuError> {
        self.buffer.stream(bytemuck::cast_slice(texels))?;
        self.texture.bind_to_unit(glow::TEXTURE_BUFFER, 0);
        // SAFETY: the common ground; the buffer lives as long as the texture.
        unsafe {
            let gl = &self.texture.gpu.gl;
            gl.tex_buffer(glow::TEXTURE_BUFFER, glow::RGBA32F, Some(self.buffer.id()));
            gl.bind_texture(glow::TEXTURE_BUFFER, None);
        }
        Ok(())
    }

    /// Shows it to the shaders at `unit`.
    pub(crate) fn bind(&self, unit: u32) {
        self.texture.bind_to_unit(glow::TEXTURE_BUFFER, unit);
    }
}

/// RGBA32F texels in layers of rows, read by number.
pub(crate) struct ArrayTexture(TextureId);

impl ArrayTexture {
    /// Texels along a row, and rows of a layer: what every GL 3.3 has.
    pub(crate) const SIDE: usize = 1024;

    /// The texels that fit.
    pub(crate) fn capacity(gpu: &Gpu) -> usize {
        Self::SIDE * Self::SIDE * gpu.limits().array_layers as usize
    }

    /// Uploads `texels`; the last row is filled up.
    ///
    /// # Panics
    /// If there are none, or more than [`capacity`](Self::capacity).
    pub(crate) fn new(gpu: &Rc<Gpu>, mut texels: Vec<[f32; 4]>) -> Result<Self, GpuError> {
        assert!(!texels.is_empty() && texels.len() <= Self::capacity(gpu), "an array texture of a wrong size");
        let rows = texels.len().div_ceil(Self::SIDE);
        let layers = rows.div_ceil(Self::SIDE);
        let rows_per_layer = if layers == 1 { rows } else { Self::SIDE };
        texels.resize(Self::SIDE * rows_per_layer * layers, [0.0; 4]);
        let texture = TextureId::new(gpu)?;
        texture.bind_to_unit(glow::TEXTURE_2D_ARRAY, 0);
        expect_packed_rows(&gpu.gl);
        // SAFETY: the common ground; the slice was just made to hold every layer.
        unsafe {
            let gl = &gpu.gl;
            let (side, rows, layers) = (Self::SIDE as i32, rows_per_layer as i32, layers as i32);
            let pixels = glow::PixelUnpackData::Slice(Some(bytemuck::cast_slice(&texels)));
            let target = glow::TEXTURE_2D_ARRAY;
            gl.tex_image_3d(target, 0, glow::RGBA32F as i32, side, rows, layers, 0, glow::RGBA, glow::FLOAT, pixels);
            gl.tex_parameter_i32(target, glow::TEXTURE_MAX_LEVEL, 0);
            gl.tex_parameter_i32(target, glow::TEXTURE_MIN_FILTER, glow::NEAREST as i32);
            gl.tex_parameter_i32(target, glow::TEXTURE_MAG_FILTER, glow::NEAREST as i32);
            gl.bind_texture(target, None);
        }
        gpu.check_always("uploading morph targets")?;
        Ok(Self(texture))
    }

    /// Shows it to the shaders at `unit`.
    pub(crate) fn bind(&self, unit: u32) {
        self.0.bind_to_unit(glow::TEXTURE_2D_ARRAY, unit);
        // SAFETY: the common ground.
        unsafe { self.0.gpu.gl.bind_sampler(unit, None) };
    }
}

/// What is drawn into and then read by another pass, or by us.
pub(crate) struct TargetTexture {
    texture: TextureId,
    size: (u32, u32),
    samples: u32,
    format_name: &'static str,
}

impl TargetTexture {
    /// Half floats: linear light, with `samples` a pixel, or a few more if the driver likes that better.
    pub(crate) fn new_half_float(gpu: &Rc<Gpu>, size: (u32, u32), samples: u32) -> Result<Self, GpuError> {
        Self::new(gpu, size, samples, (glow::RGBA16F, glow::HALF_FLOAT, "RGBA16F"))
    }

    /// Bytes: finished colours.
    pub(crate) fn new_bytes(gpu: &Rc<Gpu>, size: (u32, u32)) -> Result<Self, GpuError> {
        Self::new(gpu, size, 1, (glow::RGBA8, glow::UNSIGNED_BYTE, "RGBA8"))
    }

    fn new(
        gpu: &Rc<Gpu>,
        size: (u32, u32),
        samples: u32,
        (format, ty, format_name): (u32, u32, &'static str),
    ) -> Result<Self, GpuError> {
        let mut texture = Self { texture: TextureId::new(gpu)?, size, samples, format_name };
        let (gl, target) = (&gpu.gl, texture.gl_target());
        let (width, height) = (size.0 as i32, size.1 as i32);
        texture.texture.bind_to_unit(target, 0);
        // SAFETY: the common ground; no memory of ours is read, and the caller has checked size and samples.
        unsafe {
            if samples > 1 {
                // Fixed places: a texture may else not be drawn into beside a depth renderbuffer.
                gl.tex_image_2d_multisample(target, samples as i32, format as i32, width, height, true);
                texture.samples = gl.get_tex_level_parameter_i32(target, 0, glow::TEXTURE_SAMPLES).max(1) as u32;
            } else {
                let nothing = glow::PixelUnpackData::Slice(None);
                gl.bind_buffer(glow::PIXEL_UNPACK_BUFFER, None);
                gl.tex_image_2d(target, 0, format as i32, width, height, 0, glow::RGBA, ty, nothing);
                gl.tex_parameter_i32(target, glow::TEXTURE_MAX_LEVEL, 0);
                gl.tex_parameter_i32(target, glow::TEXTURE_MIN_FILTER, glow::NEAREST as i32);
                gl.tex_parameter_i32(target, glow::TEXTURE_MAG_FILTER, glow::NEAREST as i32);
            }
            gl.bind_texture(target, None);
        }
        gpu.check_always("making a picture to draw into")?;
        Ok(texture)
    }

    /// Width and height in pixels.
    pub(crate) fn size(&self) -> (u32, u32) {
        self.size
    }

    /// Samples of each pixel, as the driver made them.
    pub(crate) fn samples(&self) -> u32 {
        self.samples
    }

    /// Shows it to the shaders at `unit`.
    pub(crate) fn bind(&self, unit: u32) {
        self.texture.bind_to_unit(self.gl_target(), unit);
        // SAFETY: the common ground.
        unsafe { self.texture.gpu.gl.bind_sampler(unit, None) };
    }

    pub(super) fn gl_target(&self) -> u32 {
        if self.samples > 1 { glow::TEXTURE_2D_MULTISAMPLE } else { glow::TEXTURE_2D }
    }

    pub(super) fn id(&self) -> glow::Texture {
        self.texture.id
    }

    pub(super) fn describe(&self) -> String {
        let (width, height) = self.size;
        format!("{width} x {height} pixels of {}, {} samples each", self.format_name, self.samples)
    }
}
