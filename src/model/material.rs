//! What a surface looks like.

use super::TextureIndex;

/// A metallic-roughness material (glTF 2.0, section 3.9).
#[derive(Clone, Debug)]
pub struct Material {
    /// Its name in the file.
    pub name: Option<String>,
    /// Linear colour and opacity that the texture and the vertex colours are multiplied with.
    pub base_colour: [f32; 4],
    /// Its colour texture, sRGB with straight alpha.
    pub base_colour_texture: Option<TextureRef>,
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
    /// Linear colour of emitted light.
    pub emissive: [f32; 3],
    /// Colour of emitted light, sRGB; it multiplies the factor.
    pub emissive_texture: Option<TextureRef>,
    /// What opacity means.
    pub alpha_mode: AlphaMode,
    /// Whether the back is drawn too, with its normal turned around.
    pub double_sided: bool,
    /// Whether the base colour is shown as it is, without light (KHR_materials_unlit).
    pub unlit: bool,
}

impl Default for Material {
    /// glTF's default material: white, fully metallic, fully rough.
    fn default() -> Self {
        Self {
            name: None,
            base_colour: [1.0; 4],
            base_colour_texture: None,
            metallic: 1.0,
            roughness: 1.0,
            metallic_roughness_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
            occlusion_texture: None,
            occlusion_strength: 1.0,
            emissive: [0.0; 3],
            emissive_texture: None,
            alpha_mode: AlphaMode::Opaque,
            double_sided: false,
            unlit: false,
        }
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
