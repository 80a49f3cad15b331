//! Native part of the Python package `rigview`: models, and their poses and palettes as NumPy arrays.

use numpy::{PyArray1, PyArray3, PyArray4, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyKeyError, PyValueError};
use pyo3::prelude::*;
use rigview_core::crowd::{Crowd, CrowdAnimator, Instance};
use rigview_core::import::{self, ImageLoading, ImportOptions};
use rigview_core::math::Affine;
use rigview_core::model::{ClipIndex, JointIndex};
use rigview_core::palette::{MatrixFormat, PaletteLayout, Rig};
use rigview_core::pose::{Cursor, LoopMode, ModelPose, Playback, Pose, clamp_to_clip, sample};
use std::error::Error;
use std::path::PathBuf;

/// A clip of a model.
#[pyclass(frozen, get_all, module = "rigview")]
struct Clip {
    /// Name in the file, not necessarily unique.
    name: Option<String>,
    /// Time of the last key in seconds.
    duration: f32,
}

/// A clip by name or by index.
#[derive(FromPyObject)]
enum ClipRef {
    Index(usize),
    Name(String),
}

/// A rig with clips. Every node of the file is a joint, parents before children.
#[pyclass(frozen, module = "rigview")]
struct Model {
    rig: Rig,
    /// What the import left out, ignored or repaired.
    #[pyo3(get)]
    diagnostics: Vec<String>,
}

#[pymethods]
impl Model {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let options = ImportOptions::default().with_images(ImageLoading::Skip);
        let loaded =
            py.detach(|| import::open(&path, &options)).map_err(|error| PyValueError::new_err(line_of(&error)))?;
        let scene = loaded.model.default_scene;
        // Rows of matrices are more useful in NumPy than quaternions.
        let rig = Rig::new(loaded.model, scene).with_format(MatrixFormat::Mat3x4);
        Ok(Self { rig, diagnostics: loaded.diagnostics.iter().map(ToString::to_string).collect() })
    }

    /// Names of the joints.
    #[getter]
    fn joints(&self) -> Vec<Option<String>> {
        self.rig.model().skeleton.joints().iter().map(|joint| joint.name.clone()).collect()
    }

    /// Index of each joint's parent; `None` for a root.
    #[getter]
    fn parents(&self) -> Vec<Option<usize>> {
        self.rig.model().skeleton.joints().iter().map(|joint| joint.parent.map(JointIndex::get)).collect()
    }

    /// Clips in the order of the file.
    #[getter]
    fn clips(&self) -> Vec<Clip> {
        let clips = self.rig.model().clips.iter();
        clips.map(|clip| Clip { name: clip.name.clone(), duration: clip.duration_secs }).collect()
    }

    /// Index of the joint that each matrix of `palettes` follows.
    #[getter]
    fn palette_joints(&self) -> Vec<usize> {
        let matrix_ranges = self.rig.layout().matrix_ranges.iter();
        let joints = matrix_ranges.flat_map(|matrix_range| PaletteLayout::matrices_of(self.rig.model(), matrix_range));
        joints.map(|(joint, _)| joint.get()).collect()
    }

    /// Returns the matrices from joint to model space in double precision: an array of the shape (times, joints, 4, 4).
    ///
    /// `clip` is a name or an index; `None` is the rest pose. Times in seconds are clamped to the clip.
    fn poses<'py>(
        &self,
        py: Python<'py>,
        clip: Option<ClipRef>,
        times: Vec<f64>,
    ) -> PyResult<Bound<'py, PyArray4<f64>>> {
        let (model, clip) = (self.rig.model(), self.clip_index(clip)?);
        let skeleton = &model.skeleton;
        let matrices = py.detach(|| {
            let (mut cursor, mut pose, mut model_pose) = (Cursor::default(), Pose::default(), ModelPose::default());
            let mut matrices = Vec::with_capacity(times.len() * skeleton.len() * 16);
            for time_secs in &times {
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
        PyArray1::from_vec(py, matrices).reshape([times.len(), skeleton.len(), 4, 4])
    }

    /// Returns the matrices from mesh to model space, which skin vertices, in single precision: an array of the shape
    /// (times, matrices, 3, 4). `palette_joints` has their joints.
    ///
    /// `clip` is a name or an index; `None` is the rest pose. Times in seconds are clamped to the clip.
    fn palettes<'py>(
        &self,
        py: Python<'py>,
        clip: Option<ClipRef>,
        times: Vec<f64>,
    ) -> PyResult<Bound<'py, PyArray4<f32>>> {
        let clip = self.clip_index(clip)?;
        let matrix_count = self.rig.layout().matrix_count as usize;
        let texels = py.detach(|| {
            // An instance per time. Instances that play one clip have blocks in their own order.
            let mut crowd = Crowd::new(times.iter().map(|time_secs| Instance {
                playback: Playback { speed: 1.0, start_offset_secs: *time_secs, loop_mode: LoopMode::Once },
                ..Instance::single(clip)
            }));
            let mut animator = CrowdAnimator::new(&self.rig);
            let mut texels = vec![[0.0; 4]; animator.texel_count(&mut crowd)];
            animator.update_into(&mut crowd, 0.0, &mut texels);
            texels.into_flattened()
        });
        let stride = texels.len().checked_div(times.len()).unwrap_or(0);
        let texels = PyArray1::from_vec(py, texels).reshape([times.len(), stride])?;
        // A view: the texels of morph weights follow the matrices of each block.
        let index = (pyo3::types::PySlice::full(py), pyo3::types::PySlice::new(py, 0, 12 * matrix_count as isize, 1));
        let matrices = texels.get_item(index)?;
        Ok(matrices.call_method1("reshape", ((times.len(), matrix_count, 3, 4),))?.cast_into()?)
    }
}

impl Model {
    fn clip_index(&self, clip: Option<ClipRef>) -> PyResult<Option<ClipIndex>> {
        let clips = &self.rig.model().clips;
        let index = match clip {
            None => return Ok(None),
            Some(ClipRef::Index(index)) if index < clips.len() => index,
            Some(ClipRef::Index(index)) => {
                return Err(PyIndexError::new_err(format!("clip {index} of {}", clips.len())));
            }
            Some(ClipRef::Name(name)) => {
                let found = clips.iter().position(|clip| clip.name.as_ref() == Some(&name));
                found.ok_or_else(|| PyKeyError::new_err(format!("no clip {name:?}; see Model.clips")))?
            }
        };
        Ok(Some(ClipIndex(index as u32)))
    }
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

/// Returns an error with its sources as one line.
fn line_of(error: &dyn Error) -> String {
    let (mut line, mut source) = (error.to_string(), error.source());
    while let Some(error) = source {
        line += &format!(": {error}");
        source = error.source();
    }
    line
}

/// Decodes a PNG of `rigview shot`: RGBA bytes of the shape (height, width, 4).
#[pyfunction]
fn decode_png<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Bound<'py, PyArray3<u8>>> {
    let refused = |error: png::DecodingError| PyValueError::new_err(error.to_string());
    let mut reader = png::Decoder::new(std::io::Cursor::new(data)).read_info().map_err(refused)?;
    let size = reader.output_buffer_size().ok_or_else(|| PyValueError::new_err("the image is too large"))?;
    let mut rgba = vec![0; size];
    let frame = reader.next_frame(&mut rgba).map_err(refused)?;
    PyArray1::from_vec(py, rgba).reshape([frame.height as usize, frame.width as usize, 4])
}

#[pymodule]
fn _rigview(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Model>()?;
    module.add_class::<Clip>()?;
    module.add_function(wrap_pyfunction!(decode_png, module)?)
}
