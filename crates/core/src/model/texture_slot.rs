//! Texture slots of a material.

use super::TextureRef;
use std::ops::{Index, IndexMut};

/// The use of a texture in a material: its meaning, channels and color space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureSlot {
    /// Base color and opacity; sRGB, straight alpha.
    BaseColor,
    /// Roughness in green and metalness in blue, linear.
    MetallicRoughness,
    /// Emitted color, sRGB.
    Emissive,
    /// Ambient occlusion in red, linear.
    Occlusion,
    /// Normals in tangent space.
    Normal,
    /// Specular factor in alpha, linear.
    Specular,
    /// Specular color, sRGB. With KHR_materials_pbrSpecularGlossiness, alpha holds the glossiness.
    SpecularColor,
    /// Clearcoat factor in red, linear.
    Clearcoat,
    /// Clearcoat roughness in green, linear.
    ClearcoatRoughness,
    /// Clearcoat normals in tangent space.
    ClearcoatNormal,
    /// Sheen color, sRGB.
    SheenColor,
    /// Sheen roughness in alpha, linear.
    SheenRoughness,
    /// Direction in red and green, -1 to 1 along tangent and bitangent; strength in blue. Linear.
    Anisotropy,
    /// Iridescence factor in red, linear.
    Iridescence,
    /// Iridescence thickness in green, linear.
    IridescenceThickness,
    /// Transmission factor in red, linear.
    Transmission,
    /// Volume thickness in green, linear.
    Thickness,
    /// Diffuse transmission factor in alpha, linear.
    DiffuseTransmission,
    /// Diffuse transmission color, sRGB.
    DiffuseTransmissionColor,
}

impl TextureSlot {
    /// Number of slots.
    pub const COUNT: usize = Self::ALL.len();

    /// All slots, in the order of their discriminants.
    pub const ALL: [Self; 19] = [
        Self::BaseColor,
        Self::MetallicRoughness,
        Self::Emissive,
        Self::Occlusion,
        Self::Normal,
        Self::Specular,
        Self::SpecularColor,
        Self::Clearcoat,
        Self::ClearcoatRoughness,
        Self::ClearcoatNormal,
        Self::SheenColor,
        Self::SheenRoughness,
        Self::Anisotropy,
        Self::Iridescence,
        Self::IridescenceThickness,
        Self::Transmission,
        Self::Thickness,
        Self::DiffuseTransmission,
        Self::DiffuseTransmissionColor,
    ];
}

/// The textures of a material, one or none per [`TextureSlot`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MaterialTextures([Option<TextureRef>; TextureSlot::COUNT]);

impl MaterialTextures {
    /// The textures that are present.
    pub fn iter(&self) -> impl Iterator<Item = TextureRef> + use<> {
        self.0.into_iter().flatten()
    }
}

impl Index<TextureSlot> for MaterialTextures {
    type Output = Option<TextureRef>;

    fn index(&self, slot: TextureSlot) -> &Self::Output {
        &self.0[slot as usize]
    }
}

impl IndexMut<TextureSlot> for MaterialTextures {
    fn index_mut(&mut self, slot: TextureSlot) -> &mut Self::Output {
        &mut self.0[slot as usize]
    }
}

impl<const N: usize> From<[(TextureSlot, TextureRef); N]> for MaterialTextures {
    fn from(textures: [(TextureSlot, TextureRef); N]) -> Self {
        let mut out = Self::default();
        textures.into_iter().for_each(|(slot, texture)| out[slot] = Some(texture));
        out
    }
}
