//! Materials.

use super::material_extensions::{
    Anisotropy, Clearcoat, DiffuseTransmission, Iridescence, Sheen, Specular, SpecularGlossiness, Transmission, Volume,
};
use super::{MaterialTextures, TextureSlot};

/// A metallic-roughness material (glTF 2.0, section 3.9) with its extensions.
///
/// Not exhaustive, since extensions add fields: end literals by `..Material::default()`, and patterns by `..`.
#[derive(Clone, Debug)]
pub struct Material {
    /// Name in the file.
    pub name: Option<String>,
    /// Linear color and opacity. The texture and the vertex colors multiply it.
    pub base_color: [f32; 4],
    /// 0 for dielectrics, 1 for metals.
    pub metallic: f32,
    /// Perceptual roughness, 0 to 1.
    pub roughness: f32,
    /// Scale of the normal texture.
    pub normal_scale: f32,
    /// Strength of the ambient occlusion, 0 to 1.
    pub occlusion_strength: f32,
    /// Linear color of the emitted light.
    pub emissive: [f32; 3],
    /// Factor of the emitted light (KHR_materials_emissive_strength).
    pub emissive_strength: f32,
    /// Use of alpha.
    pub alpha_mode: AlphaMode,
    /// `true` if back faces are drawn, with flipped normals.
    pub double_sided: bool,
    /// `true` if the base color is drawn without lighting (KHR_materials_unlit).
    pub unlit: bool,
    /// Index of refraction (KHR_materials_ior): at least 1, or 0 for total reflection.
    pub ior: f32,
    /// Dispersion: 20 / Abbe number (KHR_materials_dispersion); 0 for none.
    pub dispersion: f32,
    /// Specular reflection of dielectrics.
    pub specular: Option<Specular>,
    /// Clear coat.
    pub clearcoat: Option<Clearcoat>,
    /// Sheen.
    pub sheen: Option<Sheen>,
    /// Anisotropic highlights.
    pub anisotropy: Option<Anisotropy>,
    /// Thin-film interference.
    pub iridescence: Option<Iridescence>,
    /// Transmitted light.
    pub transmission: Option<Transmission>,
    /// Medium below the surface.
    pub volume: Option<Volume>,
    /// Diffusely transmitted light.
    pub diffuse_transmission: Option<DiffuseTransmission>,
    /// Specular-glossiness model instead of metallic-roughness.
    pub specular_glossiness: Option<SpecularGlossiness>,
    /// Textures by slot. Slots of absent extensions are empty.
    pub textures: MaterialTextures,
    #[doc(hidden)]
    pub non_exhaustive: (),
}

impl Default for Material {
    /// The default material of glTF: white, fully metallic, fully rough.
    fn default() -> Self {
        Self {
            name: None,
            base_color: [1.0; 4],
            metallic: 1.0,
            roughness: 1.0,
            normal_scale: 1.0,
            occlusion_strength: 1.0,
            emissive: [0.0; 3],
            emissive_strength: 1.0,
            alpha_mode: AlphaMode::Opaque,
            double_sided: false,
            unlit: false,
            ior: Self::DEFAULT_IOR,
            dispersion: 0.0,
            specular: None,
            clearcoat: None,
            sheen: None,
            anisotropy: None,
            iridescence: None,
            transmission: None,
            volume: None,
            diffuse_transmission: None,
            specular_glossiness: None,
            textures: MaterialTextures::default(),
            non_exhaustive: (),
        }
    }
}

impl Material {
    /// The index of refraction without KHR_materials_ior.
    pub const DEFAULT_IOR: f32 = 1.5;

    /// Maximum number of textures that are drawn. OpenGL 3.3 guarantees 16 texture units, of which lighting and
    /// transmission need 3.
    pub const MAX_TEXTURES: usize = 13;

    /// Linear color of the emitted light, without the texture.
    pub fn emitted(&self) -> [f32; 3] {
        self.emissive.map(|x| (x * self.emissive_strength).min(f32::MAX))
    }

    /// Returns the material without normal and occlusion textures, specular factors, clearcoat and anisotropy.
    ///
    /// Materials that differ in them share a shader, and their textures need not be decoded. Sheen and iridescence stay, because
    /// they change the color of whole surfaces.
    #[must_use]
    pub fn without_details(mut self) -> Self {
        use TextureSlot::*;
        if self.specular.is_some() {
            self.textures[SpecularColor] = None;
        }
        for slot in [Occlusion, Normal, Specular, Clearcoat, ClearcoatRoughness, ClearcoatNormal, Anisotropy] {
            self.textures[slot] = None;
        }
        (self.specular, self.clearcoat, self.anisotropy) = (None, None, None);
        self
    }
}

/// The use of alpha.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// Alpha is ignored.
    #[default]
    Opaque,
    /// Alpha test: fragments below the cutoff are discarded, the others are opaque.
    Mask {
        /// The smallest alpha that is drawn.
        cutoff: f32,
    },
    /// Alpha blending.
    Blend,
}
