//! A glTF file as JSON and bytes: containers, buffers and accessors.

use base64::Engine as _;
use percent_encoding::percent_decode_str;
use serde_json::Value;
use std::path::Path;

/// A parsed file: its JSON and the bytes of its buffers.
///
/// The reference reads valid files only and panics otherwise.
#[derive(Debug)]
pub(crate) struct Document {
    /// The JSON, not validated.
    pub(crate) json: Value,
    /// The bytes of each buffer.
    buffers: Vec<Vec<u8>>,
}

/// The elements of an accessor.
#[derive(Debug)]
pub(crate) struct Elements {
    /// Components per element: 1 for SCALAR, 3 for VEC3, 16 for MAT4.
    pub(crate) width: usize,
    /// All components, element by element; matrices column by column.
    pub(crate) numbers: Vec<f64>,
}

impl Elements {
    /// Number of elements.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len() / self.width
    }

    /// One element.
    pub(crate) fn row(&self, index: usize) -> &[f64] {
        &self.numbers[index * self.width..(index + 1) * self.width]
    }
}

impl Document {
    /// Reads a `.glb` or a `.gltf` with its external files.
    pub(crate) fn open(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Self::parse(&bytes, path.parent())
    }

    /// Parses bytes. Relative URIs start at `folder`.
    pub(crate) fn parse(bytes: &[u8], folder: Option<&Path>) -> Self {
        let (json, mut binary) = chunks(bytes);
        let json: Value = serde_json::from_slice(json).expect("the file's JSON");
        let buffers = list(&json, "buffers")
            .iter()
            .enumerate()
            .map(|(i, buffer)| {
                let data = match buffer["uri"].as_str() {
                    Some(uri) => fetch(uri, folder),
                    // Section 4.4.3.3: the first buffer without a URI is the second chunk.
                    None if i == 0 => binary.take().expect("a binary chunk for the first buffer").to_vec(),
                    None => panic!("buffer {i} has neither a URI nor a chunk"),
                };
                let length = number(buffer, "byteLength").expect("byteLength");
                assert!(data.len() >= length, "buffer {i} holds {} bytes of {length}", data.len());
                data
            })
            .collect();
        Self { json, buffers }
    }

    /// An object of a top-level array.
    pub(crate) fn object(&self, name: &str, index: usize) -> &Value {
        list(&self.json, name).get(index).unwrap_or_else(|| panic!("/{name}/{index} does not exist"))
    }

    /// Length of a top-level array.
    pub(crate) fn count(&self, name: &str) -> usize {
        list(&self.json, name).len()
    }

    /// `true` if `extensionsUsed` contains the extension.
    pub(crate) fn uses(&self, extension: &str) -> bool {
        list(&self.json, "extensionsUsed").iter().any(|name| name == extension)
    }

    /// The bytes of a buffer view.
    fn view(&self, index: usize) -> &[u8] {
        let view = self.object("bufferViews", index);
        let buffer = &self.buffers[number(view, "buffer").expect("buffer")];
        let start = number(view, "byteOffset").unwrap_or(0);
        &buffer[start..start + number(view, "byteLength").expect("byteLength")]
    }

    /// Decodes an accessor (sections 3.6.2.1 to 3.6.2.4).
    pub(crate) fn accessor(&self, index: usize) -> Elements {
        let accessor = self.object("accessors", index);
        let component = Component::of(accessor);
        let (rows, columns) = match accessor["type"].as_str().expect("type") {
            "SCALAR" => (1, 1),
            "VEC2" => (2, 1),
            "VEC3" => (3, 1),
            "VEC4" => (4, 1),
            "MAT2" => (2, 2),
            "MAT3" => (3, 3),
            "MAT4" => (4, 4),
            other => panic!("/accessors/{index}: type {other}"),
        };
        let width = rows * columns;
        let count = number(accessor, "count").expect("count");
        // Section 3.6.2.4: each column of a matrix starts at a multiple of four bytes.
        let column_size =
            if columns == 1 { rows * component.size } else { (rows * component.size).next_multiple_of(4) };
        let element = |bytes: &[u8], start: usize| -> Vec<f64> {
            let starts = (0..columns).flat_map(|c| (0..rows).map(move |r| c * column_size + r * component.size));
            starts.map(|offset| component.read(&bytes[start + offset..])).collect()
        };
        let packed = column_size * columns;

        // Without a buffer view all elements are zero (section 3.6.2.3).
        let mut numbers = vec![0.0; count * width];
        if let Some(view) = number(accessor, "bufferView") {
            let stride = number(self.object("bufferViews", view), "byteStride").unwrap_or(packed);
            let start = number(accessor, "byteOffset").unwrap_or(0);
            for i in 0..count {
                numbers[i * width..(i + 1) * width].copy_from_slice(&element(self.view(view), start + i * stride));
            }
        }
        // Sparse elements replace those of the buffer view, or the zeros.
        if let Some(sparse) = accessor.get("sparse") {
            let (indices, values) = (&sparse["indices"], &sparse["values"]);
            let index_component = Component { normalized: false, ..Component::of(indices) };
            let index_bytes = &self.view(number(indices, "bufferView").expect("indices.bufferView"))
                [number(indices, "byteOffset").unwrap_or(0)..];
            let value_bytes = self.view(number(values, "bufferView").expect("values.bufferView"));
            let value_start = number(values, "byteOffset").unwrap_or(0);
            for i in 0..number(sparse, "count").expect("sparse.count") {
                let place = index_component.read(&index_bytes[i * index_component.size..]) as usize;
                numbers[place * width..(place + 1) * width]
                    .copy_from_slice(&element(value_bytes, value_start + i * packed));
            }
        }
        Elements { width, numbers }
    }
}

/// Storage of one component.
#[derive(Clone, Copy)]
struct Component {
    /// `componentType`.
    kind: usize,
    /// `normalized`.
    normalized: bool,
    /// Size in bytes.
    size: usize,
}

impl Component {
    /// The component type of an accessor, or of sparse indices.
    fn of(accessor: &Value) -> Self {
        let kind = number(accessor, "componentType").expect("componentType");
        let size = match kind {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            5125 | 5126 => 4,
            other => panic!("componentType {other}"),
        };
        Self { kind, normalized: accessor["normalized"].as_bool().unwrap_or(false), size }
    }

    /// Reads one component; normalized integers by the equations of section 3.11.
    fn read(self, bytes: &[u8]) -> f64 {
        let (number, largest) = match self.kind {
            5120 => (f64::from(bytes[0] as i8), 127.0),
            5121 => (f64::from(bytes[0]), 255.0),
            5122 => (f64::from(i16::from_le_bytes([bytes[0], bytes[1]])), 32767.0),
            5123 => (f64::from(u16::from_le_bytes([bytes[0], bytes[1]])), 65535.0),
            5125 => (f64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])), 4294967295.0),
            _ => return f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
        };
        if self.normalized { (number / largest).max(-1.0) } else { number }
    }
}

/// The JSON and binary chunks of a GLB (section 4.4). Other files are JSON.
pub(crate) fn chunks(bytes: &[u8]) -> (&[u8], Option<&[u8]>) {
    if !bytes.starts_with(b"glTF") {
        return (bytes, None);
    }
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
    assert_eq!(word(4), 2, "the container's version");
    assert_eq!(word(8), bytes.len(), "the container's length");
    let (mut at, mut json, mut binary) = (12, None, None);
    while at < bytes.len() {
        let data = &bytes[at + 8..at + 8 + word(at)];
        match &bytes[at + 4..at + 8] {
            b"JSON" => json = json.or(Some(data)),
            b"BIN\0" => binary = binary.or(Some(data)),
            _ => {}
        }
        at += 8 + data.len();
    }
    (json.expect("a JSON chunk"), binary)
}

/// The bytes of a data URI or of a relative path (section 2.8).
pub(crate) fn fetch(uri: &str, folder: Option<&Path>) -> Vec<u8> {
    if let Some(rest) = uri.strip_prefix("data:") {
        let (_, data) = rest.split_once(";base64,").expect("base64 data");
        return base64::engine::general_purpose::STANDARD.decode(data).expect("base64 data");
    }
    let name = percent_decode_str(uri).decode_utf8().expect("a UTF-8 file name");
    let path = folder.expect("a folder for relative URIs").join(&*name);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// An array of a JSON object; empty if missing.
pub(crate) fn list<'a>(object: &'a Value, name: &str) -> &'a [Value] {
    object[name].as_array().map_or(&[], Vec::as_slice)
}

/// An integer of a JSON object, possibly written with a zero fraction.
pub(crate) fn number(object: &Value, name: &str) -> Option<usize> {
    object[name].as_f64().map(|x| x as usize)
}

/// Numbers of a JSON object.
pub(crate) fn numbers(object: &Value, name: &str) -> Option<Vec<f64>> {
    let list = object[name].as_array()?;
    Some(list.iter().map(|x| x.as_f64().expect("a number")).collect())
}
