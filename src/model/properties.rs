//! Numbers of a model, other than its joints', that a clip may move.

use super::{AlphaMode, Camera, JointIndex, Light, LightShape, Material, MaterialIndex, Projection, TextureRef};
use super::{Interpolation, TextureTransform};

/// The keys of numbers that belong to no joint (KHR_animation_pointer), or of a joint's visibility.
#[derive(Clone, Debug, PartialEq)]
pub struct PropertyTrack {
    /// What they change.
    pub target: PropertyTarget,
    /// The clip's timeline that the keys follow, as an index into [`Clip::timelines`](super::Clip::timelines).
    pub timeline: usize,
    /// How values between keys are found.
    pub interpolation: Interpolation,
    /// The values in key order, [`Interpolation::values_per_key`] a key, each of [`PropertyTarget::width`] finite numbers.
    pub values: Vec<f32>,
}

/// What a track of values changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PropertyTarget {
    /// A number of a material, which has it.
    Material(MaterialIndex, MaterialProperty),
    /// A number of the light of this number in the file, wherever it hangs.
    Light(u32, LightProperty),
    /// A number of the camera of this number in the file, wherever it hangs.
    Camera(u32, CameraProperty),
    /// Whether a joint, and what hangs from it, is shown: any number but 0 (KHR_node_visibility).
    Visible(JointIndex),
}

impl PropertyTarget {
    /// The most numbers of a value.
    pub const MOST: usize = 4;

    /// Numbers of a value.
    pub fn width(self) -> usize {
        match self {
            Self::Material(_, value) => value.width(),
            Self::Light(_, LightProperty::Color) => 3,
            Self::Light(..) | Self::Camera(..) | Self::Visible(_) => 1,
        }
    }
}

/// A number, or a few, of a material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "they are called as in `Material`")]
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
    IridescenceLeast,
    IridescenceMost,
    Transmission,
    Thickness,
    AttenuationColor,
    AttenuationDistance,
    DiffuseTransmission,
    DiffuseTransmissionColor,
    OldSpecular,
    TextureOffset(TextureUse),
    TextureRotation(TextureUse),
    TextureScale(TextureUse),
}

/// What a material uses a texture for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "they are called as in `Material`")]
pub enum TextureUse {
    BaseColor,
    MetallicRoughness,
    Normal,
    Occlusion,
    Emissive,
    Specular,
    SpecularColor,
    Clearcoat,
    ClearcoatRoughness,
    ClearcoatNormal,
    SheenColor,
    SheenRoughness,
    Anisotropy,
    Iridescence,
    IridescenceThickness,
    Transmission,
    Thickness,
    DiffuseTransmission,
    DiffuseTransmissionColor,
    OldSpecular,
}

/// Numbers that single precision still squares.
const LARGEST: f32 = 1e18;

impl MaterialProperty {
    fn width(self) -> usize {
        match self {
            Self::BaseColor => 4,
            Self::Emissive
            | Self::SpecularColor
            | Self::SheenColor
            | Self::AttenuationColor
            | Self::DiffuseTransmissionColor
            | Self::OldSpecular => 3,
            Self::TextureOffset(_) | Self::TextureScale(_) => 2,
            _ => 1,
        }
    }

    /// The least and the most that makes sense; a spline may swing beyond.
    fn range(self) -> [f32; 2] {
        match self {
            Self::NormalScale
            | Self::ClearcoatNormalScale
            | Self::AnisotropyRotation
            | Self::TextureOffset(_)
            | Self::TextureRotation(_)
            | Self::TextureScale(_) => [-LARGEST, LARGEST],
            Self::IridescenceIor => [1.0, LARGEST],
            Self::AttenuationDistance => [f32::MIN_POSITIVE, f32::MAX],
            Self::Emissive
            | Self::EmissiveStrength
            | Self::AlphaCutoff
            | Self::Ior
            | Self::Dispersion
            | Self::SpecularColor
            | Self::IridescenceLeast
            | Self::IridescenceMost
            | Self::Thickness => [0.0, LARGEST],
            _ => [0.0, 1.0],
        }
    }
}

impl Material {
    /// The numbers of a value; `None` where the material has none such, being without the extension or the texture.
    pub fn value_mut(&mut self, value: MaterialProperty) -> Option<&mut [f32]> {
        use MaterialProperty as V;
        use std::slice::from_mut;
        Some(match value {
            V::BaseColor => &mut self.base_color,
            V::Metallic => from_mut(&mut self.metallic),
            V::Roughness => from_mut(&mut self.roughness),
            V::Emissive => &mut self.emissive,
            V::EmissiveStrength => from_mut(&mut self.emissive_strength),
            V::AlphaCutoff => match &mut self.alpha_mode {
                AlphaMode::Mask { cutoff } => from_mut(cutoff),
                AlphaMode::Opaque | AlphaMode::Blend => return None,
            },
            V::NormalScale => from_mut(&mut self.normal_scale),
            V::OcclusionStrength => from_mut(&mut self.occlusion_strength),
            V::Ior => from_mut(&mut self.ior),
            V::Dispersion => from_mut(&mut self.dispersion),
            V::Specular => from_mut(&mut self.specular.as_mut()?.factor),
            V::SpecularColor => &mut self.specular.as_mut()?.color,
            V::Clearcoat => from_mut(&mut self.clearcoat.as_mut()?.factor),
            V::ClearcoatRoughness => from_mut(&mut self.clearcoat.as_mut()?.roughness),
            V::ClearcoatNormalScale => from_mut(&mut self.clearcoat.as_mut()?.normal_scale),
            V::SheenColor => &mut self.sheen.as_mut()?.color,
            V::SheenRoughness => from_mut(&mut self.sheen.as_mut()?.roughness),
            V::Anisotropy => from_mut(&mut self.anisotropy.as_mut()?.strength),
            V::AnisotropyRotation => from_mut(&mut self.anisotropy.as_mut()?.rotation),
            V::Iridescence => from_mut(&mut self.iridescence.as_mut()?.factor),
            V::IridescenceIor => from_mut(&mut self.iridescence.as_mut()?.ior),
            V::IridescenceLeast => from_mut(&mut self.iridescence.as_mut()?.thickness[0]),
            V::IridescenceMost => from_mut(&mut self.iridescence.as_mut()?.thickness[1]),
            V::Transmission => from_mut(&mut self.transmission.as_mut()?.factor),
            V::Thickness => from_mut(&mut self.volume.as_mut()?.thickness),
            V::AttenuationColor => &mut self.volume.as_mut()?.attenuation_color,
            V::AttenuationDistance => from_mut(&mut self.volume.as_mut()?.attenuation_distance),
            V::DiffuseTransmission => from_mut(&mut self.diffuse_transmission.as_mut()?.factor),
            V::DiffuseTransmissionColor => &mut self.diffuse_transmission.as_mut()?.color,
            V::OldSpecular => &mut self.specular_glossiness.as_mut()?.specular,
            V::TextureOffset(used) => &mut self.transform_mut(used)?.offset,
            V::TextureRotation(used) => from_mut(&mut self.transform_mut(used)?.rotation),
            V::TextureScale(used) => &mut self.transform_mut(used)?.scale,
        })
    }

    /// Sets a value, or the nearest that makes sense; nothing where the material has none such.
    pub fn set_value(&mut self, value: MaterialProperty, numbers: &[f64]) {
        let [least, most] = value.range();
        for (out, number) in self.value_mut(value).into_iter().flatten().zip(numbers) {
            *out = (*number as f32).clamp(least, most);
            // Between 0, which reflects all light, and 1 there is nothing.
            if value == MaterialProperty::Ior && *out > 0.0 {
                *out = out.max(1.0);
            }
        }
    }

    fn transform_mut(&mut self, used: TextureUse) -> Option<&mut TextureTransform> {
        self.texture_mut(used)?.as_mut().map(|texture| &mut texture.transform)
    }

    /// Where the texture stands that it uses for something.
    fn texture_mut(&mut self, used: TextureUse) -> Option<&mut Option<TextureRef>> {
        use TextureUse as U;
        match used {
            U::BaseColor => Some(&mut self.base_color_texture),
            U::MetallicRoughness => Some(&mut self.metallic_roughness_texture),
            U::Normal => Some(&mut self.normal_texture),
            U::Occlusion => Some(&mut self.occlusion_texture),
            U::Emissive => Some(&mut self.emissive_texture),
            U::Specular => self.specular.as_mut().map(|layer| &mut layer.texture),
            U::SpecularColor => self.specular.as_mut().map(|layer| &mut layer.color_texture),
            U::Clearcoat => self.clearcoat.as_mut().map(|layer| &mut layer.texture),
            U::ClearcoatRoughness => self.clearcoat.as_mut().map(|layer| &mut layer.roughness_texture),
            U::ClearcoatNormal => self.clearcoat.as_mut().map(|layer| &mut layer.normal_texture),
            U::SheenColor => self.sheen.as_mut().map(|layer| &mut layer.color_texture),
            U::SheenRoughness => self.sheen.as_mut().map(|layer| &mut layer.roughness_texture),
            U::Anisotropy => self.anisotropy.as_mut().map(|layer| &mut layer.texture),
            U::Iridescence => self.iridescence.as_mut().map(|layer| &mut layer.texture),
            U::IridescenceThickness => self.iridescence.as_mut().map(|layer| &mut layer.thickness_texture),
            U::Transmission => self.transmission.as_mut().map(|layer| &mut layer.texture),
            U::Thickness => self.volume.as_mut().map(|layer| &mut layer.thickness_texture),
            U::DiffuseTransmission => self.diffuse_transmission.as_mut().map(|layer| &mut layer.texture),
            U::DiffuseTransmissionColor => self.diffuse_transmission.as_mut().map(|layer| &mut layer.color_texture),
            U::OldSpecular => self.specular_glossiness.as_mut().map(|layer| &mut layer.texture),
        }
    }
}

/// A number, or a few, of a light.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "they are called as in `Light`")]
pub enum LightProperty {
    Color,
    Intensity,
    Range,
    InnerCone,
    OuterCone,
}

impl Light {
    /// A value as it is; numbers that the light has none of are 0.
    pub fn value(&self, value: LightProperty) -> [f64; 3] {
        let number = match (value, self.shape) {
            (LightProperty::Color, _) => return self.color,
            (LightProperty::Intensity, _) => self.intensity,
            (LightProperty::Range, LightShape::Point { range } | LightShape::Spot { range, .. }) => {
                range.unwrap_or(0.0)
            }
            (LightProperty::InnerCone, LightShape::Spot { inner, .. }) => inner,
            (LightProperty::OuterCone, LightShape::Spot { outer, .. }) => outer,
            _ => 0.0,
        };
        [number, 0.0, 0.0]
    }

    /// Sets a value, or the nearest that makes sense; nothing where the light has none such.
    pub fn set_value(&mut self, value: LightProperty, numbers: &[f64]) {
        let at_least_0 = |i: usize| numbers.get(i).copied().unwrap_or(0.0).clamp(0.0, f64::from(f32::MAX));
        let number = at_least_0(0);
        match (value, &mut self.shape) {
            (LightProperty::Color, _) => self.color = [0, 1, 2].map(at_least_0),
            (LightProperty::Intensity, _) => self.intensity = number,
            (LightProperty::Range, LightShape::Point { range } | LightShape::Spot { range, .. }) => {
                *range = (number > 0.0).then_some(number);
            }
            (LightProperty::InnerCone, LightShape::Spot { inner, .. }) => *inner = number,
            (LightProperty::OuterCone, LightShape::Spot { outer, .. }) => {
                *outer = number.min(std::f64::consts::FRAC_PI_2);
            }
            _ => {}
        }
    }
}

/// A number of a camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "they are called as in `Projection`")]
pub enum CameraProperty {
    FovY,
    Near,
    Far,
    HalfWidth,
    HalfHeight,
}

impl Camera {
    /// A value as it is; 0 where the lens has none such.
    pub fn value(&self, value: CameraProperty) -> f64 {
        match (value, self.projection) {
            (CameraProperty::FovY, Projection::Perspective { fov_y, .. }) => fov_y,
            (CameraProperty::Near, Projection::Perspective { near, .. } | Projection::Orthographic { near, .. }) => {
                near
            }
            (CameraProperty::Far, Projection::Perspective { far, .. }) => far.unwrap_or(0.0),
            (CameraProperty::Far, Projection::Orthographic { far, .. }) => far,
            (CameraProperty::HalfWidth, Projection::Orthographic { half_width, .. }) => half_width,
            (CameraProperty::HalfHeight, Projection::Orthographic { half_height, .. }) => half_height,
            _ => 0.0,
        }
    }

    /// Sets a value; nothing where the lens has none such, or where it would make no picture.
    pub fn set_value(&mut self, value: CameraProperty, number: f64) {
        let above_0 = number > 0.0;
        match (value, &mut self.projection) {
            (CameraProperty::FovY, Projection::Perspective { fov_y, .. })
                if above_0 && number < std::f64::consts::PI =>
            {
                *fov_y = number;
            }
            (CameraProperty::Near, Projection::Perspective { near, far, .. })
                if above_0 && far.is_none_or(|far| number < far) =>
            {
                *near = number;
            }
            (CameraProperty::Far, Projection::Perspective { near, far, .. }) if number > *near => *far = Some(number),
            (CameraProperty::Near, Projection::Orthographic { near, far, .. }) if number < *far => *near = number,
            (CameraProperty::Far, Projection::Orthographic { near, far, .. }) if number > *near => *far = number,
            (CameraProperty::HalfWidth, Projection::Orthographic { half_width, .. }) if number != 0.0 => {
                *half_width = number;
            }
            (CameraProperty::HalfHeight, Projection::Orthographic { half_height, .. }) if number != 0.0 => {
                *half_height = number;
            }
            _ => {}
        }
    }
}
