//! The rules of a profile, and their issues.

use super::file::Rules;
use super::measures::{Measure, Measures};
use super::reference_skeleton::{parent_name, skin_joints};
use crate::issue::Issues;
use crate::loop_seam::loop_discontinuity;
use crate::rig::rest_size;
use rigview_core::import::Imported;
use rigview_core::model::{Clip, JointIndex, Model};
use rigview_core::retarget::{RigMap, Role};
use rigview_core::util::text::{counted, quoted};
use serde_json::Value;
use std::collections::BTreeSet;

/// Distance of a rest position from that of the reference skeleton, relative to its size.
const MAX_DISTANCE: f64 = 1e-3;
/// Angle between a rest rotation and that of the reference skeleton, in radians.
const MAX_ANGLE: f64 = 0.01;
/// Difference of a factor of scale.
const MAX_SCALE: f64 = 1e-3;
/// Distance of a key from a frame, in frames: float rounding at some minutes.
const MAX_FRAME_OFFSET: f64 = 0.02;

/// Adds the issues of a file that breaks the rules of a profile.
pub(crate) fn check(rules: &Rules, imported: &Imported, issues: &mut Issues) {
    rules.check_limits(imported, issues);
    rules.check_skeleton(&imported.model, issues);
    rules.check_clips(&imported.model, issues);
    rules.check_materials(imported, issues);
}

impl Rules {
    fn by(&self) -> String {
        format!("by the profile {}", quoted(&self.name))
    }

    fn check_limits(&self, imported: &Imported, issues: &mut Issues) {
        if self.limits.is_empty() {
            return;
        }
        let (measures, profile) = (Measures::new(imported), quoted(&self.name));
        for (key, range) in &self.limits {
            for Measure { value, pointer, place } in
                measures.of(*key).into_iter().filter(|found| !range.contains(found.value))
            {
                let place = if place.is_empty() { "the file" } else { &*place };
                let message = format_args!(
                    "{}: {place} has {}; the profile {profile} permits {}; {}",
                    key.name(),
                    key.format(value),
                    range.violated(*key, value),
                    key.remedy()
                );
                issues.add("RIGVIEW_PROFILE_LIMIT", pointer, message);
            }
        }
    }

    fn check_skeleton(&self, model: &Model, issues: &mut Issues) {
        let (skeleton, by) = (&model.skeleton, self.by());
        const CODE: &str = "RIGVIEW_PROFILE_SKELETON";
        if let Some(required) = &self.skeleton.required {
            let map = RigMap::detect(model);
            let has = |name: &str| {
                let of_role = Role::from_name(name).and_then(|role| map.get(role));
                of_role.is_some() || skeleton.find(name).is_some()
            };
            for name in required.iter().filter(|name| !has(name)) {
                let message = format_args!(
                    "the joint {} is missing, which is required {by}; add the bone in Blender, or rename the one in its place",
                    quoted(name)
                );
                issues.add(CODE, "/nodes", message);
            }
        }
        let Some(reference) = &self.reference else { return };
        let pointer = |joint: JointIndex| format!("/nodes/{}", skeleton.joint(joint).node);
        let (max_distance, in_skins) = (MAX_DISTANCE * reference.size, skin_joints(model));
        for (name, (parent, rest)) in &reference.joints {
            let (found, name) = (skeleton.find(name), quoted(name));
            let of = format!("the reference skeleton {}", reference.file);
            let Some(joint) = found else {
                issues.add(
                    CODE,
                    "/nodes",
                    format_args!(
                        "the joint {name} of {of} is missing; add the bone in Blender, or rename the one in its place"
                    ),
                );
                continue;
            };
            let data = skeleton.joint(joint);
            let own_parent = parent_name(model, joint, &in_skins);
            if own_parent != *parent {
                let named = |name: &Option<String>| name.as_deref().map_or_else(|| "no joint".to_owned(), quoted);
                let message = format_args!(
                    "the joint {name} is below {}, in {of} below {}; set its parent in Blender's Edit Mode (Ctrl P)",
                    named(&own_parent),
                    named(parent)
                );
                issues.add(CODE, pointer(joint), message);
                continue;
            }
            let distance = (data.rest.translation - rest.translation).norm();
            let angle = data.rest.rotation.angle_to(&rest.rotation);
            let scale = (data.rest.scale - rest.scale).amax();
            // NaN differs, too.
            let is_equal = distance <= max_distance && angle <= MAX_ANGLE && scale <= MAX_SCALE;
            if !is_equal {
                let message = format_args!(
                    "the rest pose of joint {name} differs from {of}: moved by {distance:.4} m (at most {max_distance:.4}), rotated by {:.2} degrees (at most {:.2}), scaled by {scale:.4}; copy the rest pose from the reference armature in Blender, then bind the mesh again",
                    angle.to_degrees(),
                    MAX_ANGLE.to_degrees()
                );
                issues.add(CODE, pointer(joint), message);
            }
        }
        let allowed = self.skeleton.allowed_extra.as_deref().unwrap_or_default();
        for joint in in_skins {
            let name = skeleton.joint(joint).name.as_deref().unwrap_or_default();
            if !reference.joints.contains_key(name) && !allowed.iter().any(|pattern| pattern.matches(name)) {
                let message = format_args!(
                    "the joint {} is not in the reference skeleton {}, and no pattern of allowed-extra permits it; delete the bone in Blender, or untick Deform and export with Export Deformation Bones Only",
                    quoted(name),
                    reference.file
                );
                issues.add(CODE, pointer(joint), message);
            }
        }
    }

    fn check_clips(&self, model: &Model, issues: &mut Issues) {
        const CODE: &str = "RIGVIEW_PROFILE_CLIP";
        let (rules, by) = (&self.clips, self.by());
        let names: BTreeSet<&str> = model.clips.iter().filter_map(|clip| clip.name.as_deref()).collect();
        for name in rules.required.iter().flatten().filter(|name| !names.contains(name.as_str())) {
            let message = format_args!(
                "the clip {} is missing, which is required {by}; name the action (or its NLA track) so in Blender, and export it",
                quoted(name)
            );
            issues.add(CODE, "/animations", message);
        }
        let rest_pose = rules.loops.as_ref().map(|_| model.skeleton.rest_model_pose());
        for (index, clip) in model.clips.iter().enumerate() {
            let (at, name) = (format!("/animations/{index}"), clip.name.as_deref().unwrap_or_default());
            if let Some(pattern) = rules.names.as_ref().filter(|pattern| !pattern.regex.is_match(name)) {
                let message = format_args!(
                    "the name {} does not match {}, as required {by}; rename the action or NLA track in Blender",
                    quoted(name),
                    quoted(&pattern.text)
                );
                issues.add(CODE, &at, message);
            }
            if let Some(rate) = rules.frame_rate {
                check_frames(clip, rate, &by, &at, issues);
            }
            let is_loop = rules.loops.iter().flatten().any(|of_profile| of_profile == name);
            if let Some(rest_pose) = rest_pose.as_ref().filter(|_| is_loop && clip.duration_secs > 0.0)
                && let Some(seam) = loop_discontinuity(model, rest_pose, clip)
            {
                let joint_name = |joint: JointIndex| {
                    let joint = model.skeleton.joint(joint);
                    joint.name.as_deref().map_or_else(|| format!("node {}", joint.node), quoted)
                };
                let size = rest_size(rest_pose);
                let jumps = seam.visible_jumps(size, joint_name, |_, weight| weight.to_string());
                if !jumps.is_empty() {
                    let message = format_args!(
                        "the clip {} has to loop {by}, and jumps from its last pose to its first: {}; copy the first keys to the last frame in Blender",
                        quoted(name),
                        jumps.join(", ")
                    );
                    issues.add(CODE, &at, message);
                }
            }
        }
    }

    fn check_materials(&self, imported: &Imported, issues: &mut Issues) {
        const CODE: &str = "RIGVIEW_PROFILE_MATERIAL";
        let (rules, by) = (&self.materials, self.by());
        let materials = imported.gltf_file.json().get("materials").and_then(Value::as_array);
        for (index, material) in materials.into_iter().flatten().enumerate() {
            let (at, name) = (format!("/materials/{index}"), material.get("name").and_then(Value::as_str));
            let name = name.map_or_else(|| format!("material {index}"), quoted);
            if rules.double_sided == Some(false) && material.get("doubleSided") == Some(&Value::Bool(true)) {
                let message = format_args!(
                    "{name} is double-sided, which is not permitted {by}; tick Material > Settings > Backface Culling in Blender"
                );
                issues.add(CODE, &at, message);
            }
            let Some(allowed) = &rules.allowed_extensions else { continue };
            for extension in extensions_of(material).into_iter().filter(|name| !allowed.contains(name)) {
                let message = format_args!(
                    "{name} has the extension {}, which is not permitted {by}; reset the inputs of Blender's Principled BSDF that it stands for",
                    quoted(&extension)
                );
                issues.add(CODE, &at, message);
            }
        }
    }
}

/// The names of the extensions of a material and of its texture references.
pub(super) fn extensions_of(material: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut rest = vec![material];
    while let Some(value) = rest.pop() {
        let Some(object) = value.as_object() else { continue };
        for (key, value) in object {
            if key == "extensions" {
                found.extend(value.as_object().into_iter().flat_map(|extensions| extensions.keys().cloned()));
                rest.extend(value.as_object().into_iter().flat_map(|extensions| extensions.values()));
            } else if key != "extras" {
                rest.push(value);
            }
        }
    }
    found
}

/// Returns `true` if the time of a key is between two frames.
fn is_between_frames(time: f64, rate: f64) -> bool {
    (time * rate - (time * rate).round()).abs() > MAX_FRAME_OFFSET
}

fn key_times(clip: &Clip) -> impl Iterator<Item = f64> {
    clip.timelines.iter().flat_map(|timeline| timeline.times_secs()).map(|time| f64::from(*time))
}

/// Returns `true` if all keys are on frames of this rate per second.
pub(super) fn has_frames(clip: &Clip, rate: f64) -> bool {
    !key_times(clip).any(|time| is_between_frames(time, rate))
}

fn check_frames(clip: &Clip, rate: f64, by: &str, at: &str, issues: &mut Issues) {
    let Some(first) = key_times(clip).find(|time| is_between_frames(*time, rate)) else { return };
    let message = format_args!(
        "{} of {} are between the frames of {rate} per second, the rate {by}, first at {first:.4} s; set Output > Frame Rate in Blender before the action is keyed, or scale its keys",
        key_times(clip).filter(|time| is_between_frames(*time, rate)).count(),
        counted(key_times(clip).count(), "key", "keys")
    );
    issues.add("RIGVIEW_PROFILE_CLIP", at, message);
}
