//! Schemas of the core objects (glTF 2.0, section 5).

use super::{MAX_INTEGER, Property, PropertyType, Schema, essential, optional, required, schemas};
use PropertyType::{
    Attributes, Bool, Index, Indices, IntEnum, Integer, MorphTargets, Number, Numbers, Object, ObjectOfType, Objects,
    String, StringEnum, Strings, Version,
};

const ANY: f64 = f64::MAX;

pub(super) const NOT_NEGATIVE: PropertyType = Number(|x| x >= 0.0, "0 or more");
pub(super) const POSITIVE: PropertyType = Number(|x| x > 0.0, "above 0");
pub(super) const FRACTION: PropertyType = Number(|x| (0.0..=1.0).contains(&x), "0 to 1");
pub(super) const ANY_NUMBER: PropertyType = Number(|_| true, "");
pub(super) const COUNT: PropertyType = Integer(1, MAX_INTEGER);
pub(super) const BYTES: PropertyType = Integer(0, MAX_INTEGER);
pub(super) const COLOR: PropertyType = Numbers(&[3], 0.0, 1.0);
pub(super) const NAME: Property = optional("name", String);

/// MIME types of images that need no extension.
pub const IMAGE_TYPES: &[&str] = &["image/jpeg", "image/png"];
/// Paths of animation channels that need no extension.
pub const PATHS: &[&str] = &["translation", "rotation", "scale", "weights"];
const ACCESSOR_TYPES: &[&str] = &["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"];
const COMPONENT_TYPES: &[u64] = &[5120, 5121, 5122, 5123, 5125, 5126];
const WRAP_MODES: &[u64] = &[33071, 33648, 10497];

schemas! {
    pub ROOT "glTF" {
        optional("extensionsUsed", Strings),
        optional("extensionsRequired", Strings),
        essential("accessors", Objects(&ACCESSOR)),
        optional("animations", Objects(&ANIMATION)),
        required("asset", Object(&ASSET)),
        essential("buffers", Objects(&BUFFER)),
        essential("bufferViews", Objects(&BUFFER_VIEW)),
        optional("cameras", Objects(&CAMERA)),
        optional("images", Objects(&IMAGE)),
        optional("materials", Objects(&MATERIAL)),
        essential("meshes", Objects(&MESH)),
        essential("nodes", Objects(&NODE)),
        optional("samplers", Objects(&SAMPLER)),
        optional("scene", Index),
        essential("scenes", Objects(&SCENE)),
        optional("skins", Objects(&SKIN)),
        optional("textures", Objects(&TEXTURE)),
    }
    ASSET "asset" {
        optional("copyright", String),
        optional("generator", String),
        required("version", Version),
        optional("minVersion", Version),
    }
    ACCESSOR "accessor" {
        essential("bufferView", Index),
        essential("byteOffset", BYTES),
        required("componentType", IntEnum(COMPONENT_TYPES)),
        required("count", COUNT),
        required("type", StringEnum(ACCESSOR_TYPES)),
        essential("normalized", Bool),
        optional("max", Numbers(&[], -ANY, ANY)),
        optional("min", Numbers(&[], -ANY, ANY)),
        essential("sparse", Object(&SPARSE)),
        NAME,
    }
    SPARSE "accessor.sparse" {
        required("count", COUNT),
        required("indices", Object(&SPARSE_INDICES)),
        required("values", Object(&SPARSE_VALUES)),
    }
    SPARSE_INDICES "accessor.sparse.indices" {
        required("bufferView", Index),
        essential("byteOffset", BYTES),
        required("componentType", IntEnum(&[5121, 5123, 5125])),
    }
    SPARSE_VALUES "accessor.sparse.values" { required("bufferView", Index), essential("byteOffset", BYTES) }
    ANIMATION "animation" {
        required("channels", Objects(&CHANNEL)),
        required("samplers", Objects(&ANIMATION_SAMPLER)),
        NAME,
    }
    CHANNEL "animation.channel" { required("sampler", Index), required("target", Object(&TARGET)) }
    TARGET "animation.channel.target" { essential("node", Index), required("path", StringEnum(PATHS)) }
    ANIMATION_SAMPLER "animation.sampler" {
        required("input", Index),
        essential("interpolation", StringEnum(&["LINEAR", "STEP", "CUBICSPLINE"])),
        required("output", Index),
    }
    BUFFER "buffer" { essential("uri", String), required("byteLength", COUNT), NAME }
    BUFFER_VIEW "bufferView" {
        required("buffer", Index),
        essential("byteOffset", BYTES),
        required("byteLength", COUNT),
        essential("byteStride", Integer(4, 252)),
        optional("target", IntEnum(&[34962, 34963])),
        NAME,
    }
    CAMERA "camera" {
        optional("orthographic", ObjectOfType(&ORTHOGRAPHIC)),
        optional("perspective", ObjectOfType(&PERSPECTIVE)),
        required("type", StringEnum(&["orthographic", "perspective"])),
        NAME,
    }
    ORTHOGRAPHIC "camera.orthographic" {
        required("xmag", ANY_NUMBER),
        required("ymag", ANY_NUMBER),
        required("zfar", POSITIVE),
        required("znear", NOT_NEGATIVE),
    }
    PERSPECTIVE "camera.perspective" {
        optional("aspectRatio", POSITIVE),
        required("yfov", POSITIVE),
        essential("zfar", POSITIVE),
        required("znear", POSITIVE),
    }
    IMAGE "image" {
        optional("uri", String),
        optional("mimeType", StringEnum(IMAGE_TYPES)),
        optional("bufferView", Index),
        NAME,
    }
    pub MATERIAL "material" {
        optional("pbrMetallicRoughness", Object(&METALLIC_ROUGHNESS)),
        optional("normalTexture", Object(&NORMAL_TEXTURE)),
        optional("occlusionTexture", Object(&OCCLUSION_TEXTURE)),
        optional("emissiveTexture", Object(&TEXTURE_INFO)),
        optional("emissiveFactor", COLOR),
        optional("alphaMode", StringEnum(&["OPAQUE", "MASK", "BLEND"])),
        optional("alphaCutoff", NOT_NEGATIVE),
        optional("doubleSided", Bool),
        NAME,
    }
    METALLIC_ROUGHNESS "material.pbrMetallicRoughness" {
        optional("baseColorFactor", Numbers(&[4], 0.0, 1.0)),
        optional("baseColorTexture", Object(&TEXTURE_INFO)),
        optional("metallicFactor", FRACTION),
        optional("roughnessFactor", FRACTION),
        optional("metallicRoughnessTexture", Object(&TEXTURE_INFO)),
    }
    pub(super) TEXTURE_INFO "textureInfo" { required("index", Index), optional("texCoord", BYTES) }
    pub(super) NORMAL_TEXTURE "normalTextureInfo" {
        required("index", Index),
        optional("texCoord", BYTES),
        optional("scale", ANY_NUMBER),
    }
    OCCLUSION_TEXTURE "occlusionTextureInfo" {
        required("index", Index),
        optional("texCoord", BYTES),
        optional("strength", FRACTION),
    }
    MESH "mesh" {
        required("primitives", Objects(&PRIMITIVE)),
        optional("weights", Numbers(&[], -ANY, ANY)),
        NAME,
    }
    PRIMITIVE "mesh.primitive" {
        required("attributes", Attributes),
        essential("indices", Index),
        optional("material", Index),
        essential("mode", Integer(0, 6)),
        optional("targets", MorphTargets),
    }
    NODE "node" {
        optional("camera", Index),
        optional("children", Indices),
        optional("skin", Index),
        optional("matrix", Numbers(&[16], -ANY, ANY)),
        optional("mesh", Index),
        optional("rotation", Numbers(&[4], -1.0, 1.0)),
        optional("scale", Numbers(&[3], -ANY, ANY)),
        optional("translation", Numbers(&[3], -ANY, ANY)),
        optional("weights", Numbers(&[], -ANY, ANY)),
        NAME,
    }
    SAMPLER "sampler" {
        optional("magFilter", IntEnum(&[9728, 9729])),
        optional("minFilter", IntEnum(&[9728, 9729, 9984, 9985, 9986, 9987])),
        optional("wrapS", IntEnum(WRAP_MODES)),
        optional("wrapT", IntEnum(WRAP_MODES)),
        NAME,
    }
    SCENE "scene" { optional("nodes", Indices), NAME }
    SKIN "skin" {
        essential("inverseBindMatrices", Index),
        optional("skeleton", Index),
        required("joints", Indices),
        NAME,
    }
    TEXTURE "texture" { optional("sampler", Index), optional("source", Index), NAME }
}
