//! Material extensions (`KHR_materials_*`) that the mesh shader is compiled with.

use rigview_core::model::{Material, TextureSlot};

/// A material extension; its discriminant is its bit in [`MaterialFeatures`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MaterialFeature {
    /// `KHR_materials_ior` or `KHR_materials_specular`.
    Dielectric,
    Clearcoat,
    Sheen,
    Anisotropy,
    Iridescence,
    Transmission,
    Volume,
    Dispersion,
    DiffuseTransmission,
    SpecularGlossiness,
}

/// Set of material extensions; empty for a core metallic-roughness material.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct MaterialFeatures(u16);

/// Every feature with the name of its define.
const DEFINES: [(MaterialFeature, &str); 10] = [
    (MaterialFeature::Dielectric, "DIELECTRIC"),
    (MaterialFeature::Clearcoat, "CLEARCOAT"),
    (MaterialFeature::Sheen, "SHEEN"),
    (MaterialFeature::Anisotropy, "ANISOTROPY"),
    (MaterialFeature::Iridescence, "IRIDESCENCE"),
    (MaterialFeature::Transmission, "TRANSMISSION"),
    (MaterialFeature::Volume, "VOLUME"),
    (MaterialFeature::Dispersion, "DISPERSION"),
    (MaterialFeature::DiffuseTransmission, "DIFFUSE_TRANSMISSION"),
    (MaterialFeature::SpecularGlossiness, "SPECULAR_GLOSSINESS"),
];

impl MaterialFeatures {
    pub(crate) fn all() -> Self {
        DEFINES.iter().fold(Self::default(), |features, (feature, _)| features.with(*feature))
    }

    /// Returns the features of `material` that change its appearance.
    pub(crate) fn of(material: &Material) -> Self {
        let mut features = Self::default();
        if material.unlit {
            return features;
        }
        if material.specular_glossiness.is_some() {
            return features.with(MaterialFeature::SpecularGlossiness);
        }
        let mut add = |feature, visible: bool| {
            if visible {
                features = features.with(feature);
            }
        };
        let specular = material.specular.as_ref().is_some_and(|specular| {
            specular.factor != 1.0
                || specular.color != [1.0; 3]
                || material.textures[TextureSlot::Specular].is_some()
                || material.textures[TextureSlot::SpecularColor].is_some()
        });
        let transmission = material.transmission.as_ref().is_some_and(|transmission| transmission.factor > 0.0);
        let diffuse_transmission = material.diffuse_transmission.as_ref().is_some_and(|diffuse| diffuse.factor > 0.0);
        let thick = material.volume.as_ref().is_some_and(|volume| volume.thickness > 0.0);
        let volume = thick && (transmission || diffuse_transmission);
        add(MaterialFeature::Dielectric, specular || material.ior != Material::DEFAULT_IOR);
        add(MaterialFeature::Clearcoat, material.clearcoat.as_ref().is_some_and(|coat| coat.factor > 0.0));
        add(MaterialFeature::Sheen, material.sheen.as_ref().is_some_and(|sheen| sheen.color != [0.0; 3]));
        add(MaterialFeature::Anisotropy, material.anisotropy.as_ref().is_some_and(|layer| layer.strength > 0.0));
        add(MaterialFeature::Iridescence, material.iridescence.as_ref().is_some_and(|film| film.factor > 0.0));
        add(MaterialFeature::Transmission, transmission);
        add(MaterialFeature::Volume, volume);
        add(MaterialFeature::Dispersion, volume && transmission && material.dispersion > 0.0);
        add(MaterialFeature::DiffuseTransmission, diffuse_transmission);
        features
    }

    pub(crate) fn any(self) -> bool {
        self.0 != 0
    }

    pub(crate) fn has(self, feature: MaterialFeature) -> bool {
        self.0 & 1 << feature as u16 != 0
    }

    pub(crate) fn with(self, feature: MaterialFeature) -> Self {
        Self(self.0 | 1 << feature as u16)
    }

    pub(crate) fn without(self, feature: MaterialFeature) -> Self {
        Self(self.0 & !(1 << feature as u16))
    }

    pub(crate) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the names of the features' defines.
    pub(crate) fn defines(self) -> impl Iterator<Item = &'static str> {
        DEFINES.into_iter().filter(move |(feature, _)| self.has(*feature)).map(|(_, define)| define)
    }
}
