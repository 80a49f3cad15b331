//! Vertex attributes and morph targets of a primitive.

use super::accessor::AccessorData;
use super::diagnostics::{Diagnostics, LEFT_OUT};
use super::error::ImportError;
use super::influences::{self, InfluenceSet};
use super::primitive::PrimitiveReader;
use crate::gltf_format::{ComponentType, ElementFormat, ElementType};
use crate::model::{Influences, MorphTarget, Vertices};
use crate::util::text::counted;
use gltf::json;
use json::mesh::Semantic;
use serde_json::Value;

impl PrimitiveReader<'_> {
    /// Reads the accessor of an attribute.
    fn read_accessor(
        &self,
        attribute: &str,
        accessor: usize,
        expected: &'static str,
        fits: impl Fn(ElementFormat) -> bool,
    ) -> Result<AccessorData<'_>, ImportError> {
        let at = || self.at.child(format!("attributes/{attribute}"), attribute);
        self.reader.read(accessor, expected, fits).map_err(|problem| ImportError::Accessor { at: at(), problem })
    }

    /// Reads positions, normals, tangents or their morph targets: floats, or integers with KHR_mesh_quantization.
    pub(super) fn geometry<const N: usize>(
        &self,
        attribute: &str,
        accessor: usize,
        element: ElementType,
    ) -> Result<Vec<[f32; N]>, ImportError> {
        let expected = match (element, self.quantized) {
            (ElementType::Vec4, false) => "VEC4 of FLOAT (integers need KHR_mesh_quantization)",
            (ElementType::Vec4, true) => "VEC4 of FLOAT or small integers",
            (_, false) => "VEC3 of FLOAT (integers need KHR_mesh_quantization)",
            (_, true) => "VEC3 of FLOAT or small integers",
        };
        let fits = |f: ElementFormat| {
            let component = !f.is_integer() || (self.quantized && f.component != ComponentType::U32);
            f.element == element && component
        };
        Ok(self.read_accessor(attribute, accessor, expected, fits)?.floats())
    }

    /// Reads normals or tangents, one per vertex.
    fn vertex_attribute<const N: usize>(
        &self,
        attribute: &str,
        accessor: Option<usize>,
        element: ElementType,
        vertices: usize,
    ) -> Result<Option<Vec<[f32; N]>>, ImportError> {
        let Some(accessor) = accessor else { return Ok(None) };
        let list = self.geometry(attribute, accessor, element)?;
        self.check_count(attribute, list.len(), vertices)?;
        Ok(Some(list))
    }

    /// Returns an error if an attribute does not have one element per vertex.
    fn check_count(&self, attribute: &str, found: usize, vertices: usize) -> Result<(), ImportError> {
        if found == vertices {
            return Ok(());
        }
        let problem = format!("{attribute} has {}, POSITION {vertices}", counted(found, "item", "items"));
        Err(ImportError::InvalidData { at: self.at.clone(), problem })
    }

    /// Replaces NaN and infinite components by 0.
    fn replace_non_finite<const N: usize>(
        &self,
        attribute: &str,
        elements: &mut [[f32; N]],
        diagnostics: &mut Diagnostics,
    ) {
        let mut replaced = 0;
        for element in elements.iter_mut().filter(|element| element.iter().any(|x| !x.is_finite())) {
            *element = element.map(|x| if x.is_finite() { x } else { 0.0 });
            replaced += 1;
        }
        if replaced > 0 {
            let what = counted(replaced, "vertex has", "vertices have");
            diagnostics.add(self.at, format!("{what} a number in {attribute} that is not finite; it is replaced by 0"));
        }
    }

    pub(super) fn normals_and_tangents(
        &self,
        vertices: &mut Vertices,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), ImportError> {
        let count = vertices.positions.len();
        let normals = self.vertex_attribute::<3>("NORMAL", self.accessor(&Semantic::Normals), ElementType::Vec3, count);
        if let Some(mut normals) = diagnostics.or_leave_out(normals, LEFT_OUT)?.flatten() {
            self.replace_non_finite("NORMAL", &mut normals, diagnostics);
            let mut zero_normals = 0;
            for normal in normals.iter_mut().filter(|n| n.iter().all(|x| x.abs() < 1e-12)) {
                *normal = [0.0, 1.0, 0.0];
                zero_normals += 1;
            }
            if zero_normals > 0 {
                let what = counted(zero_normals, "vertex has a normal", "vertices have normals");
                diagnostics.add(self.at, format!("{what} of length 0, replaced by +Y"));
            }
            vertices.normals = Some(normals);
        } else {
            // Flat normals replace missing ones, and tangents have no effect (glTF 2.0, section 3.7.2.1).
            return Ok(());
        }
        let accessor = self.accessor(&Semantic::Tangents);
        let tangents = self.vertex_attribute::<4>("TANGENT", accessor, ElementType::Vec4, count);
        if let Some(mut tangents) = diagnostics.or_leave_out(tangents, LEFT_OUT)?.flatten() {
            self.replace_non_finite("TANGENT", &mut tangents, diagnostics);
            vertices.tangents = Some(tangents);
        }
        Ok(())
    }

    pub(super) fn tex_coords(&self, vertices: &mut Vertices, diagnostics: &mut Diagnostics) -> Result<(), ImportError> {
        let expected = "VEC2 of FLOAT or of normalized UNSIGNED_BYTE or UNSIGNED_SHORT";
        let fits = |f: ElementFormat| {
            let quantized = self.quantized && f.component != ComponentType::U32;
            f.element == ElementType::Vec2 && (f.is_float_or_unsigned_normalized() || quantized)
        };
        for set in 0.. {
            let Some(accessor) = self.accessor(&Semantic::TexCoords(set)) else { break };
            let name = format!("TEXCOORD_{set}");
            let count = vertices.positions.len();
            let list = self.read_accessor(&name, accessor, expected, fits).map(|data| data.floats::<2>());
            let list = list.and_then(|list| self.check_count(&name, list.len(), count).map(|()| list));
            // Later sets keep their numbers.
            let list = diagnostics.or_leave_out(list, "0 replaces its values")?;
            let mut list = list.unwrap_or_else(|| vec![[0.0; 2]; count]);
            self.replace_non_finite(&name, &mut list, diagnostics);
            vertices.tex_coords.push(list);
        }
        Ok(())
    }

    pub(super) fn colors(
        &self,
        count: usize,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<Vec<[f32; 4]>>, ImportError> {
        let Some(accessor) = self.accessor(&Semantic::Colors(0)) else { return Ok(None) };
        let expected = "VEC3 or VEC4 of FLOAT or of normalized UNSIGNED_BYTE or UNSIGNED_SHORT";
        let fits = |f: ElementFormat| {
            matches!(f.element, ElementType::Vec3 | ElementType::Vec4) && f.is_float_or_unsigned_normalized()
        };
        let data = self.read_accessor("COLOR_0", accessor, expected, fits)?;
        let mut colors = data.colors(1.0);
        self.check_count("COLOR_0", colors.len(), count)?;
        self.replace_non_finite("COLOR_0", &mut colors, diagnostics);
        colors.iter_mut().flatten().for_each(|component| *component = component.clamp(0.0, 1.0));
        Ok(Some(colors))
    }

    pub(super) fn influences(
        &self,
        count: usize,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<(Influences, influences::UnnormalizedWeights)>, ImportError> {
        let mut sets = Vec::new();
        for n in 0.. {
            let (joints, weights) = (self.accessor(&Semantic::Joints(n)), self.accessor(&Semantic::Weights(n)));
            let (joints, weights) = match (joints, weights) {
                (Some(joints), Some(weights)) => (joints, weights),
                (None, None) => break,
                (Some(_), None) => {
                    diagnostics.add(self.at, format!("it has JOINTS_{n} without WEIGHTS_{n}; they are ignored"));
                    break;
                }
                (None, Some(_)) => {
                    diagnostics.add(self.at, format!("it has WEIGHTS_{n} without JOINTS_{n}; they are ignored"));
                    break;
                }
            };
            let (joints_name, weights_name) = (format!("JOINTS_{n}"), format!("WEIGHTS_{n}"));
            let fits = |f: ElementFormat| {
                f.element == ElementType::Vec4 && matches!(f.component, ComponentType::U8 | ComponentType::U16)
            };
            let expected = "VEC4 of UNSIGNED_BYTE or UNSIGNED_SHORT";
            let joints = self.read_accessor(&joints_name, joints, expected, fits)?.integers::<4>();
            self.check_count(&joints_name, joints.len(), count)?;
            let fits = |f: ElementFormat| f.element == ElementType::Vec4 && f.is_float_or_unsigned_normalized();
            let expected = "VEC4 of FLOAT or of normalized UNSIGNED_BYTE or UNSIGNED_SHORT";
            let weights = self.read_accessor(&weights_name, weights, expected, fits)?.floats::<4>();
            self.check_count(&weights_name, weights.len(), count)?;
            sets.push(InfluenceSet { joints, weights });
        }
        if sets.is_empty() {
            return Ok(None);
        }
        influences::read(&sets, count, self.skin_joint_count, self.at, diagnostics).map(Some)
    }

    pub(super) fn targets(
        &self,
        vertices: &Vertices,
        diagnostics: &mut Diagnostics,
    ) -> Result<Vec<MorphTarget>, ImportError> {
        let mut targets = Vec::with_capacity(self.target_count);
        for (t, json) in self.typed.targets.iter().flatten().enumerate() {
            let target = self.target(t, json, vertices, diagnostics);
            targets.push(diagnostics.or_leave_out(target, "the target moves nothing")?.unwrap_or_default());
        }
        targets.resize(self.target_count, MorphTarget::default());
        Ok(targets)
    }

    fn target(
        &self,
        t: usize,
        json: &json::mesh::MorphTarget,
        vertices: &Vertices,
        diagnostics: &mut Diagnostics,
    ) -> Result<MorphTarget, ImportError> {
        let count = vertices.positions.len();
        let read = |attribute: &str, accessor: Option<json::Index<json::Accessor>>| {
            let Some(accessor) = accessor.map(|accessor| accessor.value()) else { return Ok(None) };
            let name = format!("{attribute} of morph target {t}");
            let at = || self.at.child(format!("targets/{t}/{attribute}"), &name);
            // Blender writes accessors without data for attributes that do not change.
            let (_, items) =
                self.reader.format(accessor).map_err(|problem| ImportError::Accessor { at: at(), problem })?;
            self.check_count(&name, usize::try_from(items).unwrap_or(usize::MAX), count)?;
            if self.reader.is_all_zero(accessor) {
                return Ok(None);
            }
            match self.geometry::<3>(attribute, accessor, ElementType::Vec3) {
                Ok(list) => Ok(Some(list)),
                Err(ImportError::Accessor { problem, .. }) => Err(ImportError::Accessor { at: at(), problem }),
                Err(error) => Err(error),
            }
        };
        let positions = read("POSITION", json.positions)?;
        if let Some(vertex) = positions.iter().flatten().position(|p| p.iter().any(|x| !x.is_finite())) {
            let problem = format!("morph target {t} moves vertex {vertex} to a position that is not finite");
            return Err(ImportError::InvalidData { at: self.at.clone(), problem });
        }
        let (mut normals, mut tangents) = (read("NORMAL", json.normals)?, read("TANGENT", json.tangents)?);
        if let Some(normals) = &mut normals {
            self.replace_non_finite("NORMAL of a morph target", normals, diagnostics);
        }
        if let Some(tangents) = &mut tangents {
            self.replace_non_finite("TANGENT of a morph target", tangents, diagnostics);
        }
        let (mut colors, mut tex_coords) = (None, Vec::new());
        let attributes = self.raw.get("targets").and_then(|targets| targets.get(t)).and_then(Value::as_object);
        for (attribute, accessor) in attributes.into_iter().flatten() {
            let set = attribute.strip_prefix("TEXCOORD_").and_then(|set| set.parse().ok());
            let set = set.filter(|set| *set < vertices.tex_coords.len());
            let changes_colors = attribute == "COLOR_0" && vertices.colors.is_some();
            if set.is_none() && !changes_colors {
                continue;
            }
            let Some(accessor) = accessor.as_u64().and_then(|accessor| usize::try_from(accessor).ok()) else {
                continue;
            };
            let name = format!("{attribute} of morph target {t}");
            let element = if changes_colors { ElementType::Vec4 } else { ElementType::Vec2 };
            let fits = |f: ElementFormat| {
                let fits = f.element == element || (changes_colors && f.element == ElementType::Vec3);
                fits && (!f.is_integer() || f.normalized || (self.quantized && !changes_colors))
            };
            let at = || self.at.child(format!("targets/{t}/{attribute}"), &name);
            let expected = if changes_colors {
                "VEC3 or VEC4 of FLOAT or of normalized small integers"
            } else {
                "VEC2 of FLOAT or of normalized small integers"
            };
            let data = self.reader.read(accessor, expected, fits);
            let data = data.map_err(|problem| ImportError::Accessor { at: at(), problem })?;
            self.check_count(&name, data.count, count)?;
            match set {
                Some(set) => {
                    let mut deltas = data.floats::<2>();
                    self.replace_non_finite(&name, &mut deltas, diagnostics);
                    tex_coords.push((set, deltas));
                }
                None => {
                    let mut deltas = data.colors(0.0);
                    self.replace_non_finite(&name, &mut deltas, diagnostics);
                    colors = Some(deltas);
                }
            }
        }
        Ok(MorphTarget { positions, normals, tangents, colors, tex_coords, ..MorphTarget::default() })
    }
}
