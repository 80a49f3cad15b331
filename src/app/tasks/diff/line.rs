//! Lines of the report with the items that they describe.

use super::clips::find_clip;
use super::joints::find_joint;
use super::meshes_and_materials::{find_material, find_mesh};
use rigview_core::model::{ClipIndex, JointIndex, MaterialIndex, MeshIndex, Model};

/// A line of the report. Items are indented.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DiffLine {
    pub(crate) text: String,
    pub(crate) target: Option<DiffTarget>,
}

/// The item of a line, by names, because either model may lack it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DiffTarget {
    /// Path of a joint.
    Joint(String),
    Mesh(String),
    Material(String),
    Clip(String),
    /// A joint at a time of a clip in seconds.
    Curve {
        clip: String,
        joint: String,
        time_secs: f64,
    },
}

/// The parts of a target that a model has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct DiffItem {
    pub(crate) joint: Option<JointIndex>,
    pub(crate) mesh: Option<MeshIndex>,
    pub(crate) material: Option<MaterialIndex>,
    pub(crate) clip: Option<ClipIndex>,
    pub(crate) time_secs: Option<f64>,
}

impl DiffTarget {
    /// The name of the item, for messages.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Joint(path) | Self::Curve { joint: path, .. } => path.rsplit('/').next().unwrap_or_default(),
            Self::Mesh(name) | Self::Material(name) | Self::Clip(name) => name,
        }
    }

    /// Returns what `model` has of the target; `None` if it has nothing of it.
    pub(crate) fn find(&self, model: &Model) -> Option<DiffItem> {
        let none = DiffItem::default();
        let item = match self {
            Self::Joint(path) => DiffItem { joint: find_joint(model, path), ..none },
            Self::Mesh(name) => DiffItem { mesh: find_mesh(model, name), ..none },
            Self::Material(name) => DiffItem { material: find_material(model, name), ..none },
            Self::Clip(name) => DiffItem { clip: find_clip(model, name), ..none },
            Self::Curve { clip, joint, time_secs } => match find_clip(model, clip) {
                Some(clip) => {
                    DiffItem { joint: find_joint(model, joint), clip: Some(clip), time_secs: Some(*time_secs), ..none }
                }
                None => none,
            },
        };
        (item != none).then_some(item)
    }
}
