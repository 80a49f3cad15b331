//! What all comparisons of two models share.

use super::joints::Matched;
use super::names::Names;
use rigview_core::model::{MaterialIndex, MeshIndex, Model, SkinIndex, TextureIndex};

/// Two models with their matched joints and items.
pub(crate) struct Context<'a> {
    pub(crate) models: [&'a Model; 2],
    pub(crate) joints: Matched,
    pub(crate) meshes: Names,
    pub(crate) skins: Names,
    pub(crate) materials: Names,
    pub(crate) textures: Names,
    pub(crate) images: Names,
}

impl<'a> Context<'a> {
    pub(crate) fn new(models: [&'a Model; 2]) -> Self {
        let names = |kind, names: fn(&'a Model) -> Vec<Option<&'a str>>| Names::new(kind, models.map(names));
        Self {
            models,
            joints: Matched::new(models[0], models[1]),
            meshes: names("mesh", |model| model.meshes.iter().map(|mesh| mesh.name.as_deref()).collect()),
            skins: names("skin", |model| model.skins.iter().map(|skin| skin.name.as_deref()).collect()),
            materials: names("material", |model| model.materials.iter().map(|item| item.name.as_deref()).collect()),
            textures: names("texture", |model| {
                // An unnamed texture has the name of its image.
                let image = |image: Option<rigview_core::model::ImageIndex>| model.images.get(image?.get());
                let name = |texture: &'a rigview_core::model::Texture| {
                    texture.name.as_deref().or_else(|| image(texture.image)?.name.as_deref())
                };
                model.textures.iter().map(name).collect()
            }),
            images: names("image", |model| model.images.iter().map(|image| image.name.as_deref()).collect()),
        }
    }

    pub(crate) fn material(&self, side: usize, material: Option<MaterialIndex>) -> &str {
        material.map_or("none", |material| &self.materials.shown[side][material.get()])
    }

    pub(crate) fn mesh(&self, side: usize, mesh: MeshIndex) -> &str {
        &self.meshes.shown[side][mesh.get()]
    }

    pub(crate) fn skin(&self, side: usize, skin: Option<SkinIndex>) -> &str {
        skin.map_or("none", |skin| &self.skins.shown[side][skin.get()])
    }

    pub(crate) fn texture(&self, side: usize, texture: TextureIndex) -> &str {
        self.textures.shown[side].get(texture.get()).map_or("none", String::as_str)
    }
}
