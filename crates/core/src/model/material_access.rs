//! Access to the components of material properties.

use super::material_table::{ANY, MATERIAL_PROPERTIES, MaterialPropertyInfo, row};
use super::{AlphaMode, Material, MaterialProperty, TextureSlot, TextureTransform};

impl MaterialProperty {
    /// Returns the description of the property. The pointer of a texture transform's property is relative to the transform.
    pub(crate) fn info(self) -> MaterialPropertyInfo {
        let transform = |pointer, component_count, default| row(self, pointer, component_count, ANY, default);
        match self {
            Self::TextureOffset(_) => transform("offset", 2, 0.0),
            Self::TextureRotation(_) => transform("rotation", 1, 0.0),
            Self::TextureScale(_) => transform("scale", 2, 1.0),
            _ => match MATERIAL_PROPERTIES.iter().find(|row| row.property == self) {
                Some(row) => *row,
                None => transform("", 0, 0.0),
            },
        }
    }
}

impl Material {
    /// Returns the components of a property; `None` if the material lacks the extension, alpha mode or texture.
    pub fn property_mut(&mut self, property: MaterialProperty) -> Option<&mut [f32]> {
        use MaterialProperty as P;
        use std::slice::from_mut;
        Some(match property {
            P::BaseColor => &mut self.base_color,
            P::Metallic => from_mut(&mut self.metallic),
            P::Roughness => from_mut(&mut self.roughness),
            P::Emissive => &mut self.emissive,
            P::EmissiveStrength => from_mut(&mut self.emissive_strength),
            P::AlphaCutoff => match &mut self.alpha_mode {
                AlphaMode::Mask { cutoff } => from_mut(cutoff),
                AlphaMode::Opaque | AlphaMode::Blend => return None,
            },
            P::NormalScale => from_mut(&mut self.normal_scale),
            P::OcclusionStrength => from_mut(&mut self.occlusion_strength),
            P::Ior => from_mut(&mut self.ior),
            P::Dispersion => from_mut(&mut self.dispersion),
            P::Specular => from_mut(&mut self.specular.as_mut()?.factor),
            P::SpecularColor => &mut self.specular.as_mut()?.color,
            P::Clearcoat => from_mut(&mut self.clearcoat.as_mut()?.factor),
            P::ClearcoatRoughness => from_mut(&mut self.clearcoat.as_mut()?.roughness),
            P::ClearcoatNormalScale => from_mut(&mut self.clearcoat.as_mut()?.normal_scale),
            P::SheenColor => &mut self.sheen.as_mut()?.color,
            P::SheenRoughness => from_mut(&mut self.sheen.as_mut()?.roughness),
            P::Anisotropy => from_mut(&mut self.anisotropy.as_mut()?.strength),
            P::AnisotropyRotation => from_mut(&mut self.anisotropy.as_mut()?.rotation),
            P::Iridescence => from_mut(&mut self.iridescence.as_mut()?.factor),
            P::IridescenceIor => from_mut(&mut self.iridescence.as_mut()?.ior),
            P::IridescenceThicknessMin => from_mut(&mut self.iridescence.as_mut()?.thickness[0]),
            P::IridescenceThicknessMax => from_mut(&mut self.iridescence.as_mut()?.thickness[1]),
            P::Transmission => from_mut(&mut self.transmission.as_mut()?.factor),
            P::Thickness => from_mut(&mut self.volume.as_mut()?.thickness),
            P::AttenuationColor => &mut self.volume.as_mut()?.attenuation_color,
            P::AttenuationDistance => from_mut(&mut self.volume.as_mut()?.attenuation_distance),
            P::DiffuseTransmission => from_mut(&mut self.diffuse_transmission.as_mut()?.factor),
            P::DiffuseTransmissionColor => &mut self.diffuse_transmission.as_mut()?.color,
            P::SpecularGlossinessSpecular => &mut self.specular_glossiness.as_mut()?.specular,
            P::TextureOffset(slot) => &mut self.transform_mut(slot)?.offset,
            P::TextureRotation(slot) => from_mut(&mut self.transform_mut(slot)?.rotation),
            P::TextureScale(slot) => &mut self.transform_mut(slot)?.scale,
        })
    }

    /// Sets a property, clamped to its range. Does nothing if the material lacks it.
    pub fn set_property(&mut self, property: MaterialProperty, value: &[f64]) {
        let [min, max] = property.info().range;
        for (out, component) in self.property_mut(property).into_iter().flatten().zip(value) {
            *out = (*component as f32).clamp(min, max);
            // An index of refraction is at least 1; 0 encodes total reflection.
            if property == MaterialProperty::Ior && *out > 0.0 {
                *out = out.max(1.0);
            }
        }
    }

    fn transform_mut(&mut self, slot: TextureSlot) -> Option<&mut TextureTransform> {
        self.textures[slot].as_mut().map(|texture| &mut texture.transform)
    }
}
