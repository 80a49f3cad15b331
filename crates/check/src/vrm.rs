//! VRM avatars and animations: human bones, and the elements to which expressions refer.

use super::json_path::JsonPath;
use super::json_values::index;
use super::reference_pass::ReferencePass;
use rigview_core::util::text::quoted;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Bones that every humanoid has.
const REQUIRED_BONES: [&str; 15] = [
    "head",
    "hips",
    "leftFoot",
    "leftHand",
    "leftLowerArm",
    "leftLowerLeg",
    "leftUpperArm",
    "leftUpperLeg",
    "rightFoot",
    "rightHand",
    "rightLowerArm",
    "rightLowerLeg",
    "rightUpperArm",
    "rightUpperLeg",
    "spine",
];

/// Other bones outside of the hands.
const OPTIONAL_BONES: [&str; 10] = [
    "chest",
    "jaw",
    "leftEye",
    "leftShoulder",
    "leftToes",
    "neck",
    "rightEye",
    "rightShoulder",
    "rightToes",
    "upperChest",
];

/// Returns `true` for a bone of a finger, such as `leftThumbProximal`.
fn is_finger_bone(name: &str) -> bool {
    let name = name.strip_prefix("left").or_else(|| name.strip_prefix("right"));
    let fingers = ["Thumb", "Index", "Middle", "Ring", "Little"];
    let part = name.and_then(|name| fingers.iter().find_map(|finger| name.strip_prefix(finger)));
    part.is_some_and(|part| matches!(part, "Metacarpal" | "Proximal" | "Intermediate" | "Distal"))
}

impl ReferencePass<'_> {
    pub(super) fn vrm(&mut self) {
        let root = self.file.root;
        let at_extensions = JsonPath::ROOT.key("extensions");
        for name in ["VRM", "VRMC_vrm", "VRMC_vrm_animation"] {
            let Some(extension) = root.get("extensions").and_then(|extensions| extensions.get(name)) else { continue };
            let at = at_extensions.key(name);
            if let Some(humanoid) = extension.get("humanoid") {
                self.human_bones(humanoid, &at.key("humanoid"));
            } else if name != "VRMC_vrm_animation" {
                self.issues.add(
                    "UNDEFINED_PROPERTY",
                    at,
                    format_args!("`humanoid` is missing here; export the file again"),
                );
            }
            for part in ["expressions", "firstPerson", "blendShapeMaster"] {
                if let Some(value) = extension.get(part) {
                    self.indices_within(value, &at.key(part));
                }
            }
        }
    }

    /// Checks the bones of VRM 1.0, an object by name, or of VRM 0.x, an array.
    fn human_bones<'a>(&mut self, humanoid: &'a Value, at: &JsonPath<'_>) {
        let at = at.key("humanBones");
        let mut bones: Vec<(&str, Option<&Value>, String)> = Vec::new();
        match humanoid.get("humanBones") {
            Some(Value::Object(members)) => {
                let members = members.iter();
                bones.extend(members.map(|(name, bone)| (name.as_str(), bone.get("node"), at.key(name).to_string())));
            }
            Some(Value::Array(items)) => {
                let bone = |(i, bone): (usize, &'a Value)| {
                    Some((bone.get("bone")?.as_str()?, bone.get("node"), at.item(i).to_string()))
                };
                bones.extend(items.iter().enumerate().filter_map(bone));
            }
            _ => {}
        }
        let (mut names, mut nodes) = (BTreeSet::new(), BTreeMap::new());
        for (name, node, at) in bones {
            let is_known = REQUIRED_BONES.contains(&name) || OPTIONAL_BONES.contains(&name) || is_finger_bone(name);
            if !is_known {
                self.issues.add("VALUE_NOT_IN_LIST", &at, format_args!("{} is not a bone of VRM", quoted(name)));
            }
            if !names.insert(name) {
                self.issues.add("DUPLICATE_ELEMENTS", &at, format_args!("{} is a bone already", quoted(name)));
            }
            let Some(node) = node.and_then(index) else {
                self.issues.add("UNDEFINED_PROPERTY", &at, format_args!("`node` is missing here"));
                continue;
            };
            if self.file.element("nodes", Some(node)).is_none() {
                let message = format_args!("node {node} does not exist");
                self.issues.add("UNRESOLVED_REFERENCE", format_args!("{at}/node"), message);
            } else if let Some(first) = nodes.insert(node, name) {
                let message = format_args!("node {node} is already the bone {}", quoted(first));
                self.issues.add("DUPLICATE_ELEMENTS", format_args!("{at}/node"), message);
            }
        }
        if let Some(missing) = REQUIRED_BONES.iter().find(|name| !names.contains(*name)) {
            let message = format_args!("the bone {missing} is missing; assign it in the VRM panel of the exporter");
            self.issues.add("UNDEFINED_PROPERTY", at, message);
        }
    }

    /// Checks all indices of nodes, meshes and materials in the objects of `value`.
    fn indices_within(&mut self, value: &Value, at: &JsonPath<'_>) {
        match value {
            // The nesting of the JSON is limited.
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(i, item)| self.indices_within(item, &at.item(i)))
            }
            Value::Object(members) => {
                for (name, value) in members {
                    let at = at.key(name);
                    match (name.as_str(), value) {
                        ("node", Value::Number(_)) => drop(self.resolve(value, "nodes", &at)),
                        ("mesh", Value::Number(_)) => drop(self.resolve(value, "meshes", &at)),
                        ("material", Value::Number(_)) => drop(self.resolve(value, "materials", &at)),
                        _ => self.indices_within(value, &at),
                    }
                }
            }
            _ => {}
        }
    }
}
