//! Maps of rigs as TOML files, JSON and lines.

use crate::app::error::RigMapError;
use crate::request::rig_map_file;
use rigview_core::import::{Diagnostic, ImportPolicy, read_text_beside};
use rigview_core::model::{Model, Skeleton};
use rigview_core::retarget::{Reference, ReferenceSettings, RigMap, Role, RoleSource, axis_name};
use rigview_core::util::text::excerpt;
use serde_json::{Map, Value};
use std::fmt::Write;
use std::io::ErrorKind;
use std::path::Path;

/// Maximum size of a file with a map in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Finds the roles of a model, and applies `MODEL.rigmap.toml` next to the model if that exists: a side file of the model, so that
/// `policy` applies to it.
///
/// # Errors
/// If the map cannot be read or is invalid; the message names the file.
pub(crate) fn open_rig_map(model: &Model, model_file: &Path, policy: &ImportPolicy) -> Result<RigMap, RigMapError> {
    let mut map = RigMap::detect(model);
    let file = rig_map_file(model_file);
    let in_file = |problem: String| RigMapError::File { file: file.display().to_string(), problem };
    let text = match read_text_beside(&file, MAX_FILE_BYTES, policy) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(map),
        text => text,
    };
    let text = text.map_err(|error| in_file(error.to_string()))?;
    apply_toml(&mut map, &model.skeleton, &text).map_err(|error| in_file(error.to_string()))?;
    Ok(map)
}

/// Applies the content of a TOML file by [`RigMap::apply`].
///
/// # Errors
/// If it is not TOML, names an unknown role or joint, or has an unknown value: one line with the remedy.
pub(crate) fn apply_toml(map: &mut RigMap, skeleton: &Skeleton, text: &str) -> Result<(), RigMapError> {
    let changes: Map<String, Value> = toml::from_str(text).map_err(|error| RigMapError::Syntax {
        line: 1 + text.get(..error.span().map_or(0, |span| span.start)).unwrap_or_default().matches('\n').count(),
        message: error.message().to_owned(),
    })?;
    Ok(map.apply(skeleton, &changes)?)
}

/// Returns a TOML file with the joint of each role, and the roles that have none by [`RigMap::set`].
pub(crate) fn to_toml(map: &RigMap, skeleton: &Skeleton) -> String {
    let mut text =
        "# Role = joint, by name or by index of the glTF node. '' leaves a role without a joint.\n".to_owned();
    let ReferenceSettings { kind, up, facing, rest } = *map.settings();
    let (up, facing) = (up.map(axis_name), facing.map(axis_name));
    let values = [kind.map(|kind| kind.to_string()), up, facing, rest.map(|rest| rest.name().to_owned())];
    for ((key, choices), value) in RigMap::SETTINGS.into_iter().zip(values) {
        // Writing to a string cannot fail.
        let _ = match value {
            Some(value) => writeln!(text, "{key} = '{value}'"),
            None => writeln!(text, "# {key} = '...' replaces what is estimated: {choices}"),
        };
    }
    for role in Role::all() {
        let Some(mapped) = map.get(role) else {
            if map.is_cleared(role) {
                let _ = writeln!(text, "{role} = ''");
            }
            continue;
        };
        let joint = skeleton.joint(mapped.joint);
        let is_clear = |name: &&String| skeleton.find(name) == Some(mapped.joint);
        // Writing to a string cannot fail.
        let _ = match joint.name.as_ref().filter(is_clear) {
            Some(name) => writeln!(text, "{role} = {}", toml::Value::from(name.as_str())),
            None => writeln!(text, "{role} = {}", joint.node),
        };
    }
    text
}

/// Returns the content of the map's file; `None` if no role comes from a file.
pub(crate) fn user_toml(map: &RigMap, skeleton: &Skeleton) -> Option<String> {
    let is_set = |role| map.is_cleared(role) || map.get(role).is_some_and(|mapped| mapped.source == RoleSource::User);
    Role::all().any(is_set).then(|| to_toml(map, skeleton))
}

/// Returns a table: role, joint, confidence and source; then the required roles without a joint.
pub(crate) fn to_lines(map: &RigMap, skeleton: &Skeleton) -> Vec<String> {
    let mapped: Vec<_> = Role::all().filter_map(|role| Some((role, map.get(role)?))).collect();
    let sides = match map.sides_are_exchanged() {
        true => "; left and right are exchanged against the names: toes, or knees and walk, point to the other side",
        false => "",
    };
    let mut lines = vec![format!("{}, {} of {} roles{sides}", map.kind(), mapped.len(), Role::COUNT)];
    for (role, mapped) in mapped {
        let joint = skeleton.joint(mapped.joint);
        let name = joint.name.as_deref().map_or_else(|| format!("node {}", joint.node), excerpt);
        let (role, source) = (role.to_string(), mapped.source.name());
        lines.push(format!("  {role:<24} {name:<32} {:.1}  {source}", mapped.confidence));
    }
    lines.extend(map.missing().map(|role| format!("  {:<24} missing", role.to_string())));
    lines
}

/// Returns the files of two rigs whose reference pose has a low confidence, with what is assumed and a remedy. The files are those of the
/// motion and the model.
pub(crate) fn low_confidence(references: Option<[Reference; 2]>, files: [&Path; 2]) -> Vec<(&Path, String)> {
    let of_files = references.into_iter().flatten().zip(files).zip(["motion", "model"]);
    let low = of_files.filter(|((reference, _), _)| reference.confidence < Reference::LOW_CONFIDENCE);
    low.map(|((reference, file), which)| {
        let remedy = format!(
            "look at the result, and set up, facing or rest in {} or by `retarget --assume`",
            rig_map_file(file).display()
        );
        (file, format!("the {which} has {reference}, confidence {:.2}; {remedy}", reference.confidence))
    })
    .collect()
}

/// Returns the same as diagnostics.
pub(crate) fn confidence_diagnostics(references: Option<[Reference; 2]>, files: [&Path; 2]) -> Vec<Diagnostic> {
    let low = low_confidence(references, files).into_iter();
    low.map(|(file, message)| Diagnostic::new("", format!("{}: {message}", file.display()))).collect()
}

/// Returns diagnostics of the roles that one of two maps sets to none and the other one has. The files are those of the models.
pub(crate) fn cleared_diagnostics(maps: [(&RigMap, &Path); 2]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for (i, (map, file)) in maps.into_iter().enumerate() {
        let other = maps[1 - i].0;
        let is_cleared = |role: &Role| map.is_cleared(*role) && other.get(*role).is_some();
        let roles: Vec<String> = Role::all().filter(is_cleared).map(|role| role.to_string()).collect();
        let message = format!(
            "{} sets {} to none, so that retargeted clips leave it out; select its joint in the tab Retarget, or remove its line",
            rig_map_file(file).display(),
            roles.join(", "),
        );
        diagnostics.extend((!roles.is_empty()).then(|| Diagnostic::new("", message)));
    }
    diagnostics
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;
    use rigview_core::import::{ImportOptions, open};
    use rigview_core::model::JointIndex;
    use rigview_core::retarget::{ReferenceSource, retarget_clips};

    fn body() -> Model {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/book/motion/body.glb");
        open(&file, &ImportOptions::default()).unwrap().model
    }

    fn joints_of(map: &RigMap) -> Vec<Option<JointIndex>> {
        Role::all().map(|role| map.get(role).map(|mapped| mapped.joint)).collect()
    }

    #[test]
    fn toml_round_trips_and_refuses_unknown_roles_and_joints() {
        let Model { skeleton, .. } = &body();
        let map = RigMap::detect(&body());
        let mut read = map.clone();
        apply_toml(&mut read, skeleton, &to_toml(&map, skeleton)).unwrap();
        assert_eq!(joints_of(&read), joints_of(&map));
        let role = |name: &str| Role::from_name(name).unwrap();
        assert!(read.get(Role::HIPS).is_some_and(|mapped| mapped.source == RoleSource::User));
        let head = map.get(role("head")).unwrap().joint;
        // Joints without a name are written by node.
        let mut joints = skeleton.joints().to_vec();
        joints[head.get()].name = Some("\"head\"\n".into());
        joints[map.get(Role::HIPS).unwrap().joint.get()].name = None;
        let renamed = Skeleton::new(joints, Vec::new());
        let text = to_toml(&map, &renamed);
        let mut again = map.clone();
        apply_toml(&mut again, &renamed, &text).unwrap();
        assert_eq!(joints_of(&again), joints_of(&map), "{text}");
        // Roles without a joint stay without one in a file.
        apply_toml(&mut read, skeleton, &format!("leftToes = {}\nleftHand = ''", skeleton.joint(head).node)).unwrap();
        let mut again = map.clone();
        apply_toml(&mut again, skeleton, &to_toml(&read, skeleton)).unwrap();
        assert_eq!(joints_of(&again), joints_of(&read));
        assert_eq!(again.get(role("leftToes")).unwrap().joint, head);
        assert_eq!((again.get(role("leftHand")), again.get(role("head"))), (None, None));
        for (text, expected) in [
            ("hips = 1\nhips", "line 2: "),
            ("hips = nan", "hips: the model has no joint"),
            ("hips = 1979-05-27", "hips: the model has no joint"),
            ("leftPaw = 'a'", "\"leftPaw\" is not a role"),
        ] {
            let error = apply_toml(&mut read, skeleton, text).unwrap_err().to_string();
            assert!(error.starts_with(expected) && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn settings_round_trip_and_low_confidence_is_reported() {
        let model = body();
        let mut map = RigMap::detect(&model);
        let text = "kind = 'biped'\nup = '+Z'\nfacing = '-Y'\nrest = 'first-frame'\n";
        apply_toml(&mut map, &model.skeleton, text).unwrap();
        let settings = *map.settings();
        assert_eq!((settings.up, settings.rest), (Some(Vector3::z()), Some(ReferenceSource::FirstFrame)));
        let mut again = RigMap::detect(&model);
        apply_toml(&mut again, &model.skeleton, &to_toml(&map, &model.skeleton)).unwrap();
        assert_eq!(*again.settings(), settings);
        let mut target = body();
        let source =
            open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/book/motion/walk.bvh"), &ImportOptions::default());
        let source = source.unwrap().model;
        let maps = [&source, &model].map(RigMap::detect);
        let found = retarget_clips(&mut target, &maps[1], &source, &maps[0]).unwrap();
        let files = [Path::new("walk.bvh"), Path::new("body.glb")];
        assert!(confidence_diagnostics(found.references, files).is_empty());
        let low = found.references.map(|[mut motion, model]| {
            motion.confidence = 0.3;
            [motion, model]
        });
        let [low] = &confidence_diagnostics(low, files)[..] else { panic!("one") };
        assert!(low.message.starts_with("walk.bvh: the motion has a rest pose, up +Y"), "{}", low.message);
        assert!(low.message.contains("walk.rigmap.toml"), "{}", low.message);
    }

    #[test]
    fn roles_set_to_none_are_reported_if_the_other_map_has_them() {
        let model = body();
        let (whole, mut lame) = (RigMap::detect(&model), RigMap::detect(&model));
        let (source, target) = (Path::new("walk.bvh"), Path::new("hero/body.glb"));
        assert!(cleared_diagnostics([(&whole, source), (&lame, target)]).is_empty());
        lame.set(&model.skeleton, ["leftFoot", "jaw"].map(|name| (Role::from_name(name).unwrap(), None)));
        let found = cleared_diagnostics([(&whole, source), (&lame, target)]);
        let [found] = &found[..] else { panic!("{found:?}") };
        let start = Path::new("hero/body.rigmap.toml").display().to_string() + " sets leftFoot to none";
        assert!(found.message.starts_with(&start), "{}", found.message);
        assert!(cleared_diagnostics([(&lame, source), (&lame, target)]).is_empty());
    }
}
