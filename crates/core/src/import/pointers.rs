//! Resolves the pointers of KHR_animation_pointer to animatable properties.

use crate::model::{
    CameraProperty, JointIndex, LightProperty, MATERIAL_PROPERTIES, Material, MaterialIndex, MaterialProperty, Model,
    PropertyTarget, TEXTURE_SLOTS, TextureSlot,
};
use crate::util::text::quoted;
use gltf::json::animation::Property;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::HashMap;

/// The target of a pointer.
#[derive(Debug, PartialEq)]
pub(super) enum PointerTarget {
    /// A node's transform or morph weights, which channels without a pointer can also animate.
    Node(usize, Property),
    /// Another property.
    Property(PropertyTarget, ValueConversion),
}

/// Encoding of the stored values of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ValueConversion {
    /// Without conversion.
    Raw,
    /// Glossiness, which is 1 - roughness.
    Glossiness,
    /// Zero for `false`, other numbers for `true`; without interpolation.
    Bool,
}

/// The objects that pointers can refer to.
pub(super) struct PointerResolver<'a> {
    pub(super) model: &'a Model,
    /// The joint of each node.
    pub(super) joint_of_node: &'a [JointIndex],
    /// Number of lights in the file, with or without a node.
    pub(super) light_count: usize,
    /// Number of cameras in the file, with or without a node.
    pub(super) camera_count: usize,
    /// Whether a material has a property, for those that were requested. Finding out clones the material.
    pub(super) has_property: RefCell<HashMap<(MaterialIndex, MaterialProperty), bool>>,
}

impl PointerResolver<'_> {
    /// Resolves a pointer; the error is the reason why its channel is ignored.
    pub(super) fn resolve(&self, pointer: &str) -> Result<PointerTarget, String> {
        let unknown = || format!("it animates {}, which is not supported", quoted(pointer));
        let missing = || format!("it animates {}, which does not exist", quoted(pointer));
        let (list, rest) = pointer.strip_prefix('/').and_then(|path| path.split_once('/')).ok_or_else(unknown)?;
        let (list, rest) = match (list, rest.strip_prefix("KHR_lights_punctual/lights/")) {
            ("extensions", Some(rest)) => ("lights", rest),
            _ => (list, rest),
        };
        let (index, property) = rest.split_once('/').ok_or_else(unknown)?;
        let index: usize = index.parse().map_err(|_| unknown())?;
        match list {
            "nodes" => self.node_property(index, property).ok_or_else(unknown)?.ok_or_else(missing),
            "materials" => {
                let material = self.model.materials.get(index).ok_or_else(missing)?;
                let (property, conversion) = material_property(material, property).ok_or_else(unknown)?;
                let has_property = || material.clone().property_mut(property).is_some();
                let key = (MaterialIndex(index as u32), property);
                if !*self.has_property.borrow_mut().entry(key).or_insert_with(has_property) {
                    return Err(missing());
                }
                Ok(PointerTarget::Property(PropertyTarget::Material(MaterialIndex(index as u32), property), conversion))
            }
            "lights" | "cameras" => {
                let gltf_index = index as u32;
                let (target, count) = if list == "lights" {
                    (light_property(property).map(|p| PropertyTarget::Light(gltf_index, p)), self.light_count)
                } else {
                    (camera_property(property).map(|p| PropertyTarget::Camera(gltf_index, p)), self.camera_count)
                };
                let target = target.ok_or_else(unknown)?;
                if index < count { Ok(PointerTarget::Property(target, ValueConversion::Raw)) } else { Err(missing()) }
            }
            _ => Err(unknown()),
        }
    }

    /// Returns the outer `None` for an unknown property, the inner `None` for a missing node.
    fn node_property(&self, node: usize, property: &str) -> Option<Option<PointerTarget>> {
        let path = match property {
            "translation" => Some(Property::Translation),
            "rotation" => Some(Property::Rotation),
            "scale" => Some(Property::Scale),
            "weights" => Some(Property::MorphTargetWeights),
            "extensions/KHR_node_visibility/visible" => None,
            _ => return None,
        };
        let joint = self.joint_of_node.get(node);
        Some(match path {
            Some(property) => joint.map(|_| PointerTarget::Node(node, property)),
            None => joint.map(|joint| PointerTarget::Property(PropertyTarget::Visible(*joint), ValueConversion::Bool)),
        })
    }
}

/// The pointer of a channel (KHR_animation_pointer), if it has one. `animation` is the JSON of its animation.
pub(super) fn pointer_of_channel(animation: &Value, channel: usize) -> Option<&str> {
    animation.pointer(&format!("/channels/{channel}/target/extensions/KHR_animation_pointer/pointer"))?.as_str()
}

/// The node whose translation, rotation or scale a pointer refers to.
pub(super) fn transformed_node(pointer: &str) -> Option<usize> {
    let (node, property) = pointer.strip_prefix("/nodes/")?.split_once('/')?;
    matches!(property, "translation" | "rotation" | "scale").then(|| node.parse().ok()).flatten()
}

fn light_property(property: &str) -> Option<LightProperty> {
    Some(match property {
        "color" => LightProperty::Color,
        "intensity" => LightProperty::Intensity,
        "range" => LightProperty::Range,
        "spot/innerConeAngle" => LightProperty::InnerCone,
        "spot/outerConeAngle" => LightProperty::OuterCone,
        _ => return None,
    })
}

fn camera_property(property: &str) -> Option<CameraProperty> {
    Some(match property {
        "perspective/yfov" => CameraProperty::FovY,
        "perspective/znear" | "orthographic/znear" => CameraProperty::Near,
        "perspective/zfar" | "orthographic/zfar" => CameraProperty::Far,
        "orthographic/xmag" => CameraProperty::HalfWidth,
        "orthographic/ymag" => CameraProperty::HalfHeight,
        _ => return None,
    })
}

/// Returns the material property with this pointer below the material; `None` if it is unknown.
///
/// The specular-glossiness model and the metallic-roughness model exclude each other's properties.
fn material_property(material: &Material, pointer: &str) -> Option<(MaterialProperty, ValueConversion)> {
    if let Some((texture, key)) = pointer.split_once("/extensions/KHR_texture_transform/") {
        let (slot, _) = TEXTURE_SLOTS.iter().find(|(_, pointer)| *pointer == texture)?;
        let is_glossiness_texture = texture.ends_with("/specularGlossinessTexture");
        if *slot == TextureSlot::SpecularColor && is_glossiness_texture != material.specular_glossiness.is_some() {
            return None;
        }
        let property = match key {
            "offset" => MaterialProperty::TextureOffset(*slot),
            "rotation" => MaterialProperty::TextureRotation(*slot),
            "scale" => MaterialProperty::TextureScale(*slot),
            _ => return None,
        };
        return Some((property, ValueConversion::Raw));
    }
    let property = MATERIAL_PROPERTIES.iter().find(|row| row.pointer == pointer)?.property;
    let is_specular_glossiness = pointer.starts_with("extensions/KHR_materials_pbrSpecularGlossiness/");
    let is_other_model = match material.specular_glossiness {
        Some(_) => pointer.starts_with("pbrMetallicRoughness/"),
        None => is_specular_glossiness && property != MaterialProperty::SpecularGlossinessSpecular,
    };
    let is_glossiness = is_specular_glossiness && property == MaterialProperty::Roughness;
    let conversion = if is_glossiness { ValueConversion::Glossiness } else { ValueConversion::Raw };
    (!is_other_model).then_some((property, conversion))
}
