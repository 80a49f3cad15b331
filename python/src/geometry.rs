//! Meshes, materials and the draws that connect them with palettes.

use numpy::{Element, PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PySlice;
use rigview_core::model::{self, AlphaMode, Model, MorphTarget, TextureSlot, Topology};
use rigview_core::palette::{PaletteLayout, Rig};
use std::sync::Arc;

/// A mesh of the file: primitives that share morph weights.
#[pyclass(frozen, module = "rigview")]
pub(crate) struct Mesh {
    model: Arc<Model>,
    mesh: usize,
}

#[pymethods]
impl Mesh {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let name = self.name().into_pyobject(py)?.repr()?;
        Ok(format!("<rigview.Mesh {}: {name}, {} primitives>", self.mesh, self.mesh().primitives.len()))
    }

    /// Name in the file, not necessarily unique.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.mesh().name.as_deref()
    }

    /// Primitives in the order of the file.
    #[getter]
    fn primitives(&self) -> Vec<Primitive> {
        let primitives = 0..self.mesh().primitives.len();
        primitives.map(|primitive| Primitive { model: Arc::clone(&self.model), mesh: self.mesh, primitive }).collect()
    }

    /// Names of the morph targets; empty if the file has none.
    #[getter]
    fn target_names(&self) -> &[String] {
        &self.mesh().target_names
    }
}

impl Mesh {
    pub(crate) fn all_of(model: &Arc<Model>) -> Vec<Self> {
        (0..model.meshes.len()).map(|mesh| Self { model: Arc::clone(model), mesh }).collect()
    }

    fn mesh(&self) -> &model::Mesh {
        &self.model.meshes[self.mesh]
    }
}

/// Vertices with one material, in mesh space. Each property returns a new array.
#[pyclass(frozen, module = "rigview")]
pub(crate) struct Primitive {
    model: Arc<Model>,
    mesh: usize,
    primitive: usize,
}

#[pymethods]
impl Primitive {
    fn __repr__(&self) -> String {
        let (primitive, name) = (self.primitive(), self.topology());
        format!("<rigview.Primitive: {} vertices, {name}>", primitive.vertices.positions.len())
    }

    /// `points`, `lines`, `line_loop`, `line_strip`, `triangles`, `triangle_strip` or `triangle_fan`.
    #[getter]
    fn topology(&self) -> &'static str {
        match self.primitive().topology {
            Topology::Points => "points",
            Topology::Lines => "lines",
            Topology::LineLoop => "line_loop",
            Topology::LineStrip => "line_strip",
            Topology::Triangles => "triangles",
            Topology::TriangleStrip => "triangle_strip",
            Topology::TriangleFan => "triangle_fan",
        }
    }

    /// Index in `Model.materials`; `None` for the default material of glTF.
    #[getter]
    fn material(&self) -> Option<usize> {
        self.primitive().material.map(model::MaterialIndex::get)
    }

    /// Positions: (vertices, 3).
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        rows(py, &self.primitive().vertices.positions)
    }

    /// Normals as in the file: (vertices, 3).
    #[getter]
    fn normals<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f32>>>> {
        self.primitive().vertices.normals.as_ref().map(|normals| rows(py, normals)).transpose()
    }

    /// Tangents as in the file, with the sign of the bitangent: (vertices, 4).
    #[getter]
    fn tangents<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f32>>>> {
        self.primitive().vertices.tangents.as_ref().map(|tangents| rows(py, tangents)).transpose()
    }

    /// Texture coordinates, an array per set: (vertices, 2).
    #[getter]
    fn tex_coords<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyArray2<f32>>>> {
        self.primitive().vertices.tex_coords.iter().map(|set| rows(py, set)).collect()
    }

    /// Linear RGBA colors: (vertices, 4).
    #[getter]
    fn colors<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f32>>>> {
        self.primitive().vertices.colors.as_ref().map(|colors| rows(py, colors)).transpose()
    }

    /// Vertex indices of the triangles, also of strips and fans: (triangles, 3).
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let corners = self.primitive().triangles();
        let count = corners.len() / 3;
        PyArray1::from_vec(py, corners).reshape([count, 3])
    }

    /// Skin slots of the influences of each vertex, which select one of the matrices of a draw: (vertices, influences).
    #[getter]
    fn slots<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<u16>>>> {
        let of = |influences: &model::Influences| {
            let slots = influences.slots.iter().map(|slot| slot.0).collect();
            table(py, slots, influences.per_vertex)
        };
        self.primitive().vertices.influences.as_ref().map(of).transpose()
    }

    /// Weights of the influences of each vertex, which sum to 1: (vertices, influences).
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f32>>>> {
        let of = |influences: &model::Influences| table(py, influences.weights.clone(), influences.per_vertex);
        self.primitive().vertices.influences.as_ref().map(of).transpose()
    }

    /// Displacements of the positions by each morph target at weight 1: (targets, vertices, 3).
    #[getter]
    fn targets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        self.displacements(py, |target| target.positions.as_ref())
    }

    /// Displacements of the normals by each morph target at weight 1: (targets, vertices, 3).
    #[getter]
    fn target_normals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        self.displacements(py, |target| target.normals.as_ref())
    }
}

impl Primitive {
    fn primitive(&self) -> &model::Primitive {
        &self.model.meshes[self.mesh].primitives[self.primitive]
    }

    fn displacements<'py>(
        &self,
        py: Python<'py>,
        of: impl Fn(&MorphTarget) -> Option<&Vec<[f32; 3]>>,
    ) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let model::Primitive { vertices, targets, .. } = self.primitive();
        let vertex_count = vertices.positions.len();
        let mut all = Vec::with_capacity(targets.len() * vertex_count * 3);
        for target in targets.iter() {
            match of(target) {
                Some(displacements) => all.extend_from_slice(displacements.as_flattened()),
                None => all.resize(all.len() + 3 * vertex_count, 0.0),
            }
        }
        PyArray1::from_vec(py, all).reshape([targets.len(), vertex_count, 3])
    }
}

fn rows<'py, const N: usize>(py: Python<'py>, rows: &[[f32; N]]) -> PyResult<Bound<'py, PyArray2<f32>>> {
    PyArray1::from_slice(py, rows.as_flattened()).reshape([rows.len(), N])
}

fn table<'py, T: Element>(py: Python<'py>, values: Vec<T>, columns: usize) -> PyResult<Bound<'py, PyArray2<T>>> {
    let rows = values.len() / columns;
    PyArray1::from_vec(py, values).reshape([rows, columns])
}

/// A material: the factors of glTF's metallic-roughness model.
#[pyclass(frozen, get_all, module = "rigview")]
pub(crate) struct Material {
    /// Name in the file, not necessarily unique.
    name: Option<String>,
    /// Linear color and opacity.
    base_color: (f32, f32, f32, f32),
    /// 0 for dielectrics, 1 for metals.
    metallic: f32,
    /// Perceptual roughness, 0 to 1.
    roughness: f32,
    /// Linear color of the emitted light.
    emissive: (f32, f32, f32),
    /// `opaque`, `mask` or `blend`.
    alpha_mode: &'static str,
    /// `True` if back faces are drawn.
    double_sided: bool,
    /// `True` if the base color is drawn without lighting.
    unlit: bool,
    /// Uses of its textures, such as `base color` and `normal`.
    textures: Vec<&'static str>,
}

#[pymethods]
impl Material {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<rigview.Material {}>", self.name.as_deref().into_pyobject(py)?.repr()?))
    }
}

impl Material {
    pub(crate) fn new(material: &model::Material) -> Self {
        let textures = TextureSlot::ALL.into_iter().filter(|slot| material.textures[*slot].is_some());
        Self {
            name: material.name.clone(),
            base_color: material.base_color.into(),
            metallic: material.metallic,
            roughness: material.roughness,
            emissive: material.emitted().into(),
            alpha_mode: match material.alpha_mode {
                AlphaMode::Opaque => "opaque",
                AlphaMode::Mask { .. } => "mask",
                AlphaMode::Blend => "blend",
            },
            double_sided: material.double_sided,
            unlit: material.unlit,
            textures: textures.map(TextureSlot::name).collect(),
        }
    }
}

/// A primitive at a node of the default scene, with its parts of `palettes` and `morph_weights`.
#[pyclass(frozen, get_all, module = "rigview")]
pub(crate) struct Draw {
    /// The joint of the node with the mesh.
    joint: usize,
    /// Index in `Model.meshes`.
    mesh: usize,
    /// Index in `Mesh.primitives`.
    primitive: usize,
    /// Index of the skin; `None` if all vertices use the first matrix.
    skin: Option<usize>,
    /// Its matrices in `palettes` and `palette_joints`: one per slot of the skin.
    matrices: Py<PySlice>,
    /// Its weights in `morph_weights`: one per morph target.
    weights: Py<PySlice>,
}

#[pymethods]
impl Draw {
    fn __repr__(&self) -> String {
        let skin = self.skin.map_or("None".to_owned(), |skin| skin.to_string());
        format!("<rigview.Draw: joint {}, mesh {}, primitive {}, skin {skin}>", self.joint, self.mesh, self.primitive)
    }
}

impl Draw {
    pub(crate) fn all_of(py: Python<'_>, rig: &Rig) -> Vec<Self> {
        let layout: &PaletteLayout = rig.layout();
        let slice =
            |first: u32, len: usize| PySlice::new(py, first as isize, first as isize + len as isize, 1).unbind();
        let draws = layout.draws.iter().map(|draw| {
            let matrix_range = &layout.matrix_ranges[draw.matrix_range];
            let target_count = rig.model().meshes[draw.mesh.get()].target_count;
            Self {
                joint: draw.joint.get(),
                mesh: draw.mesh.get(),
                primitive: draw.primitive,
                skin: layout.skin_of(draw).map(model::SkinIndex::get),
                matrices: slice(matrix_range.first_matrix, matrix_range.len as usize),
                weights: draw.first_morph_weight.map_or_else(|| slice(0, 0), |first| slice(first, target_count)),
            }
        });
        draws.collect()
    }
}
