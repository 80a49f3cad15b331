//! Mesh primitives: topology, indices, material.

use super::accessor::AccessorReader;
use super::decoded_geometry::{AttributeKey, DecodedGeometry, SharedIndices, SharedVertices};
use super::diagnostic::JsonLocation;
use super::diagnostics::{Diagnostics, LEFT_OUT};
use super::error::{AccessorError, ImportError};
use crate::gltf_format::{ComponentType, ElementFormat, ElementType};
use crate::model::{Material, MaterialIndex, Primitive, Topology, VariantIndex, Vertices};
use crate::util::text::{counted, excerpt, quoted};
use gltf::json;
use json::mesh::{Mode, Semantic};
use json::validation::Checked;
use serde_json::Value;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// A primitive of the file with the context to read it.
pub(super) struct PrimitiveReader<'a> {
    pub(super) reader: &'a AccessorReader<'a>,
    pub(super) materials: &'a [Material],
    pub(super) typed: &'a json::mesh::Primitive,
    /// The same JSON, with the attribute names that `typed` lacks.
    pub(super) raw: &'a Value,
    pub(super) at: &'a JsonLocation,
    /// `true` if the file uses KHR_mesh_quantization.
    pub(super) quantized: bool,
    /// Joint count of the smallest skin that the mesh is used with.
    pub(super) skin_joint_count: usize,
    /// Number of material variants in the file.
    pub(super) variants: usize,
    /// Morph targets of the mesh; the primitive may have fewer.
    pub(super) target_count: usize,
}

impl PrimitiveReader<'_> {
    /// Reads the primitive. Returns `None`, with a diagnostic, if it draws nothing.
    pub(super) fn read(
        &self,
        cache: &mut DecodedGeometry,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<Primitive>, ImportError> {
        let topology = self.topology()?;
        let material = self.material(diagnostics)?;
        let Some(position) = self.accessor(&Semantic::Positions) else {
            diagnostics.add(self.at, "it has no POSITION and is not drawn");
            return Ok(None);
        };
        let SharedVertices { vertices, targets } = self.shared_vertices(position, cache, diagnostics)?;
        let count = vertices.positions.len();
        let Some(indices) = self.indices(topology, count, cache, diagnostics)? else { return Ok(None) };
        self.report_unsupported_attributes(diagnostics);
        if let Some(material) = material {
            self.report_missing_tex_coords(material, vertices.tex_coords.len(), diagnostics);
        }
        let variant_materials = self.variant_materials(diagnostics);
        let default_material = material;
        Ok(Some(Primitive {
            topology,
            vertices,
            indices,
            material,
            default_material,
            variant_materials,
            targets,
            ..Primitive::default()
        }))
    }

    /// Returns the vertices, whose positions are accessor `position`: those of another primitive with the same accessors, if any.
    fn shared_vertices(
        &self,
        position: usize,
        cache: &mut DecodedGeometry,
        diagnostics: &mut Diagnostics,
    ) -> Result<SharedVertices, ImportError> {
        let text = |property: &str| self.raw.get(property).map(Value::to_string).unwrap_or_default();
        let key = AttributeKey {
            attributes: text("attributes"),
            targets: text("targets"),
            target_count: self.target_count,
            skin_joint_count: self.skin_joint_count,
        };
        if let Some(shared) = cache.vertices.get(&key) {
            return Ok(shared.clone());
        }
        let vertices = self.vertices(position, diagnostics)?;
        let targets = self.targets(&vertices, diagnostics)?.into();
        let shared = SharedVertices { vertices: vertices.into(), targets };
        cache.vertices.insert(key, shared.clone());
        Ok(shared)
    }

    fn vertices(&self, position: usize, diagnostics: &mut Diagnostics) -> Result<Vertices, ImportError> {
        let positions: Vec<[f32; 3]> = self.geometry("POSITION", position, ElementType::Vec3)?;
        if let Some(vertex) = positions.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
            let problem = format!("the position of vertex {vertex} is not finite (accessor {position})");
            return Err(ImportError::InvalidData { at: self.at.clone(), problem });
        }
        let count = positions.len();
        let mut vertices = Vertices { positions, ..Vertices::default() };
        self.normals_and_tangents(&mut vertices, diagnostics)?;
        self.tex_coords(&mut vertices, diagnostics)?;
        let colors = self.colors(count, diagnostics);
        vertices.colors = diagnostics.or_leave_out(colors, LEFT_OUT)?.flatten();
        let influences = self.influences(count, diagnostics);
        let influences = diagnostics.or_leave_out(influences, "the primitive is shown unskinned")?.flatten();
        if let Some((influences, unnormalized_weights)) = influences {
            (vertices.influences, vertices.unnormalized_weights) = (Some(influences), unnormalized_weights);
        }
        Ok(vertices)
    }

    /// Returns the accessor index of an attribute.
    pub(super) fn accessor(&self, semantic: &Semantic) -> Option<usize> {
        self.typed.attributes.get(&Checked::Valid(semantic.clone())).map(|accessor| accessor.value())
    }

    fn topology(&self) -> Result<Topology, ImportError> {
        match self.typed.mode {
            Checked::Valid(Mode::Points) => Ok(Topology::Points),
            Checked::Valid(Mode::Lines) => Ok(Topology::Lines),
            Checked::Valid(Mode::LineLoop) => Ok(Topology::LineLoop),
            Checked::Valid(Mode::LineStrip) => Ok(Topology::LineStrip),
            Checked::Valid(Mode::Triangles) => Ok(Topology::Triangles),
            Checked::Valid(Mode::TriangleStrip) => Ok(Topology::TriangleStrip),
            Checked::Valid(Mode::TriangleFan) => Ok(Topology::TriangleFan),
            Checked::Invalid => Err(ImportError::InvalidJson {
                at: self.at.child("mode", "mode"),
                problem: "it must be from 0 to 6".into(),
            }),
        }
    }

    fn material(&self, diagnostics: &mut Diagnostics) -> Result<Option<MaterialIndex>, ImportError> {
        let Some(material) = self.typed.material.map(|material| material.value()) else { return Ok(None) };
        if material >= self.materials.len() {
            let (at, count) = (self.at.clone(), self.materials.len());
            let error = ImportError::MissingReference { at, kind: "material", index: material, count };
            diagnostics.leave_out(error, "the default material replaces it")?;
            return Ok(None);
        }
        Ok(Some(MaterialIndex(material as u32)))
    }

    /// Reads the variant mappings (KHR_materials_variants).
    fn variant_materials(&self, diagnostics: &mut Diagnostics) -> Vec<(VariantIndex, MaterialIndex)> {
        let mappings = self.raw.pointer("/extensions/KHR_materials_variants/mappings").and_then(Value::as_array);
        let mut materials = Vec::new();
        for (i, mapping) in mappings.into_iter().flatten().enumerate() {
            let at = || {
                let pointer = format!("extensions/KHR_materials_variants/mappings/{i}");
                self.at.child(pointer, format_args!("variant mapping {i}"))
            };
            let index = |value: &Value| value.as_u64().and_then(|index| usize::try_from(index).ok());
            let material = mapping.get("material").and_then(index).filter(|index| *index < self.materials.len());
            let Some(material) = material else {
                diagnostics.add(&at(), "its material does not exist; it is ignored");
                continue;
            };
            for variant in mapping.get("variants").and_then(Value::as_array).into_iter().flatten() {
                match index(variant).filter(|variant| *variant < self.variants) {
                    Some(variant) => materials.push((VariantIndex(variant as u32), MaterialIndex(material as u32))),
                    None => diagnostics.add(&at(), "a variant of it does not exist; it is ignored"),
                }
            }
        }
        materials
    }

    /// Reads the indices; the inner `None` is a primitive without indices. Returns the outer `None`, with a diagnostic, if they draw
    /// nothing.
    fn indices(
        &self,
        topology: Topology,
        vertices: usize,
        cache: &mut DecodedGeometry,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<Option<Arc<[u32]>>>, ImportError> {
        let (min, vertices_per_part) = match topology {
            Topology::Points => (1, 1),
            Topology::Lines => (2, 2),
            Topology::LineLoop | Topology::LineStrip => (2, 1),
            Topology::Triangles => (3, 3),
            Topology::TriangleStrip | Topology::TriangleFan => (3, 1),
        };
        let shared = match self.typed.indices {
            Some(accessor) => Some(self.checked_indices(accessor.value(), vertices_per_part, vertices, cache)?),
            None => None,
        };
        let count = shared.as_ref().map_or(vertices, |shared| shared.count);
        if count < min {
            let what = if shared.is_some() {
                counted(count, "index", "indices")
            } else {
                counted(count, "vertex", "vertices")
            };
            diagnostics.add(self.at, format!("{what} are too few for {topology:?}; it is not drawn"));
            return Ok(None);
        }
        let rest = count % vertices_per_part;
        if rest > 0 {
            let what = if rest == 1 { "one is" } else { "two are" };
            diagnostics.add(
                self.at,
                format!("{count} vertices are not a multiple of {vertices_per_part}; the last {what} not drawn"),
            );
        }
        Ok(Some(shared.map(|shared| shared.indices)))
    }

    /// Returns the indices of whole points, lines or triangles. Reuses those that another primitive has decoded.
    fn checked_indices(
        &self,
        accessor: usize,
        vertices_per_part: usize,
        vertices: usize,
        cache: &mut DecodedGeometry,
    ) -> Result<SharedIndices, ImportError> {
        let at = || self.at.child("indices", "indices");
        let shared = match cache.indices.entry((accessor, vertices_per_part)) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let shared = self.read_indices(accessor, vertices_per_part);
                entry.insert(shared.map_err(|problem| ImportError::Accessor { at: at(), problem })?)
            }
        };
        let SharedIndices { count, max, max_position, restart, .. } = *shared;
        if count > 0 && (max == restart || max as usize >= vertices) {
            let problem = if max == restart {
                format!("index {max_position} is {max}, which glTF reserves for primitive restart and does not allow")
            } else {
                format!("index {max_position} is {max}, but there are {vertices} vertices")
            };
            return Err(ImportError::InvalidData { at: at(), problem });
        }
        Ok(shared.clone())
    }

    fn read_indices(&self, accessor: usize, vertices_per_part: usize) -> Result<SharedIndices, AccessorError> {
        let fits = |f: ElementFormat| f.element == ElementType::Scalar && f.component.is_unsigned();
        let data = self.reader.read(accessor, "SCALAR of UNSIGNED_BYTE, UNSIGNED_SHORT or UNSIGNED_INT", fits)?;
        let restart = match data.format.component {
            ComponentType::U8 => u32::from(u8::MAX),
            ComponentType::U16 => u32::from(u16::MAX),
            _ => u32::MAX,
        };
        let all = data.integers::<1>();
        let indices = all.as_flattened();
        let max = indices.iter().copied().max().unwrap_or(0);
        Ok(SharedIndices {
            indices: indices[..indices.len() - indices.len() % vertices_per_part].into(),
            count: indices.len(),
            max,
            max_position: indices.iter().position(|index| *index == max).unwrap_or(0),
            restart,
        })
    }

    /// Reports unsupported attributes, except application-specific ones, which begin with `_`.
    fn report_unsupported_attributes(&self, diagnostics: &mut Diagnostics) {
        let has = |semantic: Semantic| self.accessor(&semantic).is_some();
        let names = |object: Option<&Value>| -> Vec<String> {
            object.and_then(Value::as_object).into_iter().flat_map(|object| object.keys().cloned()).collect()
        };
        let numbered = |name: &str, prefix: &str| name.strip_prefix(prefix).and_then(|n| n.parse::<u32>().ok());
        for name in names(self.raw.get("attributes")) {
            let used = match name.as_str() {
                "POSITION" | "NORMAL" | "TANGENT" | "COLOR_0" => true,
                name if name.starts_with('_') || name.starts_with("KHR_gaussian_splatting:") => true,
                name => {
                    if let Some(n) = numbered(name, "TEXCOORD_") {
                        (0..n).rev().take(64).all(|n| has(Semantic::TexCoords(n)))
                    } else if let Some(n) = numbered(name, "JOINTS_").or(numbered(name, "WEIGHTS_")) {
                        // The first incomplete pair is already reported.
                        (0..n).rev().take(64).all(|n| has(Semantic::Joints(n)) && has(Semantic::Weights(n)))
                    } else {
                        false
                    }
                }
            };
            if !used {
                diagnostics.add(self.at, format!("its attribute {} is not supported", quoted(&name)));
            }
        }
        let first = self.raw.get("targets").and_then(|targets| targets.get(0));
        for name in names(first) {
            let is_geometry = matches!(name.as_str(), "POSITION" | "NORMAL" | "TANGENT") || name.starts_with('_');
            let is_drawn = name == "COLOR_0" || numbered(&name, "TEXCOORD_").is_some();
            let has_base = self.raw.get("attributes").is_some_and(|attributes| attributes.get(&name).is_some());
            if !(is_geometry || (is_drawn && has_base)) {
                diagnostics.add(self.at, format!("morph targets of {} are not supported", excerpt(&name)));
            }
        }
    }

    fn report_missing_tex_coords(&self, material: MaterialIndex, sets: usize, diagnostics: &mut Diagnostics) {
        let Some(material) = self.materials.get(material.get()) else { return };
        let max_set = material.textures.iter().map(|texture| texture.tex_coord).max();
        if let Some(set) = max_set.filter(|set| *set as usize >= sets) {
            let name = material.name.as_deref().map(|name| format!(" {}", quoted(name))).unwrap_or_default();
            diagnostics.add(
                self.at,
                format!(
                    "a texture of its material{name} needs TEXCOORD_{set}, which it lacks; in Blender, add a UV map"
                ),
            );
        }
    }
}
