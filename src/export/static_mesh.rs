//! A posed model as a static .glb.

use super::ExportError;
use super::glb::{GlbWriter, List};
use crate::import::Asset;
use crate::model::{Model, Primitive, Topology};
use crate::palette::{Draw, PosedVertices};
use serde_json::{Map, Value, json};
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::io::Write;

/// One posed primitive of one instance.
pub struct StaticMesh {
    /// Which instance it belongs to.
    pub instance: usize,
    /// Which primitive it is.
    pub draw: Draw,
    /// Its vertices in world space.
    pub vertices: PosedVertices,
}

/// Bytes of the vertices of one instance of a primitive that is posed.
pub fn posed_vertex_bytes(model: &Model, draw: &Draw) -> u64 {
    let vertices = &model.meshes[draw.mesh.get()].primitives[draw.primitive].vertices;
    let each = 12 + 12 * u64::from(vertices.normals.is_some()) + 16 * u64::from(vertices.tangents.is_some());
    vertices.positions.len() as u64 * each
}

/// A .glb of posed primitives: a node, without a transform, and a mesh for each mesh-carrying node of the source.
///
/// Vertices and triangles keep their order. Where the pose mirrors a triangle, two of its corners change places, since a
/// node without a transform cannot turn it around; strips and fans become lists there. Materials and textures are
/// taken over from the source as they are, the images still encoded; an image that cannot be read is left out.
///
/// The binary chunk is written to `W` as it comes, so that many nodes which show one large mesh need no memory.
pub struct StaticGlb<'a, W> {
    model: &'a Model,
    writer: GlbWriter<W>,
    shared: Shared,
    nodes: List,
    meshes: List,
    /// The primitives of the node that was added to last: its instance, what it draws, and they.
    open: Option<(usize, Draw, Vec<Value>)>,
}

impl<'a, W: Write> StaticGlb<'a, W> {
    /// Begins a file of which the bytes of the binary chunk go to `bin`.
    pub fn new(model: &'a Model, bin: W) -> Self {
        let (writer, shared) = (GlbWriter::new(bin), Shared::new());
        Self { model, writer, shared, nodes: List::default(), meshes: List::default(), open: None }
    }

    /// Adds a primitive. Those of one source node must follow each other.
    pub fn add(&mut self, mesh: &StaticMesh) -> Result<(), ExportError> {
        if self.open.as_ref().is_none_or(|(of, draw, _)| (*of, draw.joint) != (mesh.instance, mesh.draw.joint)) {
            self.close();
        }
        let primitive = write_primitive(&mut self.writer, self.model, mesh, &mut self.shared)?;
        self.open.get_or_insert_with(|| (mesh.instance, mesh.draw, Vec::new())).2.push(primitive);
        Ok(())
    }

    /// Ends the node that was added to last.
    fn close(&mut self) {
        let Some((_, draw, primitives)) = self.open.take() else { return };
        let (joint, mesh) = (self.model.skeleton.joint(draw.joint), &self.model.meshes[draw.mesh.get()]);
        let number = self.meshes.push(&with_name(json!({"primitives": primitives}), mesh.name.as_deref()));
        self.nodes.push(&with_name(json!({"mesh": number}), joint.name.as_deref()));
    }

    /// Ends the file with the materials of `asset`, and returns what stands in it before the binary chunk's bytes.
    pub fn finish(mut self, asset: &Asset) -> Result<Vec<u8>, ExportError> {
        self.close();
        let generator = concat!("rigview ", env!("CARGO_PKG_VERSION"));
        let mut root = json!({"asset": {"version": "2.0", "generator": generator}, "scene": 0, "scenes": [{}]});
        if let Some(copyright) = asset.json().pointer("/asset/copyright").filter(|c| c.is_string()) {
            root["asset"]["copyright"] = copyright.clone();
        }
        let mut lists = Vec::new();
        if self.nodes.len() > 0 {
            root["scenes"][0]["nodes"] = (0..self.nodes.len()).collect();
            lists = copy_materials(&mut self.writer, asset, &mut root)?;
        }
        lists.extend([("nodes", self.nodes), ("meshes", self.meshes)]);
        self.writer.finish(root, &lists)
    }
}

fn with_name(mut element: Value, name: Option<&str>) -> Value {
    if let Some(name) = name {
        element["name"] = name.into();
    }
    element
}

/// What does not depend on the pose, and is written once for all instances: by mesh, primitive and role.
type Shared = HashMap<SharedKey, usize>;
type SharedKey = (u32, usize, &'static str, usize);

/// The accessor of `key`, written the first time.
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
        let accessor = get_or_write(shared, key("uv", set), || writer.add_attribute(coords, false))?;
        attributes.insert(format!("TEXCOORD_{set}"), accessor.into());
    }
    if let Some(colors) = &source.colors {
        let accessor = get_or_write(shared, key("color", 0), || writer.add_attribute(colors, false))?;
        attributes.insert("COLOR_0".to_owned(), accessor.into());
    }

    let mut out = json!({"attributes": attributes});
    let vertex_count = source.positions.len();
    let mut topology = primitive.topology;
    if let Some(turned) = flip_winding(primitive, &posed.mirrored) {
        topology = Topology::Triangles;
        out["indices"] = writer.add_indices(&turned, vertex_count)?.into();
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

/// The triangles of a primitive of which some are mirrored, those turned around; `None` where none is.
///
/// A triangle is mirrored when its last corner is, which is the corner that the fragment shader asks.
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

/// glTF's number of a topology.
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

/// Takes over the source's materials, textures, samplers and images, with their numbers, as lists for the file.
fn copy_materials<W: Write>(
    writer: &mut GlbWriter<W>,
    asset: &Asset,
    root: &mut Value,
) -> Result<Vec<(&'static str, List)>, ExportError> {
    let source = asset.json();
    let elements = |list| source.get(list).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let (new_index, images) = copy_images(writer, asset, elements("images"))?;
    let mut used = BTreeSet::new();
    let mut lists = vec![("images", images)];
    for name in ["materials", "textures", "samplers"] {
        let mut list = List::default();
        for element in elements(name) {
            collect_extension_names(element, &mut used);
            if name == "textures" {
                let mut texture = element.clone();
                renumber_images(&mut texture, &new_index);
                list.push(&texture);
            } else {
                list.push(element);
            }
        }
        lists.push((name, list));
    }
    if !used.is_empty() {
        let required = elements("extensionsRequired").iter().filter_map(Value::as_str);
        let required: Vec<&str> = required.filter(|name| used.contains(name)).collect();
        if !required.is_empty() {
            root["extensionsRequired"] = required.into();
        }
        root["extensionsUsed"] = used.into_iter().collect();
    }
    Ok(lists)
}

/// Takes over images; the new number of each, where it can be read, and their list.
fn copy_images<W: Write>(
    writer: &mut GlbWriter<W>,
    asset: &Asset,
    images: &[Value],
) -> Result<(Vec<Option<usize>>, List), ExportError> {
    let (mut new_index, mut copied) = (vec![None; images.len()], List::default());
    // Many images may share the same bytes.
    let mut written = HashMap::new();
    for (number, image) in images.iter().enumerate() {
        let source = (image.get("bufferView").and_then(Value::as_u64), image.get("uri").and_then(Value::as_str));
        let view = match written.entry(source) {
            Entry::Occupied(there) => *there.get(),
            Entry::Vacant(free) => *free.insert(match asset.image_bytes(number) {
                Ok((bytes, mime)) => Some((writer.add_view(&bytes, None)?, mime)),
                Err(_) => None,
            }),
        };
        if let Some((view, mime)) = view {
            let name = image.get("name").and_then(Value::as_str);
            new_index[number] = Some(copied.push(&with_name(json!({"bufferView": view, "mimeType": mime}), name)));
        }
    }
    Ok((new_index, copied))
}

/// Points a texture, and the alternatives in its extensions, at the images' new numbers.
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

/// Adds the names of all extensions within `element`.
fn collect_extension_names<'a>(element: &'a Value, names: &mut BTreeSet<&'a str>) {
    let mut open = vec![element];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => {
                for (name, field) in fields {
                    if name == "extensions" {
                        names.extend(field.as_object().into_iter().flat_map(Map::keys).map(String::as_str));
                    }
                    if name != "extras" {
                        open.push(field);
                    }
                }
            }
            _ => {}
        }
    }
}
