//! Depth textures to render into.

use super::framebuffer::FramebufferId;
use super::texture::TextureId;
use super::{Gpu, GpuError};
use glow::HasContext;
use std::rc::Rc;

/// A framebuffer without color whose depth is a texture. `sampler2DShadow` returns the filtered fraction of texels that are not nearer
/// than the reference depth; outside of the map it returns 1.
pub(crate) struct DepthMap {
    framebuffer: FramebufferId,
    texture: TextureId,
    size: (u32, u32),
}

impl DepthMap {
    /// Creates a map of 32-bit floats.
    pub(crate) fn new(gpu: &Rc<Gpu>, size: (u32, u32)) -> Result<Self, GpuError> {
        let gl = gpu.functions();
        let texture = TextureId::new_texture(gpu)?;
        let map = Self { framebuffer: FramebufferId::new_framebuffer(gpu)?, texture, size };
        map.texture.bind_to_unit(glow::TEXTURE_2D, 0);
        // SAFETY: the `Gpu` invariant; no memory is read, and the caller has checked the size.
        unsafe {
            let (format, no_pixels) = (glow::DEPTH_COMPONENT32F as i32, glow::PixelUnpackData::Slice(None));
            let (width, height) = (size.0 as i32, size.1 as i32);
            gl.bind_buffer(glow::PIXEL_UNPACK_BUFFER, None);
            gl.tex_image_2d(
                glow::TEXTURE_2D,
                0,
                format,
                width,
                height,
                0,
                glow::DEPTH_COMPONENT,
                glow::FLOAT,
                no_pixels,
            );
            for (name, value) in [
                (glow::TEXTURE_MAX_LEVEL, 0),
                (glow::TEXTURE_MIN_FILTER, glow::LINEAR),
                (glow::TEXTURE_MAG_FILTER, glow::LINEAR),
                (glow::TEXTURE_WRAP_S, glow::CLAMP_TO_BORDER),
                (glow::TEXTURE_WRAP_T, glow::CLAMP_TO_BORDER),
                (glow::TEXTURE_COMPARE_MODE, glow::COMPARE_REF_TO_TEXTURE),
                (glow::TEXTURE_COMPARE_FUNC, glow::LEQUAL),
            ] {
                gl.tex_parameter_i32(glow::TEXTURE_2D, name, value as i32);
            }
            gl.tex_parameter_f32_slice(glow::TEXTURE_2D, glow::TEXTURE_BORDER_COLOR, &[1.0; 4]);
            gl.bind_texture(glow::TEXTURE_2D, None);
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(map.framebuffer.id));
            let texture = Some(map.texture.id);
            gl.framebuffer_texture_2d(glow::FRAMEBUFFER, glow::DEPTH_ATTACHMENT, glow::TEXTURE_2D, texture, 0);
            gl.draw_buffer(glow::NONE);
            gl.read_buffer(glow::NONE);
        }
        gpu.check_errors("creating a depth map")?;
        map.framebuffer.check_and_unbind(|| format!("a depth map of {} x {} texels", size.0, size.1))?;
        Ok(map)
    }

    /// Binds the framebuffer and clears it to the far plane. Its write mask is enabled.
    pub(crate) fn bind_and_clear(&self) {
        let gl = self.texture.gpu.functions();
        // SAFETY: the `Gpu` invariant.
        unsafe {
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(self.framebuffer.id));
            gl.viewport(0, 0, self.size.0 as i32, self.size.1 as i32);
            gl.clear_buffer_f32_slice(glow::DEPTH, 0, &[1.0]);
        }
    }

    /// Binds the depth texture.
    pub(crate) fn bind(&self, unit: u32) {
        self.texture.bind_to_unit(glow::TEXTURE_2D, unit);
        self.texture.gpu.bind_sampler(unit, None);
    }
}
