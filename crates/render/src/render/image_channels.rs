//! Channels of images that materials read.

use crate::gpu::Channels;
use crate::render::texture_slot::SlotSampler;
use rigview_core::model::{Model, TextureSlot};

/// The channels that the materials of a model read, by image and by texture slot.
///
/// One texture format per slot: llvmpipe compiles a shader per format.
#[derive(Clone, Debug)]
pub struct ImageChannels {
    /// `None` for images that no material uses.
    of_images: Vec<Option<Channels>>,
    of_slots: [Channels; TextureSlot::COUNT],
}

impl ImageChannels {
    /// Collects the channels that all materials of `model` read.
    pub fn new(model: &Model) -> Self {
        let mut slots_of_images = vec![[false; TextureSlot::COUNT]; model.images.len()];
        for material in &model.materials {
            for slot in TextureSlot::ALL {
                let texture = material.textures[slot].and_then(|texture| model.textures.get(texture.texture.get()));
                if let Some(slots) =
                    texture.and_then(|texture| texture.image).and_then(|image| slots_of_images.get_mut(image.get()))
                {
                    slots[slot as usize] = true;
                }
            }
        }
        let mut of_slots = TextureSlot::ALL.map(|slot| SlotSampler::of(slot).channels);
        let mut of_images = vec![None; model.images.len()];
        // Each pass but the last adds a channel to a slot.
        loop {
            let before = of_slots;
            for (channels, slots) in of_images.iter_mut().zip(&slots_of_images) {
                let used = || (0..TextureSlot::COUNT).filter(|&slot| slots[slot]);
                *channels = used().map(|slot| of_slots[slot]).reduce(Channels::union);
                if let Some(channels) = *channels {
                    used().for_each(|slot| of_slots[slot] = channels);
                }
            }
            if of_slots == before {
                return Self { of_images, of_slots };
            }
        }
    }

    /// Returns the channels of an image; all for one that no material uses.
    pub fn of_image(&self, image: usize) -> Channels {
        self.of_images.get(image).copied().flatten().unwrap_or(Channels::RGBA)
    }

    /// Returns the channels of the images of a slot.
    pub(crate) fn of_slot(&self, slot: TextureSlot) -> Channels {
        self.of_slots[slot as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::model::{
        Image, ImageIndex, Material, MaterialTextures, Sampler, Texture, TextureIndex, TextureRef, TextureTransform,
    };

    /// A model with a material for each list of slots and their images.
    fn model(materials: &[&[(TextureSlot, u32)]]) -> Model {
        let images = materials.iter().flat_map(|slots| slots.iter()).map(|(_, image)| image + 1).max().unwrap();
        let texture = |image| Texture { name: None, image: Some(ImageIndex(image)), sampler: Sampler::default() };
        let material = |slots: &&[(TextureSlot, u32)]| {
            let mut textures = MaterialTextures::default();
            for &(slot, image) in *slots {
                let transform = TextureTransform::default();
                textures[slot] = Some(TextureRef { texture: TextureIndex(image), tex_coord: 0, transform });
            }
            Material { textures, ..Material::default() }
        };
        Model {
            materials: materials.iter().map(material).collect(),
            textures: (0..images).map(texture).collect(),
            images: vec![Image::default().into(); images as usize + 1],
            ..Model::default()
        }
    }

    #[test]
    fn images_hold_the_channels_of_their_slots() {
        use TextureSlot::{BaseColor, MetallicRoughness, Occlusion, Transmission};
        let separate = ImageChannels::new(&model(&[&[(BaseColor, 0), (MetallicRoughness, 1), (Occlusion, 2)]]));
        assert_eq!(
            [0, 1, 2, 3].map(|image| separate.of_image(image)),
            [Channels::RGBA, Channels::GB, Channels::R, Channels::RGBA]
        );
        assert_eq!(separate.of_slot(Transmission), Channels::R);
        let bytes = [Channels::R, Channels::GB, Channels::RGB, Channels::RGBA].map(Channels::texel_bytes);
        assert_eq!(bytes, [1, 2, 4, 4]);
    }

    #[test]
    fn images_of_a_slot_have_equal_channels() {
        use TextureSlot::{MetallicRoughness, Occlusion, Thickness};
        let separate: &[_] = &[(MetallicRoughness, 1), (Occlusion, 2), (Thickness, 3)];
        let packed: &[_] = &[(MetallicRoughness, 0), (Occlusion, 0)];
        for materials in [[separate, packed], [packed, separate]] {
            let channels = ImageChannels::new(&model(&materials));
            assert_eq!([0, 1, 2].map(|image| channels.of_image(image)), [Channels::RGB; 3]);
            assert_eq!(channels.of_image(3), Channels::G, "a slot of its own");
        }
    }
}
