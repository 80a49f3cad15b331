//! The JSON of a file: limits, parsing, normalization, and its arrays in the types of the `gltf` crate.

use super::arrays::ROOT_ARRAYS;
use super::diagnostic::{Diagnostics, JsonLocation};
use super::error::ImportError;
use super::limits::{Limit, Limits};
use super::normalize_json::{NormalizeError, Scope, estimate_parsed_size, normalize};
use super::uri;
use crate::gltf_format::json_pointer;
use crate::util::text::{escaped, excerpt, quoted};
use gltf::json;
use json::Index;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;

/// The parsed JSON, and its arrays in the types of the `gltf` crate.
///
/// The types are deserialized without validation: every index and value is checked where it is used.
pub(super) struct GltfJson {
    limits: Limits,
    pub(super) value: Value,
    pub(super) accessors: Vec<json::Accessor>,
    pub(super) animations: Vec<Animation>,
    pub(super) buffers: Vec<json::Buffer>,
    pub(super) buffer_views: Vec<json::buffer::View>,
    pub(super) cameras: Vec<json::Camera>,
    pub(super) images: Vec<json::Image>,
    /// Number of materials. Each is deserialized on demand, since they are large and may be many.
    pub(super) material_count: usize,
    pub(super) meshes: Vec<json::Mesh>,
    pub(super) nodes: Vec<json::Node>,
    pub(super) samplers: Vec<json::texture::Sampler>,
    pub(super) scenes: Vec<Scene>,
    pub(super) skins: Vec<json::Skin>,
    pub(super) textures: Vec<json::Texture>,
    pub(super) extensions_used: Vec<String>,
    pub(super) extensions_required: Vec<String>,
}

/// An animation. The type of the `gltf` crate requires a target node, which channels with KHR_animation_pointer lack.
#[derive(Deserialize)]
pub(super) struct Animation {
    pub(super) name: Option<String>,
    pub(super) channels: Vec<Channel>,
    pub(super) samplers: Vec<json::animation::Sampler>,
}

/// A channel of an animation.
#[derive(Deserialize)]
pub(super) struct Channel {
    pub(super) sampler: Index<json::animation::Sampler>,
    pub(super) target: ChannelTarget,
}

/// The target of a channel.
#[derive(Deserialize)]
pub(super) struct ChannelTarget {
    pub(super) node: Option<Index<json::Node>>,
    pub(super) path: json::validation::Checked<json::animation::Property>,
}

/// A scene. The type of the `gltf` crate requires nodes, which may be absent.
#[derive(Deserialize)]
pub(super) struct Scene {
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) nodes: Vec<Index<json::Node>>,
}

/// Payloads of `data:` URIs by array index; an error message for those that cannot be decoded.
#[derive(Default)]
pub(super) struct EmbeddedData {
    pub(super) buffers: BTreeMap<usize, Result<Vec<u8>, String>>,
    pub(super) images: BTreeMap<usize, Result<Vec<u8>, String>>,
}

impl GltfJson {
    /// Parses and normalizes the JSON text of a file.
    pub(crate) fn parse(
        text: &[u8],
        limits: &Limits,
        diagnostics: &mut Diagnostics,
    ) -> Result<(Self, EmbeddedData), ImportError> {
        let (mut value, padded) = parse(text, limits)?;
        if padded {
            diagnostics.push("", "its JSON is padded with zeros instead of spaces, which other programs may refuse");
        }
        if !value.is_object() {
            return Err(schema_error(&value, &[], "its JSON is not an object"));
        }
        check_version(&value)?;
        if let Err(NormalizeError { mut path, problem }) = normalize(&mut value, "", Scope::Core) {
            path.reverse();
            return Err(schema_error(&value, &path, problem));
        }
        let embedded = EmbeddedData {
            buffers: take_data_uris(&mut value, "buffers"),
            images: take_data_uris(&mut value, "images"),
        };
        let document = Self {
            limits: limits.clone(),
            accessors: array(&value, "accessors", limits)?,
            animations: array(&value, "animations", limits)?,
            buffers: array(&value, "buffers", limits)?,
            buffer_views: array(&value, "bufferViews", limits)?,
            cameras: array(&value, "cameras", limits)?,
            images: array(&value, "images", limits)?,
            material_count: json_array(&value, "materials", limits)?.len(),
            meshes: array(&value, "meshes", limits)?,
            nodes: array(&value, "nodes", limits)?,
            samplers: array(&value, "samplers", limits)?,
            scenes: array(&value, "scenes", limits)?,
            skins: array(&value, "skins", limits)?,
            textures: array(&value, "textures", limits)?,
            extensions_used: strings(&value, "extensionsUsed"),
            extensions_required: strings(&value, "extensionsRequired"),
            value,
        };
        Ok((document, embedded))
    }

    /// Returns the JSON of one element; null if there is none.
    pub(super) fn element(&self, list: &str, index: usize) -> &Value {
        element(&self.value, list, index)
    }

    /// Deserializes a material.
    pub(super) fn material(&self, index: usize) -> Result<json::Material, ImportError> {
        typed(&self.value, "materials", index, self.element("materials", index))
    }

    /// Returns the location of an element.
    pub(super) fn location(&self, list: &str, index: usize) -> JsonLocation {
        location(&self.value, list, index)
    }

    /// Returns an error if `count` exceeds a limit. `what` returns JSON Pointer and name of the counted quantity.
    pub(super) fn check_limit(
        &self,
        limit: Limit,
        count: u64,
        what: impl FnOnce() -> (String, String),
    ) -> Result<(), ImportError> {
        check_limit(&self.limits, limit, count, what)
    }

    /// Returns `true` if the file lists an extension as used or required.
    pub(super) fn uses(&self, extension: &str) -> bool {
        self.extensions_used.iter().chain(&self.extensions_required).any(|name| name == extension)
    }
}

fn element<'a>(value: &'a Value, list: &str, index: usize) -> &'a Value {
    value.get(list).and_then(|list| list.get(index)).unwrap_or(&Value::Null)
}

fn location(value: &Value, list: &str, index: usize) -> JsonLocation {
    let noun = ROOT_ARRAYS.iter().find(|(name, _)| *name == list).map_or(list, |(_, noun)| noun);
    let display_name = match element(value, list, index).get("name").and_then(Value::as_str) {
        Some(name) if !name.is_empty() => format!("{noun} {index} {}", quoted(name)),
        _ => format!("{noun} {index}"),
    };
    JsonLocation { pointer: format!("/{list}/{index}"), display_name }
}

/// U+FEFF in UTF-8.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Parses JSON text within the limits. Also returns `true` if it was padded with zeros.
///
/// Ignores a byte order mark and trailing zeros, which some exporters write.
pub fn parse(text: &[u8], limits: &Limits) -> Result<(Value, bool), ImportError> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let end = text.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let (text, zeros) = text.split_at(end);
    check_limit(limits, Limit::Json, text.len() as u64, || (String::new(), "bytes of JSON".into()))?;
    check_limit(limits, Limit::JsonMemory, estimate_parsed_size(text), || {
        (String::new(), "bytes of memory for its JSON".into())
    })?;
    let value = serde_json::from_slice(text).map_err(|source| ImportError::Json { source })?;
    Ok((value, !zeros.is_empty()))
}

/// Rejects all versions except glTF 2.
fn check_version(value: &Value) -> Result<(), ImportError> {
    let gltf_file = value.get("asset").unwrap_or(&Value::Null);
    let Some(version) = gltf_file.get("version").and_then(Value::as_str) else {
        return Err(schema_error(value, &["asset".into()], "the version is missing; is this a glTF file?"));
    };
    let parts = |text: &str| -> Option<(u32, u32)> {
        let (major, minor) = text.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    if parts(version).is_none_or(|(major, _)| major != 2) {
        return Err(ImportError::Version { found: excerpt(version) });
    }
    match gltf_file.get("minVersion").map(|min| (min, min.as_str().and_then(parts))) {
        None | Some((_, Some((0..=1, _) | (2, 0)))) => Ok(()),
        Some((Value::String(min), _)) => Err(ImportError::Version { found: format!("{} and later", excerpt(min)) }),
        Some(_) => Err(schema_error(value, &["asset".into(), "minVersion".into()], "this is not a string")),
    }
}

/// Deserializes a top-level array.
fn array<T: DeserializeOwned>(value: &Value, key: &str, limits: &Limits) -> Result<Vec<T>, ImportError> {
    let items = json_array(value, key, limits)?;
    collect(items.len(), items.iter().enumerate().map(|(i, item)| typed(value, key, i, item)))
}

/// Returns the items of a top-level array, whose length must be within the limit.
fn json_array<'a>(value: &'a Value, key: &str, limits: &Limits) -> Result<&'a [Value], ImportError> {
    let Some(array) = value.get(key) else { return Ok(&[]) };
    let Some(items) = array.as_array() else { return Err(schema_error(value, &[key.into()], "this is not an array")) };
    let what = || (format!("/{key}"), format!("its array of {key}"));
    check_limit(limits, Limit::Elements, items.len() as u64, what)?;
    Ok(items)
}

/// Deserializes an element of a top-level array.
fn typed<T: DeserializeOwned>(value: &Value, key: &str, i: usize, item: &Value) -> Result<T, ImportError> {
    if !item.is_object() {
        return Err(schema_error(value, &[key.into(), i.to_string()], "this is not an object"));
    }
    T::deserialize(item).map_err(|error| schema_error(value, &[key.into(), i.to_string()], error))
}

/// Collects without spare capacity, unlike the standard `collect`.
pub(super) fn collect<T>(
    count: usize,
    results: impl Iterator<Item = Result<T, ImportError>>,
) -> Result<Vec<T>, ImportError> {
    let mut list = Vec::with_capacity(count);
    for result in results {
        list.push(result?);
    }
    Ok(list)
}

/// Returns the strings of a top-level array, at most 1000.
fn strings(value: &Value, key: &str) -> Vec<String> {
    let items = value.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    // More occur in hostile files only. The search in them is linear.
    items.iter().take(1000).filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Decodes the `data:` URIs of an array and truncates them at the comma, so that payloads are in memory once.
fn take_data_uris(value: &mut Value, list: &str) -> BTreeMap<usize, Result<Vec<u8>, String>> {
    let mut found = BTreeMap::new();
    for (i, item) in value.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten().enumerate() {
        if let Some(Value::String(text)) = item.get_mut("uri")
            && uri::is_data(text)
        {
            found.insert(i, uri::decode_data(text));
            text.truncate(text.find(',').unwrap_or(text.len()));
            text.shrink_to_fit();
        }
    }
    found
}

fn check_limit(
    limits: &Limits,
    limit: Limit,
    count: u64,
    what: impl FnOnce() -> (String, String),
) -> Result<(), ImportError> {
    let max = limits.get(limit);
    if count <= max {
        return Ok(());
    }
    let (pointer, what) = what();
    Err(ImportError::Limit { pointer, what, count, limit, max })
}

/// Returns an error about the element at `path`.
fn schema_error(value: &Value, path: &[String], problem: impl ToString) -> ImportError {
    let mut at = JsonLocation { pointer: String::new(), display_name: "the file".into() };
    let mut rest = path;
    // Other names are not part of glTF.
    if let [list, index, tail @ ..] = path
        && ROOT_ARRAYS.iter().any(|(name, _)| *name == list.as_str())
        && let Ok(index) = index.parse()
    {
        (at, rest) = (location(value, list, index), tail);
    }
    for step in rest {
        at = at.child(json_pointer::escape(step), excerpt(step));
    }
    ImportError::InvalidJson { at, problem: escaped(&problem.to_string(), 300) }
}

/// Returns a non-negative integer, which the JSON may contain as `1.0`.
pub(super) fn integer(value: &Value) -> Option<usize> {
    let integer = value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        (number >= 0.0 && number <= (1_u64 << 53) as f64 && number.fract() == 0.0).then_some(number as u64)
    })?;
    usize::try_from(integer).ok()
}
