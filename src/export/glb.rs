//! The binary form of glTF, for writing (glTF 2.0, section 4.4).

use super::ExportError;
use serde_json::{Value, json};

/// A .glb under construction: buffer views and accessors over one binary chunk.
#[derive(Default)]
pub(super) struct GlbWriter {
    bin: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

/// `bufferView.target` of vertex attributes.
const ARRAY_BUFFER: u32 = 34962;
/// `bufferView.target` of indices.
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;

impl GlbWriter {
    /// Adds bytes that are no accessor's, such as an image, and returns their buffer view.
    pub(super) fn add_view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        // Every accessor here has components of at most four bytes.
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let mut view = json!({"buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len()});
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.bin.extend_from_slice(bytes);
        self.views.push(view);
        self.views.len() - 1
    }

    /// Adds a float vertex attribute of `N` numbers a vertex; with `bounds` it gets exact `min` and `max`.
    pub(super) fn add_attribute<const N: usize>(&mut self, values: &[[f32; N]], bounds: bool) -> usize {
        let view = self.add_view(bytemuck::cast_slice(values.as_flattened()), Some(ARRAY_BUFFER));
        let kind = ["", "SCALAR", "VEC2", "VEC3", "VEC4"][N];
        let mut accessor = json!({"bufferView": view, "componentType": FLOAT, "count": values.len(), "type": kind});
        if bounds {
            let fold = |pick: fn(f32, f32) -> f32, from: f32| {
                // Through double precision, so that the decimal text says exactly the stored number.
                values.iter().fold([from; N], |a, v| std::array::from_fn(|i| pick(a[i], v[i]))).map(f64::from).to_vec()
            };
            accessor["min"] = fold(f32::min, f32::INFINITY).into();
            accessor["max"] = fold(f32::max, f32::NEG_INFINITY).into();
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Adds indices for `vertex_count` vertices, in the smallest type that holds them.
    pub(super) fn add_indices(&mut self, indices: &[u32], vertex_count: usize) -> usize {
        // The largest number of each type is reserved (primitive restart).
        let (view, component_type) = if vertex_count <= usize::from(u16::MAX) {
            let narrow: Vec<u16> = indices.iter().map(|&i| i as u16).collect();
            (self.add_view(bytemuck::cast_slice(&narrow), Some(ELEMENT_ARRAY_BUFFER)), UNSIGNED_SHORT)
        } else {
            (self.add_view(bytemuck::cast_slice(indices), Some(ELEMENT_ARRAY_BUFFER)), UNSIGNED_INT)
        };
        self.accessors.push(
            json!({"bufferView": view, "componentType": component_type, "count": indices.len(), "type": "SCALAR"}),
        );
        self.accessors.len() - 1
    }

    /// The finished file. `root` gets buffers, buffer views and accessors.
    pub(super) fn finish(mut self, mut root: Value) -> Result<Vec<u8>, ExportError> {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        if !self.bin.is_empty() {
            root["buffers"] = json!([{"byteLength": self.bin.len()}]);
            root["bufferViews"] = self.views.into();
        }
        if !self.accessors.is_empty() {
            root["accessors"] = self.accessors.into();
        }
        let mut text = root.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');

        let has_bin = !self.bin.is_empty();
        let size = 12 + 8 + text.len() as u64 + if has_bin { 8 + self.bin.len() as u64 } else { 0 };
        let size_in_header = u32::try_from(size).map_err(|_| ExportError::TooLarge { size_bytes: size })?;
        let mut glb = Vec::with_capacity(size as usize);
        glb.extend_from_slice(b"glTF");
        glb.extend_from_slice(&2_u32.to_le_bytes());
        glb.extend_from_slice(&size_in_header.to_le_bytes());
        for (kind, chunk) in [(b"JSON", &text), (b"BIN\0", &self.bin)] {
            if !chunk.is_empty() {
                glb.extend_from_slice(&(chunk.len() as u32).to_le_bytes());
                glb.extend_from_slice(kind);
                glb.extend_from_slice(chunk);
            }
        }
        Ok(glb)
    }
}
