//! Cube map texture.

use super::texture::{TextureId, set_tight_unpack_alignment};
use super::{Gpu, GpuError};
use glow::HasContext;
use std::rc::Rc;

/// Cube map of colors with a common exponent, with mip levels and trilinear filtering.
pub(crate) struct CubeTexture(TextureId);

impl CubeTexture {
    /// Uploads mip levels of faces of rows. The first level has `side` texels per row: a power of two, at most 1024, which every
    /// GL 3.3 driver supports.
    ///
    /// # Panics
    /// If the number of texels differs from the size.
    pub(crate) fn new(gpu: &Rc<Gpu>, side: usize, texels: &[u32]) -> Result<Self, GpuError> {
        let texture = TextureId::new_texture(gpu)?;
        let (gl, target) = (gpu.functions(), glow::TEXTURE_CUBE_MAP);
        texture.bind_to_unit(target, 0);
        set_tight_unpack_alignment(&gl);
        let levels = side.ilog2() as i32;
        let mut rest = texels;
        for level in 0..=levels {
            let width = side >> level;
            for face in 0..6 {
                let (texels, after) = rest.split_at(width * width);
                rest = after;
                let pixels = glow::PixelUnpackData::Slice(Some(bytemuck::cast_slice(texels)));
                let (face, width) = (glow::TEXTURE_CUBE_MAP_POSITIVE_X + face, width as i32);
                let (format, ty) = (glow::RGB9_E5 as i32, glow::UNSIGNED_INT_5_9_9_9_REV);
                // SAFETY: the `Gpu` invariant; the slice has the texels of a face.
                unsafe { gl.tex_image_2d(face, level, format, width, width, 0, glow::RGB, ty, pixels) };
            }
        }
        assert!(rest.is_empty(), "number of texels differs from the size");
        // SAFETY: the `Gpu` invariant.
        unsafe {
            for (name, value) in [
                (glow::TEXTURE_MIN_FILTER, glow::LINEAR_MIPMAP_LINEAR as i32),
                (glow::TEXTURE_MAG_FILTER, glow::LINEAR as i32),
                (glow::TEXTURE_MAX_LEVEL, levels),
            ] {
                gl.tex_parameter_i32(target, name, value);
            }
            gl.bind_texture(target, None);
        }
        gpu.check_errors("uploading an environment")?;
        Ok(Self(texture))
    }

    pub(crate) fn bind(&self, unit: u32) {
        self.0.bind_to_unit(glow::TEXTURE_CUBE_MAP, unit);
        self.0.gpu.bind_sampler(unit, None);
    }
}
