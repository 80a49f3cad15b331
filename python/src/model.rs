//! Models and clips.

use crate::arguments::{ClipArgument, Source, Times};
use crate::errors::value_error;
use crate::geometry::{Draw, Material, Mesh};
use crate::retarget::Retargeted;
use crate::{bake, reports, retarget};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMapping, PySlice, PyTuple};
use rigview_core::crowd::{Crowd, CrowdAnimator, Instance};
use rigview_core::export::glb_with_clips;
use rigview_core::import::{Diagnostic, GltfFile, Imported};
use rigview_core::math::{Aabb, Affine};
use rigview_core::model::{ClipIndex, JointIndex};
use rigview_core::palette::{BlockIndex, MatrixFormat, PaletteLayout, Rig, skin_positions_on_cpu};
use rigview_core::pose::{Cursor, LoopMode, ModelPose, Playback, Pose, clamp_to_clip, sample};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A clip of a model.
#[pyclass(frozen, get_all, module = "rigview")]
pub(crate) struct Clip {
    /// Name in the file, not necessarily unique.
    pub(crate) name: Option<String>,
    /// Time of the last key in seconds.
    pub(crate) duration: f32,
    /// Index in `Model.clips`.
    pub(crate) index: usize,
}

#[pymethods]
impl Clip {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let name = self.name.as_deref().into_pyobject(py)?.repr()?;
        Ok(format!("<rigview.Clip {}: {name}, {} s>", self.index, self.duration))
    }
}

/// A rig with clips. Every node of the file is a joint, parents before children.
#[pyclass(frozen, module = "rigview")]
pub(crate) struct Model {
    /// Its matrices map from mesh space as in the file.
    pub(crate) rig: Rig,
    pub(crate) gltf_file: Arc<GltfFile>,
    /// Number of the clips that the file has. Others follow them.
    pub(crate) file_clip_count: usize,
    /// The absolute path; `None` for bytes.
    #[pyo3(get)]
    pub(crate) path: Option<PathBuf>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[pymethods]
impl Model {
    #[new]
    #[pyo3(signature = (source, *, base=None))]
    fn new(py: Python<'_>, source: Source, base: Option<PathBuf>) -> PyResult<Self> {
        py.detach(|| {
            let path = source.path().map(std::path::absolute).transpose()?;
            let Imported { gltf_file, model, diagnostics, .. } = source.import(base.as_deref())?;
            Ok(Self {
                file_clip_count: model.clips.len(),
                rig: rig_of(Arc::new(model))?,
                gltf_file: Arc::new(gltf_file),
                path,
                diagnostics,
            })
        })
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let file = match self.path.as_deref().and_then(Path::file_name) {
            Some(name) => name.to_string_lossy().into_pyobject(py)?.repr()?.to_string(),
            None => "of bytes".to_owned(),
        };
        let model = self.rig.model();
        Ok(format!("<rigview.Model {file}: {} joints, {} clips>", model.skeleton.len(), model.clips.len()))
    }

    /// Pickles the path, or the content if there is no path or clips were added.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let is_file = self.rig.model().clips.len() == self.file_clip_count;
        let argument = match &self.path {
            Some(path) if is_file => path.as_path().into_pyobject(py)?,
            _ => self.to_glb(py)?.into_any(),
        };
        Ok((py.import("rigview")?.getattr("open")?, PyTuple::new(py, [argument])?))
    }

    /// What the import left out, ignored or repaired.
    #[getter]
    fn diagnostics(&self) -> Vec<String> {
        self.diagnostics.iter().map(ToString::to_string).collect()
    }

    /// Names of the joints.
    #[getter]
    fn joints(&self) -> Vec<Option<String>> {
        self.rig.model().skeleton.joints().iter().map(|joint| joint.name.clone()).collect()
    }

    /// Index of each joint's node in the glTF file. Joints of equal names have different nodes, except instances of
    /// EXT_mesh_gpu_instancing.
    #[getter]
    fn nodes(&self) -> Vec<usize> {
        self.rig.model().skeleton.joints().iter().map(|joint| joint.node).collect()
    }

    /// Index of each joint's parent; `None` for a root.
    #[getter]
    fn parents(&self) -> Vec<Option<usize>> {
        self.rig.model().skeleton.joints().iter().map(|joint| joint.parent.map(JointIndex::get)).collect()
    }

    /// Clips in the order of the file.
    #[getter]
    pub(crate) fn clips(&self) -> Vec<Clip> {
        let clips = self.rig.model().clips.iter().enumerate();
        clips.map(|(index, clip)| Clip { name: clip.name.clone(), duration: clip.duration_secs, index }).collect()
    }

    /// Meshes in the order of the file, with vertices as in the file.
    #[getter]
    fn meshes(&self) -> Vec<Mesh> {
        Mesh::all_of(&self.rig.shared_model())
    }

    /// Materials in the order of the file.
    #[getter]
    fn materials(&self) -> Vec<Material> {
        self.rig.model().materials.iter().map(Material::new).collect()
    }

    /// The primitives that the default scene shows, with their parts of `palettes` and `morph_weights`.
    #[getter]
    fn draws(&self, py: Python<'_>) -> Vec<Draw> {
        Draw::all_of(py, &self.rig)
    }

    /// Smallest and largest coordinates of the vertices at rest, in model space: (2, 3); `None` without vertices.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let bounds = py.detach(|| {
            let mut animator = CrowdAnimator::new(&self.rig);
            animator.update(&mut Crowd::single(None), 0.0);
            let mut bounds = Aabb::EMPTY;
            for draw in &self.rig.layout().draws {
                bounds.merge(&Aabb::from_positions(&skin_positions_on_cpu(
                    &self.rig,
                    animator.palette(),
                    BlockIndex(0),
                    draw,
                )));
            }
            bounds
        });
        let corners = [bounds.min, bounds.max].map(Into::<[f64; 3]>::into);
        let array = || PyArray1::from_slice(py, corners.as_flattened()).reshape([2, 3]);
        (!bounds.is_empty()).then(array).transpose()
    }

    /// Index of the joint that each matrix of `palettes` follows.
    #[getter]
    fn palette_joints(&self) -> Vec<usize> {
        let matrix_ranges = self.rig.layout().matrix_ranges.iter();
        let joints = matrix_ranges.flat_map(|matrix_range| PaletteLayout::matrices_of(self.rig.model(), matrix_range));
        joints.map(|(joint, _)| joint.get()).collect()
    }

    /// Returns the matrices from joint to model space in double precision: an array of the shape (times, joints, 4, 4), or
    /// (joints, 4, 4) for one number.
    ///
    /// `clip` is a name, an index or one of `clips`; `None` is the rest pose. Times in seconds are clamped to the clip.
    #[pyo3(signature = (clip, times))]
    fn poses<'py>(&self, py: Python<'py>, clip: Option<ClipArgument>, times: Times) -> PyResult<Bound<'py, PyAny>> {
        let model = self.rig.model();
        let (clip, skeleton) = (self.find(clip)?, &model.skeleton);
        let matrices = py.detach(|| {
            let (mut cursor, mut pose, mut model_pose) = (Cursor::default(), Pose::default(), ModelPose::default());
            let mut matrices = Vec::with_capacity(times.secs.len() * skeleton.len() * 16);
            for time_secs in &times.secs {
                match clip.map(|clip| &model.clips[clip.get()]) {
                    Some(clip) => sample(skeleton, clip, clamp_to_clip(*time_secs, clip), &mut cursor, &mut pose),
                    None => pose.reset(skeleton),
                }
                model_pose.update(skeleton, &pose);
                let joints = (0..skeleton.len()).map(|joint| model_pose.model_from_joint(JointIndex(joint as u32)));
                joints.for_each(|affine| matrices.extend(rows_of(affine)));
            }
            matrices
        });
        let array = PyArray1::from_vec(py, matrices).reshape([times.secs.len(), skeleton.len(), 4, 4])?;
        times.result(array.into_any())
    }

    /// Returns the matrices from mesh to model space, which skin vertices, in single precision: an array of the shape
    /// (times, matrices, 3, 4), or (matrices, 3, 4) for one number. `palette_joints` has their joints.
    ///
    /// `clip` is a name, an index or one of `clips`; `None` is the rest pose. Times in seconds are clamped to the clip.
    #[pyo3(signature = (clip, times))]
    fn palettes<'py>(&self, py: Python<'py>, clip: Option<ClipArgument>, times: Times) -> PyResult<Bound<'py, PyAny>> {
        let matrix_count = self.rig.layout().matrix_count as usize;
        let texels = self.blocks(py, clip, &times)?;
        // A view: the texels of morph weights follow the matrices of each block.
        let index = (PySlice::full(py), PySlice::new(py, 0, 12 * matrix_count as isize, 1));
        let matrices = texels.get_item(index)?.call_method1("reshape", ((times.secs.len(), matrix_count, 3, 4),))?;
        times.result(matrices)
    }

    /// Returns the weights of the morph targets: an array of the shape (times, weights), or (weights,) for one number. Those of a draw are at
    /// its `weights`.
    ///
    /// `clip` is a name, an index or one of `clips`; `None` is the rest pose. Times in seconds are clamped to the clip.
    #[pyo3(signature = (clip, times))]
    fn morph_weights<'py>(
        &self,
        py: Python<'py>,
        clip: Option<ClipArgument>,
        times: Times,
    ) -> PyResult<Bound<'py, PyAny>> {
        let layout = self.rig.layout();
        let (first, count) = (12 * layout.matrix_count as isize, layout.morph_weight_count as isize);
        let index = (PySlice::full(py), PySlice::new(py, first, first + count, 1));
        times.result(self.blocks(py, clip, &times)?.get_item(index)?)
    }

    /// Returns the joint of each role of a body, with the confidence of its detection: the JSON of `rigview rig-map`.
    ///
    /// `map` is the content of a `.rigmap.toml` file, which replaces joints of roles by name or node, `kind`, `up`, `facing` and `rest`.
    #[pyo3(signature = (map=None))]
    fn rig_map<'py>(&self, py: Python<'py>, map: Option<Bound<'py, PyMapping>>) -> PyResult<Bound<'py, PyAny>> {
        retarget::rig_map(py, self, map.as_ref())
    }

    /// Returns this model with the clips of `source` added, for its proportions. `map` and `source_map` are those of `rig_map`.
    ///
    /// Raises `ValueError` if a body lacks hips or limbs, or if the kinds of the bodies differ.
    #[pyo3(signature = (source, *, map=None, source_map=None))]
    fn retarget(
        &self,
        py: Python<'_>,
        source: &Self,
        map: Option<Bound<'_, PyMapping>>,
        source_map: Option<Bound<'_, PyMapping>>,
    ) -> PyResult<Retargeted> {
        retarget::retarget(py, self, source, map.as_ref(), source_map.as_ref())
    }

    /// Poses each joint through its range and measures the skinned mesh. Returns the joints, worst first, as the key `flex` of
    /// `rigview check --flex --json`. `limits` are keys of a file of limits, such as `{"volume": 0.6}`.
    #[pyo3(signature = (limits=None))]
    fn flex<'py>(&self, py: Python<'py>, limits: Option<BTreeMap<String, f64>>) -> PyResult<Bound<'py, PyAny>> {
        let (model, scene) = (self.rig.shared_model(), self.rig.model().default_scene);
        reports::flex(py, &Rig::new(model, scene).expect("an imported model is valid"), limits.unwrap_or_default())
    }

    /// Returns the default scene at a time of a clip as a GLB file of static meshes, in the order of the vertices of the file.
    ///
    /// Raises `ValueError` if a posed vertex exceeds single precision, or the result exceeds the 4 GiB of a GLB file.
    #[pyo3(signature = (clip=None, time=0.0))]
    fn bake<'py>(&self, py: Python<'py>, clip: Option<ClipArgument>, time: f64) -> PyResult<Bound<'py, PyBytes>> {
        let clip = self.find(clip)?;
        if !time.is_finite() {
            return Err(PyValueError::new_err(format!("time is {time}; expected a finite time in seconds")));
        }
        let glb = py.detach(|| bake::glb(self.rig.shared_model(), &self.gltf_file, clip, time));
        Ok(PyBytes::new(py, &glb.map_err(|error| value_error(&error))?))
    }

    /// Returns the model as a GLB file, with all clips and with external files embedded. The data of the file keeps its bytes.
    ///
    /// Raises `ValueError` if the result exceeds the 4 GiB of a GLB file.
    fn to_glb<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let (model, added) = (self.rig.model(), self.file_clip_count..self.rig.model().clips.len());
        let glb = py.detach(|| glb_with_clips(&self.gltf_file, model, added)).map_err(|error| value_error(&error))?;
        Ok(PyBytes::new(py, &glb))
    }
}

impl Model {
    pub(crate) fn find(&self, clip: Option<ClipArgument>) -> PyResult<Option<ClipIndex>> {
        clip.map(|clip| clip.find(self.rig.model())).transpose()
    }

    /// Returns the block of the palette at each time: an array of the shape (times, numbers).
    fn blocks<'py>(&self, py: Python<'py>, clip: Option<ClipArgument>, times: &Times) -> PyResult<Bound<'py, PyAny>> {
        let clip = self.find(clip)?;
        let texels = py.detach(|| {
            // An instance per time. Instances that play one clip have blocks in their own order.
            let mut crowd = Crowd::new(times.secs.iter().map(|time_secs| instance_at(clip, *time_secs)));
            let mut animator = CrowdAnimator::new(&self.rig);
            let mut texels = vec![[0.0; 4]; animator.texel_count(&mut crowd)];
            animator.update_into(&mut crowd, 0.0, &mut texels);
            texels.into_flattened()
        });
        let stride = texels.len().checked_div(times.secs.len()).unwrap_or(0);
        Ok(PyArray1::from_vec(py, texels).reshape([times.secs.len(), stride])?.into_any())
    }
}

impl Times {
    /// Returns an array with a dimension of times, or its only element for a number.
    fn result<'py>(&self, array: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if self.is_number { array.get_item(0) } else { Ok(array) }
    }
}

/// Returns an instance that is at a time of a clip while the clock is at 0.
pub(crate) fn instance_at(clip: Option<ClipIndex>, time_secs: f64) -> Instance {
    let playback = Playback { speed: 1.0, start_offset_secs: time_secs, loop_mode: LoopMode::Once };
    Instance { playback, ..Instance::single(clip) }
}

/// Returns the rig of the default scene, with matrices of three rows for mesh space as in the file.
///
/// # Errors
/// If the model is invalid.
pub(crate) fn rig_of(model: Arc<rigview_core::model::Model>) -> PyResult<Rig> {
    model.validate().map_err(|error| value_error(&error))?;
    let mut layout = PaletteLayout::new(&model, model.default_scene);
    // Positions in Python are not relative to another point.
    layout.matrix_ranges.iter_mut().for_each(|matrix_range| matrix_range.position_offset = [0.0; 3]);
    // Rows of matrices are more useful in NumPy than quaternions.
    Ok(Rig::with_layout(model, layout, MatrixFormat::Mat3x4))
}

/// Returns a matrix as four rows.
fn rows_of(affine: &Affine) -> [f64; 16] {
    let (m, t) = (&affine.linear, &affine.translation);
    let row = |i: usize| [m[(i, 0)], m[(i, 1)], m[(i, 2)], t[i]];
    let [x, y, z] = [row(0), row(1), row(2)];
    let mut rows = [0.0; 16];
    rows.copy_from_slice([x, y, z, [0.0, 0.0, 0.0, 1.0]].as_flattened());
    rows
}
