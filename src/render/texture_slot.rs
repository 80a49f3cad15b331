//! Texture slots of a material.

use crate::gpu::ColorSpace;
use crate::model::{Material, TextureRef};
use crate::render::bindings::unit;
use crate::render::material_features::MaterialFeature;

/// Defines [`TextureSlot`] with each slot's sampler, define of its texture coordinate set, color space and feature.
macro_rules! texture_slots {
    ($($slot:ident($sampler:literal, $set:literal, $space:ident, $feature:expr),)*) => {
        /// Purpose of a texture. The discriminant is the index in per-slot arrays.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum TextureSlot {
            $($slot,)*
        }

        impl TextureSlot {
            pub(crate) const ALL: [Self; [$($sampler),*].len()] = [$(Self::$slot),*];

            /// Name of the sampler uniform.
            pub(crate) fn sampler(self) -> &'static str {
                match self { $(Self::$slot => $sampler,)* }
            }

            /// Name of the define that holds the texture coordinate set.
            pub(crate) fn set_define(self) -> &'static str {
                match self { $(Self::$slot => $set,)* }
            }

            /// Color space of the texels. Slots that only read alpha accept both, and take that of the color which
            /// usually shares their image.
            pub(crate) fn color_space(self) -> ColorSpace {
                match self { $(Self::$slot => ColorSpace::$space,)* }
            }

            /// Feature without which the texture has no effect.
            pub(crate) fn required_feature(self) -> Option<MaterialFeature> {
                match self { $(Self::$slot => $feature,)* }
            }
        }
    };
}

use MaterialFeature as Feature;
texture_slots! {
    BaseColor("base_color_texture", "BASE_COLOR_SET", Srgb, None),
    MetallicRoughness("metallic_roughness_texture", "METALLIC_ROUGHNESS_SET", Linear, None),
    Emissive("emissive_texture", "EMISSIVE_SET", Srgb, None),
    Occlusion("occlusion_texture", "OCCLUSION_SET", Linear, None),
    Normal("normal_texture", "NORMAL_SET", Linear, None),
    Specular("specular_texture", "SPECULAR_SET", Srgb, None),
    SpecularColor("specular_color_texture", "SPECULAR_COLOR_SET", Srgb, None),
    Clearcoat("clearcoat_texture", "CLEARCOAT_SET", Linear, Some(Feature::Clearcoat)),
    ClearcoatRoughness("clearcoat_roughness_texture", "CLEARCOAT_ROUGHNESS_SET", Linear, Some(Feature::Clearcoat)),
    ClearcoatNormal("clearcoat_normal_texture", "CLEARCOAT_NORMAL_SET", Linear, Some(Feature::Clearcoat)),
    SheenColor("sheen_color_texture", "SHEEN_COLOR_SET", Srgb, Some(Feature::Sheen)),
    SheenRoughness("sheen_roughness_texture", "SHEEN_ROUGHNESS_SET", Srgb, Some(Feature::Sheen)),
    Anisotropy("anisotropy_texture", "ANISOTROPY_SET", Linear, Some(Feature::Anisotropy)),
    Iridescence("iridescence_texture", "IRIDESCENCE_SET", Linear, Some(Feature::Iridescence)),
    IridescenceThickness(
        "iridescence_thickness_texture", "IRIDESCENCE_THICKNESS_SET", Linear, Some(Feature::Iridescence)
    ),
    Transmission("transmission_texture", "TRANSMISSION_SET", Linear, Some(Feature::Transmission)),
    Thickness("thickness_texture", "THICKNESS_SET", Linear, Some(Feature::Volume)),
    DiffuseTransmission(
        "diffuse_transmission_texture", "DIFFUSE_TRANSMISSION_SET", Srgb, Some(Feature::DiffuseTransmission)
    ),
    DiffuseTransmissionColor(
        "diffuse_transmission_color_texture", "DIFFUSE_TRANSMISSION_COLOR_SET", Srgb, Some(Feature::DiffuseTransmission)
    ),
}

impl TextureSlot {
    pub(crate) const COUNT: usize = Self::ALL.len();
    /// Index of the first slot of a material extension.
    pub(crate) const FIRST_FEATURE: usize = Self::Specular as usize;
    pub(crate) const FEATURE_COUNT: usize = Self::COUNT - Self::FIRST_FEATURE;

    /// Returns the texture in this slot of `material`.
    pub(crate) fn of(self, material: &Material) -> Option<TextureRef> {
        material.textures[crate::model::TextureSlot::ALL[self as usize]]
    }

    /// Returns the rows of the texture coordinate transform.
    pub(crate) fn transform_rows(self, material: &Material) -> [[f32; 4]; 2] {
        let transform = self.of(material).map(|texture| texture.transform).unwrap_or_default();
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
