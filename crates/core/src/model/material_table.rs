//! The table of animatable material properties and of texture slots: JSON pointers, component counts, ranges, defaults.

use super::material_property::MaterialProperty as P;
use super::{MaterialProperty, TextureSlot};

/// The largest magnitude whose square fits single precision.
const MAX_MAGNITUDE: f32 = 1e18;

const UNIT: [f32; 2] = [0.0, 1.0];
const NOT_NEGATIVE: [f32; 2] = [0.0, MAX_MAGNITUDE];
pub(super) const ANY: [f32; 2] = [-MAX_MAGNITUDE, MAX_MAGNITUDE];

/// One row of [`MATERIAL_PROPERTIES`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MaterialPropertyInfo {
    pub(crate) property: MaterialProperty,
    /// JSON Pointer below the material, without the leading slash.
    pub(crate) pointer: &'static str,
    /// Number of components, 1 to 4.
    pub(crate) component_count: usize,
    /// Minimum and maximum of every component. A cubic spline may exceed them.
    pub(crate) range: [f32; 2],
    /// Default of every component.
    pub(crate) default: f32,
}

impl MaterialPropertyInfo {
    /// Returns the last token of the pointer: the key in its JSON object.
    pub(crate) fn key(&self) -> &'static str {
        last_token(self.pointer)
    }
}

fn last_token(pointer: &'static str) -> &'static str {
    pointer.rsplit('/').next().unwrap_or(pointer)
}

pub(super) const fn row(
    property: MaterialProperty,
    pointer: &'static str,
    component_count: usize,
    range: [f32; 2],
    default: f32,
) -> MaterialPropertyInfo {
    MaterialPropertyInfo { property, pointer, component_count, range, default }
}

/// All properties except texture transforms, extensions in the order of their import.
///
/// The base color and the roughness occur twice: KHR_materials_pbrSpecularGlossiness stores them under names of its own,
/// the roughness as its complement.
#[rustfmt::skip]
pub(crate) static MATERIAL_PROPERTIES: [MaterialPropertyInfo; 32] = [
    row(P::BaseColor, "pbrMetallicRoughness/baseColorFactor", 4, UNIT, 1.0),
    row(P::Metallic, "pbrMetallicRoughness/metallicFactor", 1, UNIT, 1.0),
    row(P::Roughness, "pbrMetallicRoughness/roughnessFactor", 1, UNIT, 1.0),
    row(P::Emissive, "emissiveFactor", 3, NOT_NEGATIVE, 0.0),
    row(P::AlphaCutoff, "alphaCutoff", 1, NOT_NEGATIVE, 0.5),
    row(P::NormalScale, "normalTexture/scale", 1, ANY, 1.0),
    row(P::OcclusionStrength, "occlusionTexture/strength", 1, UNIT, 1.0),
    row(P::EmissiveStrength, "extensions/KHR_materials_emissive_strength/emissiveStrength", 1, [0.0, f32::MAX], 1.0),
    row(P::BaseColor, "extensions/KHR_materials_pbrSpecularGlossiness/diffuseFactor", 4, UNIT, 1.0),
    row(P::Roughness, "extensions/KHR_materials_pbrSpecularGlossiness/glossinessFactor", 1, UNIT, 1.0),
    row(P::SpecularGlossinessSpecular, "extensions/KHR_materials_pbrSpecularGlossiness/specularFactor", 3, UNIT, 1.0),
    row(P::Ior, "extensions/KHR_materials_ior/ior", 1, NOT_NEGATIVE, super::Material::DEFAULT_IOR),
    row(P::Specular, "extensions/KHR_materials_specular/specularFactor", 1, UNIT, 1.0),
    row(P::SpecularColor, "extensions/KHR_materials_specular/specularColorFactor", 3, NOT_NEGATIVE, 1.0),
    row(P::Clearcoat, "extensions/KHR_materials_clearcoat/clearcoatFactor", 1, UNIT, 0.0),
    row(P::ClearcoatRoughness, "extensions/KHR_materials_clearcoat/clearcoatRoughnessFactor", 1, UNIT, 0.0),
    row(P::ClearcoatNormalScale, "extensions/KHR_materials_clearcoat/clearcoatNormalTexture/scale", 1, ANY, 1.0),
    row(P::SheenColor, "extensions/KHR_materials_sheen/sheenColorFactor", 3, UNIT, 0.0),
    row(P::SheenRoughness, "extensions/KHR_materials_sheen/sheenRoughnessFactor", 1, UNIT, 0.0),
    row(P::Anisotropy, "extensions/KHR_materials_anisotropy/anisotropyStrength", 1, UNIT, 0.0),
    row(P::AnisotropyRotation, "extensions/KHR_materials_anisotropy/anisotropyRotation", 1, ANY, 0.0),
    row(P::Iridescence, "extensions/KHR_materials_iridescence/iridescenceFactor", 1, UNIT, 0.0),
    row(P::IridescenceIor, "extensions/KHR_materials_iridescence/iridescenceIor", 1, [1.0, MAX_MAGNITUDE], 1.3),
    row(P::IridescenceThicknessMin, "extensions/KHR_materials_iridescence/iridescenceThicknessMinimum", 1, NOT_NEGATIVE, 100.0),
    row(P::IridescenceThicknessMax, "extensions/KHR_materials_iridescence/iridescenceThicknessMaximum", 1, NOT_NEGATIVE, 400.0),
    row(P::Transmission, "extensions/KHR_materials_transmission/transmissionFactor", 1, UNIT, 0.0),
    row(P::AttenuationDistance, "extensions/KHR_materials_volume/attenuationDistance", 1, [f32::MIN_POSITIVE, f32::MAX], f32::INFINITY),
    row(P::Thickness, "extensions/KHR_materials_volume/thicknessFactor", 1, NOT_NEGATIVE, 0.0),
    row(P::AttenuationColor, "extensions/KHR_materials_volume/attenuationColor", 3, UNIT, 1.0),
    row(P::Dispersion, "extensions/KHR_materials_dispersion/dispersion", 1, NOT_NEGATIVE, 0.0),
    row(P::DiffuseTransmission, "extensions/KHR_materials_diffuse_transmission/diffuseTransmissionFactor", 1, UNIT, 0.0),
    row(P::DiffuseTransmissionColor, "extensions/KHR_materials_diffuse_transmission/diffuseTransmissionColorFactor", 3, UNIT, 1.0),
];

/// JSON Pointer of every texture slot below the material, without the leading slash.
///
/// KHR_materials_pbrSpecularGlossiness has names of its own for two slots.
#[rustfmt::skip]
pub(crate) static TEXTURE_SLOTS: [(TextureSlot, &str); 21] = [
    (TextureSlot::BaseColor, "pbrMetallicRoughness/baseColorTexture"),
    (TextureSlot::MetallicRoughness, "pbrMetallicRoughness/metallicRoughnessTexture"),
    (TextureSlot::Normal, "normalTexture"),
    (TextureSlot::Occlusion, "occlusionTexture"),
    (TextureSlot::Emissive, "emissiveTexture"),
    (TextureSlot::BaseColor, "extensions/KHR_materials_pbrSpecularGlossiness/diffuseTexture"),
    (TextureSlot::SpecularColor, "extensions/KHR_materials_pbrSpecularGlossiness/specularGlossinessTexture"),
    (TextureSlot::Specular, "extensions/KHR_materials_specular/specularTexture"),
    (TextureSlot::SpecularColor, "extensions/KHR_materials_specular/specularColorTexture"),
    (TextureSlot::Clearcoat, "extensions/KHR_materials_clearcoat/clearcoatTexture"),
    (TextureSlot::ClearcoatRoughness, "extensions/KHR_materials_clearcoat/clearcoatRoughnessTexture"),
    (TextureSlot::ClearcoatNormal, "extensions/KHR_materials_clearcoat/clearcoatNormalTexture"),
    (TextureSlot::SheenColor, "extensions/KHR_materials_sheen/sheenColorTexture"),
    (TextureSlot::SheenRoughness, "extensions/KHR_materials_sheen/sheenRoughnessTexture"),
    (TextureSlot::Anisotropy, "extensions/KHR_materials_anisotropy/anisotropyTexture"),
    (TextureSlot::Iridescence, "extensions/KHR_materials_iridescence/iridescenceTexture"),
    (TextureSlot::IridescenceThickness, "extensions/KHR_materials_iridescence/iridescenceThicknessTexture"),
    (TextureSlot::Transmission, "extensions/KHR_materials_transmission/transmissionTexture"),
    (TextureSlot::Thickness, "extensions/KHR_materials_volume/thicknessTexture"),
    (TextureSlot::DiffuseTransmission, "extensions/KHR_materials_diffuse_transmission/diffuseTransmissionTexture"),
    (TextureSlot::DiffuseTransmissionColor, "extensions/KHR_materials_diffuse_transmission/diffuseTransmissionColorTexture"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Material, TextureSlot};

    #[test]
    fn material_defaults_match_the_table() {
        let mut material = Material {
            specular: Some(Default::default()),
            clearcoat: Some(Default::default()),
            sheen: Some(Default::default()),
            anisotropy: Some(Default::default()),
            iridescence: Some(Default::default()),
            transmission: Some(Default::default()),
            volume: Some(Default::default()),
            diffuse_transmission: Some(Default::default()),
            specular_glossiness: Some(Default::default()),
            ..Material::default()
        };
        for row in MATERIAL_PROPERTIES.iter().filter(|row| row.property != P::AlphaCutoff) {
            assert_eq!(row.property.info().component_count, row.component_count);
            let value = material.property_mut(row.property).unwrap();
            assert_eq!(value, vec![row.default; row.component_count], "{}", row.pointer);
        }
    }

    #[test]
    fn every_texture_slot_has_a_pointer() {
        for slot in TextureSlot::ALL {
            assert!(TEXTURE_SLOTS.iter().any(|(found, _)| *found == slot), "{slot:?}");
        }
    }
}
