//! A posed model as a static .glb.

use super::ExportError;
use super::glb_writer::{GlbWriter, JsonArray};
use crate::import::GltfFile;
use crate::model::{InstanceIndex, Model, Primitive, Topology};
use crate::palette::{PosedVertices, PrimitiveDraw};
use serde_json::{Map, Value, json};
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::io::Write;

/// The output node that primitives are added to.
struct OpenNode {
    instance: InstanceIndex,
    draw: PrimitiveDraw,
    primitives: Vec<Value>,
}

/// One posed primitive of one instance.
pub struct StaticMesh {
    /// Index of the instance.
    pub instance: InstanceIndex,
    /// The primitive.
    pub draw: PrimitiveDraw,
    /// Vertices in world space.
    pub vertices: PosedVertices,
}

/// Bytes of the posed vertices of one instance of a primitive.
pub fn posed_vertex_bytes(model: &Model, draw: &PrimitiveDraw) -> u64 {
    let Primitive { vertices, targets, .. } = &model.meshes[draw.mesh.get()].primitives[draw.primitive];
    let mut vertex_bytes = 12 + 12 * usize::from(vertices.normals.is_some());
    vertex_bytes += 16 * usize::from(vertices.tangents.is_some());
    vertex_bytes += 16 * usize::from(targets.iter().any(|target| target.colors.is_some()));
    if targets.iter().any(|target| !target.tex_coords.is_empty()) {
        vertex_bytes += 8 * vertices.tex_coords.len();
    }
    (vertices.positions.len() * vertex_bytes) as u64
}

/// Writes posed primitives as a .glb with one untransformed node and mesh per source node and instance.
///
/// Vertices and triangles keep their order. Triangles that the pose mirrors have their winding flipped, and strips and fans
/// with such triangles become lists. Materials and textures are copied from the source, with encoded images; unreadable
/// images are skipped.
///
/// The binary chunk is streamed to `W`, so memory does not grow with the number of instances.
pub struct StaticGlb<'a, W> {
    model: &'a Model,
    writer: GlbWriter<W>,
    shared: Shared,
    nodes: JsonArray,
    meshes: JsonArray,
    /// The node that primitives are added to.
    open: Option<OpenNode>,
}

impl<'a, W: Write> StaticGlb<'a, W> {
    /// Writes the content of the binary chunk to `bin`.
    pub fn new(model: &'a Model, bin: W) -> Self {
        let (writer, shared) = (GlbWriter::new(bin), Shared::new());
        Self { model, writer, shared, nodes: JsonArray::default(), meshes: JsonArray::default(), open: None }
    }

    /// Adds a primitive. Primitives of the same source node must be consecutive.
    ///
    /// # Errors
    /// If a vertex is not finite, the file exceeds 4 GiB, or the binary chunk cannot be written.
    pub fn add(&mut self, mesh: &StaticMesh) -> Result<(), ExportError> {
        let is_other = |node: &OpenNode| (node.instance, node.draw.joint) != (mesh.instance, mesh.draw.joint);
        if self.open.as_ref().is_none_or(is_other) {
            self.close();
        }
        let primitive = write_primitive(&mut self.writer, self.model, mesh, &mut self.shared)?;
        let new = || OpenNode { instance: mesh.instance, draw: mesh.draw, primitives: Vec::new() };
        self.open.get_or_insert_with(new).primitives.push(primitive);
        Ok(())
    }

    fn close(&mut self) {
        let Some(OpenNode { draw, primitives, .. }) = self.open.take() else { return };
        let (joint, mesh) = (self.model.skeleton.joint(draw.joint), &self.model.meshes[draw.mesh.get()]);
        let index = self.meshes.push(&with_name(json!({"primitives": primitives}), mesh.name.as_deref()));
        self.nodes.push(&with_name(json!({"mesh": index}), joint.name.as_deref()));
    }

    /// Adds the materials of `gltf_file`, and returns the bytes of the file before the binary chunk's content.
    ///
    /// # Errors
    /// If the file exceeds 4 GiB, or the binary chunk cannot be written.
    pub fn finish(mut self, gltf_file: &GltfFile) -> Result<Vec<u8>, ExportError> {
        self.close();
        let generator = concat!("rigview ", env!("CARGO_PKG_VERSION"));
        let mut root = json!({"asset": {"version": "2.0", "generator": generator}, "scene": 0, "scenes": [{}]});
        if let Some(copyright) = gltf_file.json().pointer("/asset/copyright").filter(|c| c.is_string()) {
            root["asset"]["copyright"] = copyright.clone();
        }
        let mut arrays = Vec::new();
        if self.nodes.len() > 0 {
            root["scenes"][0]["nodes"] = (0..self.nodes.len()).collect();
            arrays = copy_materials(&mut self.writer, gltf_file, &mut root)?;
        }
        arrays.extend([("nodes", self.nodes), ("meshes", self.meshes)]);
        self.writer.finish(root, &arrays)
    }
}

fn with_name(mut element: Value, name: Option<&str>) -> Value {
    if let Some(name) = name {
        element["name"] = name.into();
    }
    element
}

/// Accessors that do not depend on the pose and are shared by all instances, by mesh, primitive, role and set.
type Shared = HashMap<SharedKey, usize>;
type SharedKey = (u32, usize, &'static str, usize);

/// Returns the accessor of `key`, which `write` creates the first time.
fn get_or_write(
    shared: &mut Shared,
    key: SharedKey,
    write: impl FnOnce() -> Result<usize, ExportError>,
) -> Result<usize, ExportError> {
    if let Some(accessor) = shared.get(&key) {
        return Ok(*accessor);
    }
    let accessor = write()?;
    shared.insert(key, accessor);
    Ok(accessor)
}

fn write_primitive(
    writer: &mut GlbWriter<impl Write>,
    model: &Model,
    mesh: &StaticMesh,
    shared: &mut Shared,
) -> Result<Value, ExportError> {
    let draw = &mesh.draw;
    let primitive = &model.meshes[draw.mesh.get()].primitives[draw.primitive];
    let (source, posed) = (&primitive.vertices, &mesh.vertices);
    if !posed.positions.as_flattened().iter().all(|x| x.is_finite()) {
        return Err(ExportError::NotFinite { node: model.skeleton.joint(draw.joint).node });
    }
    let key = |role, set| (draw.mesh.0, draw.primitive, role, set);

    let mut attributes = Map::new();
    attributes.insert("POSITION".to_owned(), writer.add_attribute(&posed.positions, true)?.into());
    if let Some(normals) = &posed.normals {
        attributes.insert("NORMAL".to_owned(), writer.add_attribute(normals, false)?.into());
    }
    if let Some(tangents) = &posed.tangents {
        attributes.insert("TANGENT".to_owned(), writer.add_attribute(tangents, false)?.into());
    }
    for (set, coords) in source.tex_coords.iter().enumerate() {
        let accessor = match posed.tex_coords.get(set) {
            Some(morphed) => writer.add_attribute(morphed, false)?,
            None => get_or_write(shared, key("uv", set), || writer.add_attribute(coords, false))?,
        };
        attributes.insert(format!("TEXCOORD_{set}"), accessor.into());
    }
    if let Some(colors) = &source.colors {
        let accessor = match &posed.colors {
            Some(morphed) => writer.add_attribute(morphed, false)?,
            None => get_or_write(shared, key("color", 0), || writer.add_attribute(colors, false))?,
        };
        attributes.insert("COLOR_0".to_owned(), accessor.into());
    }

    let mut out = json!({"attributes": attributes});
    let vertex_count = source.positions.len();
    let mut topology = primitive.topology;
    if let Some(flipped) = flip_winding(primitive, &posed.mirrored) {
        topology = Topology::Triangles;
        out["indices"] = writer.add_indices(&flipped, vertex_count)?.into();
    } else if let Some(indices) = &primitive.indices {
        let accessor = get_or_write(shared, key("indices", 0), || writer.add_indices(indices, vertex_count))?;
        out["indices"] = accessor.into();
    }
    if topology != Topology::Triangles {
        out["mode"] = mode(topology).into();
    }
    if let Some(material) = primitive.material {
        out["material"] = material.0.into();
    }
    Ok(out)
}

/// The triangles of a primitive with the winding of mirrored ones flipped; `None` if none is mirrored.
///
/// As in the fragment shader, the last corner, the provoking vertex, determines whether a triangle is mirrored.
fn flip_winding(primitive: &Primitive, mirrored: &[bool]) -> Option<Vec<u32>> {
    if !primitive.topology.has_triangles() || !mirrored.contains(&true) {
        return None;
    }
    let mut corners = primitive.triangles();
    for triangle in corners.as_chunks_mut::<3>().0 {
        if mirrored[triangle[2] as usize] {
            triangle.swap(1, 2);
        }
    }
    Some(corners)
}

/// `mesh.primitive.mode` of a topology.
fn mode(topology: Topology) -> u32 {
    match topology {
        Topology::Points => 0,
        Topology::Lines => 1,
        Topology::LineLoop => 2,
        Topology::LineStrip => 3,
        Topology::Triangles => 4,
        Topology::TriangleStrip => 5,
        Topology::TriangleFan => 6,
    }
}

/// Copies materials, textures, samplers and images of the source; only the indices of images change.
fn copy_materials<W: Write>(
    writer: &mut GlbWriter<W>,
    gltf_file: &GltfFile,
    root: &mut Value,
) -> Result<Vec<(&'static str, JsonArray)>, ExportError> {
    let source = gltf_file.json();
    let elements = |array| source.get(array).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let (new_index, images) = copy_images(writer, gltf_file, elements("images"))?;
    let mut used = BTreeSet::new();
    let mut arrays = vec![("images", images)];
    for name in ["materials", "textures", "samplers"] {
        let mut array = JsonArray::default();
        for element in elements(name) {
            collect_extension_names(element, &mut used);
            if name == "textures" {
                let mut texture = element.clone();
                renumber_images(&mut texture, &new_index);
                array.push(&texture);
            } else {
                array.push(element);
            }
        }
        arrays.push((name, array));
    }
    if !used.is_empty() {
        let required = elements("extensionsRequired").iter().filter_map(Value::as_str);
        let required: Vec<&str> = required.filter(|name| used.contains(name)).collect();
        if !required.is_empty() {
            root["extensionsRequired"] = required.into();
        }
        root["extensionsUsed"] = used.into_iter().collect();
    }
    Ok(arrays)
}

/// Copies the readable images, and returns the new index of each, and the copies.
fn copy_images<W: Write>(
    writer: &mut GlbWriter<W>,
    gltf_file: &GltfFile,
    images: &[Value],
) -> Result<(Vec<Option<usize>>, JsonArray), ExportError> {
    let (mut new_index, mut copied) = (vec![None; images.len()], JsonArray::default());
    // Images may share their bytes.
    let mut written = HashMap::new();
    for (index, image) in images.iter().enumerate() {
        let source = (image.get("bufferView").and_then(Value::as_u64), image.get("uri").and_then(Value::as_str));
        let view = match written.entry(source) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => *entry.insert(match gltf_file.image_bytes(index) {
                Ok((bytes, mime)) => {
                    // Of an unknown format, the type in the file.
                    let mime = Some(mime).filter(|mime| !mime.is_empty());
                    let mime = mime.or_else(|| image.get("mimeType").and_then(Value::as_str)).unwrap_or("image/png");
                    Some((writer.add_view(&bytes, None)?, mime))
                }
                Err(_) => None,
            }),
        };
        if let Some((view, mime)) = view {
            let name = image.get("name").and_then(Value::as_str);
            new_index[index] = Some(copied.push(&with_name(json!({"bufferView": view, "mimeType": mime}), name)));
        }
    }
    Ok((new_index, copied))
}

/// Replaces the image indices of a texture and of its extensions.
fn renumber_images(texture: &mut Value, new_index: &[Option<usize>]) {
    let Some(texture) = texture.as_object_mut() else { return };
    if let Some(old) = texture.get("source").and_then(Value::as_u64) {
        match new_index.get(old as usize).copied().flatten() {
            Some(new) => texture.insert("source".to_owned(), new.into()),
            None => texture.remove("source"),
        };
    }
    for extension in texture.get_mut("extensions").and_then(Value::as_object_mut).into_iter().flatten() {
        renumber_images(extension.1, new_index);
    }
}

/// Adds the names of all extensions in `element`.
fn collect_extension_names<'a>(element: &'a Value, names: &mut BTreeSet<&'a str>) {
    let mut stack = vec![element];
    while let Some(value) = stack.pop() {
        match value {
            Value::Array(items) => stack.extend(items),
            Value::Object(fields) => {
                for (name, field) in fields {
                    if name == "extensions" {
                        names.extend(field.as_object().into_iter().flat_map(Map::keys).map(String::as_str));
                    }
                    if name != "extras" {
                        stack.push(field);
                    }
                }
            }
            _ => {}
        }
    }
}
