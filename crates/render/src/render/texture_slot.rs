//! Samplers of the mesh shader for the texture slots of a material.

use crate::gpu::{Channels, ColorSpace};
use crate::render::bindings::unit;
use crate::render::material_features::{MaterialFeature, MaterialFeatures};
use rigview_core::model::{Material, TextureSlot};

/// Index of the first slot of a material extension.
pub(crate) const FIRST_FEATURE: usize = TextureSlot::Specular as usize;
pub(crate) const FEATURE_COUNT: usize = TextureSlot::COUNT - FIRST_FEATURE;

/// Sampler of a texture slot.
pub(crate) struct SlotSampler {
    /// Name of the sampler uniform.
    pub(crate) uniform: &'static str,
    /// Name of the define that holds the texture coordinate set.
    pub(crate) tex_coord_set_define: &'static str,
    /// Color space of the texels. Alpha is equal in both spaces; sRGB lets slots that read only alpha share the upload of the
    /// color in their image.
    pub(crate) color_space: ColorSpace,
    /// The channels that the shader reads.
    pub(crate) channels: Channels,
    /// Feature without which the texture has no effect.
    pub(crate) required_feature: Option<MaterialFeature>,
}

impl SlotSampler {
    pub(crate) fn of(slot: TextureSlot) -> Self {
        use ColorSpace::{Linear, Srgb};
        use MaterialFeature as Feature;
        use TextureSlot as Slot;
        #[rustfmt::skip]
        let (uniform, tex_coord_set_define, color_space, channels, required_feature) = match slot {
            Slot::BaseColor => ("base_color_texture", "BASE_COLOR_SET", Srgb, Channels::RGBA, None),
            Slot::MetallicRoughness => ("metallic_roughness_texture", "METALLIC_ROUGHNESS_SET", Linear, Channels::GB, None),
            Slot::Emissive => ("emissive_texture", "EMISSIVE_SET", Srgb, Channels::RGB, None),
            Slot::Occlusion => ("occlusion_texture", "OCCLUSION_SET", Linear, Channels::R, None),
            Slot::Normal => ("normal_texture", "NORMAL_SET", Linear, Channels::RGB, None),
            Slot::Specular => ("specular_texture", "SPECULAR_SET", Srgb, Channels::A, None),
            Slot::SpecularColor => ("specular_color_texture", "SPECULAR_COLOR_SET", Srgb, Channels::RGBA, None),
            Slot::Clearcoat => ("clearcoat_texture", "CLEARCOAT_SET", Linear, Channels::R, Some(Feature::Clearcoat)),
            Slot::ClearcoatRoughness => ("clearcoat_roughness_texture", "CLEARCOAT_ROUGHNESS_SET", Linear, Channels::G, Some(Feature::Clearcoat)),
            Slot::ClearcoatNormal => ("clearcoat_normal_texture", "CLEARCOAT_NORMAL_SET", Linear, Channels::RGB, Some(Feature::Clearcoat)),
            Slot::SheenColor => ("sheen_color_texture", "SHEEN_COLOR_SET", Srgb, Channels::RGB, Some(Feature::Sheen)),
            Slot::SheenRoughness => ("sheen_roughness_texture", "SHEEN_ROUGHNESS_SET", Srgb, Channels::A, Some(Feature::Sheen)),
            Slot::Anisotropy => ("anisotropy_texture", "ANISOTROPY_SET", Linear, Channels::RGB, Some(Feature::Anisotropy)),
            Slot::Iridescence => ("iridescence_texture", "IRIDESCENCE_SET", Linear, Channels::R, Some(Feature::Iridescence)),
            Slot::IridescenceThickness => ("iridescence_thickness_texture", "IRIDESCENCE_THICKNESS_SET", Linear, Channels::G, Some(Feature::Iridescence)),
            Slot::Transmission => ("transmission_texture", "TRANSMISSION_SET", Linear, Channels::R, Some(Feature::Transmission)),
            Slot::Thickness => ("thickness_texture", "THICKNESS_SET", Linear, Channels::G, Some(Feature::Volume)),
            Slot::DiffuseTransmission => ("diffuse_transmission_texture", "DIFFUSE_TRANSMISSION_SET", Srgb, Channels::A, Some(Feature::DiffuseTransmission)),
            Slot::DiffuseTransmissionColor => ("diffuse_transmission_color_texture", "DIFFUSE_TRANSMISSION_COLOR_SET", Srgb, Channels::RGB, Some(Feature::DiffuseTransmission)),
        };
        Self { uniform, tex_coord_set_define, color_space, channels, required_feature }
    }
}

/// Returns `true` if a white texture changes nothing in a material of these features.
pub(crate) fn is_neutral_if_white(slot: TextureSlot, features: MaterialFeatures) -> bool {
    match slot {
        TextureSlot::Normal | TextureSlot::ClearcoatNormal | TextureSlot::Anisotropy => false,
        // Alpha is the glossiness, which is not multiplied.
        TextureSlot::SpecularColor => !features.has(MaterialFeature::SpecularGlossiness),
        _ => true,
    }
}

/// Returns the rows of the texture coordinate transform.
pub(crate) fn transform_rows(slot: TextureSlot, material: &Material) -> [[f32; 4]; 2] {
    let transform = material.textures[slot].map(|texture| texture.transform).unwrap_or_default();
    transform.rows().map(|[x, y, offset]| [x, y, offset, 0.0])
}

/// Returns the texture unit.
pub(crate) fn texture_unit(slot: TextureSlot) -> u32 {
    match (slot as usize).checked_sub(FIRST_FEATURE) {
        None => unit::MATERIAL + slot as u32,
        Some(index) => unit::MATERIAL_FEATURES + index as u32,
    }
}

const _: () = assert!(unit::COUNT - unit::MATERIAL_FEATURES == FEATURE_COUNT as u32);
