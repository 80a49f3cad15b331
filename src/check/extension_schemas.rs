//! Extensions: which the file declares, where their objects may stand, and the tables of those objects.

use super::core_schemas::{
    ANY_NUMBER, BYTES, COLOR, COUNT, FRACTION, IMAGE_TYPES, NAME, NORMAL_TEXTURE, NOT_NEGATIVE, PATHS, POSITIVE,
    TEXTURE_INFO, schema,
};
use super::issue::{At, Issues};
use super::schema::{Kind, Schema, may, must};
use super::schema_validator::Walk;
use crate::util::text::quoted;
use Kind::{Index, Indices, Number, Numbers, Object, Objects, Pointer, Text, Word};
use serde_json::{Map, Value};

/// What the file says of its extensions.
pub(super) struct Extensions<'a> {
    used: Vec<&'a str>,
    required: Vec<&'a str>,
}

impl<'a> Extensions<'a> {
    pub(super) fn new(root: &'a Value) -> Self {
        let list = |name: &str| -> Vec<&str> {
            let items = root.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            // No honest file has more, and each is looked for in all of them.
            items.iter().take(1000).filter_map(Value::as_str).collect()
        };
        Self { used: list("extensionsUsed"), required: list("extensionsRequired") }
    }

    /// Whether the file lists it.
    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.used.contains(&name)
    }

    /// Whether an extension that the file uses adds `word` to `list`.
    pub(super) fn adds_word(&self, list: &[&str], word: &str) -> bool {
        let added: &[(&str, &str)] = if std::ptr::eq(list, IMAGE_TYPES) {
            &super::textures::IMAGE_EXTENSIONS
        } else if std::ptr::eq(list, PATHS) {
            &[("KHR_animation_pointer", "pointer")]
        } else {
            &[]
        };
        added.iter().any(|(extension, adds)| *adds == word && self.is_declared(extension))
    }

    /// Whether images of this MIME type may be used.
    pub(super) fn allows_image(&self, mime: &str) -> bool {
        IMAGE_TYPES.contains(&mime) || self.adds_word(IMAGE_TYPES, mime)
    }

    /// Checks the two lists.
    pub(super) fn check(&self, issues: &mut Issues) {
        let at = At::ROOT.key("extensionsUsed");
        for (i, name) in self.used.iter().enumerate() {
            let well_formed = name.split_once('_').is_some_and(|(prefix, rest)| {
                let letter = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit();
                !prefix.is_empty()
                    && prefix.chars().all(letter)
                    && !rest.is_empty()
                    && rest.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
            });
            if !well_formed {
                let message = format_args!("{} is not formed like PREFIX_name", quoted(name));
                issues.add("INVALID_EXTENSION_NAME_FORMAT", at.item(i), message);
            }
            if places(name).is_none() {
                let message = format_args!("what {} holds is not checked", quoted(name));
                issues.add("UNSUPPORTED_EXTENSION", at.item(i), message);
            }
            if *name == "KHR_mesh_quantization" && !self.required.contains(name) {
                let message =
                    format_args!("{name} must stand in extensionsRequired too: without it the file cannot be read");
                issues.add("NON_REQUIRED_EXTENSION", at.item(i), message);
            }
        }
        let at = At::ROOT.key("extensionsRequired");
        for (i, name) in self.required.iter().enumerate() {
            if !self.used.contains(name) {
                let message = format_args!("{} is required but missing from extensionsUsed", quoted(name));
                issues.add("UNUSED_EXTENSION_REQUIRED", at.item(i), message);
            }
            if crate::gltf_format::extensions::is_unsupported(name) {
                let message = format_args!(
                    "rigview does not show {} yet and refuses a file that requires it; --ignore-required shows the rest",
                    quoted(name)
                );
                issues.add("RIGVIEW_UNSUPPORTED_EXTENSION", at.item(i), message);
            }
        }
    }
}

/// The kinds of objects that may carry an extension, with the form of what it adds there.
type Places = &'static [(&'static str, &'static Schema)];

/// Where the objects of an extension may stand; `None` for an extension that is not known here.
pub(super) fn places(name: &str) -> Option<Places> {
    EXTENSIONS.iter().find(|(known, _)| *known == name).map(|(_, places)| *places)
}

/// Whether it may contradict other extensions of the same object.
pub(super) fn stands_alone(name: &str) -> bool {
    matches!(name, "KHR_materials_unlit" | "KHR_materials_pbrSpecularGlossiness")
}

static EXTENSIONS: &[(&str, Places)] = &[
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

schema!(MESHOPT_BUFFER, "buffer.meshopt_compression", [may("fallback", Kind::Bool)]);
schema!(
    MESHOPT_VIEW,
    "bufferView.meshopt_compression",
    [
        must("buffer", Index),
        may("byteOffset", BYTES),
        must("byteLength", COUNT),
        must("byteStride", COUNT),
        must("count", COUNT),
        must("mode", Word(&["ATTRIBUTES", "TRIANGLES", "INDICES"])),
        may("filter", Word(&["NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"])),
    ]
);
schema!(TEXTURE_AVIF, "EXT_texture_avif", [must("source", Index)]);
schema!(TEXTURE_BASISU, "KHR_texture_basisu", [must("source", Index)]);
schema!(TEXTURE_WEBP, "EXT_texture_webp", [must("source", Index)]);
schema!(ANIMATION_POINTER, "KHR_animation_pointer", [must("pointer", Pointer)]);
schema!(DRACO, "KHR_draco_mesh_compression", [must("bufferView", Index), must("attributes", Kind::Any)]);
schema!(LIGHTS, "KHR_lights_punctual", [must("lights", Objects(&LIGHT))]);
schema!(
    LIGHT,
    "KHR_lights_punctual.light",
    [
        may("color", COLOR),
        may("intensity", NOT_NEGATIVE),
        may("spot", Kind::Any),
        must("type", Word(&["directional", "point", "spot"])),
        may("range", POSITIVE),
        NAME,
    ],
    also_light
);
schema!(
    SPOT,
    "KHR_lights_punctual.light.spot",
    [
        may(
            "innerConeAngle",
            Number(|x| (0.0..std::f64::consts::FRAC_PI_2).contains(&x), "0 to below 90 degrees in radians")
        ),
        may(
            "outerConeAngle",
            Number(|x| x > 0.0 && x <= std::f64::consts::FRAC_PI_2, "above 0 to 90 degrees in radians")
        ),
    ],
    also_spot
);
schema!(NODE_LIGHT, "node.KHR_lights_punctual", [must("light", Index)]);
schema!(
    ANISOTROPY,
    "KHR_materials_anisotropy",
    [
        may("anisotropyStrength", FRACTION),
        may("anisotropyRotation", ANY_NUMBER),
        may("anisotropyTexture", Object(&TEXTURE_INFO)),
    ]
);
schema!(
    CLEARCOAT,
    "KHR_materials_clearcoat",
    [
        may("clearcoatFactor", FRACTION),
        may("clearcoatTexture", Object(&TEXTURE_INFO)),
        may("clearcoatRoughnessFactor", FRACTION),
        may("clearcoatRoughnessTexture", Object(&TEXTURE_INFO)),
        may("clearcoatNormalTexture", Object(&NORMAL_TEXTURE)),
    ]
);
schema!(
    DIFFUSE_TRANSMISSION,
    "KHR_materials_diffuse_transmission",
    [
        may("diffuseTransmissionFactor", FRACTION),
        may("diffuseTransmissionTexture", Object(&TEXTURE_INFO)),
        may("diffuseTransmissionColorFactor", COLOR),
        may("diffuseTransmissionColorTexture", Object(&TEXTURE_INFO)),
    ]
);
schema!(DISPERSION, "KHR_materials_dispersion", [may("dispersion", NOT_NEGATIVE)]);
schema!(EMISSIVE_STRENGTH, "KHR_materials_emissive_strength", [may("emissiveStrength", NOT_NEGATIVE)]);
schema!(IOR, "KHR_materials_ior", [may("ior", Number(|x| x == 0.0 || x >= 1.0, "0, or 1 or more"))]);
schema!(
    IRIDESCENCE,
    "KHR_materials_iridescence",
    [
        may("iridescenceFactor", FRACTION),
        may("iridescenceTexture", Object(&TEXTURE_INFO)),
        may("iridescenceIor", Number(|x| x >= 1.0, "1 or more")),
        may("iridescenceThicknessMinimum", NOT_NEGATIVE),
        may("iridescenceThicknessMaximum", NOT_NEGATIVE),
        may("iridescenceThicknessTexture", Object(&TEXTURE_INFO)),
    ]
);
schema!(
    SPECULAR_GLOSSINESS,
    "KHR_materials_pbrSpecularGlossiness",
    [
        may("diffuseFactor", Numbers(&[4], 0.0, 1.0)),
        may("diffuseTexture", Object(&TEXTURE_INFO)),
        may("specularFactor", COLOR),
        may("glossinessFactor", FRACTION),
        may("specularGlossinessTexture", Object(&TEXTURE_INFO)),
    ]
);
schema!(
    SHEEN,
    "KHR_materials_sheen",
    [
        may("sheenColorFactor", COLOR),
        may("sheenColorTexture", Object(&TEXTURE_INFO)),
        may("sheenRoughnessFactor", FRACTION),
        may("sheenRoughnessTexture", Object(&TEXTURE_INFO)),
    ]
);
schema!(
    SPECULAR,
    "KHR_materials_specular",
    [
        may("specularFactor", FRACTION),
        may("specularTexture", Object(&TEXTURE_INFO)),
        may("specularColorFactor", Numbers(&[3], 0.0, f64::MAX)),
        may("specularColorTexture", Object(&TEXTURE_INFO)),
    ]
);
schema!(
    TRANSMISSION,
    "KHR_materials_transmission",
    [may("transmissionFactor", FRACTION), may("transmissionTexture", Object(&TEXTURE_INFO)),]
);
schema!(UNLIT, "KHR_materials_unlit", []);
schema!(VARIANTS, "KHR_materials_variants", [must("variants", Objects(&VARIANT))]);
schema!(VARIANT, "KHR_materials_variants.variant", [must("name", Text)]);
schema!(VARIANT_MAPPINGS, "mesh.primitive.KHR_materials_variants", [must("mappings", Objects(&VARIANT_MAPPING))]);
schema!(
    VARIANT_MAPPING,
    "mesh.primitive.KHR_materials_variants.mapping",
    [must("variants", Indices), must("material", Index), NAME,]
);
schema!(
    VOLUME,
    "KHR_materials_volume",
    [
        may("attenuationColor", COLOR),
        may("attenuationDistance", POSITIVE),
        may("thicknessFactor", NOT_NEGATIVE),
        may("thicknessTexture", Object(&TEXTURE_INFO)),
    ]
);
schema!(
    TEXTURE_TRANSFORM,
    "KHR_texture_transform",
    [
        may("offset", Numbers(&[2], -f64::MAX, f64::MAX)),
        may("rotation", ANY_NUMBER),
        may("scale", Numbers(&[2], -f64::MAX, f64::MAX)),
        may("texCoord", BYTES),
    ]
);

fn also_light(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    let kind = map.get("type").and_then(Value::as_str);
    match (kind, map.get("spot")) {
        (Some("spot"), None) => walk.issues.add("UNDEFINED_PROPERTY", at, format_args!("`spot` is missing here")),
        (Some("spot"), Some(spot)) if spot.is_object() => walk.object(spot, &SPOT, &at.key("spot")),
        (Some("spot"), Some(_)) => {
            walk.issues.add("TYPE_MISMATCH", at.key("spot"), format_args!("an object is needed here"))
        }
        (_, Some(_)) => walk.issues.add("EXTRA_PROPERTY", at.key("spot"), format_args!("only spot lights use this")),
        (_, None) => {}
    }
    if kind == Some("directional") && map.contains_key("range") {
        walk.issues.add("EXTRA_PROPERTY", at.key("range"), format_args!("a directional light has no range"));
    }
}

fn also_spot(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    let angle = |name: &str, default: f64| map.get(name).map_or(Some(default), Value::as_f64);
    let (inner, outer) = (angle("innerConeAngle", 0.0), angle("outerConeAngle", std::f64::consts::FRAC_PI_4));
    if let (Some(inner), Some(outer)) = (inner, outer)
        && outer <= inner
    {
        let message = format_args!("the outer cone ({outer} rad) must be wider than the inner one ({inner} rad)");
        walk.issues.add("KHR_LIGHTS_PUNCTUAL_LIGHT_SPOT_ANGLES", at.key("outerConeAngle"), message);
    }
}
