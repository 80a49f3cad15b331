//! Issues, differences and measures, as the commands print them by `--json`.

use crate::arguments::Source;
use crate::errors::of_import;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rigview_check::diff::{RigDiff, Tolerances};
use rigview_check::flex::{FlexLimits, measure};
use rigview_check::profile::Profile;
use rigview_check::{check_file, check_model};
use rigview_core::import::{ImportError, ImportPolicy};
use rigview_core::palette::Rig;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Returns the issues of a model file. A file that cannot be read is an exception, and damage is an issue.
#[pyfunction]
pub(crate) fn check(
    py: Python<'_>,
    source: Source,
    base: Option<PathBuf>,
    profile: Option<PathBuf>,
) -> PyResult<Bound<'_, PyAny>> {
    let issues = py.detach(|| {
        let profile = profile.map(|file| Profile::open(&file).map_err(PyValueError::new_err)).transpose()?;
        let policy = ImportPolicy::default();
        let path = source.path().unwrap_or(Path::new(""));
        match source.read(base.as_deref()) {
            Ok(file) => Ok(check_model(path, file, &policy, None, profile.as_ref())),
            Err(error @ (ImportError::Read { .. } | ImportError::NotAFile { .. })) => {
                Err(of_import(source.path(), &error))
            }
            Err(_) if source.path().is_some() => Ok(check_file(path, &policy, None, profile.as_ref())),
            Err(error) => Err(of_import(None, &error)),
        }
    });
    to_python(py, &issues?)
}

/// Returns the differences between two model files.
#[pyfunction]
pub(crate) fn diff<'py>(
    py: Python<'py>,
    before: Source,
    after: Source,
    tolerances: BTreeMap<String, f64>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut all = Tolerances::default();
    for (name, value) in tolerances {
        if value.is_nan() || value < 0.0 || !all.set(&name, value) {
            let names = "distance, degrees, scale, weight, seconds, value";
            return Err(PyValueError::new_err(format!("{name} = {value} is no tolerance; known are {names}, from 0")));
        }
    }
    #[derive(Serialize)]
    struct Output {
        same: bool,
        #[serde(flatten)]
        diff: RigDiff,
    }
    let diff = py.detach(|| Ok::<_, PyErr>(RigDiff::of_files(&before.import(None)?, &after.import(None)?, &all)))?;
    to_python(py, &Output { same: diff.is_empty(), diff })
}

/// Returns the measures of the joints of a rig in poses.
pub(crate) fn flex<'py>(py: Python<'py>, rig: &Rig, limits: BTreeMap<String, f64>) -> PyResult<Bound<'py, PyAny>> {
    let mut text = String::new();
    for (name, value) in limits {
        if !(value > 0.0 && value.is_finite()) {
            return Err(PyValueError::new_err(format!("{name}: {value} is not a number above 0")));
        }
        // JSON strings are TOML strings.
        text += &format!("{} = {value:?}\n", serde_json::Value::from(name));
    }
    let limits = FlexLimits::from_toml(&text).map_err(|error| {
        // The text has a line per limit, which the caller does not know.
        PyValueError::new_err(error.split_once(": ").map_or(error.clone(), |(_, problem)| problem.to_owned()))
    })?;
    to_python(py, &py.detach(|| measure(rig, &limits, &|_, _| true)))
}

/// Returns a value as objects of Python, with the keys of its JSON.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))?;
    py.import("json")?.call_method1("loads", (text,))
}
