//! The table of animatable material properties: JSON pointers, component counts, ranges, defaults, access.

use super::{AlphaMode, Material, TextureSlot};
use std::slice::from_mut;

/// The largest magnitude whose square fits single precision.
const MAX_MAGNITUDE: f32 = 1e18;

const UNIT: [f32; 2] = [0.0, 1.0];
const NOT_NEGATIVE: [f32; 2] = [0.0, MAX_MAGNITUDE];
const ANY_FINITE: [f32; 2] = [-MAX_MAGNITUDE, MAX_MAGNITUDE];

/// One row of [`MATERIAL_PROPERTIES`].
#[derive(Clone, Copy, Debug)]
pub struct MaterialPropertyDescriptor {
    /// The property.
    pub property: MaterialProperty,
    /// JSON Pointer below the material, without the leading slash.
    pub pointer: &'static str,
    /// Number of components, 1 to 4.
    pub component_count: usize,
    /// Minimum and maximum of every component. A cubic spline may exceed them.
    pub range: [f32; 2],
    /// Default of every component.
    pub(crate) default: f32,
    /// Returns the components; `None` if the material lacks the extension or alpha mode.
    components: fn(&mut Material) -> Option<&mut [f32]>,
}

impl MaterialPropertyDescriptor {
    /// Returns the last token of the pointer: the key in its JSON object.
    pub(crate) fn key(&self) -> &'static str {
        self.pointer.rsplit('/').next().unwrap_or(self.pointer)
    }
}

/// Declares [`MaterialProperty`] and [`MATERIAL_PROPERTIES`]: per group the prefix of its pointers, per property the rest of
/// its pointers, component count, range, default and components.
macro_rules! material_properties {
    (|$material:ident| $($prefix:literal {
        $($property:ident: $($pointer:literal)|+, $count:literal, $range:expr, $default:expr, $components:expr;)*
    })*) => {
        /// An animatable property of a material.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the names are those of `Material`")]
        pub enum MaterialProperty {
            $($($property,)*)*
            TextureOffset(TextureSlot),
            TextureRotation(TextureSlot),
            TextureScale(TextureSlot),
        }

        /// All properties except texture transforms, those of an extension in the order of their import.
        pub static MATERIAL_PROPERTIES: &[MaterialPropertyDescriptor] = &[$($($(MaterialPropertyDescriptor {
            property: MaterialProperty::$property,
            pointer: concat!($prefix, $pointer),
            component_count: $count,
            range: $range,
            default: $default,
            components: |$material| Some($components),
        },)+)*)*];
    };
}

// KHR_materials_pbrSpecularGlossiness stores the base color and the roughness under names of its own, the roughness as its
// complement.
material_properties! { |m|
    "" {
        BaseColor: "pbrMetallicRoughness/baseColorFactor" | "extensions/KHR_materials_pbrSpecularGlossiness/diffuseFactor",
            4, UNIT, 1.0, &mut m.base_color;
        Metallic: "pbrMetallicRoughness/metallicFactor", 1, UNIT, 1.0, from_mut(&mut m.metallic);
        Roughness: "pbrMetallicRoughness/roughnessFactor" | "extensions/KHR_materials_pbrSpecularGlossiness/glossinessFactor",
            1, UNIT, 1.0, from_mut(&mut m.roughness);
        Emissive: "emissiveFactor", 3, NOT_NEGATIVE, 0.0, &mut m.emissive;
        AlphaCutoff: "alphaCutoff", 1, NOT_NEGATIVE, 0.5, match &mut m.alpha_mode {
            AlphaMode::Mask { cutoff } => from_mut(cutoff),
            AlphaMode::Opaque | AlphaMode::Blend => return None,
        };
        NormalScale: "normalTexture/scale", 1, ANY_FINITE, 1.0, from_mut(&mut m.normal_scale);
        OcclusionStrength: "occlusionTexture/strength", 1, UNIT, 1.0, from_mut(&mut m.occlusion_strength);
    }
    "extensions/KHR_materials_emissive_strength/" {
        EmissiveStrength: "emissiveStrength", 1, [0.0, f32::MAX], 1.0, from_mut(&mut m.emissive_strength);
    }
    "extensions/KHR_materials_pbrSpecularGlossiness/" {
        SpecularGlossinessSpecular: "specularFactor", 3, UNIT, 1.0, &mut m.specular_glossiness.as_mut()?.specular;
    }
    "extensions/KHR_materials_ior/" {
        Ior: "ior", 1, NOT_NEGATIVE, Material::DEFAULT_IOR, from_mut(&mut m.ior);
    }
    "extensions/KHR_materials_specular/" {
        Specular: "specularFactor", 1, UNIT, 1.0, from_mut(&mut m.specular.as_mut()?.factor);
        SpecularColor: "specularColorFactor", 3, NOT_NEGATIVE, 1.0, &mut m.specular.as_mut()?.color;
    }
    "extensions/KHR_materials_clearcoat/" {
        Clearcoat: "clearcoatFactor", 1, UNIT, 0.0, from_mut(&mut m.clearcoat.as_mut()?.factor);
        ClearcoatRoughness: "clearcoatRoughnessFactor", 1, UNIT, 0.0, from_mut(&mut m.clearcoat.as_mut()?.roughness);
        ClearcoatNormalScale: "clearcoatNormalTexture/scale", 1, ANY_FINITE, 1.0, from_mut(&mut m.clearcoat.as_mut()?.normal_scale);
    }
    "extensions/KHR_materials_sheen/" {
        SheenColor: "sheenColorFactor", 3, UNIT, 0.0, &mut m.sheen.as_mut()?.color;
        SheenRoughness: "sheenRoughnessFactor", 1, UNIT, 0.0, from_mut(&mut m.sheen.as_mut()?.roughness);
    }
    "extensions/KHR_materials_anisotropy/" {
        Anisotropy: "anisotropyStrength", 1, UNIT, 0.0, from_mut(&mut m.anisotropy.as_mut()?.strength);
        AnisotropyRotation: "anisotropyRotation", 1, ANY_FINITE, 0.0, from_mut(&mut m.anisotropy.as_mut()?.rotation);
    }
    "extensions/KHR_materials_iridescence/" {
        Iridescence: "iridescenceFactor", 1, UNIT, 0.0, from_mut(&mut m.iridescence.as_mut()?.factor);
        IridescenceIor: "iridescenceIor", 1, [1.0, MAX_MAGNITUDE], 1.3, from_mut(&mut m.iridescence.as_mut()?.ior);
        IridescenceThicknessMin: "iridescenceThicknessMinimum", 1, NOT_NEGATIVE, 100.0,
            from_mut(&mut m.iridescence.as_mut()?.thickness[0]);
        IridescenceThicknessMax: "iridescenceThicknessMaximum", 1, NOT_NEGATIVE, 400.0,
            from_mut(&mut m.iridescence.as_mut()?.thickness[1]);
    }
    "extensions/KHR_materials_transmission/" {
        Transmission: "transmissionFactor", 1, UNIT, 0.0, from_mut(&mut m.transmission.as_mut()?.factor);
    }
    "extensions/KHR_materials_volume/" {
        AttenuationDistance: "attenuationDistance", 1, [f32::MIN_POSITIVE, f32::MAX], f32::INFINITY,
            from_mut(&mut m.volume.as_mut()?.attenuation_distance);
        Thickness: "thicknessFactor", 1, NOT_NEGATIVE, 0.0, from_mut(&mut m.volume.as_mut()?.thickness);
        AttenuationColor: "attenuationColor", 3, UNIT, 1.0, &mut m.volume.as_mut()?.attenuation_color;
    }
    "extensions/KHR_materials_dispersion/" {
        Dispersion: "dispersion", 1, NOT_NEGATIVE, 0.0, from_mut(&mut m.dispersion);
    }
    "extensions/KHR_materials_diffuse_transmission/" {
        DiffuseTransmission: "diffuseTransmissionFactor", 1, UNIT, 0.0, from_mut(&mut m.diffuse_transmission.as_mut()?.factor);
        DiffuseTransmissionColor: "diffuseTransmissionColorFactor", 3, UNIT, 1.0, &mut m.diffuse_transmission.as_mut()?.color;
    }
}

/// Adds an extension with its defaults to a material.
pub type AddExtension = fn(&mut Material);

/// The extensions with properties or textures, in the order of their import.
pub static MATERIAL_EXTENSIONS: [(&str, AddExtension); 12] = [
    ("KHR_materials_emissive_strength", |_| {}),
    (SPECULAR_GLOSSINESS, |m| {
        m.specular_glossiness = Some(Default::default());
        m.metallic = 0.0;
        m.textures[TextureSlot::MetallicRoughness] = None;
    }),
    ("KHR_materials_ior", |_| {}),
    ("KHR_materials_specular", |m| m.specular = Some(Default::default())),
    ("KHR_materials_clearcoat", |m| m.clearcoat = Some(Default::default())),
    ("KHR_materials_sheen", |m| m.sheen = Some(Default::default())),
    ("KHR_materials_anisotropy", |m| m.anisotropy = Some(Default::default())),
    ("KHR_materials_iridescence", |m| m.iridescence = Some(Default::default())),
    ("KHR_materials_transmission", |m| m.transmission = Some(Default::default())),
    ("KHR_materials_volume", |m| m.volume = Some(Default::default())),
    ("KHR_materials_dispersion", |_| {}),
    ("KHR_materials_diffuse_transmission", |m| m.diffuse_transmission = Some(Default::default())),
];

/// The extension that excludes all others.
pub(crate) const SPECULAR_GLOSSINESS: &str = "KHR_materials_pbrSpecularGlossiness";

/// Returns the part of a pointer below the object of `extension`; `None` if it is elsewhere.
pub fn key_in_extension(pointer: &'static str, extension: &str) -> Option<&'static str> {
    pointer.strip_prefix("extensions/")?.strip_prefix(extension)?.strip_prefix('/')
}

impl MaterialProperty {
    /// Returns the number of components and their range.
    pub(crate) fn layout(self) -> (usize, [f32; 2]) {
        match self {
            Self::TextureOffset(_) | Self::TextureScale(_) => (2, ANY_FINITE),
            Self::TextureRotation(_) => (1, ANY_FINITE),
            _ => self.descriptor().map_or((0, ANY_FINITE), |info| (info.component_count, info.range)),
        }
    }

    fn descriptor(self) -> Option<&'static MaterialPropertyDescriptor> {
        MATERIAL_PROPERTIES.iter().find(|info| info.property == self)
    }
}

impl Material {
    /// Returns the components of a property; `None` if the material lacks the extension, alpha mode or texture.
    pub fn property_mut(&mut self, property: MaterialProperty) -> Option<&mut [f32]> {
        Some(match property {
            MaterialProperty::TextureOffset(slot) => &mut self.textures[slot].as_mut()?.transform.offset,
            MaterialProperty::TextureRotation(slot) => from_mut(&mut self.textures[slot].as_mut()?.transform.rotation),
            MaterialProperty::TextureScale(slot) => &mut self.textures[slot].as_mut()?.transform.scale,
            _ => return (property.descriptor()?.components)(self),
        })
    }

    /// Sets a property, clamped to its range. Does nothing if the material lacks it.
    pub fn set_property(&mut self, property: MaterialProperty, value: &[f64]) {
        let (_, [min, max]) = property.layout();
        for (out, component) in self.property_mut(property).into_iter().flatten().zip(value) {
            *out = (*component as f32).clamp(min, max);
            // An index of refraction is at least 1; 0 encodes total reflection.
            if property == MaterialProperty::Ior && *out > 0.0 {
                *out = out.max(1.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn material_defaults_match_the_table() {
        let mut material = Material::default();
        MATERIAL_EXTENSIONS.iter().for_each(|(_, add)| add(&mut material));
        material.metallic = 1.0;
        for info in MATERIAL_PROPERTIES.iter().filter(|info| info.property != MaterialProperty::AlphaCutoff) {
            let value = material.property_mut(info.property).unwrap();
            assert_eq!(value, vec![info.default; info.component_count], "{}", info.pointer);
        }
    }

    #[test]
    fn every_extension_has_a_property() {
        for (name, _) in MATERIAL_EXTENSIONS {
            let is_in = |info: &MaterialPropertyDescriptor| key_in_extension(info.pointer, name).is_some();
            assert!(MATERIAL_PROPERTIES.iter().any(is_in), "{name}");
        }
    }
}
