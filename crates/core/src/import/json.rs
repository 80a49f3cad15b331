//! The JSON of a file: limits, parsing, normalization, and its arrays in the types of the `gltf` crate.

use super::arrays::ROOT_ARRAYS;
use super::diagnostic::{JsonLocation, Problem};
use super::diagnostics::{Diagnostics, LEFT_OUT};
use super::error::ImportError;
use super::limits::{Limit, Limits};
use super::normalize_json::{Consequence, Fault, estimate_parsed_size, normalize};
use super::uri;
use crate::gltf_format::json_pointer;
use crate::util::text::{escaped, excerpt, quoted};
use gltf::json;
use json::Index;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
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
    /// `None` for invalid ones, which are reported.
    pub(super) channels: Vec<Option<Channel>>,
    /// `None` for invalid ones, which are reported.
    pub(super) samplers: Vec<Option<json::animation::Sampler>>,
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
    pub(super) buffers: BTreeMap<usize, Result<Vec<u8>, Problem>>,
    pub(super) images: BTreeMap<usize, Result<Vec<u8>, Problem>>,
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
        if let Some(version) = value.pointer_mut("/asset/version")
            && let Some(number) = version.as_f64()
        {
            *version = json!(format!("{number:.1}"));
            diagnostics.push("/asset/version", "the file, asset, version: a number is read as a string");
        }
        check_version(&value)?;
        let Value::Object(root) = &mut value else {
            return Err(schema_error(&value, &[], "its JSON is not an object"));
        };
        match normalize(root) {
            Ok(faults) => faults.into_iter().for_each(|fault| report(&value, fault, diagnostics)),
            Err(fault) => return Err(schema_error(&value, &fault.path, fault.problem)),
        }
        let embedded = EmbeddedData {
            buffers: take_data_uris(&mut value, "buffers"),
            images: take_data_uris(&mut value, "images"),
        };
        let mut reader = ArrayReader { value: &mut value, limits, diagnostics };
        let document = Self {
            limits: limits.clone(),
            accessors: reader.read("accessors", json!({ "componentType": 0, "count": 0, "type": "" }))?,
            animations: reader.read("animations", json!({ "channels": [], "samplers": [] }))?,
            buffers: reader.read("buffers", json!({ "byteLength": 0 }))?,
            buffer_views: reader.read("bufferViews", json!({ "buffer": u32::MAX, "byteLength": 0 }))?,
            cameras: reader.read("cameras", json!({ "type": "" }))?,
            images: reader.read("images", json!({}))?,
            material_count: reader.count("materials")?,
            meshes: reader.read("meshes", json!({ "primitives": [] }))?,
            nodes: reader.read("nodes", json!({}))?,
            samplers: reader.read("samplers", json!({}))?,
            scenes: reader.read("scenes", json!({}))?,
            skins: reader.read("skins", json!({ "joints": [] }))?,
            textures: reader.read("textures", json!({ "source": u32::MAX }))?,
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
        typed(&self.value, "materials", index)
    }

    /// Returns `true` if an element of a top-level array is invalid, which is reported.
    pub(super) fn is_invalid(&self, list: &str, index: usize) -> bool {
        self.value.get(list).and_then(|list| list.get(index)).is_some_and(Value::is_null)
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
        None | Some((Value::Null, _) | (_, Some((0..=1, _) | (2, 0)))) => Ok(()),
        Some((Value::String(min), _)) => Err(ImportError::Version { found: format!("{} and later", excerpt(min)) }),
        Some(_) => Err(schema_error(value, &["asset".into(), "minVersion".into()], "this is not a string")),
    }
}

/// Deserializes the top-level arrays.
struct ArrayReader<'a> {
    value: &'a mut Value,
    limits: &'a Limits,
    diagnostics: &'a mut Diagnostics,
}

impl ArrayReader<'_> {
    /// Returns the length of an array, which must be within the limit.
    fn count(&self, key: &str) -> Result<usize, ImportError> {
        let count = self.value.get(key).and_then(Value::as_array).map_or(0, Vec::len);
        let what = || (format!("/{key}"), format!("its array of {key}"));
        check_limit(self.limits, Limit::Elements, count as u64, what)?;
        Ok(count)
    }

    /// Deserializes an array. An invalid item is reported, becomes null in the JSON, and is replaced by `placeholder`.
    fn read<T: DeserializeOwned>(&mut self, key: &str, placeholder: Value) -> Result<Vec<T>, ImportError> {
        let count = self.count(key)?;
        let mut items = Vec::with_capacity(count);
        for i in 0..count {
            if !element(self.value, key, i).is_null() {
                match typed(self.value, key, i) {
                    Ok(item) => {
                        items.push(item);
                        continue;
                    }
                    Err(error) => leave_out(self.diagnostics, key, error)?,
                }
                self.value[key][i] = Value::Null;
            }
            items.push(T::deserialize(&placeholder).map_err(|error| schema_error(self.value, &[key.into()], error))?);
        }
        Ok(items)
    }
}

/// Reports an element of the array `list` that is left out.
fn leave_out(diagnostics: &mut Diagnostics, list: &str, error: ImportError) -> Result<(), ImportError> {
    if matches!(list, "accessors" | "buffers" | "bufferViews" | "meshes" | "nodes" | "scenes") {
        diagnostics.leave_out_geometry(error, LEFT_OUT)
    } else {
        diagnostics.leave_out(error, LEFT_OUT)
    }
}

/// Reports a fault that was normalized.
fn report(value: &Value, fault: Fault, diagnostics: &mut Diagnostics) {
    let Fault { path, mut problem, consequence, count } = fault;
    if count > 1 {
        problem = format!("{problem} (and {} more like it)", count - 1);
    }
    match (consequence, schema_error(value, &path, problem)) {
        (Consequence::LeftOut, error) => {
            // The error is not an exceeded limit.
            let _ = leave_out(diagnostics, path.first().map_or("", String::as_str), error);
        }
        (Consequence::ReadAsAbsent, error) => diagnostics.push(error.pointer(), format!("{error} is read as absent")),
        (Consequence::Ignored, error) => diagnostics.push(error.pointer(), format!("{error}; it is ignored")),
    }
}

/// Deserializes an element of a top-level array.
fn typed<T: DeserializeOwned>(value: &Value, key: &str, i: usize) -> Result<T, ImportError> {
    T::deserialize(element(value, key, i)).map_err(|error| schema_error(value, &[key.into(), i.to_string()], error))
}

/// Returns the strings of a top-level array, at most 1000.
fn strings(value: &Value, key: &str) -> Vec<String> {
    let items = value.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    // More occur in hostile files only. The search in them is linear.
    items.iter().take(1000).filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Decodes the `data:` URIs of an array and truncates them at the comma, so that payloads are in memory once.
fn take_data_uris(value: &mut Value, list: &str) -> BTreeMap<usize, Result<Vec<u8>, Problem>> {
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

pub(super) fn check_limit(
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
