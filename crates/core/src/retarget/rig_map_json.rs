//! Rig maps by names of roles and joints: changes as in a `.rigmap.toml` file, and the result as JSON.

use super::reference::{BodyKind, ReferenceSource, axis_from_name};
use super::rig_map::{RigMap, RoleSource};
use super::role::Role;
use crate::model::{JointIndex, Skeleton};
use crate::util::text::quoted;
use serde_json::{Map, Value, json};

/// Error of [`RigMap::apply`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RigMapError {
    /// Not a role.
    #[error("{name} is not a role; the roles are the human bones of VRM 1.0, such as hips and leftUpperArm")]
    UnknownRole {
        /// The name, quoted.
        name: String,
    },
    /// Not a value of a setting.
    #[error("{key} is not one of {choices}")]
    Setting {
        /// The key.
        key: &'static str,
        /// The values.
        choices: &'static str,
    },
    /// Not a joint.
    #[error("{role}: the model has no joint {joint}; write the name or the glTF node of a joint, or '' for none")]
    UnknownJoint {
        /// The role.
        role: Role,
        /// The joint of the changes, quoted.
        joint: String,
    },
}

impl RoleSource {
    /// Returns the source in a word: `VRM`, `name`, `structure`, or `file` for changes of the user.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vrm => "VRM",
            Self::Name => "name",
            Self::Structure => "structure",
            Self::User => "file",
        }
    }
}

impl RigMap {
    /// Keys of [`apply`](Self::apply) that replace what is estimated, each with its values.
    pub const SETTINGS: [(&'static str, &'static str); 4] = [
        ("kind", "biped, quadruped or other"),
        ("up", "+X, -X, +Y, -Y, +Z or -Z"),
        ("facing", "an axis across up: +X, -X, +Y, -Y, +Z or -Z"),
        ("rest", "T, A, first-frame or file"),
    ];

    /// Replaces joints of roles and settings by the content of a `.rigmap.toml` file: `leftFoot` with the name of a joint, the index of its
    /// glTF node, or `""` for none; `kind`, `up`, `facing` and `rest` with a value of [`SETTINGS`](Self::SETTINGS).
    ///
    /// ```
    /// use rigview_core::retarget::{RigMap, Role};
    /// # use rigview_core::import::{ImportOptions, open};
    /// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/body.glb"));
    /// # let model = open(file, &ImportOptions::default()).unwrap().model;
    /// let mut map = RigMap::detect(&model);
    /// let changes = serde_json::json!({ "leftHand": "", "rest": "A" });
    /// map.apply(&model.skeleton, changes.as_object().unwrap()).unwrap();
    /// assert!(map.is_cleared(Role::from_name("leftHand").unwrap()));
    /// ```
    ///
    /// # Errors
    /// If a role, a joint or a value is unknown. The map is then unchanged.
    pub fn apply(&mut self, skeleton: &Skeleton, changes: &Map<String, Value>) -> Result<(), RigMapError> {
        let (mut joints, mut settings) = (Vec::new(), *self.settings());
        let up = changes.get("up").and_then(Value::as_str).and_then(axis_from_name).or(settings.up);
        for (name, value) in changes {
            if let Some((key, choices)) = Self::SETTINGS.into_iter().find(|(key, _)| key == name) {
                let value = value.as_str().unwrap_or_default();
                let is_known = match key {
                    "kind" => set(&mut settings.kind, BodyKind::from_name(value)),
                    "up" => set(&mut settings.up, axis_from_name(value)),
                    "facing" => {
                        let facing = axis_from_name(value);
                        set(&mut settings.facing, facing.filter(|axis| up.is_none_or(|up| up.dot(axis) == 0.0)))
                    }
                    _ => set(&mut settings.rest, ReferenceSource::from_name(value)),
                };
                if !is_known {
                    return Err(RigMapError::Setting { key, choices });
                }
                continue;
            }
            let role = Role::from_name(name).ok_or_else(|| RigMapError::UnknownRole { name: quoted(name) })?;
            let joint = match value.as_str() {
                Some("") => None,
                _ => Some(find_joint(skeleton, value).ok_or_else(|| {
                    let joint = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    RigMapError::UnknownJoint { role, joint: quoted(&joint) }
                })?),
            };
            joints.push((role, joint));
        }
        self.set(skeleton, joints);
        self.set_reference(settings);
        Ok(())
    }

    /// Returns the kind, an object per role with the glTF node, its name, the confidence and the source, and the roles that are missing.
    pub fn to_json(&self, skeleton: &Skeleton) -> Value {
        let roles = Role::all().filter_map(|role| {
            let mapped = self.get(role)?;
            let joint = skeleton.joint(mapped.joint);
            let confidence = (f64::from(mapped.confidence) * 100.0).round() / 100.0;
            let source = mapped.source.name();
            let value = json!({ "node": joint.node, "name": joint.name, "confidence": confidence, "source": source });
            Some((role.to_string(), value))
        });
        let missing: Vec<String> = self.missing().map(|role| role.to_string()).collect();
        json!({ "kind": self.kind().to_string(), "roles": roles.collect::<Map<_, _>>(), "missing": missing })
    }
}

/// Finds a joint by its name or its glTF node.
fn find_joint(skeleton: &Skeleton, value: &Value) -> Option<JointIndex> {
    match value {
        Value::String(name) => skeleton.find(name),
        value => {
            let joint = skeleton.joints().iter().position(|joint| Some(joint.node as u64) == value.as_u64())?;
            Some(JointIndex(joint as u32))
        }
    }
}

/// Sets a value if it is known.
fn set<T>(setting: &mut Option<T>, value: Option<T>) -> bool {
    let is_known = value.is_some();
    *setting = value.or(setting.take());
    is_known
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{ImportOptions, open};
    use std::path::Path;

    #[test]
    fn unknown_roles_joints_and_values_leave_the_map_unchanged() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/body.glb");
        let model = open(&file, &ImportOptions::default()).unwrap().model;
        let map = RigMap::detect(&model);
        let apply = |changes: Value| {
            let mut changed = map.clone();
            let result = changed.apply(&model.skeleton, changes.as_object().unwrap());
            assert!(result.is_ok() || changed == map);
            result.map_err(|error| error.to_string())
        };
        for (changes, expected) in [
            (json!({ "hips": "", "leftPaw": "a" }), "\"leftPaw\" is not a role"),
            (json!({ "hips": "unknown" }), "hips: the model has no joint \"unknown\""),
            (json!({ "hips": 99999 }), "hips: the model has no joint \"99999\""),
            (json!({ "hips": -1 }), "hips: the model has no joint \"-1\""),
            (json!({ "hips": 1.5 }), "hips: the model has no joint \"1.5\""),
            (json!({ "hips": null }), "hips: the model has no joint \"null\""),
            (json!({ "kind": "fish" }), "kind is not one of biped, quadruped or other"),
            (json!({ "up": "Z" }), "up is not one of +X"),
            (json!({ "up": "+Z", "facing": "-Z" }), "facing is not one of an axis across up"),
            (json!({ "rest": 3 }), "rest is not one of T, A"),
        ] {
            let error = apply(changes).unwrap_err();
            assert!(error.starts_with(expected) && !error.contains('\n'), "{error}");
        }
        assert_eq!(apply(json!({ "hips": "", "up": "+Z", "facing": "-Y" })), Ok(()));
    }
}
