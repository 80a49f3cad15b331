//! What a surface looks like.

use super::TextureIndex;
use super::material_extensions::{
    Anisotropy, Clearcoat, DiffuseTransmission, Iridescence, Sheen, Specular, SpecularGlossiness, Transmission, Volume,
};

/// A metallic-roughness material (glTF 2.0, section 3.9), and what extensions add to it.
#[derive(Clone, Debug)]
pub struct Material {
    /// Its name in the file.
    pub name: Option<String>,
    /// Linear color and opacity that the texture and the vertex colors are multiplied with.
    pub base_color: [f32; 4],
    /// Its color texture, sRGB with straight alpha.
    pub base_color_texture: Option<TextureRef>,
    /// 0 for dielectrics, 1 for metals.
    pub metallic: f32,
    /// Perceptual roughness: 0 for a mirror, 1 for chalk.
    pub roughness: f32,
    /// Roughness in green and metalness in blue, linear; they multiply the factors.
    pub metallic_roughness_texture: Option<TextureRef>,
    /// Tangent-space normals.
    pub normal_texture: Option<TextureRef>,
    /// How far the normal texture bends normals.
    pub normal_scale: f32,
    /// Ambient occlusion in red, linear.
    pub occlusion_texture: Option<TextureRef>,
    /// How strongly occlusion is applied, 0 to 1.
    pub occlusion_strength: f32,
    /// Linear color of emitted light.
    pub emissive: [f32; 3],
    /// What it is multiplied with (KHR_materials_emissive_strength).
    pub emissive_strength: f32,
    /// Color of emitted light, sRGB; it multiplies the factor.
    pub emissive_texture: Option<TextureRef>,
    /// What opacity means.
    pub alpha_mode: AlphaMode,
    /// Whether the back is drawn too, with its normal turned around.
    pub double_sided: bool,
    /// Whether the base color is shown as it is, without light (KHR_materials_unlit).
    pub unlit: bool,
    /// Index of refraction (KHR_materials_ior): from 1 up, or 0 for a surface that reflects all light. 1.5 without the
    /// extension.
    pub ior: f32,
    /// How strongly it reflects where it is no metal.
    pub specular: Option<Specular>,
    /// A coat of varnish.
    pub clearcoat: Option<Clearcoat>,
    /// Fibers.
    pub sheen: Option<Sheen>,
    /// Highlights drawn out one way.
    pub anisotropy: Option<Anisotropy>,
    /// A thin film.
    pub iridescence: Option<Iridescence>,
    /// Light that passes through.
    pub transmission: Option<Transmission>,
    /// What lies within.
    pub volume: Option<Volume>,
    /// How far colors are refracted apart: 20 over the Abbe number (KHR_materials_dispersion); 0 for not at all.
    pub dispersion: f32,
    /// Light that seeps through.
    pub diffuse_transmission: Option<DiffuseTransmission>,
    /// Reflections by color and gloss instead of metalness and roughness.
    pub specular_glossiness: Option<SpecularGlossiness>,
}

impl Default for Material {
    /// glTF's default material: white, fully metallic, fully rough.
    fn default() -> Self {
        Self {
            name: None,
            base_color: [1.0; 4],
            base_color_texture: None,
            metallic: 1.0,
            roughness: 1.0,
            metallic_roughness_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
            occlusion_texture: None,
            occlusion_strength: 1.0,
            emissive: [0.0; 3],
            emissive_strength: 1.0,
            emissive_texture: None,
            alpha_mode: AlphaMode::Opaque,
            double_sided: false,
            unlit: false,
            ior: Self::USUAL_IOR,
            specular: None,
            clearcoat: None,
            sheen: None,
            anisotropy: None,
            iridescence: None,
            transmission: None,
            volume: None,
            dispersion: 0.0,
            diffuse_transmission: None,
            specular_glossiness: None,
        }
    }
}

impl Material {
    /// The index of refraction of a material that gives none.
    pub const USUAL_IOR: f32 = 1.5;

    /// The most textures of a material that are shown: a shader takes sixteen, of which light and what shines through need
    /// three.
    pub const MOST_TEXTURES: usize = 13;

    /// Linear color of the light that it gives off, but for its texture.
    pub fn emitted(&self) -> [f32; 3] {
        self.emissive.map(|x| (x * self.emissive_strength).min(f32::MAX))
    }

    /// Every texture that it names.
    pub fn texture_refs(&self) -> impl Iterator<Item = TextureRef> + use<> {
        let specular = self.specular.as_ref();
        let clearcoat = self.clearcoat.as_ref();
        let sheen = self.sheen.as_ref();
        let iridescence = self.iridescence.as_ref();
        let diffuse_transmission = self.diffuse_transmission.as_ref();
        let all = [
            self.base_color_texture,
            self.metallic_roughness_texture,
            self.normal_texture,
            self.occlusion_texture,
            self.emissive_texture,
            specular.and_then(|layer| layer.texture),
            specular.and_then(|layer| layer.color_texture),
            clearcoat.and_then(|layer| layer.texture),
            clearcoat.and_then(|layer| layer.roughness_texture),
            clearcoat.and_then(|layer| layer.normal_texture),
            sheen.and_then(|layer| layer.color_texture),
            sheen.and_then(|layer| layer.roughness_texture),
            self.anisotropy.as_ref().and_then(|layer| layer.texture),
            iridescence.and_then(|layer| layer.texture),
            iridescence.and_then(|layer| layer.thickness_texture),
            self.transmission.as_ref().and_then(|layer| layer.texture),
            self.volume.as_ref().and_then(|layer| layer.thickness_texture),
            diffuse_transmission.and_then(|layer| layer.texture),
            diffuse_transmission.and_then(|layer| layer.color_texture),
            self.specular_glossiness.as_ref().and_then(|layer| layer.texture),
        ];
        all.into_iter().flatten()
    }
}

/// How opacity is read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// It is not.
    #[default]
    Opaque,
    /// Below the cutoff nothing is drawn, from there on all is opaque.
    Mask {
        /// The smallest opacity that is drawn.
        cutoff: f32,
    },
    /// What lies behind shines through.
    Blend,
}

/// A texture as a material uses it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureRef {
    /// The texture.
    pub texture: TextureIndex,
    /// Which set of texture coordinates it takes.
    pub tex_coord: u32,
    /// What happens to the coordinates first (KHR_texture_transform).
    pub transform: TextureTransform,
}

/// Translation, rotation and scale of texture coordinates (KHR_texture_transform).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureTransform {
    /// Added last.
    pub offset: [f32; 2],
    /// Counter-clockwise rotation in radians, around the origin of the coordinates.
    pub rotation: f32,
    /// Multiplied first.
    pub scale: [f32; 2],
}

impl Default for TextureTransform {
    fn default() -> Self {
        Self { offset: [0.0; 2], rotation: 0.0, scale: [1.0; 2] }
    }
}

impl TextureTransform {
    /// The two rows that coordinates and 1 are multiplied with: scale, then counter-clockwise rotation as seen with V
    /// down, then offset.
    pub fn rows(&self) -> [[f32; 3]; 2] {
        let (sin, cos) = (libm::sinf(self.rotation), libm::cosf(self.rotation));
        let ([x, y], [u, v]) = (self.scale, self.offset);
        [[cos * x, sin * y, u], [-sin * x, cos * y, v]]
    }

    /// Where coordinates go.
    pub fn apply(&self, [u, v]: [f32; 2]) -> [f32; 2] {
        if *self == Self::default() {
            return [u, v];
        }
        self.rows().map(|[x, y, offset]| x * u + y * v + offset)
    }
}
