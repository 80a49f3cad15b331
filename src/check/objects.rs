//! The tables of glTF's own objects (glTF 2.0, section 5), and what else holds within one of them.

use super::issue::At;
use super::schema::{Kind, MOST, Property, Schema, Walk, index, integer, may, must, version};
use super::transforms;
use Kind::{
    Any, Attributes, Bool, Index, Indices, Integer, Number, Numbers, Object, Objects, OneOf, Targets, Text, Texts,
};
use Kind::{Version, Word};
use serde_json::{Map, Value};

const ANY: f64 = f64::MAX;

macro_rules! schema {
    ($(#[$doc:meta])* $id:ident, $name:literal, [$($property:expr),* $(,)?] $(, $also:expr)?) => {
        $(#[$doc])*
        pub(super) static $id: Schema = Schema {
            name: $name,
            properties: &[$($property),*],
            also: { #[allow(unused_mut, unused_assignments)] { let mut also: Option<super::schema::Also> = None; $( also = Some($also); )? also } },
        };
    };
}
pub(super) use schema;

pub(super) const NOT_NEGATIVE: Kind = Number(|x| x >= 0.0, "0 or more");
pub(super) const POSITIVE: Kind = Number(|x| x > 0.0, "above 0");
pub(super) const FRACTION: Kind = Number(|x| (0.0..=1.0).contains(&x), "0 to 1");
pub(super) const ANY_NUMBER: Kind = Number(|_| true, "");
pub(super) const COUNT: Kind = Integer(1, MOST);
pub(super) const BYTES: Kind = Integer(0, MOST);
pub(super) const COLOUR: Kind = Numbers(&[3], 0.0, 1.0);
pub(super) const NAME: Property = may("name", Text);

/// MIME types of images that need no extension.
pub(super) const IMAGE_TYPES: &[&str] = &["image/jpeg", "image/png"];
/// What a channel can move without an extension.
pub(super) const PATHS: &[&str] = &["translation", "rotation", "scale", "weights"];
const TYPES: &[&str] = &["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"];
const COMPONENTS: &[u64] = &[5120, 5121, 5122, 5123, 5125, 5126];
const WRAPS: &[u64] = &[33071, 33648, 10497];

schema!(
    /// The whole document.
    ROOT, "glTF", [
        may("extensionsUsed", Texts),
        may("extensionsRequired", Texts),
        may("accessors", Objects(&ACCESSOR)),
        may("animations", Objects(&ANIMATION)),
        must("asset", Object(&ASSET)),
        may("buffers", Objects(&BUFFER)),
        may("bufferViews", Objects(&BUFFER_VIEW)),
        may("cameras", Objects(&CAMERA)),
        may("images", Objects(&IMAGE)),
        may("materials", Objects(&MATERIAL)),
        may("meshes", Objects(&MESH)),
        may("nodes", Objects(&NODE)),
        may("samplers", Objects(&SAMPLER)),
        may("scene", Index),
        may("scenes", Objects(&SCENE)),
        may("skins", Objects(&SKIN)),
        may("textures", Objects(&TEXTURE)),
    ],
    also_root
);

schema!(
    ASSET,
    "asset",
    [may("copyright", Text), may("generator", Text), must("version", Version), may("minVersion", Version),],
    also_asset
);

schema!(
    ACCESSOR,
    "accessor",
    [
        may("bufferView", Index),
        may("byteOffset", BYTES),
        must("componentType", OneOf(COMPONENTS)),
        must("count", COUNT),
        must("type", Word(TYPES)),
        may("normalized", Bool),
        may("max", Numbers(&[], -ANY, ANY)),
        may("min", Numbers(&[], -ANY, ANY)),
        may("sparse", Object(&SPARSE)),
        NAME,
    ],
    also_accessor
);

schema!(
    SPARSE,
    "accessor.sparse",
    [must("count", COUNT), must("indices", Object(&SPARSE_INDICES)), must("values", Object(&SPARSE_VALUES)),]
);

schema!(
    SPARSE_INDICES,
    "accessor.sparse.indices",
    [must("bufferView", Index), may("byteOffset", BYTES), must("componentType", OneOf(&[5121, 5123, 5125])),]
);

schema!(SPARSE_VALUES, "accessor.sparse.values", [must("bufferView", Index), may("byteOffset", BYTES)]);

schema!(
    ANIMATION,
    "animation",
    [must("channels", Objects(&CHANNEL)), must("samplers", Objects(&ANIMATION_SAMPLER)), NAME,]
);

schema!(CHANNEL, "animation.channel", [must("sampler", Index), must("target", Object(&TARGET))]);

schema!(TARGET, "animation.channel.target", [may("node", Index), must("path", Word(PATHS))]);

schema!(
    ANIMATION_SAMPLER,
    "animation.sampler",
    [must("input", Index), may("interpolation", Word(&["LINEAR", "STEP", "CUBICSPLINE"])), must("output", Index),]
);

schema!(BUFFER, "buffer", [may("uri", Text), must("byteLength", COUNT), NAME]);

schema!(
    BUFFER_VIEW,
    "bufferView",
    [
        must("buffer", Index),
        may("byteOffset", BYTES),
        must("byteLength", COUNT),
        may("byteStride", Integer(4, 252)),
        may("target", OneOf(&[34962, 34963])),
        NAME,
    ],
    also_buffer_view
);

schema!(
    CAMERA,
    "camera",
    [may("orthographic", Any), may("perspective", Any), must("type", Word(&["orthographic", "perspective"])), NAME,],
    also_camera
);

schema!(
    ORTHOGRAPHIC,
    "camera.orthographic",
    [must("xmag", ANY_NUMBER), must("ymag", ANY_NUMBER), must("zfar", POSITIVE), must("znear", NOT_NEGATIVE),],
    also_orthographic
);

schema!(
    PERSPECTIVE,
    "camera.perspective",
    [may("aspectRatio", POSITIVE), must("yfov", POSITIVE), may("zfar", POSITIVE), must("znear", POSITIVE),],
    also_perspective
);

schema!(
    IMAGE,
    "image",
    [may("uri", Text), may("mimeType", Word(IMAGE_TYPES)), may("bufferView", Index), NAME,],
    also_image
);

schema!(
    MATERIAL,
    "material",
    [
        may("pbrMetallicRoughness", Object(&METALLIC_ROUGHNESS)),
        may("normalTexture", Object(&NORMAL_TEXTURE)),
        may("occlusionTexture", Object(&OCCLUSION_TEXTURE)),
        may("emissiveTexture", Object(&TEXTURE_INFO)),
        may("emissiveFactor", COLOUR),
        may("alphaMode", Word(&["OPAQUE", "MASK", "BLEND"])),
        may("alphaCutoff", NOT_NEGATIVE),
        may("doubleSided", Bool),
        NAME,
    ],
    also_material
);

schema!(
    METALLIC_ROUGHNESS,
    "material.pbrMetallicRoughness",
    [
        may("baseColorFactor", Numbers(&[4], 0.0, 1.0)),
        may("baseColorTexture", Object(&TEXTURE_INFO)),
        may("metallicFactor", FRACTION),
        may("roughnessFactor", FRACTION),
        may("metallicRoughnessTexture", Object(&TEXTURE_INFO)),
    ]
);

schema!(TEXTURE_INFO, "textureInfo", [must("index", Index), may("texCoord", BYTES)]);
schema!(NORMAL_TEXTURE, "normalTextureInfo", [must("index", Index), may("texCoord", BYTES), may("scale", ANY_NUMBER),]);
schema!(
    OCCLUSION_TEXTURE,
    "occlusionTextureInfo",
    [must("index", Index), may("texCoord", BYTES), may("strength", FRACTION),]
);

schema!(MESH, "mesh", [must("primitives", Objects(&PRIMITIVE)), may("weights", Numbers(&[], -ANY, ANY)), NAME,]);

schema!(
    PRIMITIVE,
    "mesh.primitive",
    [
        must("attributes", Attributes),
        may("indices", Index),
        may("material", Index),
        may("mode", Integer(0, 6)),
        may("targets", Targets),
    ]
);

schema!(
    NODE,
    "node",
    [
        may("camera", Index),
        may("children", Indices),
        may("skin", Index),
        may("matrix", Numbers(&[16], -ANY, ANY)),
        may("mesh", Index),
        may("rotation", Numbers(&[4], -1.0, 1.0)),
        may("scale", Numbers(&[3], -ANY, ANY)),
        may("translation", Numbers(&[3], -ANY, ANY)),
        may("weights", Numbers(&[], -ANY, ANY)),
        NAME,
    ],
    also_node
);

schema!(
    SAMPLER,
    "sampler",
    [
        may("magFilter", OneOf(&[9728, 9729])),
        may("minFilter", OneOf(&[9728, 9729, 9984, 9985, 9986, 9987])),
        may("wrapS", OneOf(WRAPS)),
        may("wrapT", OneOf(WRAPS)),
        NAME,
    ]
);

schema!(SCENE, "scene", [may("nodes", Indices), NAME]);

schema!(SKIN, "skin", [may("inverseBindMatrices", Index), may("skeleton", Index), must("joints", Indices), NAME,]);

schema!(TEXTURE, "texture", [may("sampler", Index), may("source", Index), NAME]);

/// Numbers of a list, if they are as many as asked for.
pub(super) fn numbers<const N: usize>(value: Option<&Value>) -> Option<[f64; N]> {
    let list = value?.as_array()?;
    let numbers: Vec<f64> = list.iter().map_while(Value::as_f64).collect();
    (list.len() == N).then(|| numbers.try_into().ok())?
}

fn number(map: &Map<String, Value>, name: &str) -> Option<f64> {
    map.get(name)?.as_f64()
}

fn also_root(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    if map.contains_key("extensionsRequired") && !map.contains_key("extensionsUsed") {
        let message = format_args!("extensionsRequired stands without extensionsUsed");
        walk.issues.add("UNSATISFIED_DEPENDENCY", at.key("extensionsRequired"), message);
    }
}

fn also_asset(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    let found = map.get("version").and_then(version);
    match found {
        Some((2, 0)) | None => {}
        Some((2, minor)) => {
            let message = format_args!("glTF 2.{minor} is newer than 2.0, and may hold what no viewer knows yet");
            walk.issues.add("UNKNOWN_ASSET_MINOR_VERSION", at.key("version"), message);
        }
        Some((major, _)) => {
            let message = format_args!("glTF {major} is not glTF 2.0: export the file again as glTF 2.0");
            walk.issues.add("UNKNOWN_ASSET_MAJOR_VERSION", at.key("version"), message);
        }
    }
    if let (Some(found), Some(least)) = (found, map.get("minVersion").and_then(version))
        && least > found
    {
        let message = format_args!("the least version that it needs is newer than its own");
        walk.issues.add("ASSET_MIN_VERSION_GREATER_THAN_VERSION", at.key("minVersion"), message);
    }
}

fn also_accessor(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    if map.contains_key("byteOffset") && map.get("bufferView").is_none_or(|view| index(view).is_none()) {
        let message = format_args!("byteOffset means nothing without a bufferView");
        walk.issues.add("UNSATISFIED_DEPENDENCY", at.key("byteOffset"), message);
    }
    let component = map.get("componentType").and_then(integer);
    if map.get("normalized") == Some(&Value::Bool(true)) && matches!(component, Some(5125 | 5126)) {
        let message = format_args!("only bytes and shorts can be normalised");
        walk.issues.add("ACCESSOR_NORMALIZED_INVALID", at.key("normalized"), message);
    }
    let kind = map.get("type").and_then(Value::as_str).unwrap_or_default();
    let offset = map.get("byteOffset").and_then(integer).unwrap_or(0);
    if kind.starts_with("MAT") && TYPES.contains(&kind) && offset % 4 != 0 {
        let message = format_args!("matrices must begin at a multiple of 4 bytes, these begin at {offset}");
        walk.issues.add("ACCESSOR_MATRIX_ALIGNMENT", at.key("byteOffset"), message);
    }
    let (Some(width), Some(component)) = (super::numbers::width(kind), component) else { return };
    let Some(range) = super::numbers::range(component) else { return };
    for bound in ["min", "max"] {
        let Some(list) = map.get(bound).and_then(Value::as_array).filter(|list| !list.is_empty()) else { continue };
        let at = at.key(bound);
        if list.len() != width {
            let message = format_args!("{} numbers stand here, a {kind} needs {width}", list.len());
            walk.issues.add("ARRAY_LENGTH_NOT_IN_LIST", at, message);
        }
        let Some((least, most)) = range else { continue };
        for (i, item) in list.iter().enumerate().filter(|(_, item)| item.is_number()) {
            match integer(item) {
                None => {
                    let message = format_args!("a whole number is needed, since the accessor holds whole numbers");
                    walk.issues.add("ARRAY_TYPE_MISMATCH", at.item(i), message);
                }
                Some(x) if x < least || x > most => {
                    let message = format_args!("{x} cannot stand in this accessor: {least} to {most}");
                    walk.issues.add("INVALID_GL_VALUE", at.item(i), message);
                }
                Some(_) => {}
            }
        }
    }
}

fn also_buffer_view(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    let number = |name: &str| map.get(name).and_then(integer);
    let Some(stride) = number("byteStride").filter(|stride| (4..=252).contains(stride)) else { return };
    let at = at.key("byteStride");
    if let Some(length) = number("byteLength").filter(|length| (1..stride).contains(length)) {
        let message = format_args!("items {stride} bytes apart do not fit into {length} bytes");
        walk.issues.add("BUFFER_VIEW_TOO_BIG_BYTE_STRIDE", at, message);
    }
    if stride % 4 != 0 {
        walk.issues.add("VALUE_MULTIPLE_OF", at, format_args!("{stride} is not a multiple of 4"));
    }
    if number("target") == Some(34963) {
        walk.issues.add("BUFFER_VIEW_INVALID_BYTE_STRIDE", at, format_args!("indices must stand side by side"));
    }
}

fn also_camera(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    if map.contains_key("orthographic") && map.contains_key("perspective") {
        walk.issues.add("ONE_OF_MISMATCH", at, format_args!("a camera is orthographic or perspective, not both"));
    }
    for (kind, schema) in [("orthographic", &ORTHOGRAPHIC), ("perspective", &PERSPECTIVE)] {
        if map.get("type").and_then(Value::as_str) != Some(kind) {
            continue;
        }
        match map.get(kind) {
            None => walk.issues.add("UNDEFINED_PROPERTY", at, format_args!("`{kind}` is missing here")),
            Some(value) if value.is_object() => walk.object(value, schema, &at.key(kind)),
            Some(_) => walk.issues.add("TYPE_MISMATCH", at.key(kind), format_args!("an object is needed here")),
        }
    }
}

fn near_and_far(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    if let (Some(near), Some(far)) = (number(map, "znear"), number(map, "zfar"))
        && far <= near
    {
        walk.issues.add(
            "CAMERA_ZFAR_LEQUAL_ZNEAR",
            at,
            format_args!("it sees nothing: zfar {far} is not beyond znear {near}"),
        );
    }
}

fn also_orthographic(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    near_and_far(walk, map, at);
    for name in ["xmag", "ymag"] {
        match number(map, name) {
            Some(0.0) => walk.issues.add("CAMERA_XMAG_YMAG_ZERO", at.key(name), format_args!("it sees nothing")),
            Some(x) if x < 0.0 => {
                let message = format_args!("a negative size shows the picture mirrored");
                walk.issues.add("CAMERA_XMAG_YMAG_NEGATIVE", at.key(name), message);
            }
            _ => {}
        }
    }
}

fn also_perspective(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    near_and_far(walk, map, at);
    if number(map, "yfov").is_some_and(|angle| angle >= std::f64::consts::PI) {
        let message = format_args!("a field of view of 180 degrees or more cannot be shown; is it in degrees?");
        walk.issues.add("CAMERA_YFOV_GEQUAL_PI", at, message);
    }
}

fn also_image(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    let in_view = map.get("bufferView").is_some_and(|view| index(view).is_some());
    let by_uri = map.get("uri").is_some_and(Value::is_string);
    if in_view && !map.get("mimeType").is_some_and(Value::is_string) {
        let message = format_args!("an image in a buffer view must tell its mimeType");
        walk.issues.add("UNSATISFIED_DEPENDENCY", at.key("bufferView"), message);
    }
    if in_view == by_uri {
        let message = format_args!(
            "an image has either a uri or a bufferView, this one has {}",
            if in_view { "both" } else { "neither" }
        );
        walk.issues.add("ONE_OF_MISMATCH", at, message);
    }
}

fn also_material(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    if map.contains_key("alphaCutoff") && map.get("alphaMode").and_then(Value::as_str) != Some("MASK") {
        let message = format_args!("alphaCutoff means nothing unless alphaMode is MASK");
        walk.issues.add("MATERIAL_ALPHA_CUTOFF_INVALID_MODE", at.key("alphaCutoff"), message);
    }
}

fn also_node(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    let has_mesh = map.get("mesh").is_some_and(|mesh| index(mesh).is_some());
    for name in ["skin", "weights"] {
        let valid =
            map.get(name).is_some_and(|value| if name == "skin" { index(value).is_some() } else { value.is_array() });
        if valid && !has_mesh {
            walk.issues.add(
                "UNSATISFIED_DEPENDENCY",
                at.key(name),
                format_args!("{name} means nothing on a node without a mesh"),
            );
        }
    }
    if let Some(rotation) = numbers::<4>(map.get("rotation"))
        && rotation.iter().all(|x| x.abs() <= 1.0)
    {
        let length = rotation.iter().map(|x| x * x).sum::<f64>().sqrt();
        if (length - 1.0).abs() > transforms::UNIT_QUATERNION {
            let message =
                format_args!("a rotation must be a unit quaternion, this one has length {length}; export again");
            walk.issues.add("ROTATION_NON_UNIT", at.key("rotation"), message);
        }
    }
    let Some(matrix) = numbers::<16>(map.get("matrix")) else { return };
    let at_matrix = at.key("matrix");
    let parts = [("translation", 3), ("rotation", 4), ("scale", 3)];
    let is_list =
        |(name, length): &(&str, usize)| map.get(*name).and_then(Value::as_array).is_some_and(|l| l.len() == *length);
    if parts.iter().any(is_list) {
        let message = format_args!("a node has a matrix or translation, rotation and scale, not both");
        walk.issues.add("NODE_MATRIX_TRS", at_matrix, message);
    }
    if transforms::is_identity(&matrix) {
        walk.issues.add(
            "NODE_MATRIX_DEFAULT",
            at_matrix,
            format_args!("the matrix changes nothing and can be left out"),
        );
    } else if !transforms::is_decomposable(&matrix) {
        let message = format_args!(
            "the matrix is more than translation, rotation and scale; apply the transform in Blender (Ctrl A) and export again"
        );
        walk.issues.add("NODE_MATRIX_NON_TRS", at_matrix, message);
    }
}
