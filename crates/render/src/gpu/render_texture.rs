//! Textures to render into.

use super::texture::TextureId;
use super::{Gpu, GpuError};
use glow::HasContext;
use std::rc::Rc;

/// A color texture that a pass renders into.
pub(crate) struct RenderTexture {
    texture: TextureId,
    size: (u32, u32),
    samples: u32,
    format: Format,
}

/// Internal format and type of texels, and their name.
type Format = (u32, u32, &'static str);

impl RenderTexture {
    /// Creates an RGBA16F texture of at least `samples` samples per pixel.
    pub(crate) fn new_rgba16f(gpu: &Rc<Gpu>, size: (u32, u32), samples: u32) -> Result<Self, GpuError> {
        Self::new(gpu, size, samples, (glow::RGBA16F, glow::HALF_FLOAT, "RGBA16F"))
    }

    /// Creates an RGBA32F texture.
    pub(crate) fn new_rgba32f(gpu: &Rc<Gpu>, size: (u32, u32)) -> Result<Self, GpuError> {
        Self::new(gpu, size, 1, (glow::RGBA32F, glow::FLOAT, "RGBA32F"))
    }

    /// Creates an RGBA16F texture with mip levels and trilinear filtering.
    pub(crate) fn new_mipmapped(gpu: &Rc<Gpu>, size: (u32, u32)) -> Result<Self, GpuError> {
        let texture = Self::new_rgba16f(gpu, size, 1)?;
        texture.texture.bind_to_unit(glow::TEXTURE_2D, 0);
        // SAFETY: the `Gpu` invariant.
        unsafe {
            for (name, value) in [
                (glow::TEXTURE_MAX_LEVEL, size.0.max(size.1).ilog2()),
                (glow::TEXTURE_MIN_FILTER, glow::LINEAR_MIPMAP_LINEAR),
                (glow::TEXTURE_MAG_FILTER, glow::LINEAR),
                (glow::TEXTURE_WRAP_S, glow::CLAMP_TO_EDGE),
                (glow::TEXTURE_WRAP_T, glow::CLAMP_TO_EDGE),
            ] {
                gpu.functions().tex_parameter_i32(glow::TEXTURE_2D, name, value as i32);
            }
            gpu.functions().bind_texture(glow::TEXTURE_2D, None);
        }
        texture.generate_mipmaps();
        gpu.check_errors("allocating mip levels")?;
        Ok(texture)
    }

    /// Regenerates the mip levels.
    pub(crate) fn generate_mipmaps(&self) {
        self.texture.bind_to_unit(glow::TEXTURE_2D, 0);
        // SAFETY: the `Gpu` invariant.
        unsafe {
            self.texture.gpu.functions().generate_mipmap(glow::TEXTURE_2D);
            self.texture.gpu.functions().bind_texture(glow::TEXTURE_2D, None);
        }
    }

    /// Creates an RGBA8 texture.
    pub(crate) fn new_rgba8(gpu: &Rc<Gpu>, size: (u32, u32)) -> Result<Self, GpuError> {
        Self::new(gpu, size, 1, (glow::RGBA8, glow::UNSIGNED_BYTE, "RGBA8"))
    }

    fn new(gpu: &Rc<Gpu>, size: (u32, u32), samples: u32, format: Format) -> Result<Self, GpuError> {
        let mut texture = Self { texture: TextureId::new_texture(gpu)?, size, samples, format };
        texture.resize(size)?;
        Ok(texture)
    }

    /// Replaces the storage by one of another size, whose content is undefined. The former storage is not needed meanwhile.
    pub(super) fn resize(&mut self, size: (u32, u32)) -> Result<(), GpuError> {
        let (gpu, target, (format, ty, _)) = (Rc::clone(&self.texture.gpu), self.gl_target(), self.format);
        let (gl, width, height) = (gpu.functions(), size.0 as i32, size.1 as i32);
        self.size = size;
        self.texture.bind_to_unit(target, 0);
        // SAFETY: the `Gpu` invariant; no memory is read, and the caller has checked size and sample count.
        unsafe {
            if self.samples > 1 {
                // Fixed sample locations are required next to a depth renderbuffer.
                gl.tex_image_2d_multisample(target, self.samples as i32, format as i32, width, height, true);
                self.samples = gl.get_tex_level_parameter_i32(target, 0, glow::TEXTURE_SAMPLES).max(1) as u32;
            } else {
                let no_pixels = glow::PixelUnpackData::Slice(None);
                gl.bind_buffer(glow::PIXEL_UNPACK_BUFFER, None);
                gl.tex_image_2d(target, 0, format as i32, width, height, 0, glow::RGBA, ty, no_pixels);
                gl.tex_parameter_i32(target, glow::TEXTURE_MAX_LEVEL, 0);
                gl.tex_parameter_i32(target, glow::TEXTURE_MIN_FILTER, glow::NEAREST as i32);
                gl.tex_parameter_i32(target, glow::TEXTURE_MAG_FILTER, glow::NEAREST as i32);
            }
            gl.bind_texture(target, None);
        }
        gpu.check_errors("creating a render texture")
    }

    pub(crate) fn size(&self) -> (u32, u32) {
        self.size
    }

    pub(crate) fn samples(&self) -> u32 {
        self.samples
    }

    pub(crate) fn bind(&self, unit: u32) {
        self.texture.bind_to_unit(self.gl_target(), unit);
        self.texture.gpu.bind_sampler(unit, None);
    }

    pub(super) fn gl_target(&self) -> u32 {
        if self.samples > 1 { glow::TEXTURE_2D_MULTISAMPLE } else { glow::TEXTURE_2D }
    }

    pub(super) fn id(&self) -> glow::Texture {
        self.texture.id
    }

    pub(super) fn describe(&self) -> String {
        let ((width, height), (_, _, format)) = (self.size, self.format);
        format!("{width} x {height} pixels of {format}, {} samples each", self.samples)
    }
}
