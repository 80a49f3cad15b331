//! Writing of GLB files (glTF 2.0, section 4.4).

use super::ExportError;
use serde_json::{Value, json};
use std::io::Write;

/// A GLB file with one streamed binary chunk. Elements are kept as JSON text, a tenth of the size of JSON values.
pub(super) struct GlbWriter<W> {
    bin: W,
    bin_bytes: u64,
    views: JsonArray,
    accessors: JsonArray,
}

/// The elements of a JSON array, as the text between its brackets.
#[derive(Default)]
pub(super) struct JsonArray {
    text: String,
    count: usize,
}

impl JsonArray {
    /// Adds an element, and returns its index.
    pub(super) fn push(&mut self, element: &Value) -> usize {
        if self.count > 0 {
            self.text.push(',');
        }
        self.text.push_str(&element.to_string());
        self.count += 1;
        self.count - 1
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }
}

/// `bufferView.target` of vertex attributes.
const ARRAY_BUFFER: u32 = 34962;
/// `bufferView.target` of indices.
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;

impl<W: Write> GlbWriter<W> {
    /// Writes the content of the binary chunk to `bin`.
    pub(super) fn new(bin: W) -> Self {
        Self { bin, bin_bytes: 0, views: JsonArray::default(), accessors: JsonArray::default() }
    }

    /// Adds a buffer view, such as an image, and returns its index.
    pub(super) fn add_view(&mut self, bytes: &[u8], target: Option<u32>) -> Result<usize, ExportError> {
        self.align()?;
        let end = self.bin_bytes + bytes.len() as u64;
        checked_u32(end)?;
        let mut view = json!({"buffer": 0, "byteOffset": self.bin_bytes, "byteLength": bytes.len()});
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.bin.write_all(bytes)?;
        self.bin_bytes = end;
        Ok(self.views.push(&view))
    }

    /// Pads the binary chunk to a multiple of 4 bytes, the alignment of the largest component type.
    fn align(&mut self) -> Result<(), ExportError> {
        let padding = self.bin_bytes.next_multiple_of(4) - self.bin_bytes;
        self.bin.write_all(&[0; 3][..padding as usize])?;
        self.bin_bytes += padding;
        Ok(())
    }

    /// Adds a float vertex attribute of `N` components; with `bounds` it has exact `min` and `max`.
    pub(super) fn add_attribute<const N: usize>(
        &mut self,
        values: &[[f32; N]],
        bounds: bool,
    ) -> Result<usize, ExportError> {
        let view = self.add_view(bytemuck::cast_slice(values.as_flattened()), Some(ARRAY_BUFFER))?;
        let kind = ["", "SCALAR", "VEC2", "VEC3", "VEC4"][N];
        let mut accessor = json!({"bufferView": view, "componentType": FLOAT, "count": values.len(), "type": kind});
        if bounds {
            let fold = |pick: fn(f32, f32) -> f32, from: f32| {
                // In double precision, so that the decimal text is the exact value.
                values.iter().fold([from; N], |a, v| std::array::from_fn(|i| pick(a[i], v[i]))).map(f64::from).to_vec()
            };
            accessor["min"] = fold(f32::min, f32::INFINITY).into();
            accessor["max"] = fold(f32::max, f32::NEG_INFINITY).into();
        }
        Ok(self.accessors.push(&accessor))
    }

    /// Adds indices in the smallest type for `vertex_count` vertices.
    pub(super) fn add_indices(&mut self, indices: &[u32], vertex_count: usize) -> Result<usize, ExportError> {
        // The largest value of each type restarts primitives.
        let (view, component_type) = if vertex_count <= usize::from(u16::MAX) {
            let narrow: Vec<u16> = indices.iter().map(|&i| i as u16).collect();
            (self.add_view(bytemuck::cast_slice(&narrow), Some(ELEMENT_ARRAY_BUFFER))?, UNSIGNED_SHORT)
        } else {
            (self.add_view(bytemuck::cast_slice(indices), Some(ELEMENT_ARRAY_BUFFER))?, UNSIGNED_INT)
        };
        Ok(self.accessors.push(
            &json!({"bufferView": view, "componentType": component_type, "count": indices.len(), "type": "SCALAR"}),
        ))
    }

    /// Ends the binary chunk, and returns the bytes before it: the header, and the JSON with `root` and `arrays`.
    pub(super) fn finish(mut self, mut root: Value, arrays: &[(&str, JsonArray)]) -> Result<Vec<u8>, ExportError> {
        self.align()?;
        self.bin.flush()?;
        let has_bin = self.bin_bytes > 0;
        if has_bin {
            root["buffers"] = json!([{"byteLength": self.bin_bytes}]);
        }
        let mut text = root.to_string();
        let writer_arrays = [("bufferViews", self.views), ("accessors", self.accessors)];
        for (name, array) in arrays.iter().chain(&writer_arrays).filter(|(_, array)| array.len() > 0) {
            // The root is an object with at least the member `asset`.
            text.pop();
            text.push_str(&format!(",\"{name}\":[{}]}}", array.text));
        }
        let mut text = text.into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');

        let size = 12 + 8 + text.len() as u64 + if has_bin { 8 + self.bin_bytes } else { 0 };
        let mut header = Vec::with_capacity(text.len() + 28);
        header.extend_from_slice(b"glTF");
        header.extend_from_slice(&2_u32.to_le_bytes());
        header.extend_from_slice(&checked_u32(size)?.to_le_bytes());
        header.extend_from_slice(&(text.len() as u32).to_le_bytes());
        header.extend_from_slice(b"JSON");
        header.append(&mut text);
        if has_bin {
            header.extend_from_slice(&(self.bin_bytes as u32).to_le_bytes());
            header.extend_from_slice(b"BIN\0");
        }
        Ok(header)
    }
}

/// Converts a length to the 32 bits of a GLB file.
pub(super) fn checked_u32(bytes: u64) -> Result<u32, ExportError> {
    u32::try_from(bytes).map_err(|_| ExportError::TooLarge)
}
