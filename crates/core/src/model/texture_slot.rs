//! Texture slots of a material, and their JSON pointers.

use super::TextureRef;
use std::ops::{Index, IndexMut};

/// Declares [`TextureSlot`] and [`TEXTURE_SLOTS`]: documentation, slot, name, JSON pointers.
macro_rules! texture_slots {
    ($(#[$doc:meta] $slot:ident, $name:literal, $($pointer:literal)|+;)*) => {
        /// The use of a texture in a material: its meaning, channels and color space.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum TextureSlot {
            $(#[$doc] $slot,)*
        }

        impl TextureSlot {
            /// All slots, in the order of their discriminants.
            pub const ALL: [Self; 19] = [$(Self::$slot),*];

            /// Returns the name for users, such as `base color`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$slot => $name,)*
                }
            }
        }

        /// JSON Pointers of all slots below the material, without the leading slash.
        pub static TEXTURE_SLOTS: &[(TextureSlot, &str)] = &[$($((TextureSlot::$slot, $pointer),)+)*];
    };
}

// KHR_materials_pbrSpecularGlossiness has names of its own for two slots.
texture_slots! {
    /// Base color and opacity; sRGB, straight alpha.
    BaseColor, "base color",
        "pbrMetallicRoughness/baseColorTexture" | "extensions/KHR_materials_pbrSpecularGlossiness/diffuseTexture";
    /// Roughness in green and metalness in blue, linear.
    MetallicRoughness, "metalness, roughness", "pbrMetallicRoughness/metallicRoughnessTexture";
    /// Emitted color, sRGB.
    Emissive, "emission", "emissiveTexture";
    /// Ambient occlusion in red, linear.
    Occlusion, "occlusion", "occlusionTexture";
    /// Normals in tangent space.
    Normal, "normal", "normalTexture";
    /// Specular factor in alpha, linear.
    Specular, "specular", "extensions/KHR_materials_specular/specularTexture";
    /// Specular color, sRGB. With KHR_materials_pbrSpecularGlossiness, alpha holds the glossiness.
    SpecularColor, "specular color", "extensions/KHR_materials_pbrSpecularGlossiness/specularGlossinessTexture"
        | "extensions/KHR_materials_specular/specularColorTexture";
    /// Clearcoat factor in red, linear.
    Clearcoat, "clearcoat", "extensions/KHR_materials_clearcoat/clearcoatTexture";
    /// Clearcoat roughness in green, linear.
    ClearcoatRoughness, "clearcoat roughness", "extensions/KHR_materials_clearcoat/clearcoatRoughnessTexture";
    /// Clearcoat normals in tangent space.
    ClearcoatNormal, "clearcoat normal", "extensions/KHR_materials_clearcoat/clearcoatNormalTexture";
    /// Sheen color, sRGB.
    SheenColor, "sheen color", "extensions/KHR_materials_sheen/sheenColorTexture";
    /// Sheen roughness in alpha, linear.
    SheenRoughness, "sheen roughness", "extensions/KHR_materials_sheen/sheenRoughnessTexture";
    /// Direction in red and green, -1 to 1 along tangent and bitangent; strength in blue. Linear.
    Anisotropy, "anisotropy", "extensions/KHR_materials_anisotropy/anisotropyTexture";
    /// Iridescence factor in red, linear.
    Iridescence, "iridescence", "extensions/KHR_materials_iridescence/iridescenceTexture";
    /// Iridescence thickness in green, linear.
    IridescenceThickness, "iridescence thickness", "extensions/KHR_materials_iridescence/iridescenceThicknessTexture";
    /// Transmission factor in red, linear.
    Transmission, "transmission", "extensions/KHR_materials_transmission/transmissionTexture";
    /// Volume thickness in green, linear.
    Thickness, "thickness", "extensions/KHR_materials_volume/thicknessTexture";
    /// Diffuse transmission factor in alpha, linear.
    DiffuseTransmission, "diffuse transmission",
        "extensions/KHR_materials_diffuse_transmission/diffuseTransmissionTexture";
    /// Diffuse transmission color, sRGB.
    DiffuseTransmissionColor, "diffuse transmission color",
        "extensions/KHR_materials_diffuse_transmission/diffuseTransmissionColorTexture";
}

impl TextureSlot {
    /// Number of slots.
    pub const COUNT: usize = Self::ALL.len();
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
