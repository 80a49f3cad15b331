//! Arguments that have several types in Python.

use crate::errors;
use crate::model::Clip;
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyIndexError, PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use rigview_core::import::{ImageLoading, ImportError, ImportOptions, Imported, ModelFile};
use rigview_core::model::{ClipIndex, Model};
use std::path::{Path, PathBuf};

/// A model file: its path, or its content.
pub(crate) enum Source {
    Path(PathBuf),
    Bytes(PyBackedBytes),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Source {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.extract() {
            return Ok(Self::Bytes(bytes));
        }
        let path = object.extract().map_err(|_| wrong_type(object, "a path or the bytes of a model"))?;
        Ok(Self::Path(path))
    }
}

impl Source {
    /// The path; `None` for bytes.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) => Some(path),
            Self::Bytes(_) => None,
        }
    }

    /// Reads the file. URIs of external files in bytes are relative to `base`.
    pub(crate) fn read(&self, base: Option<&Path>) -> Result<ModelFile, ImportError> {
        let limits = &ImportOptions::default().policy.limits;
        match self {
            Self::Path(path) => ModelFile::read(path, limits),
            Self::Bytes(bytes) => ModelFile::from_bytes(bytes.to_vec(), base, limits),
        }
    }

    /// Imports the file without its images.
    pub(crate) fn import(&self, base: Option<&Path>) -> PyResult<Imported> {
        let options = ImportOptions::default().with_images(ImageLoading::Skip);
        let imported = self.read(base).and_then(|file| file.import(&options));
        imported.map_err(|error| errors::of_import(self.path(), &error))
    }
}

/// A clip by name, by index, or one of `Model.clips`.
pub(crate) enum ClipArgument {
    Index(isize),
    Name(String),
    Clip(Py<Clip>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for ClipArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(name) = object.extract() {
            return Ok(Self::Name(name));
        }
        if let Ok(clip) = object.cast::<Clip>() {
            return Ok(Self::Clip(clip.to_owned().unbind()));
        }
        let index = object.extract().map_err(|_| wrong_type(object, "a name, an index, a Clip or None"))?;
        Ok(Self::Index(index))
    }
}

impl ClipArgument {
    /// Finds the clip in `model`. Negative indices count from the end.
    pub(crate) fn find(&self, model: &Model) -> PyResult<ClipIndex> {
        let clips = &model.clips;
        let index = match self {
            Self::Index(index) => {
                let from_start = if *index < 0 { index.checked_add_unsigned(clips.len()) } else { Some(*index) };
                let found =
                    from_start.and_then(|index| usize::try_from(index).ok()).filter(|index| *index < clips.len());
                found.ok_or_else(|| PyIndexError::new_err(format!("clip {index} of {}", clips.len())))?
            }
            Self::Name(name) => {
                let found = model.find_clip(name).map(ClipIndex::get);
                found.ok_or_else(|| PyKeyError::new_err(format!("no clip {name:?}; see Model.clips")))?
            }
            Self::Clip(clip) => {
                let Clip { name, duration, index } = clip.get();
                let is_equal = |own: &rigview_core::model::Clip| own.name == *name && own.duration_secs == *duration;
                let found = clips.get(*index).filter(|own| is_equal(own)).map(|_| *index);
                found.ok_or_else(|| PyValueError::new_err("the clip is one of another model"))?
            }
        };
        Ok(ClipIndex(index as u32))
    }
}

/// Finite times in seconds: a number, or an array of one dimension.
pub(crate) struct Times {
    pub(crate) secs: Vec<f64>,
    /// `true` for a number: results have no dimension of times.
    pub(crate) is_number: bool,
}

impl<'a, 'py> FromPyObject<'a, 'py> for Times {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let array = object.py().import("numpy")?.call_method1("asarray", (object, "float64"))?;
        let array = array.cast_into::<PyArrayDyn<f64>>()?;
        if array.ndim() > 1 {
            let message = format!("times has {} dimensions; expected a number or a list of numbers", array.ndim());
            return Err(PyValueError::new_err(message));
        }
        let secs: Vec<f64> = array.readonly().as_array().iter().copied().collect();
        if let Some(position) = secs.iter().position(|time| !time.is_finite()) {
            let message = format!("time {position} is {}; expected finite times in seconds", secs[position]);
            return Err(PyValueError::new_err(message));
        }
        Ok(Self { secs, is_number: array.ndim() == 0 })
    }
}

fn wrong_type(object: Borrowed<'_, '_, PyAny>, expected: &str) -> PyErr {
    let name = object.get_type().name().map_or_else(|_| "this object".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("expected {expected}, not {name}"))
}
