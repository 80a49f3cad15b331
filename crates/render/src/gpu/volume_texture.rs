//! Three-dimensional textures.

use super::texture::{TextureId, set_tight_unpack_alignment};
use super::{Gpu, GpuError};
use glow::HasContext;
use std::rc::Rc;

/// An RGB16F texture with trilinear filtering, clamped at its edges.
pub(crate) struct VolumeTexture(TextureId);

impl VolumeTexture {
    /// Uploads layers of rows, at most 256 texels along each axis, which every GL 3.3 driver supports.
    ///
    /// # Panics
    /// If the number of texels differs from the size.
    pub(crate) fn new(
        gpu: &Rc<Gpu>,
        [width, height, depth]: [usize; 3],
        texels: &[[f32; 3]],
    ) -> Result<Self, GpuError> {
        assert!(
            texels.len() == width * height * depth && width.max(height).max(depth) <= 256,
            "number of texels differs from the size"
        );
        let texture = TextureId::new_texture(gpu)?;
        let (gl, target) = (gpu.functions(), glow::TEXTURE_3D);
        texture.bind_to_unit(target, 0);
        set_tight_unpack_alignment(&gl);
        // SAFETY: the `Gpu` invariant; the length is checked above.
        unsafe {
            let (format, pixels) =
                (glow::RGB16F as i32, glow::PixelUnpackData::Slice(Some(bytemuck::cast_slice(texels))));
            let (width, height, depth) = (width as i32, height as i32, depth as i32);
            gl.tex_image_3d(target, 0, format, width, height, depth, 0, glow::RGB, glow::FLOAT, pixels);
            for (name, value) in [
                (glow::TEXTURE_MIN_FILTER, glow::LINEAR),
                (glow::TEXTURE_MAG_FILTER, glow::LINEAR),
                (glow::TEXTURE_WRAP_S, glow::CLAMP_TO_EDGE),
                (glow::TEXTURE_WRAP_T, glow::CLAMP_TO_EDGE),
                (glow::TEXTURE_WRAP_R, glow::CLAMP_TO_EDGE),
                (glow::TEXTURE_MAX_LEVEL, 0),
            ] {
                gl.tex_parameter_i32(target, name, value as i32);
            }
            gl.bind_texture(target, None);
        }
        gpu.check_errors("uploading an environment")?;
        Ok(Self(texture))
    }

    pub(crate) fn bind(&self, unit: u32) {
        self.0.bind_to_unit(glow::TEXTURE_3D, unit);
        self.0.gpu.bind_sampler(unit, None);
    }
}
