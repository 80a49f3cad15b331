//! The tables of glTF's own objects (glTF 2.0, section 5).

use super::object_rules::{
    also_accessor, also_asset, also_buffer_view, also_camera, also_image, also_material, also_node, also_orthographic,
    also_perspective, also_root,
};
use super::schema::{Kind, MOST, Property, Schema, may, must};
use Kind::{
    Any, Attributes, Bool, Index, Indices, Integer, Number, Numbers, Object, Objects, OneOf, Targets, Text, Texts,
};
use Kind::{Version, Word};

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
pub(super) const COLOR: Kind = Numbers(&[3], 0.0, 1.0);
pub(super) const NAME: Property = may("name", Text);

/// MIME types of images that need no extension.
pub(super) const IMAGE_TYPES: &[&str] = &["image/jpeg", "image/png"];
/// What a channel can move without an extension.
pub(super) const PATHS: &[&str] = &["translation", "rotation", "scale", "weights"];
pub(super) const TYPES: &[&str] = &["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"];
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
        may("emissiveFactor", COLOR),
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
