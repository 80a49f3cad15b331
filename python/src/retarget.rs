//! Roles of joints, and clips of one body on another.

use crate::errors::value_error;
use crate::model::{Clip, Model, rig_of};
use crate::reports::to_python;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};
use rigview_core::model::JointIndex;
use rigview_core::retarget::{
    BodyKind, ContactReport, Reference, ReferenceSource, Resampling, RigMap, Role, RoleSource, axis_from_name,
    retarget_clips,
};
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
    let low = found.references.into_iter().flatten().zip(["source", "model"]);
    let low = low.filter(|(reference, _)| reference.confidence < Reference::LOW_CONFIDENCE);
    let low = low.map(|(reference, which)| {
        format!("the {which} has {reference}; look at the result, and set up, facing or rest in its map")
    });
    let unmatched = found.unmatched.diagnostics("the source").into_iter().map(|diagnostic| diagnostic.message);
    let notices = unmatched.chain(found.resampled.iter().map(Resampling::to_string)).chain(low).collect();
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
    let (map, skeleton) = (map_of(model, map)?, &model.rig.model().skeleton);
    let roles = Role::all().filter_map(|role| {
        let mapped = map.get(role)?;
        let joint = skeleton.joint(mapped.joint);
        let confidence = (f64::from(mapped.confidence) * 100.0).round() / 100.0;
        let source = match mapped.source {
            RoleSource::Vrm => "VRM",
            RoleSource::Name => "name",
            RoleSource::Structure => "structure",
            RoleSource::User => "file",
        };
        let value = json!({ "node": joint.node, "name": joint.name, "confidence": confidence, "source": source });
        Some((role.to_string(), value))
    });
    let roles: Map<String, Value> = roles.collect();
    let missing: Vec<String> = map.missing().map(|role| role.to_string()).collect();
    to_python(py, &json!({ "kind": map.kind().to_string(), "roles": roles, "missing": missing }))
}

/// Detects the roles of a model, and applies the content of a `.rigmap.toml` file: joints of roles by name or node, and settings.
///
/// # Errors
/// If a role, a joint or the value of a setting is unknown.
fn map_of(model: &Model, changes: Option<&Bound<'_, PyMapping>>) -> PyResult<RigMap> {
    let (skeleton, mut map) = (&model.rig.model().skeleton, RigMap::detect(model.rig.model()));
    let Some(changes) = changes else { return Ok(map) };
    let changes = PyDict::from_sequence(changes.items()?.as_any())?;
    let (mut joints, mut settings) = (Vec::new(), *map.settings());
    for (key, value) in changes {
        let key: String = key.extract().map_err(|_| PyTypeError::new_err("a rig map has names of roles as keys"))?;
        let name: Option<String> = value.extract().ok();
        let unknown = |expected: &str| Err(PyValueError::new_err(format!("{key}: {value} is not {expected}")));
        let axes = "one of +X, -X, +Y, -Y, +Z, -Z";
        let text = name.as_deref().unwrap_or_default();
        match &*key {
            "kind" => match BodyKind::from_name(text) {
                None => return unknown("biped or quadruped"),
                kind => settings.kind = kind,
            },
            "up" => match axis_from_name(text) {
                None => return unknown(axes),
                axis => settings.up = axis,
            },
            "facing" => match axis_from_name(text) {
                None => return unknown(axes),
                axis => settings.facing = axis,
            },
            "rest" => match ReferenceSource::from_name(text) {
                None => return unknown("one of T, A, first-frame, file"),
                rest => settings.rest = rest,
            },
            _ => {
                let Some(role) = Role::from_name(&key) else {
                    return Err(PyValueError::new_err(format!("{key:?} is not a role; see Model.rig_map")));
                };
                let node: Option<usize> = value.extract().ok();
                let joint = match (name.as_deref(), node) {
                    (None, None) if value.is_none() => None,
                    (Some(""), _) => None,
                    (Some(name), _) => match skeleton.find(name) {
                        None => return unknown("a joint of the model"),
                        joint => joint,
                    },
                    (None, node) => match skeleton.joints().iter().position(|joint| Some(joint.node) == node) {
                        None => return unknown("the name or the node of a joint"),
                        Some(joint) => Some(JointIndex(joint as u32)),
                    },
                };
                joints.push((role, joint));
            }
        }
    }
    if let (Some(up), Some(facing)) = (settings.up, settings.facing)
        && up.dot(&facing) != 0.0
    {
        return Err(PyValueError::new_err("facing: expected an axis across up"));
    }
    map.set(skeleton, joints);
    map.set_reference(settings);
    Ok(map)
}
