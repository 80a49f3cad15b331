//! Meshes of the file: vertices, indices and morph targets.

use super::accessor::{Format, Packed, Reader};
use super::error::ImportError;
use super::influences::{self, Set};
use super::json::Document;
use super::notice::{Notices, Place, counted, plain, quoted};
use crate::model::{Influences, Material, MaterialIndex, Mesh, MorphTarget, Primitive, Topology, Vertices};
use gltf::json;
use json::accessor::{ComponentType, Type};
use json::mesh::{Mode, Semantic};
use json::validation::Checked;
use serde_json::Value;

/// The most primitives of a file.
const MAX_PRIMITIVES: usize = 1 << 16;

/// The most morph targets of all primitives together.
const MAX_TARGETS: usize = 1 << 20;

/// Number of morph targets of each mesh: the most of any of its primitives.
pub(super) fn target_counts(document: &Document) -> Vec<usize> {
    let of_primitive = |primitive: &json::mesh::Primitive| primitive.targets.as_ref().map_or(0, Vec::len);
    document.meshes.iter().map(|mesh| mesh.primitives.iter().map(of_primitive).max().unwrap_or(0)).collect()
}

/// Reads all meshes.
pub(super) fn read(
    document: &Document,
    reader: &Reader,
    materials: &[Material],
    notices: &mut Notices,
) -> Result<Vec<Mesh>, ImportError> {
    let count: usize = document.meshes.iter().map(|mesh| mesh.primitives.len()).sum();
    if count > MAX_PRIMITIVES {
        let (count, limit) = (count as u64, MAX_PRIMITIVES as u64);
        return Err(ImportError::Limit { pointer: "/meshes".into(), what: "mesh primitives".into(), count, limit });
    }
    let targets = target_counts(document);
    let each =
        document.meshes.iter().zip(&targets).map(|(mesh, targets)| mesh.primitives.len().saturating_mul(*targets));
    let count = each.fold(0, usize::saturating_add);
    if count > MAX_TARGETS {
        let (count, limit) = (count as u64, MAX_TARGETS as u64);
        return Err(ImportError::Limit { pointer: "/meshes".into(), what: "morph targets".into(), count, limit });
    }
    let slots = slots(document);
    let quantized = document.uses("KHR_mesh_quantization");
    let mut meshes = Vec::with_capacity(document.meshes.len());
    for (i, (mesh, (target_count, slots))) in document.meshes.iter().zip(targets.into_iter().zip(slots)).enumerate() {
        let at = document.place("meshes", i);
        let mut primitives = Vec::with_capacity(mesh.primitives.len());
        if mesh.primitives.iter().any(|p| p.targets.as_ref().map_or(0, Vec::len) != target_count) {
            notices.add(
                &at,
                format!("not all of its primitives have {target_count} morph targets; the others stay still"),
            );
        }
        for (p, json) in mesh.primitives.iter().enumerate() {
            let at = at.part(format!("primitives/{p}"), format!("primitive {p}"));
            let value = document.element("meshes", i).get("primitives").and_then(|list| list.get(p));
            let value = value.unwrap_or(&Value::Null);
            let source = PrimitiveSource { reader, materials, json, value, at: &at, quantized, slots, target_count };
            match source.read(notices) {
                Ok(primitive) => primitives.extend(primitive),
                Err(ImportError::Accessor { fault, .. }) if fault.is_compressed() => {
                    notices.add(&at, format!("it is not shown: {fault}"));
                }
                Err(error) => return Err(error),
            }
        }
        let target_names = target_names(document.element("meshes", i), target_count);
        meshes.push(Mesh { name: mesh.name.clone(), primitives, target_count, target_names });
    }
    Ok(meshes)
}

/// How many joints the vertices of each mesh may count: the joints of the smallest skin that it is used with.
fn slots(document: &Document) -> Vec<usize> {
    let mut slots = vec![usize::MAX; document.meshes.len()];
    for node in &document.nodes {
        if let (Some(mesh), Some(skin)) = (node.mesh, node.skin)
            && let (Some(slots), Some(skin)) = (slots.get_mut(mesh.value()), document.skins.get(skin.value()))
        {
            *slots = skin.joints.len().min(*slots);
        }
    }
    slots
}

/// The names that exporters put into `extras`, if there is one for each target.
fn target_names(mesh: &Value, count: usize) -> Vec<String> {
    let names = mesh.get("extras").and_then(|extras| extras.get("targetNames")).and_then(Value::as_array);
    let names = names.filter(|names| names.len() == count).map(|names| {
        let texts = names.iter().map(|name| name.as_str().map(str::to_owned));
        texts.collect::<Option<Vec<String>>>().unwrap_or_default()
    });
    names.unwrap_or_default()
}

/// A primitive of the file, and what is needed to read it.
struct PrimitiveSource<'a> {
    reader: &'a Reader<'a>,
    materials: &'a [Material],
    json: &'a json::mesh::Primitive,
    value: &'a Value,
    at: &'a Place,
    quantized: bool,
    slots: usize,
    target_count: usize,
}

impl PrimitiveSource<'_> {
    /// The primitive; `None`, with a notice, if there is nothing to draw.
    fn read(&self, notices: &mut Notices) -> Result<Option<Primitive>, ImportError> {
        let topology = self.topology()?;
        let material = self.material()?;
        let Some(position) = self.accessor(&Semantic::Positions) else {
            notices.add(self.at, "it has no POSITION and is not drawn");
            return Ok(None);
        };
        let draco = self.json.extensions.as_ref().is_some_and(|e| e.others.contains_key("KHR_draco_mesh_compression"));
        if draco && self.reader.is_all_zero(position) {
            let cure = "export it without compression to see it";
            notices.add(self.at, format!("it is not shown: KHR_draco_mesh_compression is not read yet; {cure}"));
            return Ok(None);
        }
        let positions: Vec<[f32; 3]> = self.geometry("POSITION", position, Type::Vec3)?;
        if let Some(vertex) = positions.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
            let problem = format!("the position of vertex {vertex} is not finite (accessor {position})");
            return Err(ImportError::Data { at: self.at.clone(), problem });
        }
        let count = positions.len();
        let Some(indices) = self.indices(topology, count, notices)? else { return Ok(None) };
        let mut vertices = Vertices { positions, ..Vertices::default() };
        self.surface(&mut vertices, notices)?;
        self.tex_coords(&mut vertices, notices)?;
        vertices.colours = self.colours(count, notices)?;
        vertices.influences = self.influences(count, notices)?;
        self.tell_unused(notices);
        if let Some(material) = material {
            self.tell_missing_tex_coords(material, vertices.tex_coords.len(), notices);
        }
        let targets = self.targets(count, notices)?;
        Ok(Some(Primitive { topology, vertices, indices, material, targets }))
    }

    fn accessor(&self, semantic: &Semantic) -> Option<usize> {
        self.json.attributes.get(&Checked::Valid(semantic.clone())).map(|accessor| accessor.value())
    }

    fn topology(&self) -> Result<Topology, ImportError> {
        match self.json.mode {
            Checked::Valid(Mode::Points) => Ok(Topology::Points),
            Checked::Valid(Mode::Lines) => Ok(Topology::Lines),
            Checked::Valid(Mode::LineLoop) => Ok(Topology::LineLoop),
            Checked::Valid(Mode::LineStrip) => Ok(Topology::LineStrip),
            Checked::Valid(Mode::Triangles) => Ok(Topology::Triangles),
            Checked::Valid(Mode::TriangleStrip) => Ok(Topology::TriangleStrip),
            Checked::Valid(Mode::TriangleFan) => Ok(Topology::TriangleFan),
            Checked::Invalid => {
                Err(ImportError::Form { at: self.at.part("mode", "mode"), problem: "it must be from 0 to 6".into() })
            }
        }
    }

    fn material(&self) -> Result<Option<MaterialIndex>, ImportError> {
        let Some(material) = self.json.material.map(|material| material.value()) else { return Ok(None) };
        if material >= self.materials.len() {
            let (at, count) = (self.at.clone(), self.materials.len());
            return Err(ImportError::NoSuch { at, kind: "material", index: material, count });
        }
        Ok(Some(MaterialIndex(material as u32)))
    }

    /// An accessor's items, if they are of the right format.
    fn packed(
        &self,
        attribute: &str,
        accessor: usize,
        expected: &'static str,
        fits: impl Fn(Format) -> bool,
    ) -> Result<Packed<'_>, ImportError> {
        let at = || self.at.part(format!("attributes/{attribute}"), attribute);
        self.reader.read(accessor, expected, fits).map_err(|fault| ImportError::Accessor { at: at(), fault })
    }

    /// Positions, normals, tangents and what morph targets add to them: floats, or integers if the file says so.
    fn geometry<const N: usize>(
        &self,
        attribute: &str,
        accessor: usize,
        kind: Type,
    ) -> Result<Vec<[f32; N]>, ImportError> {
        let expected = match (kind, self.quantized) {
            (Type::Vec4, false) => "VEC4 of FLOAT (integers need KHR_mesh_quantization)",
            (Type::Vec4, true) => "VEC4 of FLOAT or small integers",
            (_, false) => "VEC3 of FLOAT (integers need KHR_mesh_quantization)",
            (_, true) => "VEC3 of FLOAT or small integers",
        };
        let fits = |f: Format| {
            let component = !f.is_integer() || (self.quantized && f.component != ComponentType::U32);
            f.kind == kind && component
        };
        Ok(self.packed(attribute, accessor, expected, fits)?.floats())
    }

    /// Refuses an attribute that has not one item a vertex.
    fn check_count(&self, attribute: &str, found: usize, vertices: usize) -> Result<(), ImportError> {
        if found == vertices {
            return Ok(());
        }
        let problem = format!("{attribute} has {}, POSITION {vertices}", counted(found, "item", "items"));
        Err(ImportError::Data { at: self.at.clone(), problem })
    }

    /// Numbers that are not finite become 0.
    fn clean<const N: usize>(&self, attribute: &str, list: &mut [[f32; N]], notices: &mut Notices) {
        let mut cleaned = 0;
        for item in list.iter_mut().filter(|item| item.iter().any(|x| !x.is_finite())) {
            *item = item.map(|x| if x.is_finite() { x } else { 0.0 });
            cleaned += 1;
        }
        if cleaned > 0 {
            let what = counted(cleaned, "vertex has", "vertices have");
            notices.add(self.at, format!("{what} a number in {attribute} that is not finite; it is taken for 0"));
        }
    }

    /// Normals and tangents.
    fn surface(&self, vertices: &mut Vertices, notices: &mut Notices) -> Result<(), ImportError> {
        let count = vertices.positions.len();
        if let Some(accessor) = self.accessor(&Semantic::Normals) {
            let mut normals: Vec<[f32; 3]> = self.geometry("NORMAL", accessor, Type::Vec3)?;
            self.check_count("NORMAL", normals.len(), count)?;
            self.clean("NORMAL", &mut normals, notices);
            let mut flat = 0;
            for normal in normals.iter_mut().filter(|n| n.iter().all(|x| x.abs() < 1e-12)) {
                *normal = [0.0, 1.0, 0.0];
                flat += 1;
            }
            if flat > 0 {
                let what = counted(flat, "vertex has a normal", "vertices have normals");
                notices.add(self.at, format!("{what} of length 0; up is taken for it"));
            }
            vertices.normals = Some(normals);
        }
        if let Some(accessor) = self.accessor(&Semantic::Tangents) {
            let mut tangents: Vec<[f32; 4]> = self.geometry("TANGENT", accessor, Type::Vec4)?;
            self.check_count("TANGENT", tangents.len(), count)?;
            self.clean("TANGENT", &mut tangents, notices);
            vertices.tangents = Some(tangents);
        }
        Ok(())
    }

    fn tex_coords(&self, vertices: &mut Vertices, notices: &mut Notices) -> Result<(), ImportError> {
        let expected = "VEC2 of FLOAT or of normalised UNSIGNED_BYTE or UNSIGNED_SHORT";
        let fits = |f: Format| {
            let quantized = self.quantized && f.component != ComponentType::U32;
            f.kind == Type::Vec2 && (f.is_float_or_unsigned_fraction() || quantized)
        };
        for set in 0.. {
            let Some(accessor) = self.accessor(&Semantic::TexCoords(set)) else { break };
            let name = format!("TEXCOORD_{set}");
            let mut list = self.packed(&name, accessor, expected, fits)?.floats::<2>();
            self.check_count(&name, list.len(), vertices.positions.len())?;
            self.clean(&name, &mut list, notices);
            vertices.tex_coords.push(list);
        }
        Ok(())
    }

    fn colours(&self, count: usize, notices: &mut Notices) -> Result<Option<Vec<[f32; 4]>>, ImportError> {
        let Some(accessor) = self.accessor(&Semantic::Colors(0)) else { return Ok(None) };
        let expected = "VEC3 or VEC4 of FLOAT or of normalised UNSIGNED_BYTE or UNSIGNED_SHORT";
        let fits = |f: Format| matches!(f.kind, Type::Vec3 | Type::Vec4) && f.is_float_or_unsigned_fraction();
        let packed = self.packed("COLOR_0", accessor, expected, fits)?;
        let mut colours = match packed.format.kind {
            Type::Vec3 => packed.floats().into_iter().map(|[r, g, b]| [r, g, b, 1.0]).collect(),
            _ => packed.floats(),
        };
        self.check_count("COLOR_0", colours.len(), count)?;
        self.clean("COLOR_0", &mut colours, notices);
        Ok(Some(colours))
    }

    fn influences(&self, count: usize, notices: &mut Notices) -> Result<Option<Influences>, ImportError> {
        let mut sets = Vec::new();
        for n in 0.. {
            let (joints, weights) = (self.accessor(&Semantic::Joints(n)), self.accessor(&Semantic::Weights(n)));
            let (joints, weights) = match (joints, weights) {
                (Some(joints), Some(weights)) => (joints, weights),
                (None, None) => break,
                (Some(_), None) => {
                    notices.add(self.at, format!("it has JOINTS_{n} without WEIGHTS_{n}; they are left out"));
                    break;
                }
                (None, Some(_)) => {
                    notices.add(self.at, format!("it has WEIGHTS_{n} without JOINTS_{n}; they are left out"));
                    break;
                }
            };
            let (joints_name, weights_name) = (format!("JOINTS_{n}"), format!("WEIGHTS_{n}"));
            let fits =
                |f: Format| f.kind == Type::Vec4 && matches!(f.component, ComponentType::U8 | ComponentType::U16);
            let expected = "VEC4 of UNSIGNED_BYTE or UNSIGNED_SHORT";
            let joints = self.packed(&joints_name, joints, expected, fits)?.integers::<4>();
            self.check_count(&joints_name, joints.len(), count)?;
            let fits = |f: Format| f.kind == Type::Vec4 && f.is_float_or_unsigned_fraction();
            let expected = "VEC4 of FLOAT or of normalised UNSIGNED_BYTE or UNSIGNED_SHORT";
            let weights = self.packed(&weights_name, weights, expected, fits)?.floats::<4>();
            self.check_count(&weights_name, weights.len(), count)?;
            sets.push(Set { joints, weights });
        }
        if sets.is_empty() {
            return Ok(None);
        }
        influences::read(&sets, count, self.slots, self.at, notices).map(Some)
    }

    /// Vertex numbers in drawing order. `None`, with a notice, if they make nothing.
    fn indices(
        &self,
        topology: Topology,
        vertices: usize,
        notices: &mut Notices,
    ) -> Result<Option<Option<Vec<u32>>>, ImportError> {
        let mut indices = match self.json.indices {
            Some(accessor) => Some(self.checked_indices(accessor.value(), vertices)?),
            None => None,
        };
        let count = indices.as_ref().map_or(vertices, Vec::len);
        let (least, step) = match topology {
            Topology::Points => (1, 1),
            Topology::Lines => (2, 2),
            Topology::LineLoop | Topology::LineStrip => (2, 1),
            Topology::Triangles => (3, 3),
            Topology::TriangleStrip | Topology::TriangleFan => (3, 1),
        };
        if count < least {
            let what = if indices.is_some() {
                counted(count, "index", "indices")
            } else {
                counted(count, "vertex", "vertices")
            };
            notices.add(self.at, format!("{what} cannot make its {topology:?}; it is not drawn"));
            return Ok(None);
        }
        let rest = count % step;
        if rest > 0 {
            let what = if rest == 1 { "one is" } else { "two are" };
            notices.add(self.at, format!("{count} vertices are not a multiple of {step}; the last {what} not drawn"));
            if let Some(indices) = &mut indices {
                indices.truncate(count - rest);
            }
        }
        Ok(Some(indices))
    }

    fn checked_indices(&self, accessor: usize, vertices: usize) -> Result<Vec<u32>, ImportError> {
        let at = || self.at.part("indices", "indices");
        let fits = |f: Format| {
            f.kind == Type::Scalar && matches!(f.component, ComponentType::U8 | ComponentType::U16 | ComponentType::U32)
        };
        let packed = self.reader.read(accessor, "SCALAR of UNSIGNED_BYTE, UNSIGNED_SHORT or UNSIGNED_INT", fits);
        let packed = packed.map_err(|fault| ImportError::Accessor { at: at(), fault })?;
        let restart = match packed.format.component {
            ComponentType::U8 => u32::from(u8::MAX),
            ComponentType::U16 => u32::from(u16::MAX),
            _ => u32::MAX,
        };
        let indices: Vec<u32> = packed.integers::<1>().into_iter().map(|[index]| index).collect();
        let most = indices.iter().copied().max().unwrap_or(0);
        if !indices.is_empty() && (most == restart || most as usize >= vertices) {
            let place = indices.iter().position(|index| *index == most).unwrap_or(0);
            let problem = if most == restart {
                format!("index {place} is {most}, which glTF keeps for primitive restart and does not allow")
            } else {
                format!("index {place} is {most}, but there are {vertices} vertices")
            };
            return Err(ImportError::Data { at: at(), problem });
        }
        Ok(indices)
    }

    fn targets(&self, count: usize, notices: &mut Notices) -> Result<Vec<MorphTarget>, ImportError> {
        let mut targets = Vec::with_capacity(self.target_count);
        for (t, json) in self.json.targets.iter().flatten().enumerate() {
            let read = |attribute: &str, accessor: Option<json::Index<json::Accessor>>| {
                let Some(accessor) = accessor.map(|accessor| accessor.value()) else { return Ok(None) };
                let name = format!("{attribute} of morph target {t}");
                let at = || self.at.part(format!("targets/{t}/{attribute}"), &name);
                // Blender writes accessors without data for what does not move.
                let (_, items) =
                    self.reader.format(accessor).map_err(|fault| ImportError::Accessor { at: at(), fault })?;
                self.check_count(&name, usize::try_from(items).unwrap_or(usize::MAX), count)?;
                if self.reader.is_all_zero(accessor) {
                    return Ok(None);
                }
                match self.geometry::<3>(attribute, accessor, Type::Vec3) {
                    Ok(list) => Ok(Some(list)),
                    Err(ImportError::Accessor { fault, .. }) => Err(ImportError::Accessor { at: at(), fault }),
                    Err(error) => Err(error),
                }
            };
            let positions = read("POSITION", json.positions)?;
            if let Some(vertex) = positions.iter().flatten().position(|p| p.iter().any(|x| !x.is_finite())) {
                let problem = format!("morph target {t} moves vertex {vertex} to a position that is not finite");
                return Err(ImportError::Data { at: self.at.clone(), problem });
            }
            let (mut normals, mut tangents) = (read("NORMAL", json.normals)?, read("TANGENT", json.tangents)?);
            if let Some(normals) = &mut normals {
                self.clean("NORMAL of a morph target", normals, notices);
            }
            if let Some(tangents) = &mut tangents {
                self.clean("TANGENT of a morph target", tangents, notices);
            }
            targets.push(MorphTarget { positions, normals, tangents });
        }
        targets.resize(self.target_count, MorphTarget::default());
        Ok(targets)
    }

    /// Tells of attributes that are not shown. Those that begin with `_` are the application's own affair.
    fn tell_unused(&self, notices: &mut Notices) {
        let has = |semantic: Semantic| self.accessor(&semantic).is_some();
        let names = |object: Option<&Value>| -> Vec<String> {
            object.and_then(Value::as_object).into_iter().flat_map(|object| object.keys().cloned()).collect()
        };
        let numbered = |name: &str, prefix: &str| name.strip_prefix(prefix).and_then(|n| n.parse::<u32>().ok());
        for name in names(self.value.get("attributes")) {
            let used = match name.as_str() {
                "POSITION" | "NORMAL" | "TANGENT" | "COLOR_0" => true,
                name if name.starts_with('_') => true,
                name => {
                    if let Some(n) = numbered(name, "TEXCOORD_") {
                        (0..n).rev().take(64).all(|n| has(Semantic::TexCoords(n)))
                    } else if let Some(n) = numbered(name, "JOINTS_").or(numbered(name, "WEIGHTS_")) {
                        // The first pair that is not whole has been told of.
                        (0..n).rev().take(64).all(|n| has(Semantic::Joints(n)) && has(Semantic::Weights(n)))
                    } else {
                        false
                    }
                }
            };
            if !used {
                notices.add(self.at, format!("its attribute {} is not shown", quoted(&name)));
            }
        }
        let first = self.value.get("targets").and_then(|targets| targets.get(0));
        for name in names(first) {
            if !matches!(name.as_str(), "POSITION" | "NORMAL" | "TANGENT") && !name.starts_with('_') {
                notices.add(self.at, format!("what its morph targets do to {} is not shown", plain(&name)));
            }
        }
    }

    fn tell_missing_tex_coords(&self, material: MaterialIndex, sets: usize, notices: &mut Notices) {
        let Some(material) = self.materials.get(material.get()) else { return };
        let asked = super::materials::texture_refs(material).map(|texture| texture.tex_coord).max();
        if let Some(set) = asked.filter(|set| *set as usize >= sets) {
            let name = material.name.as_deref().map(|name| format!(" {}", quoted(name))).unwrap_or_default();
            notices.add(
                self.at,
                format!(
                    "a texture of its material{name} needs TEXCOORD_{set}, which it lacks; in Blender, add a UV map"
                ),
            );
        }
    }
}

/// Refuses accessors that do not lie in their buffer views, used or not.
pub(super) fn check_accessors(document: &Document, reader: &Reader) -> Result<(), ImportError> {
    for i in 0..document.accessors.len() {
        reader
            .check(i)
            .map_err(|fault| ImportError::UnreadableAccessor { pointer: format!("/accessors/{i}"), fault })?;
    }
    Ok(())
}
