//! Matching of elements between two models, by name.

use crate::app::scene::selection::Selection;
use rigview_core::model::{JointIndex, MaterialIndex, MeshIndex, Model, SkinIndex};

/// Finds the counterpart of a selection by name, else by index if unnamed.
pub(crate) fn match_selection(before: &Model, selection: Selection, model: &Model) -> Option<Selection> {
    fn find<'a, T>(
        (before, list): (&'a [T], &'a [T]),
        index: usize,
        name: impl Fn(&'a T) -> Option<&'a str>,
    ) -> Option<u32> {
        let found = match name(before.get(index)?) {
            // Duplicate names match in order.
            Some(wanted) => {
                let earlier = before[..index].iter().filter(|item| name(item) == Some(wanted)).count();
                list.iter().enumerate().filter(|(_, item)| name(item) == Some(wanted)).nth(earlier).map(|(i, _)| i)
            }
            None => Some(index).filter(|&index| list.get(index).is_some_and(|item| name(item).is_none())),
        };
        found.map(|index| index as u32)
    }
    Some(match selection {
        Selection::Joint(joint) => {
            let joints = (before.skeleton.joints(), model.skeleton.joints());
            Selection::Joint(JointIndex(find(joints, joint.get(), |joint| joint.name.as_deref())?))
        }
        Selection::Skin(skin) => {
            let skins = (&before.skins[..], &model.skins[..]);
            Selection::Skin(SkinIndex(find(skins, skin.get(), |skin| skin.name.as_deref())?))
        }
        Selection::Mesh(mesh) => {
            let meshes = (&before.meshes[..], &model.meshes[..]);
            Selection::Mesh(MeshIndex(find(meshes, mesh.get(), |mesh| mesh.name.as_deref())?))
        }
        Selection::Material(material) => {
            let materials = (&before.materials[..], &model.materials[..]);
            Selection::Material(MaterialIndex(find(materials, material.get(), |material| material.name.as_deref())?))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::model::Material;

    #[test]
    fn selection_matches_by_name() {
        let model = |names: &[Option<&str>]| Model {
            materials: names
                .iter()
                .map(|name| Material { name: name.map(str::to_owned), ..Material::default() })
                .collect(),
            ..Model::default()
        };
        let before = model(&[Some("skin"), Some("fur"), Some("fur"), None]);
        let after = model(&[Some("fur"), Some("eye"), Some("fur"), None]);
        let follow = |index| match match_selection(&before, Selection::Material(MaterialIndex(index)), &after) {
            Some(Selection::Material(material)) => Some(material.0),
            _ => None,
        };
        assert_eq!([0, 1, 2, 3].map(follow), [None, Some(0), Some(2), Some(3)]);
    }
}
