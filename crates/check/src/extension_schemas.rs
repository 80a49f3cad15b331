//! Schemas of extension objects, and the kinds of objects that may contain them.

use super::core_schemas::{
    ANY_NUMBER, BYTES, COLOR, COUNT, FRACTION, NAME, NORMAL_TEXTURE, NOT_NEGATIVE, POSITIVE, TEXTURE_INFO,
};
use super::issue::Issues;
use super::json_path::JsonPath;
use super::schema::{Members, PropertyType, Schema, optional, required, schema};
use PropertyType::{
    Attributes, Bool, Index, Indices, JsonPointer, Number, Numbers, Object, ObjectOfType, Objects, String, StringEnum,
};
use serde_json::Value;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

/// The kinds of objects that may contain an extension object, each with the schema of that object.
type ExtendedObjects = &'static [(&'static str, &'static Schema)];

/// The kinds of objects that may contain an object of this extension; `None` for an unknown extension.
pub(super) fn extended_objects(name: &str) -> Option<ExtendedObjects> {
    EXTENSIONS.iter().find(|(known, _)| *known == name).map(|(_, objects)| *objects)
}

/// Returns `true` if the extension excludes other extensions of the same object.
pub(super) fn is_exclusive(name: &str) -> bool {
    matches!(name, "KHR_materials_unlit" | "KHR_materials_pbrSpecularGlossiness")
}

static EXTENSIONS: &[(&str, ExtendedObjects)] = &[
    ("EXT_mesh_gpu_instancing", &[("node", &GPU_INSTANCES)]),
    ("EXT_meshopt_compression", &[("buffer", &MESHOPT_BUFFER), ("bufferView", &MESHOPT_VIEW)]),
    ("EXT_texture_avif", &[("texture", &TEXTURE_AVIF)]),
    ("EXT_texture_webp", &[("texture", &TEXTURE_WEBP)]),
    ("KHR_animation_pointer", &[("animation.channel.target", &ANIMATION_POINTER)]),
    ("KHR_draco_mesh_compression", &[("mesh.primitive", &DRACO)]),
    ("KHR_lights_punctual", &[("glTF", &LIGHTS), ("node", &NODE_LIGHT)]),
    ("KHR_materials_anisotropy", &[("material", &ANISOTROPY)]),
    ("KHR_materials_clearcoat", &[("material", &CLEARCOAT)]),
    ("KHR_materials_diffuse_transmission", &[("material", &DIFFUSE_TRANSMISSION)]),
    ("KHR_materials_dispersion", &[("material", &DISPERSION)]),
    ("KHR_materials_emissive_strength", &[("material", &EMISSIVE_STRENGTH)]),
    ("KHR_materials_ior", &[("material", &IOR)]),
    ("KHR_materials_iridescence", &[("material", &IRIDESCENCE)]),
    ("KHR_materials_pbrSpecularGlossiness", &[("material", &SPECULAR_GLOSSINESS)]),
    ("KHR_materials_sheen", &[("material", &SHEEN)]),
    ("KHR_materials_specular", &[("material", &SPECULAR)]),
    ("KHR_materials_transmission", &[("material", &TRANSMISSION)]),
    ("KHR_materials_unlit", &[("material", &UNLIT)]),
    ("KHR_materials_variants", &[("glTF", &VARIANTS), ("mesh.primitive", &VARIANT_MAPPINGS)]),
    ("KHR_materials_volume", &[("material", &VOLUME)]),
    ("KHR_mesh_quantization", &[]),
    ("KHR_meshopt_compression", &[("buffer", &MESHOPT_BUFFER), ("bufferView", &MESHOPT_VIEW)]),
    ("KHR_node_visibility", &[("node", &NODE_VISIBILITY)]),
    ("KHR_texture_basisu", &[("texture", &TEXTURE_BASISU)]),
    (
        "KHR_texture_transform",
        &[
            ("textureInfo", &TEXTURE_TRANSFORM),
            ("normalTextureInfo", &TEXTURE_TRANSFORM),
            ("occlusionTextureInfo", &TEXTURE_TRANSFORM),
        ],
    ),
];

schema!(GPU_INSTANCES, "EXT_mesh_gpu_instancing", [required("attributes", Attributes)]);
schema!(MESHOPT_BUFFER, "buffer.meshopt_compression", [optional("fallback", Bool)]);
schema!(
    MESHOPT_VIEW,
    "bufferView.meshopt_compression",
    [
        required("buffer", Index),
        optional("byteOffset", BYTES),
        required("byteLength", COUNT),
        required("byteStride", COUNT),
        required("count", COUNT),
        required("mode", StringEnum(&["ATTRIBUTES", "TRIANGLES", "INDICES"])),
        optional("filter", StringEnum(&["NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"])),
    ]
);
schema!(TEXTURE_AVIF, "EXT_texture_avif", [optional("source", Index)]);
schema!(TEXTURE_BASISU, "KHR_texture_basisu", [optional("source", Index)]);
schema!(TEXTURE_WEBP, "EXT_texture_webp", [optional("source", Index)]);
schema!(ANIMATION_POINTER, "KHR_animation_pointer", [required("pointer", JsonPointer)]);
schema!(DRACO, "KHR_draco_mesh_compression", [required("bufferView", Index), required("attributes", Attributes)]);
schema!(LIGHTS, "KHR_lights_punctual", [required("lights", Objects(&LIGHT))]);
schema!(
    LIGHT,
    "KHR_lights_punctual.light",
    [
        optional("color", COLOR),
        optional("intensity", NOT_NEGATIVE),
        optional("spot", ObjectOfType(&SPOT)),
        required("type", StringEnum(&["directional", "point", "spot"])),
        optional("range", POSITIVE),
        NAME,
    ],
    light
);
schema!(
    SPOT,
    "KHR_lights_punctual.light.spot",
    [
        optional("innerConeAngle", Number(|x| (0.0..FRAC_PI_2).contains(&x), "0 to below 90 degrees in radians")),
        optional("outerConeAngle", Number(|x| x > 0.0 && x <= FRAC_PI_2, "above 0 to 90 degrees in radians")),
    ],
    spot
);
schema!(NODE_LIGHT, "node.KHR_lights_punctual", [required("light", Index)]);
schema!(
    ANISOTROPY,
    "KHR_materials_anisotropy",
    [
        optional("anisotropyStrength", FRACTION),
        optional("anisotropyRotation", ANY_NUMBER),
        optional("anisotropyTexture", Object(&TEXTURE_INFO)),
    ]
);
schema!(
    CLEARCOAT,
    "KHR_materials_clearcoat",
    [
        optional("clearcoatFactor", FRACTION),
        optional("clearcoatTexture", Object(&TEXTURE_INFO)),
        optional("clearcoatRoughnessFactor", FRACTION),
        optional("clearcoatRoughnessTexture", Object(&TEXTURE_INFO)),
        optional("clearcoatNormalTexture", Object(&NORMAL_TEXTURE)),
    ]
);
schema!(
    DIFFUSE_TRANSMISSION,
    "KHR_materials_diffuse_transmission",
    [
        optional("diffuseTransmissionFactor", FRACTION),
        optional("diffuseTransmissionTexture", Object(&TEXTURE_INFO)),
        optional("diffuseTransmissionColorFactor", COLOR),
        optional("diffuseTransmissionColorTexture", Object(&TEXTURE_INFO)),
    ]
);
schema!(DISPERSION, "KHR_materials_dispersion", [optional("dispersion", NOT_NEGATIVE)]);
schema!(EMISSIVE_STRENGTH, "KHR_materials_emissive_strength", [optional("emissiveStrength", NOT_NEGATIVE)]);
schema!(IOR, "KHR_materials_ior", [optional("ior", Number(|x| x == 0.0 || x >= 1.0, "0, or 1 or more"))]);
schema!(
    IRIDESCENCE,
    "KHR_materials_iridescence",
    [
        optional("iridescenceFactor", FRACTION),
        optional("iridescenceTexture", Object(&TEXTURE_INFO)),
        optional("iridescenceIor", Number(|x| x >= 1.0, "1 or more")),
        optional("iridescenceThicknessMinimum", NOT_NEGATIVE),
        optional("iridescenceThicknessMaximum", NOT_NEGATIVE),
        optional("iridescenceThicknessTexture", Object(&TEXTURE_INFO)),
    ]
);
schema!(
    SPECULAR_GLOSSINESS,
    "KHR_materials_pbrSpecularGlossiness",
    [
        optional("diffuseFactor", Numbers(&[4], 0.0, 1.0)),
        optional("diffuseTexture", Object(&TEXTURE_INFO)),
        optional("specularFactor", COLOR),
        optional("glossinessFactor", FRACTION),
        optional("specularGlossinessTexture", Object(&TEXTURE_INFO)),
    ]
);
schema!(
    SHEEN,
    "KHR_materials_sheen",
    [
        optional("sheenColorFactor", COLOR),
        optional("sheenColorTexture", Object(&TEXTURE_INFO)),
        optional("sheenRoughnessFactor", FRACTION),
        optional("sheenRoughnessTexture", Object(&TEXTURE_INFO)),
    ]
);
schema!(
    SPECULAR,
    "KHR_materials_specular",
    [
        optional("specularFactor", FRACTION),
        optional("specularTexture", Object(&TEXTURE_INFO)),
        optional("specularColorFactor", Numbers(&[3], 0.0, f64::MAX)),
        optional("specularColorTexture", Object(&TEXTURE_INFO)),
    ]
);
schema!(
    TRANSMISSION,
    "KHR_materials_transmission",
    [optional("transmissionFactor", FRACTION), optional("transmissionTexture", Object(&TEXTURE_INFO)),]
);
schema!(UNLIT, "KHR_materials_unlit", []);
schema!(VARIANTS, "KHR_materials_variants", [required("variants", Objects(&VARIANT))]);
schema!(VARIANT, "KHR_materials_variants.variant", [required("name", String)]);
schema!(VARIANT_MAPPINGS, "mesh.primitive.KHR_materials_variants", [required("mappings", Objects(&VARIANT_MAPPING))]);
schema!(
    VARIANT_MAPPING,
    "mesh.primitive.KHR_materials_variants.mapping",
    [required("variants", Indices), required("material", Index), NAME,]
);
schema!(
    VOLUME,
    "KHR_materials_volume",
    [
        optional("attenuationColor", COLOR),
        optional("attenuationDistance", POSITIVE),
        optional("thicknessFactor", NOT_NEGATIVE),
        optional("thicknessTexture", Object(&TEXTURE_INFO)),
    ]
);
schema!(NODE_VISIBILITY, "KHR_node_visibility", [optional("visible", Bool)]);
schema!(
    TEXTURE_TRANSFORM,
    "KHR_texture_transform",
    [
        optional("offset", Numbers(&[2], -f64::MAX, f64::MAX)),
        optional("rotation", ANY_NUMBER),
        optional("scale", Numbers(&[2], -f64::MAX, f64::MAX)),
        optional("texCoord", BYTES),
    ]
);

fn light(map: &Members, at: &JsonPath<'_>, issues: &mut Issues) {
    let kind = map.get("type").and_then(Value::as_str);
    if kind != Some("spot") && map.contains_key("spot") {
        issues.add("EXTRA_PROPERTY", at.key("spot"), format_args!("only spot lights use this"));
    }
    if kind == Some("directional") && map.contains_key("range") {
        issues.add("EXTRA_PROPERTY", at.key("range"), format_args!("a directional light has no range"));
    }
}

fn spot(map: &Members, at: &JsonPath<'_>, issues: &mut Issues) {
    let angle = |name: &str, default: f64| map.get(name).map_or(Some(default), Value::as_f64);
    let inner = angle("innerConeAngle", 0.0).filter(|angle| (0.0..FRAC_PI_2).contains(angle));
    let outer = angle("outerConeAngle", FRAC_PI_4).filter(|angle| *angle > 0.0 && *angle <= FRAC_PI_2);
    if let (Some(inner), Some(outer)) = (inner, outer)
        && outer <= inner
    {
        let message = format_args!("the outer cone ({outer} rad) must be wider than the inner one ({inner} rad)");
        issues.add("KHR_LIGHTS_PUNCTUAL_LIGHT_SPOT_ANGLES", at.key("outerConeAngle"), message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::gltf_format::extensions;

    #[test]
    fn schemas_match_the_table_of_extensions() {
        let known: Vec<&str> = EXTENSIONS.iter().map(|(name, _)| *name).collect();
        let listed = extensions::EXTENSIONS.iter().filter(|extension| extension.has_schemas);
        assert_eq!(known, listed.map(|extension| extension.name).collect::<Vec<_>>());
    }
}
