//! Items of a model by the names and indices that the user gives.

use crate::app::FileError;
use crate::cli::did_you_mean;
use crate::request::ALL_CLIPS;
use rigview_core::model::{JointIndex, Model};
use rigview_core::util::text::quoted;
use std::collections::HashMap;

/// Items by name or index, for many searches.
pub(crate) struct NameIndex<'a> {
    kind: &'static str,
    names: Vec<Option<&'a str>>,
    /// The first item of each name.
    first: HashMap<&'a str, usize>,
}

impl<'a> NameIndex<'a> {
    pub(crate) fn new(kind: &'static str, names: impl Iterator<Item = Option<&'a str>>) -> Self {
        let names: Vec<Option<&str>> = names.collect();
        let mut first = HashMap::new();
        for (i, name) in names.iter().enumerate() {
            if let Some(name) = name {
                first.entry(*name).or_insert(i);
            }
        }
        Self { kind, names, first }
    }

    /// Returns the index of the first item named `requested`, else `requested` as an index.
    pub(crate) fn find(&self, requested: &str) -> Result<usize, FileError> {
        let by_number = || requested.parse().ok().filter(|&number| number < self.names.len());
        self.first.get(requested).copied().or_else(by_number).ok_or_else(|| FileError::NoSuch {
            kind: self.kind,
            requested: requested.to_owned(),
            names: self.names.iter().map(|name| name.unwrap_or("(unnamed)").to_owned()).collect(),
        })
    }
}

/// Returns the index of the first item named `requested`, else `requested` as an index.
pub(crate) fn find_by_name_or_index<'a>(
    kind: &'static str,
    requested: &str,
    names: impl Iterator<Item = Option<&'a str>>,
) -> Result<usize, FileError> {
    NameIndex::new(kind, names).find(requested)
}

/// Returns the name of an item, or its index if an earlier item has the same name, or the name is a number, `all` or `none`.
pub(crate) fn name_or_index<'a>(names: impl Iterator<Item = Option<&'a str>> + Clone, index: usize) -> String {
    let name = names
        .clone()
        .nth(index)
        .flatten()
        .filter(|name| name.parse::<usize>().is_err() && ![ALL_CLIPS, "none"].contains(name));
    let name = name.filter(|name| !names.take(index).any(|earlier| earlier == Some(*name)));
    name.map_or_else(|| index.to_string(), str::to_owned)
}

/// Finds a joint by name, or by node index.
pub(crate) fn find_joint(model: &Model, requested: &str) -> Result<JointIndex, FileError> {
    let joints = model.skeleton.joints();
    model.skeleton.find_by_name_or_node(requested).ok_or_else(|| {
        let names = joints.iter().filter_map(|joint| joint.name.as_deref());
        FileError::NoSuchJoint {
            requested: requested.to_owned(),
            count: joints.len(),
            hint: did_you_mean(requested, names.clone()).unwrap_or_else(|| {
                format!("such as {}", names.take(6).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
            }),
        }
    })
}

/// A point whose path is drawn: the origin of a joint, or a vertex of the mesh of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PathPoint {
    pub(crate) joint: JointIndex,
    /// Counted through the primitives of the mesh.
    pub(crate) vertex: Option<usize>,
}

impl PathPoint {
    /// The word with which [`find_path_point`] finds it.
    pub(crate) fn to_word(self, model: &Model) -> String {
        let joint = model.skeleton.unambiguous_name(self.joint);
        self.vertex.map_or_else(|| joint.clone(), |vertex| format!("{joint}:{vertex}"))
    }
}

/// Finds `JOINT`, or `NODE:VERTEX`. A joint can have a name with a colon.
pub(crate) fn find_path_point(model: &Model, requested: &str) -> Result<PathPoint, FileError> {
    let unknown = match find_joint(model, requested) {
        Ok(joint) => return Ok(PathPoint { joint, vertex: None }),
        Err(unknown) => unknown,
    };
    let Some((node, vertex)) = requested.rsplit_once(':').and_then(|(node, vertex)| Some((node, vertex.parse().ok()?)))
    else {
        return Err(unknown);
    };
    let joint = find_joint(model, node)?;
    let mesh_node = model.scenes.iter().flat_map(|scene| &scene.mesh_nodes).find(|node| node.joint == joint);
    let primitives = mesh_node.map_or(&[][..], |node| &model.meshes[node.mesh.get()].primitives);
    let count = primitives.iter().map(|primitive| primitive.vertices.positions.len()).sum();
    match vertex < count {
        true => Ok(PathPoint { joint, vertex: Some(vertex) }),
        false => Err(FileError::NoSuchVertex { node: node.to_owned(), vertex, count }),
    }
}

pub(crate) fn joint_name(model: &Model, joint: JointIndex) -> String {
    let joint = model.skeleton.joint(joint);
    joint.name.clone().unwrap_or_else(|| format!("node {}", joint.node))
}

/// The name of a morph weight in quotes, by its index among those of a joint, else that index.
pub(crate) fn weight_name(model: &Model, joint: JointIndex, weight: usize) -> String {
    let index = model.skeleton.joint(joint).morph_weights.start + weight;
    let name = model.morphs().into_iter().find(|morph| morph.weight_index == index).map(|morph| morph.name);
    name.filter(|name| !name.is_empty()).map_or_else(|| weight.to_string(), |name| quoted(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::scene::tests::joint;
    use rigview_core::model::Skeleton;

    #[test]
    fn unknown_joint_lists_similar_names() {
        let joints =
            [(5, "Hip"), (7, "LeftFoot"), (9, "Head"), (11, "7")].map(|(node, name)| joint(node, Some(name), None));
        let model = Model { skeleton: Skeleton::new(joints.into(), Vec::new()), ..Model::default() };
        let find = |requested| find_joint(&model, requested);
        assert_eq!(find("Head").unwrap(), JointIndex(2));
        assert_eq!((find("5").unwrap(), find("7").unwrap()), (JointIndex(0), JointIndex(3)));
        let message = find("foot").unwrap_err().to_string();
        assert!(message.starts_with("has no joint `foot` among its 4; did you mean `LeftFoot`?"), "{message}");
        let message = find("head").unwrap_err().to_string();
        assert!(message.ends_with("; did you mean `Head`?"), "{message}");
        let message = find("x").unwrap_err().to_string();
        assert!(message.ends_with("; such as `Hip`, `LeftFoot`, `Head`, `7`"), "{message}");
    }

    #[test]
    fn names_take_precedence_over_indices() {
        let names = [Some("1"), Some("walk"), None, Some("walk")];
        let find = |requested| find_by_name_or_index("clip", requested, names.into_iter());
        assert_eq!((find("walk").ok(), find("1").ok(), find("2").ok()), (Some(1), Some(0), Some(2)));
        let message = find("4").unwrap_err().to_string();
        assert_eq!(message, "has no clip `4`; it has 0 `1`, 1 `walk`, 2 `(unnamed)`, 3 `walk`");
        let message = find("Wlak").unwrap_err().to_string();
        assert!(message.starts_with("has no clip `Wlak`; did you mean `walk`? it has 0 `1`"), "{message}");
    }
}
