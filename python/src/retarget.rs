//! Roles of joints, and clips of one body on another.

use crate::errors::value_error;
use crate::model::{Clip, Model, rig_of};
use crate::reports::to_python;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};
use rigview_core::import::name_clip_by_file;
use rigview_core::retarget::{ContactReport, Reference, Resampling, RigMap, retarget_clips};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A model with clips of another one.
#[pyclass(frozen, get_all, module = "rigview")]
pub(crate) struct Retargeted {
    /// The model with the new clips after its own ones.
    model: Py<Model>,
    /// The new clips.
    clips: Vec<Py<Clip>>,
    /// What standing feet and hands do in each new clip.
    contacts: Py<PyAny>,
    /// What the result lacks, and assumptions that need a look.
    notices: Vec<String>,
}

/// Adds the clips of `source` to the model `target`.
pub(crate) fn retarget(
    py: Python<'_>,
    target: &Model,
    source: &Model,
    map: Option<&Bound<'_, PyMapping>>,
    source_map: Option<&Bound<'_, PyMapping>>,
) -> PyResult<Retargeted> {
    let maps = [map_of(target, map)?, map_of(source, source_map)?];
    let (mut model, from) = (target.rig.model().clone(), source.rig.model());
    let found =
        py.detach(|| retarget_clips(&mut model, &maps[0], from, &maps[1])).map_err(|error| value_error(&error))?;
    if let Some(path) = &source.path {
        name_clip_by_file(&mut model.clips[found.clips.clone()], path);
    }
    let low = found.references.into_iter().flatten().zip(["source", "model"]);
    let low = low.filter(|(reference, _)| reference.confidence < Reference::LOW_CONFIDENCE);
    let low = low.map(|(reference, which)| {
        format!("the {which} has {reference}; look at the result, and set up, facing or rest in its map")
    });
    let unmatched = found.unmatched.diagnostics("the source").into_iter().map(|diagnostic| diagnostic.message);
    let of_source = source.diagnostics.iter().filter(|found| found.is_about_motion());
    let of_source = of_source.map(|found| format!("the source: {}", found.message));
    let notices =
        of_source.chain(unmatched).chain(found.resampled.iter().map(Resampling::to_string)).chain(low).collect();
    let contacts: Vec<Value> = found.contacts.iter().map(contact_json).collect();
    let model = Model {
        rig: rig_of(Arc::new(model))?,
        gltf_file: Arc::clone(&target.gltf_file),
        file_clip_count: target.file_clip_count,
        path: target.path.clone(),
        diagnostics: target.diagnostics.clone(),
    };
    let clips = model.clips().into_iter().skip(found.clips.start).map(|clip| Py::new(py, clip));
    let clips = clips.collect::<PyResult<_>>()?;
    Ok(Retargeted { model: Py::new(py, model)?, clips, contacts: to_python(py, &contacts)?.unbind(), notices })
}

fn contact_json(report: &ContactReport) -> Value {
    json!({
        "feet": report.count,
        "hands": report.hand_count,
        "frames": report.frame_count,
        "slide": report.max_slide,
        "slide_of_source": report.max_slide_of_source,
        "slide_without_correction": report.max_slide_before,
    })
}

/// Returns the roles as `rigview rig-map --json` prints them.
pub(crate) fn rig_map<'py>(
    py: Python<'py>,
    model: &Model,
    map: Option<&Bound<'py, PyMapping>>,
) -> PyResult<Bound<'py, PyAny>> {
    to_python(py, &map_of(model, map)?.to_json(&model.rig.model().skeleton))
}

/// Detects the roles of a model, and applies the content of a `.rigmap.toml` file: joints of roles by name or node, and settings. `None`
/// leaves a role without a joint, as `""` does.
///
/// # Errors
/// If a role, a joint or the value of a setting is unknown.
fn map_of(model: &Model, changes: Option<&Bound<'_, PyMapping>>) -> PyResult<RigMap> {
    let mut map = RigMap::detect(model.rig.model());
    let Some(changes) = changes else { return Ok(map) };
    let mut values = Map::new();
    for (key, value) in PyDict::from_sequence(changes.items()?.as_any())? {
        let key: String = key.extract().map_err(|_| PyTypeError::new_err("a rig map has names of roles as keys"))?;
        let value = match value.extract::<String>() {
            _ if value.is_none() => Value::from(""),
            Ok(text) => Value::from(text),
            // Not a joint, unless it is the index of a node.
            Err(_) => value.extract::<u64>().map(Value::from).or_else(|_| value.extract::<f64>().map(Value::from))?,
        };
        values.insert(key, value);
    }
    map.apply(&model.rig.model().skeleton, &values).map_err(|error| value_error(&error))?;
    Ok(map)
}
