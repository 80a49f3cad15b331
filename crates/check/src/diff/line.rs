//! Lines of the report with the items that they describe.

use super::clips::find_clip;
use super::joints::find_joint;
use super::materials::find_material;
use super::meshes::find_mesh;
use rigview_core::model::{ClipIndex, JointIndex, MaterialIndex, MeshIndex, Model};

/// A line of the report. Items are indented.
#[derive(Clone, Debug, PartialEq)]
pub struct DiffLine {
    /// The text, without a line feed.
    pub text: String,
    /// The item that the line describes; `None` for a heading, and for items that [`DiffItem`] does not have.
    pub target: Option<DiffTarget>,
}

/// The item of a line, by names, because either model may lack it.
#[derive(Clone, Debug, PartialEq)]
pub enum DiffTarget {
    /// Path of a joint.
    Joint(String),
    /// Path of a joint with other weights.
    Weights(String),
    /// Name of a mesh.
    Mesh(String),
    /// Name of a material.
    Material(String),
    /// Name of a clip.
    Clip(String),
    /// A joint at a time of a clip in seconds.
    Curve {
        /// Name of the clip.
        clip: String,
        /// Path of the joint.
        joint: String,
        /// Time of the largest difference.
        time_secs: f64,
    },
}

/// The parts of a target that a model has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DiffItem {
    /// The joint.
    pub joint: Option<JointIndex>,
    /// The mesh.
    pub mesh: Option<MeshIndex>,
    /// The material.
    pub material: Option<MaterialIndex>,
    /// The clip.
    pub clip: Option<ClipIndex>,
    /// Time in seconds.
    pub time_secs: Option<f64>,
}

impl DiffLine {
    /// Returns the text without its indent, with `tail` in place of the path `root/hips/tail`. Words with a single slash stay as they are.
    /// Of two paths of a joint, the parents stay.
    pub fn short_text(&self) -> String {
        let text = self.text.trim_start();
        if let Some((before, after)) = text.split_once(" reparented to ") {
            let parent =
                |path: &str| path.rsplit('/').nth(1).unwrap_or("no parent").trim_start_matches("~ ").to_owned();
            let name = after.rsplit('/').next().unwrap_or_default();
            return format!("~ {name}: {} -> {}", parent(before), parent(after));
        }
        let shortened = |word: &str| match word.matches('/').count() {
            0 | 1 => word.to_owned(),
            _ => word.rsplit_once('/').map_or(word, |(_, name)| name).to_owned(),
        };
        text.split(' ').map(shortened).collect::<Vec<_>>().join(" ")
    }
}

impl DiffTarget {
    /// The name of the item, for messages.
    pub fn name(&self) -> &str {
        match self {
            Self::Joint(path) | Self::Weights(path) | Self::Curve { joint: path, .. } => {
                path.rsplit('/').next().unwrap_or_default()
            }
            Self::Mesh(name) | Self::Material(name) | Self::Clip(name) => name,
        }
    }

    /// Returns what `model` has of the target; `None` if it has nothing of it.
    pub fn find(&self, model: &Model) -> Option<DiffItem> {
        let none = DiffItem::default();
        let item = match self {
            Self::Joint(path) | Self::Weights(path) => DiffItem { joint: find_joint(model, path), ..none },
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joint_paths_are_shortened_to_joint_names() {
        let short = |text: &str| DiffLine { text: text.to_owned(), target: None }.short_text();
        assert_eq!(short("  ~ root/hips/tail: moved by 2 (1, 2, 3)"), "~ tail: moved by 2 (1, 2, 3)");
        assert_eq!(short("  + hips/tail"), "+ hips/tail");
        assert_eq!(short("  ~ root/hips/tail reparented to root/tail"), "~ tail: hips -> root");
        assert_eq!(short("  ~ root/tail reparented to tail"), "~ tail: root -> no parent");
    }
}
