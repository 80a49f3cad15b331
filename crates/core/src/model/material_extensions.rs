//! Material extensions. The defaults are those of the extensions.

/// Specular reflection of dielectrics (KHR_materials_specular).
#[derive(Clone, Debug, PartialEq)]
pub struct Specular {
    /// Factor of the reflection, 0 to 1.
    pub factor: f32,
    /// Linear color of the reflection at normal incidence; not negative, may exceed 1.
    pub color: [f32; 3],
}

impl Default for Specular {
    fn default() -> Self {
        Self { factor: 1.0, color: [1.0; 3] }
    }
}

/// A clear coat (KHR_materials_clearcoat).
#[derive(Clone, Debug, PartialEq)]
pub struct Clearcoat {
    /// Coverage, 0 to 1.
    pub factor: f32,
    /// Perceptual roughness of the coat, 0 to 1.
    pub roughness: f32,
    /// Scale of the coat's normal texture.
    pub normal_scale: f32,
}

impl Default for Clearcoat {
    fn default() -> Self {
        Self { factor: 0.0, roughness: 0.0, normal_scale: 1.0 }
    }
}

/// Retroreflection of fibers at grazing angles (KHR_materials_sheen).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheen {
    /// Linear color, 0 to 1; black for none.
    pub color: [f32; 3],
    /// Perceptual roughness, 0 to 1.
    pub roughness: f32,
}

/// Anisotropic highlights (KHR_materials_anisotropy).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Anisotropy {
    /// Strength, 0 to 1.
    pub strength: f32,
    /// Direction: radians counter-clockwise from the tangent.
    pub rotation: f32,
}

/// Thin-film interference (KHR_materials_iridescence).
#[derive(Clone, Debug, PartialEq)]
pub struct Iridescence {
    /// Strength, 0 to 1.
    pub factor: f32,
    /// Index of refraction of the film, at least 1.
    pub ior: f32,
    /// Minimum and maximum thickness of the film in nanometers. Without a thickness texture, the maximum applies.
    pub thickness: [f32; 2],
}

impl Default for Iridescence {
    fn default() -> Self {
        Self { factor: 0.0, ior: 1.3, thickness: [100.0, 400.0] }
    }
}

/// Light transmitted through the surface (KHR_materials_transmission).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transmission {
    /// Transmitted fraction of the light that is not reflected, 0 to 1.
    pub factor: f32,
}

/// The medium below the surface (KHR_materials_volume).
#[derive(Clone, Debug, PartialEq)]
pub struct Volume {
    /// Thickness below the surface, in the mesh's units; 0 for a thin wall, which does not refract.
    pub thickness: f32,
    /// Linear color of white light after the attenuation distance, 0 to 1.
    pub attenuation_color: [f32; 3],
    /// Distance in world meters; infinite for a clear medium.
    pub attenuation_distance: f32,
}

impl Default for Volume {
    fn default() -> Self {
        Self { thickness: 0.0, attenuation_color: [1.0; 3], attenuation_distance: f32::INFINITY }
    }
}

/// Diffusely transmitted light, as of leaves and paper (KHR_materials_diffuse_transmission).
#[derive(Clone, Debug, PartialEq)]
pub struct DiffuseTransmission {
    /// Diffusely transmitted fraction of the light that is not reflected, 0 to 1.
    pub factor: f32,
    /// Linear color of that light, 0 to 1.
    pub color: [f32; 3],
}

impl Default for DiffuseTransmission {
    fn default() -> Self {
        Self { factor: 0.0, color: [1.0; 3] }
    }
}

/// The specular-glossiness model (KHR_materials_pbrSpecularGlossiness). Its diffuse color is the base color, and its
/// glossiness is 1 - roughness.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecularGlossiness {
    /// Linear color of the reflection at normal incidence, 0 to 1.
    pub specular: [f32; 3],
}

impl Default for SpecularGlossiness {
    fn default() -> Self {
        Self { specular: [1.0; 3] }
    }
}
