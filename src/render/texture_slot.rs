//! Samplers of the mesh shader for the texture slots of a material.

use crate::gpu::{Channels, ColorSpace};
use crate::model::{Material, TextureSlot};
use crate::render::bindings::unit;
use crate::render::material_features::{MaterialFeature, MaterialFeatures};

/// Sampler of a texture slot.
pub(crate) struct SlotSampler {
    /// Name of the sampler uniform.
    pub(crate) uniform: &'static str,
    /// Name of the define that holds the texture coordinate set.
    pub(crate) set_define: &'static str,
    /// Color space of the texels. Slots that only read alpha accept both, and take that of the color which usually
    /// shares their image.
    pub(crate) color_space: ColorSpace,
    /// Feature without which the texture has no effect.
    pub(crate) required_feature: Option<MaterialFeature>,
}

impl TextureSlot {
    /// Index of the first slot of a material extension.
    pub(crate) const FIRST_FEATURE: usize = Self::Specular as usize;
    pub(crate) const FEATURE_COUNT: usize = Self::COUNT - Self::FIRST_FEATURE;

    pub(crate) fn sampler(self) -> SlotSampler {
        use ColorSpace::{Linear, Srgb};
        use MaterialFeature as Feature;
        let (uniform, set_define, color_space, required_feature) = match self {
            Self::BaseColor => ("base_color_texture", "BASE_COLOR_SET", Srgb, None),
            Self::MetallicRoughness => ("metallic_roughness_texture", "METALLIC_ROUGHNESS_SET", Linear, None),
            Self::Emissive => ("emissive_texture", "EMISSIVE_SET", Srgb, None),
            Self::Occlusion => ("occlusion_texture", "OCCLUSION_SET", Linear, None),
            Self::Normal => ("normal_texture", "NORMAL_SET", Linear, None),
            Self::Specular => ("specular_texture", "SPECULAR_SET", Srgb, None),
            Self::SpecularColor => ("specular_color_texture", "SPECULAR_COLOR_SET", Srgb, None),
            Self::Clearcoat => ("clearcoat_texture", "CLEARCOAT_SET", Linear, Some(Feature::Clearcoat)),
            Self::ClearcoatRoughness => {
                ("clearcoat_roughness_texture", "CLEARCOAT_ROUGHNESS_SET", Linear, Some(Feature::Clearcoat))
            }
            Self::ClearcoatNormal => {
                ("clearcoat_normal_texture", "CLEARCOAT_NORMAL_SET", Linear, Some(Feature::Clearcoat))
            }
            Self::SheenColor => ("sheen_color_texture", "SHEEN_COLOR_SET", Srgb, Some(Feature::Sheen)),
            Self::SheenRoughness => ("sheen_roughness_texture", "SHEEN_ROUGHNESS_SET", Srgb, Some(Feature::Sheen)),
            Self::Anisotropy => ("anisotropy_texture", "ANISOTROPY_SET", Linear, Some(Feature::Anisotropy)),
            Self::Iridescence => ("iridescence_texture", "IRIDESCENCE_SET", Linear, Some(Feature::Iridescence)),
            Self::IridescenceThickness => {
                ("iridescence_thickness_texture", "IRIDESCENCE_THICKNESS_SET", Linear, Some(Feature::Iridescence))
            }
            Self::Transmission => ("transmission_texture", "TRANSMISSION_SET", Linear, Some(Feature::Transmission)),
            Self::Thickness => ("thickness_texture", "THICKNESS_SET", Linear, Some(Feature::Volume)),
            Self::DiffuseTransmission => {
                ("diffuse_transmission_texture", "DIFFUSE_TRANSMISSION_SET", Srgb, Some(Feature::DiffuseTransmission))
            }
            Self::DiffuseTransmissionColor => (
                "diffuse_transmission_color_texture",
                "DIFFUSE_TRANSMISSION_COLOR_SET",
                Srgb,
                Some(Feature::DiffuseTransmission),
            ),
        };
        SlotSampler { uniform, set_define, color_space, required_feature }
    }

    /// Returns the channels that the shader reads.
    pub(crate) fn channels(self) -> Channels {
        match self {
            Self::BaseColor | Self::SpecularColor => Channels::RGBA,
            Self::Emissive
            | Self::Normal
            | Self::ClearcoatNormal
            | Self::SheenColor
            | Self::Anisotropy
            | Self::DiffuseTransmissionColor => Channels::RGB,
            Self::MetallicRoughness => Channels::GB,
            Self::Occlusion | Self::Clearcoat | Self::Iridescence | Self::Transmission => Channels::R,
            Self::ClearcoatRoughness | Self::IridescenceThickness | Self::Thickness => Channels::G,
            Self::Specular | Self::SheenRoughness | Self::DiffuseTransmission => Channels::A,
        }
    }

    /// Returns `true` if a white texture changes nothing in a material of these features.
    pub(crate) fn is_factor(self, features: MaterialFeatures) -> bool {
        match self {
            Self::Normal | Self::ClearcoatNormal | Self::Anisotropy => false,
            // Alpha is the glossiness, which is not multiplied.
            Self::SpecularColor => !features.has(MaterialFeature::SpecularGlossiness),
            _ => true,
        }
    }

    /// Returns the rows of the texture coordinate transform.
    pub(crate) fn transform_rows(self, material: &Material) -> [[f32; 4]; 2] {
        let transform = material.textures[self].map(|texture| texture.transform).unwrap_or_default();
        transform.rows().map(|[x, y, offset]| [x, y, offset, 0.0])
    }

    /// Returns the texture unit.
    pub(crate) fn unit(self) -> u32 {
        match (self as usize).checked_sub(Self::FIRST_FEATURE) {
            None => unit::MATERIAL + self as u32,
            Some(index) => unit::MATERIAL_FEATURES + index as u32,
        }
    }
}

const _: () = assert!(unit::COUNT - unit::MATERIAL_FEATURES == TextureSlot::FEATURE_COUNT as u32);
