//! A posed model as a static .glb.

use super::ExportError;
use super::glb::GlbWriter;
use crate::import::Asset;
use crate::model::{Model, Primitive, Topology};
use crate::palette::{Draw, PosedVertices};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// One posed primitive of one instance.
pub struct StaticMesh {
    /// Which instance it belongs to.
    pub instance: usize,
    /// Which primitive it is.
    pub draw: Draw,
    /// Its vertices in world space.
    pub vertices: PosedVertices,
}

/// Writes posed primitives as a .glb: a node, without a transform, and a mesh for each mesh-carrying node of the source.
///
/// Vertices and triangles keep their order. Where the pose mirrors a triangle, two of its corners change places, since a
/// node without a transform cannot turn it around; strips and fans become lists there. Materials and textures are
/// taken over from `asset` as they are, the images still encoded; an image that cannot be read is left out. The meshes of
/// one source node must follow each other.
pub fn static_glb(model: &Model, asset: &Asset, meshes: &[StaticMesh]) -> Result<Vec<u8>, ExportError> {
    let mut writer = GlbWriter::default();
    let mut root = json!({"asset": {"version": "2.0", "generator": concat!("rigview ", env!("CARGO_PKG_VERSION"))}});
    if let Some(copyright) = asset.json().pointer("/asset/copyright").filter(|c| c.is_string()) {
        root["asset"]["copyright"] = copyright.clone();
    }
    let mut shared = HashMap::new();
    let (mut nodes, mut out_meshes) = (Vec::new(), Vec::new());
    let same_node = |a: &StaticMesh, b: &StaticMesh| (a.instance, a.draw.joint) == (b.instance, b.draw.joint);
    for group in meshes.chunk_by(same_node) {
        let mut primitives = Vec::new();
        for mesh in group {
            primitives.push(write_primitive(&mut writer, model, mesh, &mut shared)?);
        }
        let draw = &group[0].draw;
        let (joint, mesh) = (model.skeleton.joint(draw.joint), &model.meshes[draw.mesh.get()]);
        nodes.push(named(json!({"mesh": out_meshes.len()}), joint.name.as_deref()));
        out_meshes.push(named(json!({"primitives": primitives}), mesh.name.as_deref()));
    }
    root["scene"] = 0.into();
    root["scenes"] = json!([{}]);
    if !nodes.is_empty() {
        root["scenes"][0]["nodes"] = (0..nodes.len()).collect();
        root["nodes"] = nodes.into();
        root["meshes"] = out_meshes.into();
        copy_materials(&mut writer, asset, &mut root);
    }
    writer.finish(root)
}

fn named(mut element: Value, name: Option<&str>) -> Value {
    if let Some(name) = name {
        element["name"] = name.into();
    }
    element
}

/// What does not depend on the pose, and is written once for all instances: by mesh, primitive and role.
type Shared = HashMap<(u32, usize, &'static str, usize), usize>;

fn write_primitive(
    writer: &mut GlbWriter,
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
    attributes.insert("POSITION".to_owned(), writer.add_attribute(&posed.positions, true).into());
    if let Some(normals) = &posed.normals {
        attributes.insert("NORMAL".to_owned(), writer.add_attribute(normals, false).into());
    }
    if let Some(tangents) = &posed.tangents {
        attributes.insert("TANGENT".to_owned(), writer.add_attribute(tangents, false).into());
    }
    for (set, coords) in source.tex_coords.iter().enumerate() {
        let accessor = *shared.entry(key("uv", set)).or_insert_with(|| writer.add_attribute(coords, false));
        attributes.insert(format!("TEXCOORD_{set}"), accessor.into());
    }
    if let Some(colours) = &source.colours {
        let accessor = *shared.entry(key("colour", 0)).or_insert_with(|| writer.add_attribute(colours, false));
        attributes.insert("COLOR_0".to_owned(), accessor.into());
    }

    let mut out = json!({"attributes": attributes});
    let vertex_count = source.positions.len();
    let mut topology = primitive.topology;
    if let Some(turned) = turned_triangles(primitive, &posed.mirrored) {
        topology = Topology::Triangles;
        out["indices"] = writer.add_indices(&turned, vertex_count).into();
    } else if let Some(indices) = &primitive.indices {
        let accessor = *shared.entry(key("indices", 0)).or_insert_with(|| writer.add_indices(indices, vertex_count));
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
fn turned_triangles(primitive: &Primitive, mirrored: &[bool]) -> Option<Vec<u32>> {
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

/// Takes over the source's materials, textures, samplers and images, with their numbers.
fn copy_materials(writer: &mut GlbWriter, asset: &Asset, root: &mut Value) {
    let source = asset.json();
    for list in ["materials", "textures", "samplers"] {
        if let Some(elements) = source.get(list).filter(|l| l.as_array().is_some_and(|l| !l.is_empty())) {
            root[list] = elements.clone();
        }
    }
    let images = source.get("images").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut number_of = vec![None; images.len()];
    let mut copied = Vec::new();
    for (number, image) in images.iter().enumerate() {
        if let Ok((bytes, mime)) = asset.image_bytes(number) {
            number_of[number] = Some(copied.len());
            let view = writer.add_view(&bytes, None);
            let name = image.get("name").and_then(Value::as_str);
            copied.push(named(json!({"bufferView": view, "mimeType": mime}), name));
        }
    }
    if !copied.is_empty() {
        root["images"] = copied.into();
    }
    for texture in root.get_mut("textures").and_then(Value::as_array_mut).into_iter().flatten() {
        renumber_images(texture, &number_of);
    }
    let mut used = Vec::new();
    for list in ["materials", "textures", "samplers"] {
        names_of_extensions(root.get(list), &mut used);
    }
    if !used.is_empty() {
        root["extensionsUsed"] = used.clone().into();
        let required = source.get("extensionsRequired").and_then(Value::as_array).cloned().unwrap_or_default();
        let required: Vec<Value> =
            required.into_iter().filter(|name| used.iter().any(|used| name == used.as_str())).collect();
        if !required.is_empty() {
            root["extensionsRequired"] = required.into();
        }
    }
}

/// Points a texture, and the alternatives in its extensions, at the images' new numbers.
fn renumber_images(texture: &mut Value, number_of: &[Option<usize>]) {
    let Some(texture) = texture.as_object_mut() else { return };
    if let Some(old) = texture.get("source").and_then(Value::as_u64) {
        match number_of.get(old as usize).copied().flatten() {
            Some(new) => texture.insert("source".to_owned(), new.into()),
            None => texture.remove("source"),
        };
    }
    for extension in texture.get_mut("extensions").and_then(Value::as_object_mut).into_iter().flatten() {
        renumber_images(extension.1, number_of);
    }
}

/// Adds the names of all extensions within `element`, each once.
fn names_of_extensions(element: Option<&Value>, names: &mut Vec<String>) {
    let mut open: Vec<&Value> = element.into_iter().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => {
                for (name, field) in fields {
                    if name == "extensions" {
                        for extension in field.as_object().into_iter().flat_map(Map::keys) {
                            if !names.contains(extension) {
                                names.push(extension.clone());
                            }
                        }
                    }
                    if name != "extras" {
                        open.push(field);
                    }
                }
            }
            _ => {}
        }
    }
    names.sort();
}
