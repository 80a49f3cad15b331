//! Reads back emission textures.

use super::GpuModel;
use crate::gpu::TextureLevel;
use crate::render::error::RenderError;
use crate::render::srgb::decode_srgb;
use crate::scene::EmissionTexture;
use rigview_core::model::{MaterialIndex, TextureSlot};
use std::collections::HashMap;

/// Larger textures are read at a lower mip level.
const MAX_SIDE: u32 = 256;

impl GpuModel {
    /// Reads back the emission textures of all materials that have one, for
    /// [`virtual_point_lights`](crate::scene::virtual_point_lights). Large
    /// ones are reduced, if they have mip levels.
    ///
    /// # Errors
    /// When the driver fails.
    pub fn emission_textures(&self) -> Result<HashMap<MaterialIndex, EmissionTexture>, RenderError> {
        let mut textures = HashMap::new();
        for draw in &self.draws {
            let bound = draw.material.textures[TextureSlot::Emissive as usize];
            if let (Some(index), Some(bound)) = (draw.material.index, bound)
                && !textures.contains_key(&index)
            {
                let level = self.textures[bound.texture].read_level(MAX_SIDE)?;
                textures.insert(index, linear(&level));
            }
        }
        Ok(textures)
    }
}

/// Decodes sRGB texels.
fn linear(TextureLevel { width, height, rgba }: &TextureLevel) -> EmissionTexture {
    let decoded: Vec<f32> = (0..=255).map(|byte| decode_srgb(f64::from(byte) / 255.0) as f32).collect();
    let texel = |[r, g, b, _]: &[u8; 4]| [r, g, b].map(|byte| decoded[usize::from(*byte)]);
    EmissionTexture { width: *width, height: *height, texels: rgba.as_chunks::<4>().0.iter().map(texel).collect() }
}
