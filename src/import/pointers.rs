//! What channels point to that move no node's placement (KHR_animation_pointer, with the names of glTF's object model).

use crate::model::{
    CameraProperty, JointIndex, LightProperty, Material, MaterialIndex, MaterialProperty, Model, PropertyTarget,
    TextureUse,
};
use crate::util::text::quoted;
use gltf::json::animation::Property;

/// What a pointer names.
#[derive(Debug, PartialEq)]
pub(super) enum PointerTarget {
    /// What a plain channel moves of a node.
    Node(usize, Property),
    /// A value of something else.
    Value(PropertyTarget, Encoding),
}

/// How values of it are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Encoding {
    /// As they are.
    Numbers,
    /// As gloss, which is 1 less the roughness.
    Gloss,
    /// As truth: 0 or 255, and no values between.
    Truth,
}

/// What a pointer may find.
pub(super) struct PointerResolver<'a> {
    /// With its materials, lights and cameras.
    pub(super) model: &'a Model,
    /// The joint of each node.
    pub(super) joint_of_node: &'a [JointIndex],
    /// Lights of the file, hanging from nodes or not.
    pub(super) lights: usize,
    /// Cameras of the file, hanging from nodes or not.
    pub(super) cameras: usize,
}

impl PointerResolver<'_> {
    /// What `pointer` names; the error tells why it is left alone.
    pub(super) fn find(&self, pointer: &str) -> Result<PointerTarget, String> {
        let unknown = || format!("it changes {}, which is not shown", quoted(pointer));
        let missing = || format!("it changes {}, which the file has not", quoted(pointer));
        let (list, rest) = pointer.strip_prefix('/').and_then(|path| path.split_once('/')).ok_or_else(unknown)?;
        let (list, rest) = match (list, rest.strip_prefix("KHR_lights_punctual/lights/")) {
            ("extensions", Some(rest)) => ("lights", rest),
            _ => (list, rest),
        };
        let (number, property) = rest.split_once('/').ok_or_else(unknown)?;
        let number: usize = number.parse().map_err(|_| unknown())?;
        match list {
            "nodes" => self.of_node(number, property).ok_or_else(unknown)?.ok_or_else(missing),
            "materials" => {
                let material = self.model.materials.get(number).ok_or_else(missing)?;
                let (value, stored) = of_material(material, property).ok_or_else(unknown)?;
                // Whether it is there is asked of a copy, since what may be set may be asked for.
                material.clone().value_mut(value).ok_or_else(missing)?;
                Ok(PointerTarget::Value(PropertyTarget::Material(MaterialIndex(number as u32), value), stored))
            }
            "lights" | "cameras" => {
                let (target, count) = if list == "lights" {
                    (of_light(property).map(|value| PropertyTarget::Light(number as u32, value)), self.lights)
                } else {
                    (of_camera(property).map(|value| PropertyTarget::Camera(number as u32, value)), self.cameras)
                };
                let target = target.ok_or_else(unknown)?;
                if number < count { Ok(PointerTarget::Value(target, Encoding::Numbers)) } else { Err(missing()) }
            }
            _ => Err(unknown()),
        }
    }

    fn of_node(&self, node: usize, property: &str) -> Option<Option<PointerTarget>> {
        let plain = match property {
            "translation" => Some(Property::Translation),
            "rotation" => Some(Property::Rotation),
            "scale" => Some(Property::Scale),
            "weights" => Some(Property::MorphTargetWeights),
            "extensions/KHR_node_visibility/visible" => None,
            _ => return None,
        };
        let joint = self.joint_of_node.get(node);
        Some(match plain {
            Some(property) => joint.map(|_| PointerTarget::Node(node, property)),
            None => joint.map(|joint| PointerTarget::Value(PropertyTarget::Visible(*joint), Encoding::Truth)),
        })
    }
}

fn of_light(property: &str) -> Option<LightProperty> {
    Some(match property {
        "color" => LightProperty::Color,
        "intensity" => LightProperty::Intensity,
        "range" => LightProperty::Range,
        "spot/innerConeAngle" => LightProperty::InnerCone,
        "spot/outerConeAngle" => LightProperty::OuterCone,
        _ => return None,
    })
}

fn of_camera(property: &str) -> Option<CameraProperty> {
    Some(match property {
        "perspective/yfov" => CameraProperty::FovY,
        "perspective/znear" | "orthographic/znear" => CameraProperty::Near,
        "perspective/zfar" | "orthographic/zfar" => CameraProperty::Far,
        "orthographic/xmag" => CameraProperty::HalfWidth,
        "orthographic/ymag" => CameraProperty::HalfHeight,
        _ => return None,
    })
}

fn of_material(material: &Material, property: &str) -> Option<(MaterialProperty, Encoding)> {
    use MaterialProperty as V;
    let old = material.specular_glossiness.is_some();
    let plain = |value| Some((value, Encoding::Numbers));
    if let Some((texture, value)) = property.split_once("/extensions/KHR_texture_transform/") {
        let used = texture_use(texture)?;
        return plain(match value {
            "offset" => V::TextureOffset(used),
            "rotation" => V::TextureRotation(used),
            "scale" => V::TextureScale(used),
            _ => return None,
        });
    }
    let core = match property {
        "pbrMetallicRoughness/baseColorFactor" if !old => V::BaseColor,
        "pbrMetallicRoughness/metallicFactor" if !old => V::Metallic,
        "pbrMetallicRoughness/roughnessFactor" if !old => V::Roughness,
        "alphaCutoff" => V::AlphaCutoff,
        "emissiveFactor" => V::Emissive,
        "normalTexture/scale" => V::NormalScale,
        "occlusionTexture/strength" => V::OcclusionStrength,
        _ => {
            let (extension, key) = property.strip_prefix("extensions/")?.split_once('/')?;
            return match (extension.strip_prefix("KHR_materials_")?, key) {
                ("pbrSpecularGlossiness", "diffuseFactor") if old => plain(V::BaseColor),
                ("pbrSpecularGlossiness", "glossinessFactor") if old => Some((V::Roughness, Encoding::Gloss)),
                (extension, key) => plain(of_extension(extension, key)?),
            };
        }
    };
    plain(core)
}

fn of_extension(extension: &str, key: &str) -> Option<MaterialProperty> {
    use MaterialProperty as V;
    Some(match (extension, key) {
        ("emissive_strength", "emissiveStrength") => V::EmissiveStrength,
        ("ior", "ior") => V::Ior,
        ("dispersion", "dispersion") => V::Dispersion,
        ("specular", "specularFactor") => V::Specular,
        ("specular", "specularColorFactor") => V::SpecularColor,
        ("clearcoat", "clearcoatFactor") => V::Clearcoat,
        ("clearcoat", "clearcoatRoughnessFactor") => V::ClearcoatRoughness,
        ("clearcoat", "clearcoatNormalTexture/scale") => V::ClearcoatNormalScale,
        ("sheen", "sheenColorFactor") => V::SheenColor,
        ("sheen", "sheenRoughnessFactor") => V::SheenRoughness,
        ("anisotropy", "anisotropyStrength") => V::Anisotropy,
        ("anisotropy", "anisotropyRotation") => V::AnisotropyRotation,
        ("iridescence", "iridescenceFactor") => V::Iridescence,
        ("iridescence", "iridescenceIor") => V::IridescenceIor,
        ("iridescence", "iridescenceThicknessMinimum") => V::IridescenceLeast,
        ("iridescence", "iridescenceThicknessMaximum") => V::IridescenceMost,
        ("transmission", "transmissionFactor") => V::Transmission,
        ("volume", "thicknessFactor") => V::Thickness,
        ("volume", "attenuationColor") => V::AttenuationColor,
        ("volume", "attenuationDistance") => V::AttenuationDistance,
        ("diffuse_transmission", "diffuseTransmissionFactor") => V::DiffuseTransmission,
        ("diffuse_transmission", "diffuseTransmissionColorFactor") => V::DiffuseTransmissionColor,
        ("pbrSpecularGlossiness", "specularFactor") => V::OldSpecular,
        _ => return None,
    })
}

fn texture_use(path: &str) -> Option<TextureUse> {
    use TextureUse as U;
    Some(match path {
        "pbrMetallicRoughness/baseColorTexture" => U::BaseColor,
        "pbrMetallicRoughness/metallicRoughnessTexture" => U::MetallicRoughness,
        "normalTexture" => U::Normal,
        "occlusionTexture" => U::Occlusion,
        "emissiveTexture" => U::Emissive,
        _ => match path.strip_prefix("extensions/KHR_materials_")? {
            "specular/specularTexture" => U::Specular,
            "specular/specularColorTexture" => U::SpecularColor,
            "clearcoat/clearcoatTexture" => U::Clearcoat,
            "clearcoat/clearcoatRoughnessTexture" => U::ClearcoatRoughness,
            "clearcoat/clearcoatNormalTexture" => U::ClearcoatNormal,
            "sheen/sheenColorTexture" => U::SheenColor,
            "sheen/sheenRoughnessTexture" => U::SheenRoughness,
            "anisotropy/anisotropyTexture" => U::Anisotropy,
            "iridescence/iridescenceTexture" => U::Iridescence,
            "iridescence/iridescenceThicknessTexture" => U::IridescenceThickness,
            "transmission/transmissionTexture" => U::Transmission,
            "volume/thicknessTexture" => U::Thickness,
            "diffuse_transmission/diffuseTransmissionTexture" => U::DiffuseTransmission,
            "diffuse_transmission/diffuseTransmissionColorTexture" => U::DiffuseTransmissionColor,
            "pbrSpecularGlossiness/diffuseTexture" => U::BaseColor,
            "pbrSpecularGlossiness/specularGlossinessTexture" => U::OldSpecular,
            _ => return None,
        },
    })
}
