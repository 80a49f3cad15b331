//! Animatable properties of materials.

use super::TextureSlot;

/// An animatable property of a material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of `Material`")]
pub enum MaterialProperty {
    BaseColor,
    Metallic,
    Roughness,
    Emissive,
    EmissiveStrength,
    AlphaCutoff,
    NormalScale,
    OcclusionStrength,
    Ior,
    Dispersion,
    Specular,
    SpecularColor,
    Clearcoat,
    ClearcoatRoughness,
    ClearcoatNormalScale,
    SheenColor,
    SheenRoughness,
    Anisotropy,
    AnisotropyRotation,
    Iridescence,
    IridescenceIor,
    IridescenceThicknessMin,
    IridescenceThicknessMax,
    Transmission,
    Thickness,
    AttenuationColor,
    AttenuationDistance,
    DiffuseTransmission,
    DiffuseTransmissionColor,
    SpecularGlossinessSpecular,
    TextureOffset(TextureSlot),
    TextureRotation(TextureSlot),
    TextureScale(TextureSlot),
}
