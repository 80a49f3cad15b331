//! Schemas of extension objects, and the kinds of objects that may contain them.

use super::core_objects::{
    ANY_NUMBER, BYTES, COLOR, COUNT, FRACTION, NAME, NORMAL_TEXTURE, NOT_NEGATIVE, POSITIVE, TEXTURE_INFO,
};
use super::vrm_objects::{MTOON, NODE_CONSTRAINT, SHADING_SHIFT_TEXTURE, SPRING_BONE, VRM_0, VRM_1};
use super::{Property, PropertyType, Schema, essential, optional, required, schemas};
use crate::model::{
    MATERIAL_EXTENSIONS, MATERIAL_PROPERTIES, MaterialProperty, MaterialPropertyDescriptor, TEXTURE_SLOTS, TextureSlot,
    key_in_extension,
};
use PropertyType::{
    Attributes, Bool, Index, Indices, JsonPointer, Number, Numbers, Object, ObjectOfType, Objects, String, StringEnum,
};
use std::f64::consts::FRAC_PI_2;
use std::sync::LazyLock;

/// The kinds of objects that may contain an extension object, each with the schema of that object.
pub type ExtendedObjects = &'static [(&'static str, &'static Schema)];

/// The kinds of objects that may contain an object of this extension; `None` for an unknown extension.
pub fn extended_objects(name: &str) -> Option<ExtendedObjects> {
    EXTENSIONS.iter().chain(&*MATERIALS).find(|(known, _)| *known == name).map(|(_, objects)| *objects)
}

/// The extensions of materials with numbers or textures.
static MATERIALS: LazyLock<Vec<(&str, ExtendedObjects)>> = LazyLock::new(|| {
    let objects = |name| -> ExtendedObjects { vec![("material", &*Box::leak(Box::new(material_schema(name))))].leak() };
    MATERIAL_EXTENSIONS.iter().map(|(name, _)| (*name, objects(name))).collect()
});

/// The schema of a material extension by the tables of properties and textures.
fn material_schema(name: &'static str) -> Schema {
    let number = |info: &MaterialPropertyDescriptor| {
        let kind = match (info.property, info.component_count, info.range) {
            (MaterialProperty::Ior, ..) => Number(|x| x == 0.0 || x >= 1.0, "0, or 1 or more"),
            (_, 1, [0.0, 1.0]) => FRACTION,
            (_, 1, [1.0, _]) => Number(|x| x >= 1.0, "1 or more"),
            (_, 1, [0.0, _]) => NOT_NEGATIVE,
            (_, 1, [min, _]) if min > 0.0 => POSITIVE,
            (_, 1, _) => ANY_NUMBER,
            (_, 3, [_, 1.0]) => COLOR,
            (_, 3, _) => Numbers(&[3], 0.0, f64::MAX),
            _ => Numbers(&[4], 0.0, 1.0),
        };
        Some(optional(key_in_extension(info.pointer, name).filter(|key| !key.contains('/'))?, kind))
    };
    let texture = |(slot, pointer): &(TextureSlot, &'static str)| {
        let schema = if *slot == TextureSlot::ClearcoatNormal { &NORMAL_TEXTURE } else { &TEXTURE_INFO };
        Some(optional(key_in_extension(pointer, name)?, Object(schema)))
    };
    let numbers = MATERIAL_PROPERTIES.iter().filter_map(number);
    let properties: Vec<Property> = numbers.chain(TEXTURE_SLOTS.iter().filter_map(texture)).collect();
    Schema { name, properties: properties.leak() }
}

/// Returns `true` if the extension excludes other extensions of the same object.
pub fn is_exclusive(name: &str) -> bool {
    matches!(name, "KHR_materials_unlit" | "KHR_materials_pbrSpecularGlossiness")
}

static EXTENSIONS: &[(&str, ExtendedObjects)] = &[
    ("EXT_mesh_gpu_instancing", &[("node", &GPU_INSTANCES)]),
    ("EXT_meshopt_compression", &[("buffer", &MESHOPT_BUFFER), ("bufferView", &MESHOPT_VIEW)]),
    ("EXT_texture_avif", &[("texture", &TEXTURE_AVIF)]),
    ("EXT_texture_webp", &[("texture", &TEXTURE_WEBP)]),
    ("KHR_animation_pointer", &[("animation.channel.target", &ANIMATION_POINTER)]),
    ("KHR_draco_mesh_compression", &[("mesh.primitive", &DRACO)]),
    ("KHR_gaussian_splatting", &[("mesh.primitive", &GAUSSIAN_SPLATS)]),
    ("KHR_lights_punctual", &[("glTF", &LIGHTS), ("node", &NODE_LIGHT)]),
    ("KHR_materials_unlit", &[("material", &UNLIT)]),
    ("KHR_materials_variants", &[("glTF", &VARIANTS), ("mesh.primitive", &VARIANT_MAPPINGS)]),
    ("KHR_mesh_quantization", &[]),
    ("KHR_meshopt_compression", &[("buffer", &MESHOPT_BUFFER), ("bufferView", &MESHOPT_VIEW)]),
    ("KHR_node_hoverability", &[("node", &NODE_HOVERABILITY)]),
    ("KHR_node_selectability", &[("node", &NODE_SELECTABILITY)]),
    ("KHR_node_visibility", &[("node", &NODE_VISIBILITY)]),
    ("KHR_texture_basisu", &[("texture", &TEXTURE_BASISU)]),
    (
        "KHR_texture_transform",
        &[
            ("textureInfo", &TEXTURE_TRANSFORM),
            ("normalTextureInfo", &TEXTURE_TRANSFORM),
            ("occlusionTextureInfo", &TEXTURE_TRANSFORM),
            (SHADING_SHIFT_TEXTURE.name, &TEXTURE_TRANSFORM),
        ],
    ),
    ("VRM", &[("glTF", &VRM_0)]),
    ("VRMC_materials_mtoon", &[("material", &MTOON)]),
    ("VRMC_node_constraint", &[("node", &NODE_CONSTRAINT)]),
    ("VRMC_springBone", &[("glTF", &SPRING_BONE)]),
    ("VRMC_vrm", &[("glTF", &VRM_1)]),
];

schemas! {
    GPU_INSTANCES "EXT_mesh_gpu_instancing" { required("attributes", Attributes) }
    MESHOPT_BUFFER "buffer.meshopt_compression" { optional("fallback", Bool) }
    MESHOPT_VIEW "bufferView.meshopt_compression" {
        required("buffer", Index),
        essential("byteOffset", BYTES),
        required("byteLength", COUNT),
        required("byteStride", COUNT),
        required("count", COUNT),
        required("mode", StringEnum(&["ATTRIBUTES", "TRIANGLES", "INDICES"])),
        essential("filter", StringEnum(&["NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"])),
    }
    TEXTURE_AVIF "EXT_texture_avif" { optional("source", Index) }
    TEXTURE_BASISU "KHR_texture_basisu" { optional("source", Index) }
    TEXTURE_WEBP "EXT_texture_webp" { optional("source", Index) }
    ANIMATION_POINTER "KHR_animation_pointer" { required("pointer", JsonPointer) }
    DRACO "KHR_draco_mesh_compression" { required("bufferView", Index), required("attributes", Attributes) }
    LIGHTS "KHR_lights_punctual" { required("lights", Objects(&LIGHT)) }
    LIGHT "KHR_lights_punctual.light" {
        optional("color", COLOR),
        optional("intensity", NOT_NEGATIVE),
        optional("spot", ObjectOfType(&SPOT)),
        required("type", StringEnum(&["directional", "point", "spot"])),
        optional("range", POSITIVE),
        NAME,
    }
    SPOT "KHR_lights_punctual.light.spot" {
        optional("innerConeAngle", Number(|x| (0.0..FRAC_PI_2).contains(&x), "0 to below 90 degrees in radians")),
        optional("outerConeAngle", Number(|x| x > 0.0 && x <= FRAC_PI_2, "above 0 to 90 degrees in radians")),
    }
    NODE_LIGHT "node.KHR_lights_punctual" { required("light", Index) }
    UNLIT "KHR_materials_unlit" {}
    VARIANTS "KHR_materials_variants" { required("variants", Objects(&VARIANT)) }
    VARIANT "KHR_materials_variants.variant" { required("name", String) }
    VARIANT_MAPPINGS "mesh.primitive.KHR_materials_variants" {
        required("mappings", Objects(&VARIANT_MAPPING)),
    }
    VARIANT_MAPPING "mesh.primitive.KHR_materials_variants.mapping" {
        required("variants", Indices),
        required("material", Index),
        NAME,
    }
    GAUSSIAN_SPLATS "KHR_gaussian_splatting" {
        required("kernel", String),
        required("colorSpace", String),
        optional("projection", String),
        optional("sortingMethod", String),
    }
    NODE_HOVERABILITY "KHR_node_hoverability" { optional("hoverable", Bool) }
    NODE_SELECTABILITY "KHR_node_selectability" { optional("selectable", Bool) }
    NODE_VISIBILITY "KHR_node_visibility" { optional("visible", Bool) }
    TEXTURE_TRANSFORM "KHR_texture_transform" {
        optional("offset", Numbers(&[2], -f64::MAX, f64::MAX)),
        optional("rotation", ANY_NUMBER),
        optional("scale", Numbers(&[2], -f64::MAX, f64::MAX)),
        optional("texCoord", BYTES),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gltf_format::extensions;

    #[test]
    fn schemas_match_the_table_of_extensions() {
        let mut known: Vec<&str> = EXTENSIONS.iter().chain(&*MATERIALS).map(|(name, _)| *name).collect();
        known.sort_unstable();
        let listed = extensions::EXTENSIONS.iter().filter(|extension| extension.has_schemas);
        assert_eq!(known, listed.map(|extension| extension.name).collect::<Vec<_>>());
    }
}
