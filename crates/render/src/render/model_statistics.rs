//! Statistics of a model: what a frame draws, and the memory of its textures.

use super::ImageChannels;
use crate::gpu::Channels;
use rigview_core::model::{Image, ImageIndex, Material, Model, Primitive};
use rigview_core::palette::{PaletteLayout, RangeJoints};
use std::collections::BTreeSet;

/// Counts of one instance of a scene. Meshes that several nodes show count several times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelStatistics {
    /// Draws of primitives.
    pub drawn_primitives: usize,
    /// Vertices of the drawn primitives.
    pub vertices: usize,
    /// Triangles of the drawn primitives.
    pub triangles: usize,
    /// Distinct joints of the skins in use.
    pub skin_joints: usize,
    /// Distinct materials in use.
    pub materials: usize,
    /// GPU memory of the textures in use, with mipmaps.
    pub texture_bytes: u64,
}

impl ModelStatistics {
    /// Returns the counts of one instance.
    ///
    /// # Panics
    /// If `layout` is of another model.
    pub fn new(model: &Model, layout: &PaletteLayout) -> Self {
        let primitives = || layout.draws.iter().map(|draw| &model.meshes[draw.mesh.get()].primitives[draw.primitive]);
        let skins = layout.draws.iter().filter(|draw| draw.skinned).filter_map(|draw| {
            match layout.matrix_ranges[draw.matrix_range].joints {
                RangeJoints::Skin(skin) => Some(skin.get()),
                RangeJoints::Joint(_) => None,
            }
        });
        let skins: BTreeSet<usize> = skins.collect();
        let joints: BTreeSet<u32> =
            skins.iter().flat_map(|skin| model.skins[*skin].joints.iter().map(|joint| joint.0)).collect();
        let materials: BTreeSet<usize> =
            primitives().filter_map(|primitive| primitive.material).map(|material| material.get()).collect();
        let used = |material: &usize| model.materials.get(*material);
        let images: BTreeSet<usize> =
            materials.iter().filter_map(used).flat_map(|material| images(model, material)).collect();
        let channels = ImageChannels::new(model);
        let texture_bytes = |image: &usize| texture_bytes(&model.images[*image], channels.of_image(*image));
        Self {
            drawn_primitives: layout.draws.len(),
            vertices: primitives().map(|primitive| primitive.vertices.positions.len()).sum(),
            triangles: primitives().map(Primitive::triangle_count).sum(),
            skin_joints: joints.len(),
            materials: materials.len(),
            texture_bytes: images.iter().map(texture_bytes).sum(),
        }
    }
}

/// Indices of the images of a material.
fn images<'a>(model: &'a Model, material: &'a Material) -> impl Iterator<Item = usize> + use<'a> {
    let image = |texture: usize| -> Option<ImageIndex> { model.textures.get(texture)?.image };
    material.textures.iter().filter_map(move |texture| image(texture.texture.get())).map(ImageIndex::get)
}

/// Returns the GPU memory in bytes of an image with mipmaps: its blocks, else texels with these channels.
pub fn texture_bytes(image: &Image, channels: Channels) -> u64 {
    match &image.compressed {
        Some(compressed) => compressed.levels.iter().map(|level| level.len() as u64).sum(),
        None => {
            let levels = 32 - image.width.max(image.height).leading_zeros();
            let side = |side: u32, level: u32| u64::from((side >> level).max(1));
            let texels = (0..levels).map(|level| side(image.width, level) * side(image.height, level));
            texels.sum::<u64>() * channels.texel_bytes() as u64
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mipmaps_add_a_third() {
        let image = Image { width: 4, height: 2, ..Image::default() };
        let bytes = [Channels::RGBA, Channels::RGB, Channels::GB, Channels::R].map(|c| texture_bytes(&image, c));
        assert_eq!(bytes, [4, 4, 2, 1].map(|texel_bytes| texel_bytes * (8 + 2 + 1)));
        let image = Image { width: 1024, height: 1024, ..Image::default() };
        assert_eq!(texture_bytes(&image, Channels::RGBA), 4 * (1024 * 1024 * 4 - 1) / 3);
        assert_eq!(texture_bytes(&Image::default(), Channels::RGBA), 0);
    }
}
