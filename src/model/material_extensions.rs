//! What ratified extensions add to a material, as the file gives it.

use super::TextureRef;

/// How strongly a dielectric reflects (KHR_materials_specular).
#[derive(Clone, Debug, PartialEq)]
pub struct Specular {
    /// What reflection is multiplied with, 0 to 1.
    pub factor: f32,
    /// Its opacity multiplies the factor, linear.
    pub texture: Option<TextureRef>,
    /// Linear color of the reflection seen straight on; not negative, and may exceed 1.
    pub color: [f32; 3],
    /// A color that multiplies it, sRGB.
    pub color_texture: Option<TextureRef>,
}

/// A thin coat of varnish (KHR_materials_clearcoat).
#[derive(Clone, Debug, PartialEq)]
pub struct Clearcoat {
    /// How much of it there is, 0 to 1.
    pub factor: f32,
    /// Its red multiplies the factor, linear.
    pub texture: Option<TextureRef>,
    /// Its own perceptual roughness, 0 to 1.
    pub roughness: f32,
    /// Its green multiplies the roughness, linear.
    pub roughness_texture: Option<TextureRef>,
    /// Tangent-space normals of the coat; without them it is smooth.
    pub normal_texture: Option<TextureRef>,
    /// How far the normal texture bends normals.
    pub normal_scale: f32,
}

/// Fibers that catch the light at grazing angles (KHR_materials_sheen).
#[derive(Clone, Debug, PartialEq)]
pub struct Sheen {
    /// Linear color, 0 to 1; black for none.
    pub color: [f32; 3],
    /// A color that multiplies it, sRGB.
    pub color_texture: Option<TextureRef>,
    /// Perceptual roughness, 0 to 1.
    pub roughness: f32,
    /// Its opacity multiplies the roughness, linear.
    pub roughness_texture: Option<TextureRef>,
}

/// Highlights that are drawn out one way (KHR_materials_anisotropy).
#[derive(Clone, Debug, PartialEq)]
pub struct Anisotropy {
    /// How far, 0 to 1.
    pub strength: f32,
    /// Which way: radians counter-clockwise from the tangent.
    pub rotation: f32,
    /// The way in red and green, -1 to 1 along tangent and bitangent; blue multiplies the strength. Linear.
    pub texture: Option<TextureRef>,
}

/// A film as thin as waves of light are long (KHR_materials_iridescence).
#[derive(Clone, Debug, PartialEq)]
pub struct Iridescence {
    /// How much of it there is, 0 to 1.
    pub factor: f32,
    /// Its red multiplies the factor, linear.
    pub texture: Option<TextureRef>,
    /// The film's index of refraction, from 1 up.
    pub ior: f32,
    /// The film's thickness in nanometers where the thickness texture is 0, and where it is 1 or there is none.
    pub thickness: [f32; 2],
    /// The thickness in green, linear.
    pub thickness_texture: Option<TextureRef>,
}

/// Light that passes through the surface (KHR_materials_transmission).
#[derive(Clone, Debug, PartialEq)]
pub struct Transmission {
    /// The share that passes of what is not reflected, 0 to 1.
    pub factor: f32,
    /// Its red multiplies the factor, linear.
    pub texture: Option<TextureRef>,
}

/// What lies within the surface (KHR_materials_volume).
#[derive(Clone, Debug, PartialEq)]
pub struct Volume {
    /// How thick it is beneath the surface, in the mesh's own units; 0 for a thin wall, which does not refract.
    pub thickness: f32,
    /// Its green multiplies the thickness, linear.
    pub thickness_texture: Option<TextureRef>,
    /// The linear color that white light has after the attenuation distance, 0 to 1.
    pub attenuation_color: [f32; 3],
    /// The distance, in meters of the world; infinite for a clear medium.
    pub attenuation_distance: f32,
}

/// Light that seeps through the surface, as through leaves and paper (KHR_materials_diffuse_transmission).
#[derive(Clone, Debug, PartialEq)]
pub struct DiffuseTransmission {
    /// The share that seeps through of what is not reflected, 0 to 1.
    pub factor: f32,
    /// Its opacity multiplies the factor, linear.
    pub texture: Option<TextureRef>,
    /// Linear color of that light, 0 to 1.
    pub color: [f32; 3],
    /// A color that multiplies it, sRGB.
    pub color_texture: Option<TextureRef>,
}

/// The material model of old files (KHR_materials_pbrSpecularGlossiness). Its diffuse color is the base color, and its
/// gloss is 1 less the roughness.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecularGlossiness {
    /// Linear color of reflections seen straight on, 0 to 1.
    pub specular: [f32; 3],
    /// A color that multiplies it, sRGB; its opacity multiplies the gloss.
    pub texture: Option<TextureRef>,
}
