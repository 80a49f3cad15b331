//! What extensions add to a material, as the shaders take it: which layers show, and their parameters.

use super::variant::TextureSlot;
use crate::model::Material;
use bytemuck::{Pod, Zeroable};

/// A layer of a material, or another thing that an extension adds; its number is its bit in [`Layers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layer {
    /// Another index of refraction, or reflections of other strength or color.
    Dielectric,
    /// A coat of varnish.
    Clearcoat,
    /// Fibers.
    Sheen,
    /// Highlights drawn out one way.
    Anisotropy,
    /// A thin film.
    Iridescence,
    /// Light that passes through.
    Transmission,
    /// A medium within, which refracts and absorbs.
    Volume,
    /// Colors refracted apart.
    Dispersion,
    /// Light that seeps through.
    DiffuseTransmission,
    /// Reflections by color and gloss.
    SpecularGlossiness,
}

/// The layers that show of a material; a plain one has none, and its shader knows nothing of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Layers(u16);

impl Layers {
    /// Every layer, with its name in the shaders.
    const NAMES: [(Layer, &'static str); 10] = [
        (Layer::Dielectric, "DIELECTRIC"),
        (Layer::Clearcoat, "CLEARCOAT"),
        (Layer::Sheen, "SHEEN"),
        (Layer::Anisotropy, "ANISOTROPY"),
        (Layer::Iridescence, "IRIDESCENCE"),
        (Layer::Transmission, "TRANSMISSION"),
        (Layer::Volume, "VOLUME"),
        (Layer::Dispersion, "DISPERSION"),
        (Layer::DiffuseTransmission, "DIFFUSE_TRANSMISSION"),
        (Layer::SpecularGlossiness, "SPECULAR_GLOSSINESS"),
    ];

    /// All of them.
    pub(crate) fn all() -> Self {
        Self::NAMES.iter().fold(Self::default(), |layers, (layer, _)| layers.with(*layer))
    }

    /// Those of a material that change a picture.
    pub(crate) fn of(material: &Material) -> Self {
        let mut layers = Self::default();
        if material.unlit {
            return layers;
        }
        if material.specular_glossiness.is_some() {
            return layers.with(Layer::SpecularGlossiness);
        }
        let mut add = |layer, shows: bool| {
            if shows {
                layers = layers.with(layer);
            }
        };
        let specular = material.specular.as_ref().is_some_and(|specular| {
            specular.factor != 1.0
                || specular.color != [1.0; 3]
                || TextureSlot::Specular.of(material).is_some()
                || TextureSlot::SpecularColor.of(material).is_some()
        });
        let transmission = material.transmission.as_ref().is_some_and(|layer| layer.factor > 0.0);
        let diffuse_transmission = material.diffuse_transmission.as_ref().is_some_and(|layer| layer.factor > 0.0);
        let thick = material.volume.as_ref().is_some_and(|volume| volume.thickness > 0.0);
        let volume = thick && (transmission || diffuse_transmission);
        add(Layer::Dielectric, specular || material.ior != Material::DEFAULT_IOR);
        add(Layer::Clearcoat, material.clearcoat.as_ref().is_some_and(|coat| coat.factor > 0.0));
        add(Layer::Sheen, material.sheen.as_ref().is_some_and(|sheen| sheen.color != [0.0; 3]));
        add(Layer::Anisotropy, material.anisotropy.as_ref().is_some_and(|layer| layer.strength > 0.0));
        add(Layer::Iridescence, material.iridescence.as_ref().is_some_and(|film| film.factor > 0.0));
        add(Layer::Transmission, transmission);
        add(Layer::Volume, volume);
        add(Layer::Dispersion, volume && transmission && material.dispersion > 0.0);
        add(Layer::DiffuseTransmission, diffuse_transmission);
        layers
    }

    /// Whether there is one.
    pub(crate) fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether there is this one.
    pub(crate) fn has(self, layer: Layer) -> bool {
        self.0 & 1 << layer as u16 != 0
    }

    /// With one more.
    pub(crate) fn with(self, layer: Layer) -> Self {
        Self(self.0 | 1 << layer as u16)
    }

    /// These and those.
    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// With one less.
    pub(crate) fn without(self, layer: Layer) -> Self {
        Self(self.0 & !(1 << layer as u16))
    }

    /// Their names in the shaders.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.into_iter().filter(move |(layer, _)| self.has(*layer)).map(|(_, name)| name)
    }
}

/// Parameters of the layers: the same struct as in `shaders/material_features.glsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct MaterialFeatureUniforms {
    /// Color of a dielectric's reflections straight on, linear, and what all its reflections are multiplied with.
    pub(crate) specular: [f32; 4],
    /// Linear color of the fibers, and their perceptual roughness.
    pub(crate) sheen: [f32; 4],
    /// What the volume absorbs, one over meters; and its thickness in the mesh's units.
    pub(crate) absorption: [f32; 4],
    /// Linear color of light that seeps through, and its share.
    pub(crate) diffuse_transmission: [f32; 4],
    /// Index of refraction.
    pub(crate) ior: f32,
    /// Share of the coat.
    pub(crate) clearcoat: f32,
    /// Its perceptual roughness.
    pub(crate) clearcoat_roughness: f32,
    /// How far the coat's normal texture bends normals.
    pub(crate) clearcoat_normal_scale: f32,
    /// How far highlights are drawn out.
    pub(crate) anisotropy: f32,
    /// Cosine of the angle from the tangent to the way that they are drawn out.
    pub(crate) anisotropy_cos: f32,
    /// Its sine.
    pub(crate) anisotropy_sin: f32,
    /// Share of the film.
    pub(crate) iridescence: f32,
    /// Its index of refraction.
    pub(crate) iridescence_ior: f32,
    /// Its thickness in nanometers where the texture is 0.
    pub(crate) iridescence_least: f32,
    /// Its thickness in nanometers where the texture is 1.
    pub(crate) iridescence_most: f32,
    /// Share of light that passes through.
    pub(crate) transmission: f32,
    /// How far colors are refracted apart.
    pub(crate) dispersion: f32,
    /// Arrays begin at multiples of 16 bytes.
    pub(crate) padding: [f32; 3],
    /// For each texture of a layer two rows of what is done to its coordinates.
    pub(crate) layer_transform: [[f32; 4]; 2 * TextureSlot::OF_LAYERS],
}

const _: () = assert!(size_of::<MaterialFeatureUniforms>() == 8 * 16 + 2 * 16 * TextureSlot::OF_LAYERS);

/// The least that a color is taken for where its logarithm is.
const DARKEST: f32 = 1e-6;

impl MaterialFeatureUniforms {
    /// The parameters of a material.
    pub(crate) fn of(factors: &Material) -> Self {
        let mut block = Self { specular: [1.0; 4], ior: factors.ior, dispersion: factors.dispersion, ..Self::zeroed() };
        if let Some(specular) = &factors.specular {
            let [r, g, b] = specular.color;
            block.specular = [r, g, b, specular.factor];
        }
        if let Some(old) = &factors.specular_glossiness {
            let [r, g, b] = old.specular;
            // Straight on it reflects just this.
            (block.specular, block.ior) = ([r, g, b, 1.0], 0.0);
        }
        if let Some(coat) = &factors.clearcoat {
            (block.clearcoat, block.clearcoat_roughness) = (coat.factor, coat.roughness);
            block.clearcoat_normal_scale = coat.normal_scale;
        }
        if let Some(sheen) = &factors.sheen {
            let [r, g, b] = sheen.color;
            block.sheen = [r, g, b, sheen.roughness];
        }
        if let Some(anisotropy) = &factors.anisotropy {
            block.anisotropy = anisotropy.strength;
            (block.anisotropy_cos, block.anisotropy_sin) =
                (libm::cosf(anisotropy.rotation), libm::sinf(anisotropy.rotation));
        }
        if let Some(film) = &factors.iridescence {
            (block.iridescence, block.iridescence_ior) = (film.factor, film.ior);
            [block.iridescence_least, block.iridescence_most] = film.thickness;
        }
        block.transmission = factors.transmission.as_ref().map_or(0.0, |transmission| transmission.factor);
        if let Some(volume) = &factors.volume {
            let absorbed =
                |color: f32| (-libm::logf(color.max(DARKEST)) / volume.attenuation_distance).clamp(0.0, 1e18);
            let [r, g, b] = volume.attenuation_color.map(absorbed);
            block.absorption = [r, g, b, volume.thickness];
        }
        if let Some(diffuse) = &factors.diffuse_transmission {
            let [r, g, b] = diffuse.color;
            block.diffuse_transmission = [r, g, b, diffuse.factor];
        }
        let roles = &TextureSlot::ALL[TextureSlot::FIRST_OF_LAYERS..];
        for (rows, role) in block.layer_transform.chunks_exact_mut(2).zip(roles) {
            rows.copy_from_slice(&role.transform_rows(factors));
        }
        block
    }
}
