//! Small glTF files built in code, one call for each object.
//!
//! ```ignore
//! let mut rig = Rig::new();
//! let mesh = rig.triangle();
//! let node = rig.add("nodes", json!({"mesh": mesh}));
//! let (times, turns) = (rig.floats("SCALAR", &[0.0, 1.0]), rig.floats("VEC4", &[0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0]));
//! rig.clip("turn", &[Channel { node, path: "rotation", interpolation: "LINEAR", times, values: turns }]);
//! let bytes = rig.glb();
//! ```

use base64::Engine as _;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Component types of glTF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    /// BYTE.
    I8 = 5120,
    /// UNSIGNED_BYTE.
    U8 = 5121,
    /// SHORT.
    I16 = 5122,
    /// UNSIGNED_SHORT.
    U16 = 5123,
    /// UNSIGNED_INT.
    U32 = 5125,
    /// FLOAT.
    F32 = 5126,
}

impl Store {
    /// Size in bytes.
    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// The integer that stands for 1 when normalized.
    pub(crate) fn one(self) -> f64 {
        match self {
            Self::I8 => 127.0,
            Self::U8 => 255.0,
            Self::I16 => 32767.0,
            Self::U16 => 65535.0,
            Self::U32 | Self::F32 => 1.0,
        }
    }

    /// Appends the bytes of one component.
    fn write(self, number: f64, bytes: &mut Vec<u8>) {
        match self {
            Self::I8 => bytes.extend((number as i8).to_le_bytes()),
            Self::U8 => bytes.extend((number as u8).to_le_bytes()),
            Self::I16 => bytes.extend((number as i16).to_le_bytes()),
            Self::U16 => bytes.extend((number as u16).to_le_bytes()),
            Self::U32 => bytes.extend((number as u32).to_le_bytes()),
            Self::F32 => bytes.extend((number as f32).to_le_bytes()),
        }
    }
}

/// Contents and storage options of an accessor.
#[derive(Clone, Debug)]
pub(crate) struct Data<'a> {
    /// `type`.
    kind: &'a str,
    /// Stored components; normalized integers are not divided.
    numbers: Vec<f64>,
    /// `componentType`.
    store: Store,
    /// `normalized`.
    normalized: bool,
    /// `byteStride`.
    stride: Option<usize>,
    /// `byteOffset`.
    offset: usize,
    /// Where elements are stored.
    layout: Layout,
}

/// Where elements are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// In a buffer view.
    Dense,
    /// In a buffer view with wrong values at every third element, which sparse storage replaces. Type of the sparse indices.
    SparseOverView(Store),
    /// Without buffer view: nonzero elements are sparse. Type of the sparse indices.
    ViewLess(Store),
}

impl<'a> Data<'a> {
    /// Single-precision components.
    pub(crate) fn new(kind: &'a str, numbers: &[f64]) -> Self {
        let numbers = numbers.to_vec();
        Self { kind, numbers, store: Store::F32, normalized: false, stride: None, offset: 0, layout: Layout::Dense }
    }

    /// Stores integers.
    pub(crate) fn integers(mut self, store: Store) -> Self {
        self.store = store;
        self
    }

    /// Stores fractions as the nearest normalized integers.
    pub(crate) fn normalized(mut self, store: Store) -> Self {
        (self.store, self.normalized) = (store, true);
        self.numbers.iter_mut().for_each(|x| *x = (*x * store.one()).round());
        self
    }

    /// Bytes from one element to the next.
    pub(crate) fn stride(mut self, bytes: usize) -> Self {
        self.stride = Some(bytes);
        self
    }

    /// Bytes in the view before the first element.
    pub(crate) fn offset(mut self, bytes: usize) -> Self {
        self.offset = bytes;
        self
    }

    /// Stores wrong values at every third element and replaces them by sparse storage.
    pub(crate) fn sparse(mut self, indices: Store) -> Self {
        self.layout = Layout::SparseOverView(indices);
        self
    }

    /// Omits the buffer view; nonzero elements are sparse.
    pub(crate) fn without_view(mut self, indices: Store) -> Self {
        self.layout = Layout::ViewLess(indices);
        self
    }

    /// Components per element.
    fn width(&self) -> usize {
        match self.kind {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            other => panic!("type {other}"),
        }
    }
}

/// A channel with its own sampler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channel<'a> {
    /// The target node.
    pub(crate) node: usize,
    /// `translation`, `rotation`, `scale` or `weights`.
    pub(crate) path: &'a str,
    /// `STEP`, `LINEAR` or `CUBICSPLINE`.
    pub(crate) interpolation: &'a str,
    /// Accessor of the key times.
    pub(crate) times: usize,
    /// Accessor of the values.
    pub(crate) values: usize,
}

/// Builder of a glTF file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rig {
    /// The JSON without `asset`, `buffers` and a default scene.
    json: Map<String, Value>,
    /// The only buffer.
    bytes: Vec<u8>,
}

impl Rig {
    /// An empty file.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Appends an object to a top-level array and returns its index.
    pub(crate) fn add(&mut self, list: &str, object: Value) -> usize {
        let list = self.json.entry(list).or_insert_with(|| json!([])).as_array_mut().expect("a list");
        list.push(object);
        list.len() - 1
    }

    /// Sets a top-level property such as `scene` or `extensionsRequired`; null omits it.
    pub(crate) fn set(&mut self, name: &str, value: Value) {
        self.json.insert(name.to_owned(), value);
    }

    /// An object that was added before.
    pub(crate) fn object(&mut self, list: &str, index: usize) -> &mut Value {
        &mut self.json[list][index]
    }

    /// Appends a buffer view that starts at a multiple of four bytes.
    fn view(&mut self, bytes: &[u8], stride: Option<usize>) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view = json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()});
        if let Some(stride) = stride {
            view["byteStride"] = json!(stride);
        }
        self.bytes.extend(bytes);
        self.add("bufferViews", view)
    }

    /// Appends an accessor with `min` and `max`.
    pub(crate) fn data(&mut self, data: &Data) -> usize {
        let (width, store) = (data.width(), data.store);
        let count = data.numbers.len() / width;
        assert_eq!(count * width, data.numbers.len(), "numbers of a {}", data.kind);
        let mut accessor = json!({"componentType": store as usize, "type": data.kind, "count": count});
        if data.normalized {
            accessor["normalized"] = json!(true);
        }
        let stored = |x: f64| if store == Store::F32 { f64::from(x as f32) } else { x };
        let column = |i: usize| data.numbers.iter().skip(i).step_by(width).map(|x| stored(*x));
        accessor["min"] = (0..width).map(|i| column(i).fold(f64::INFINITY, f64::min)).collect();
        accessor["max"] = (0..width).map(|i| column(i).fold(f64::NEG_INFINITY, f64::max)).collect();

        let rows: Vec<&[f64]> = data.numbers.chunks(width).collect();
        let sparse: Vec<usize> = match data.layout {
            Layout::Dense => Vec::new(),
            Layout::SparseOverView(_) => (0..count).step_by(3).collect(),
            Layout::ViewLess(_) => (0..count).filter(|i| rows[*i].iter().any(|x| *x != 0.0)).collect(),
        };
        if !matches!(data.layout, Layout::ViewLess(_)) {
            let stride = data.stride.unwrap_or(width * store.size());
            let mut bytes = vec![0xA5; data.offset];
            for (i, row) in rows.iter().enumerate() {
                // Padding is not zero, so that a wrong stride is detected.
                bytes.resize(data.offset + i * stride, 0x5A);
                let wrong = if sparse.contains(&i) { 77.0 } else { 0.0 };
                row.iter().for_each(|x| store.write(*x + wrong, &mut bytes));
            }
            if data.offset > 0 {
                accessor["byteOffset"] = json!(data.offset);
            }
            accessor["bufferView"] = json!(self.view(&bytes, data.stride));
        }
        if let (Layout::SparseOverView(indices) | Layout::ViewLess(indices), false) = (data.layout, sparse.is_empty()) {
            let (mut places, mut values) = (Vec::new(), Vec::new());
            for i in &sparse {
                indices.write(*i as f64, &mut places);
                rows[*i].iter().for_each(|x| store.write(*x, &mut values));
            }
            accessor["sparse"] = json!({
                "count": sparse.len(),
                "indices": {"bufferView": self.view(&places, None), "componentType": indices as usize},
                "values": {"bufferView": self.view(&values, None)},
            });
        }
        self.add("accessors", accessor)
    }

    /// Appends an accessor of single-precision numbers.
    pub(crate) fn floats(&mut self, kind: &str, numbers: &[f64]) -> usize {
        self.data(&Data::new(kind, numbers))
    }

    /// Appends a mesh of one primitive.
    pub(crate) fn mesh(&mut self, primitive: Value) -> usize {
        self.add("meshes", json!({"primitives": [primitive]}))
    }

    /// Appends a mesh of the triangle (0,0,0) (1,0,0) (0,1,0) with normal +Z and tangent +X.
    pub(crate) fn triangle(&mut self) -> usize {
        let positions = self.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        let normals = self.floats("VEC3", &[0.0, 0.0, 1.0].repeat(3));
        let tangents = self.floats("VEC4", &[1.0, 0.0, 0.0, 1.0].repeat(3));
        self.mesh(json!({"attributes": {"POSITION": positions, "NORMAL": normals, "TANGENT": tangents}}))
    }

    /// Appends a node.
    pub(crate) fn node(&mut self, node: Value) -> usize {
        self.add("nodes", node)
    }

    /// Appends a clip.
    pub(crate) fn clip(&mut self, name: &str, channels: &[Channel]) -> usize {
        let samplers: Vec<Value> = channels
            .iter()
            .map(|c| json!({"input": c.times, "output": c.values, "interpolation": c.interpolation}))
            .collect();
        let channels: Vec<Value> = channels
            .iter()
            .enumerate()
            .map(|(i, c)| json!({"sampler": i, "target": {"node": c.node, "path": c.path}}))
            .collect();
        self.add("animations", json!({"name": name, "samplers": samplers, "channels": channels}))
    }

    /// The JSON with this URI of the buffer. Adds a scene of all root nodes if there is no scene.
    fn finished(&self, uri: Option<String>) -> Value {
        let mut json = self.json.clone();
        // Arrays set to null are omitted.
        json.retain(|_, value| !value.is_null());
        let nodes = json.get("nodes").and_then(Value::as_array).cloned().unwrap_or_default();
        if !self.json.contains_key("scenes") && !nodes.is_empty() {
            let children = nodes.iter().filter_map(|node| node["children"].as_array()).flatten();
            let children: HashSet<u64> = children.filter_map(Value::as_u64).collect();
            let roots: Vec<usize> = (0..nodes.len()).filter(|i| !children.contains(&(*i as u64))).collect();
            json.insert("scenes".to_owned(), json!([{"nodes": roots}]));
        }
        json.entry("asset").or_insert(json!({"version": "2.0"}));
        if !self.bytes.is_empty() {
            let mut buffer = json!({"byteLength": self.bytes.len()});
            if let Some(uri) = uri {
                buffer["uri"] = json!(uri);
            }
            json.insert("buffers".to_owned(), json!([buffer]));
        }
        Value::Object(json)
    }

    /// The file as a GLB.
    pub(crate) fn glb(&self) -> Vec<u8> {
        container(&serde_json::to_vec(&self.finished(None)).expect("JSON"), &self.bytes)
    }

    /// The file as a `.gltf` with its buffer in a data URI.
    pub(crate) fn embedded(&self) -> Vec<u8> {
        let data = base64::engine::general_purpose::STANDARD.encode(&self.bytes);
        let uri = format!("data:application/octet-stream;base64,{data}");
        serde_json::to_vec_pretty(&self.finished(Some(uri))).expect("JSON")
    }

    /// Writes `NAME.glb` into a folder.
    pub(crate) fn write_glb(&self, folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(format!("{name}.glb"));
        std::fs::write(&path, self.glb()).expect("a writable folder");
        path
    }

    /// Writes `NAME.gltf` and its buffer into a folder. The buffer's file name needs escaping.
    pub(crate) fn write_gltf(&self, folder: &Path, name: &str) -> PathBuf {
        std::fs::write(folder.join(format!("{name} dätä.bin")), &self.bytes).expect("a writable folder");
        let json = self.finished(Some(format!("{name}%20d%C3%A4t%C3%A4.bin")));
        let path = folder.join(format!("{name}.gltf"));
        std::fs::write(&path, serde_json::to_vec_pretty(&json).expect("JSON")).expect("a writable folder");
        path
    }
}

/// A GLB with a JSON chunk and, unless empty, a binary chunk (section 4.4).
pub(crate) fn container(json: &[u8], binary: &[u8]) -> Vec<u8> {
    let mut bytes = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    for (kind, data, padding) in [(b"JSON", json, b' '), (b"BIN\0", binary, 0)] {
        if kind == b"JSON" || !data.is_empty() {
            let length = data.len().next_multiple_of(4);
            bytes.extend((length as u32).to_le_bytes());
            bytes.extend(kind);
            bytes.extend(data);
            bytes.resize(bytes.len() + length - data.len(), padding);
        }
    }
    let length = (bytes.len() as u32).to_le_bytes();
    bytes[8..12].copy_from_slice(&length);
    bytes
}
