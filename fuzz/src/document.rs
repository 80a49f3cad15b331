//! glTF documents that are valid but for a few mutations.

use crate::container;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};

/// A document with its binary chunk.
pub struct Document {
    /// The JSON.
    pub json: Value,
    /// The binary chunk.
    pub bin: Vec<u8>,
}

impl Document {
    /// Builds a valid document from the next bytes of `input`.
    ///
    /// # Errors
    /// If `input` is too short.
    pub fn valid(input: &mut Unstructured<'_>) -> Result<Self> {
        let mut builder = Builder { input, root: Map::new(), bin: Vec::new() };
        builder.build()?;
        Ok(Self { json: Value::Object(builder.root), bin: builder.bin })
    }

    /// Replaces, removes or repeats a value of the JSON, or overwrites four bytes of the binary chunk.
    ///
    /// # Errors
    /// If `input` is too short.
    pub fn mutate(&mut self, input: &mut Unstructured<'_>) -> Result<()> {
        mutate(input, &mut self.json, &mut self.bin)
    }

    /// The file.
    pub fn glb(&self) -> Vec<u8> {
        container(self.json.to_string().as_bytes(), &self.bin)
    }
}

struct Builder<'a, 'b> {
    input: &'a mut Unstructured<'b>,
    root: Map<String, Value>,
    bin: Vec<u8>,
}

/// Values that are exact in single precision.
const VALUES: [f64; 12] = [0.0, 1.0, -1.0, 0.5, 0.25, 2.0, -0.75, 100.0, 0.0078125, -3.0, 65536.0, 1.5];

/// Unit quaternions.
const ROTATIONS: [[f64; 4]; 5] =
    [[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.5, 0.5], [0.0, 0.6, 0.0, 0.8], [0.0, 0.0, -0.6, -0.8]];

impl Builder<'_, '_> {
    fn below(&mut self, end: usize) -> Result<usize> {
        self.input.int_in_range(0..=end - 1)
    }

    fn flag(&mut self) -> Result<bool> {
        self.input.arbitrary()
    }

    fn values(&mut self, count: usize) -> Result<Vec<f64>> {
        (0..count).map(|_| Ok(*self.input.choose(&VALUES)?)).collect()
    }

    fn unit(&mut self) -> Result<f64> {
        Ok(*self.input.choose(&[0.0, 0.25, 0.5, 1.0])?)
    }

    /// Adds an object to a top-level array, and returns its index.
    fn add(&mut self, array: &str, object: Value) -> usize {
        let list = self.root.entry(array).or_insert_with(|| json!([])).as_array_mut().expect("an array");
        list.push(object);
        list.len() - 1
    }

    fn count(&self, array: &str) -> usize {
        self.root.get(array).and_then(Value::as_array).map_or(0, Vec::len)
    }

    fn use_extension(&mut self, name: &str) {
        let used = self.root.entry("extensionsUsed").or_insert_with(|| json!([])).as_array_mut().expect("an array");
        if !used.iter().any(|used| used == name) {
            used.push(json!(name));
        }
    }

    /// Adds a buffer view of these bytes.
    fn view(&mut self, bytes: &[u8]) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let view = json!({"buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len()});
        self.bin.extend(bytes);
        self.add("bufferViews", view)
    }

    /// Adds an accessor of floats with its bounds.
    fn floats(&mut self, kind: &str, values: &[f64]) -> usize {
        let components = match kind {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let bytes: Vec<u8> = values.iter().flat_map(|x| (*x as f32).to_le_bytes()).collect();
        let view = self.view(&bytes);
        let bound = |pick: fn(f64, f64) -> f64, start: f64| -> Vec<f64> {
            let component =
                |i| values.iter().skip(i).step_by(components).fold(start, |a, b| pick(a, f64::from(*b as f32)));
            (0..components).map(component).collect()
        };
        self.add(
            "accessors",
            json!({
                "bufferView": view, "componentType": 5126, "type": kind, "count": values.len() / components,
                "min": bound(f64::min, f64::INFINITY), "max": bound(f64::max, f64::NEG_INFINITY),
            }),
        )
    }

    /// Adds an accessor of integers.
    fn integers(&mut self, kind: &str, component: u32, normalized: bool, values: &[usize]) -> usize {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|x| match component {
                5121 => vec![*x as u8],
                5123 => (*x as u16).to_le_bytes().to_vec(),
                _ => (*x as u32).to_le_bytes().to_vec(),
            })
            .collect();
        let view = self.view(&bytes);
        let components = if kind == "SCALAR" { 1 } else { 4 };
        let count = values.len() / components;
        let accessor = json!({"bufferView": view, "componentType": component, "type": kind, "count": count});
        let index = self.add("accessors", accessor);
        if normalized {
            self.root["accessors"][index]["normalized"] = json!(true);
        }
        index
    }

    fn build(&mut self) -> Result<()> {
        self.root.insert("asset".into(), json!({"version": "2.0"}));
        self.materials()?;
        for _ in 0..self.below(3)? {
            self.mesh()?;
        }
        self.nodes()?;
        for _ in 0..self.below(3)? {
            self.animation()?;
        }
        for _ in 0..=self.below(2)? {
            self.add("scenes", json!({"nodes": [0]}));
        }
        if !self.bin.is_empty() {
            self.add("buffers", json!({"byteLength": self.bin.len()}));
        }
        Ok(())
    }

    fn materials(&mut self) -> Result<()> {
        const PNG: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
        if self.flag()? {
            self.add("images", json!({"uri": PNG}));
            self.add("samplers", json!({"wrapS": 33071, "minFilter": 9987}));
            self.add("textures", json!({"source": 0, "sampler": 0}));
        }
        for _ in 0..self.below(3)? {
            let mut texture = json!({"index": 0});
            if self.count("textures") > 0 && self.flag()? {
                self.use_extension("KHR_texture_transform");
                texture["extensions"] = json!({"KHR_texture_transform": {"offset": self.values(2)?, "rotation": 0.5}});
            }
            let factor = [self.unit()?, self.unit()?, self.unit()?, self.unit()?];
            let mut material =
                json!({"pbrMetallicRoughness": {"baseColorFactor": factor, "roughnessFactor": factor[0]}});
            let extensions: [(&str, Value); 9] = [
                ("KHR_materials_clearcoat", json!({"clearcoatFactor": factor[1]})),
                ("KHR_materials_transmission", json!({"transmissionFactor": factor[1]})),
                ("KHR_materials_sheen", json!({"sheenColorFactor": factor[1..]})),
                ("KHR_materials_iridescence", json!({"iridescenceFactor": factor[1]})),
                ("KHR_materials_specular", json!({"specularFactor": factor[1]})),
                ("KHR_materials_ior", json!({"ior": 1.5})),
                ("KHR_materials_emissive_strength", json!({"emissiveStrength": factor[1]})),
                ("KHR_materials_diffuse_transmission", json!({"diffuseTransmissionFactor": factor[1]})),
                ("KHR_materials_unlit", json!({})),
            ];
            if self.flag()? {
                let (name, object) = self.input.choose(&extensions)?;
                self.use_extension(name);
                material["extensions"] = json!({*name: object});
            }
            if self.count("textures") > 0 && self.flag()? {
                material["pbrMetallicRoughness"]["baseColorTexture"] = texture;
            }
            if self.flag()? {
                material["alphaMode"] = json!(self.input.choose(&["OPAQUE", "MASK", "BLEND"])?);
            }
            self.add("materials", material);
        }
        Ok(())
    }

    /// A mesh of triangles; with joints if the document has no other mesh.
    fn mesh(&mut self) -> Result<()> {
        let vertices = 3 * (1 + self.below(3)?);
        let is_skinned = self.count("meshes") == 0;
        let targets = self.below(3)?;
        let mut primitives = Vec::new();
        for _ in 0..=self.below(2)? {
            let positions = self.values(3 * vertices)?;
            let mut attributes = json!({
                "POSITION": self.floats("VEC3", &positions),
                "NORMAL": self.floats("VEC3", &[0.0, 0.0, 1.0].repeat(vertices)),
                "TEXCOORD_0": self.floats("VEC2", &vec![0.5; 2 * vertices]),
            });
            if is_skinned {
                // All weight on the first two joints, which every skin has.
                let store = *self.input.choose(&[5121, 5123])?;
                attributes["JOINTS_0"] = json!(self.integers("VEC4", store, false, &[0, 1, 0, 0].repeat(vertices)));
                attributes["WEIGHTS_0"] = json!(if self.flag()? {
                    self.floats("VEC4", &[0.75, 0.25, 0.0, 0.0].repeat(vertices))
                } else {
                    self.integers("VEC4", 5121, true, &[155, 100, 0, 0].repeat(vertices))
                });
            }
            let mut primitive = json!({"attributes": attributes});
            if targets > 0 {
                let mut list = Vec::new();
                for _ in 0..targets {
                    let deltas = self.values(3 * vertices)?;
                    list.push(json!({"POSITION": self.floats("VEC3", &deltas)}));
                }
                primitive["targets"] = json!(list);
            }
            if self.flag()? {
                let order: Vec<usize> = (0..vertices).rev().collect();
                let store = *self.input.choose(&[5121, 5123, 5125])?;
                primitive["indices"] = json!(self.integers("SCALAR", store, false, &order));
            }
            if self.count("materials") > 0 {
                primitive["material"] = json!(self.below(self.count("materials"))?);
            }
            primitives.push(primitive);
        }
        let mut mesh = json!({"primitives": primitives});
        if targets > 0 {
            mesh["weights"] = json!(self.values(targets)?);
        }
        self.add("meshes", mesh);
        Ok(())
    }

    /// A tree of nodes under node 0.
    fn nodes(&mut self) -> Result<()> {
        let count = 2 + self.below(6)?;
        for i in 0..count {
            let mut node = json!({"name": self.input.choose(&["hip", "arm", "arm", "leg"])?});
            match self.below(3)? {
                0 => {
                    node["translation"] = json!(self.values(3)?);
                    node["rotation"] = json!(self.input.choose(&ROTATIONS)?);
                }
                1 => {
                    node["scale"] = json!([self.unit()? + 0.25, 1.0, if self.flag()? { 1.0 } else { -1.0 }]);
                }
                _ => {
                    let [x, y, z]: [f64; 3] = self.values(3)?.try_into().expect("three values");
                    node["matrix"] = json!([2.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, z, 1.0]);
                }
            }
            self.add("nodes", node);
            if i > 0 {
                let parent = self.below(i)?;
                let children = self.root["nodes"][parent].as_object_mut().expect("a node").entry("children");
                children.or_insert_with(|| json!([])).as_array_mut().expect("children").push(json!(i));
            }
        }
        let inverse_bind =
            [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0].repeat(count);
        for mesh in 0..self.count("meshes") {
            let mut node = json!({"mesh": mesh});
            if mesh == 0 {
                let matrices = self.floats("MAT4", &inverse_bind);
                let joints: Vec<usize> = (0..count).collect();
                node["skin"] = json!(self.add("skins", json!({"joints": joints, "inverseBindMatrices": matrices})));
            } else if self.flag()? {
                let copies = 1 + self.below(3)?;
                let translations = self.values(3 * copies)?;
                let translations = self.floats("VEC3", &translations);
                self.use_extension("EXT_mesh_gpu_instancing");
                node["extensions"] = json!({"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": translations}}});
            }
            let index = self.add("nodes", node);
            let parent = if mesh == 0 { 0 } else { self.below(count)? };
            let children = self.root["nodes"][parent].as_object_mut().expect("a node").entry("children");
            children.or_insert_with(|| json!([])).as_array_mut().expect("children").push(json!(index));
        }
        if self.flag()? {
            self.add("cameras", json!({"type": "perspective", "perspective": {"yfov": 0.75, "znear": 0.5}}));
            self.root["nodes"][1]["camera"] = json!(0);
        }
        if self.flag()? {
            self.use_extension("KHR_node_visibility");
            self.root["nodes"][1]["extensions"] = json!({"KHR_node_visibility": {"visible": self.flag()?}});
        } else if self.flag()? {
            self.use_extension("KHR_lights_punctual");
            self.root.insert("extensions".into(), json!({"KHR_lights_punctual": {"lights": [{"type": "point"}]}}));
            self.root["nodes"][1]["extensions"] = json!({"KHR_lights_punctual": {"light": 0}});
        }
        Ok(())
    }

    fn animation(&mut self) -> Result<()> {
        let keys = 2 + self.below(4)?;
        let times: Vec<f64> = (0..keys).map(|i| i as f64 * 0.25).collect();
        let times = self.floats("SCALAR", &times);
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        for node in 0..self.count("nodes") {
            if self.flag()? {
                continue;
            }
            let mesh = self.root["nodes"][node].get("mesh").and_then(Value::as_u64);
            let targets = mesh.and_then(|mesh| self.root["meshes"][mesh as usize]["weights"].as_array().map(Vec::len));
            let interpolation = *self.input.choose(&["LINEAR", "STEP", "CUBICSPLINE"])?;
            let values = if interpolation == "CUBICSPLINE" { 3 * keys } else { keys };
            let (target, output) = if let Some(targets) =
                targets.filter(|_| self.root["nodes"][node].get("skin").is_none())
            {
                let weights = self.values(targets * values)?;
                (json!({"node": node, "path": "weights"}), self.floats("SCALAR", &weights))
            } else if mesh.is_some() {
                continue;
            } else if self.root["nodes"][node].get("matrix").is_some() {
                self.use_extension("KHR_animation_pointer");
                self.use_extension("KHR_node_visibility");
                let visible = json!({"KHR_node_visibility": {"visible": true}});
                let extensions = self.root["nodes"][node].as_object_mut().expect("a node").entry("extensions");
                extensions.or_insert(visible.clone())["KHR_node_visibility"] = visible["KHR_node_visibility"].clone();
                let pointer = format!("/nodes/{node}/extensions/KHR_node_visibility/visible");
                let shown: Vec<usize> = (0..keys).map(|key| key % 2).collect();
                let output = self.integers("SCALAR", 5121, false, &shown);
                channels.push(json!({
                    "sampler": samplers.len(),
                    "target": {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": pointer}}},
                }));
                samplers.push(json!({"input": times, "output": output, "interpolation": "STEP"}));
                continue;
            } else if self.flag()? {
                // The tangents of a cubic spline are unit quaternions, too, which is valid.
                let rotations: Vec<&[f64; 4]> =
                    (0..values).map(|_| self.input.choose(&ROTATIONS)).collect::<Result<_>>()?;
                let rotations: Vec<f64> = rotations.into_iter().flatten().copied().collect();
                (json!({"node": node, "path": "rotation"}), self.floats("VEC4", &rotations))
            } else {
                let values = self.values(3 * values)?;
                let path = *self.input.choose(&["translation", "scale"])?;
                (json!({"node": node, "path": path}), self.floats("VEC3", &values))
            };
            channels.push(json!({"sampler": samplers.len(), "target": target}));
            samplers.push(json!({"input": times, "output": output, "interpolation": interpolation}));
        }
        if !channels.is_empty() {
            self.add("animations", json!({"channels": channels, "samplers": samplers}));
        }
        Ok(())
    }
}

/// Collects the JSON Pointers of all values, except for the root.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    let mut visit = |key: String, value: &Value| {
        let at = format!("{at}/{key}");
        found.push(at.clone());
        pointers(value, &at, found);
    };
    match value {
        Value::Array(items) => items.iter().enumerate().for_each(|(i, item)| visit(i.to_string(), item)),
        Value::Object(object) => {
            object.iter().for_each(|(key, value)| visit(key.replace('~', "~0").replace('/', "~1"), value));
        }
        _ => {}
    }
}

/// Applies one mutation to the JSON or to the binary chunk.
fn mutate(input: &mut Unstructured<'_>, json: &mut Value, bin: &mut Vec<u8>) -> Result<()> {
    if input.ratio(1, 4)? {
        let floats = [f32::NAN, f32::INFINITY, f32::MAX, -1.0, 1e-40, 0.0, 3e18].map(f32::to_le_bytes);
        let at = input.choose_index(bin.len().max(1))? / 4 * 4;
        if let Some(bytes) = bin.get_mut(at..at + 4) {
            let random: [u8; 4] = input.arbitrary()?;
            bytes.copy_from_slice(if input.arbitrary()? { input.choose(&floats)? } else { &random });
        }
        return Ok(());
    }
    let mut all = Vec::new();
    pointers(json, "", &mut all);
    let at = input.choose(&all)?;
    let other = json.pointer(input.choose(&all)?).cloned().unwrap_or_default();
    let value = match input.int_in_range(0..=6)? {
        0 => {
            let (parent, key) = at.rsplit_once('/').expect("not the root");
            match json.pointer_mut(parent) {
                Some(Value::Object(object)) => drop(object.remove(&key.replace("~1", "/").replace("~0", "~"))),
                Some(Value::Array(items)) => drop(items.remove(key.parse().expect("an index"))),
                _ => {}
            }
            return Ok(());
        }
        1 => json!(input.int_in_range(0..=9)?),
        2 => {
            let numbers =
                [-1.0, 2147483648.0, 4294967295.0, 9007199254740993.0, 1e308, 0.5, -0.0, 1e-320, 65535.0, 255.0];
            json!(input.choose(&numbers)?)
        }
        3 => input.choose(&[json!(null), json!("\u{202e}\n"), json!([]), json!({}), json!(true), json!("")])?.clone(),
        4 => other,
        5 => json!([other.clone(), other.clone(), other]),
        _ => json!({"extensions": {"KHR_node_visibility": other}, "index": 0}),
    };
    if let Some(old) = json.pointer_mut(at) {
        *old = value;
    }
    Ok(())
}
