//! Matching of elements between two models, by name.

use crate::app::scene::selection::{HiddenParts, Selection};
use rigview_core::model::{ClipIndex, JointIndex, MaterialIndex, MeshIndex, Model, SkinIndex};
use rigview_core::pose::PoseOverride;

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

/// Transfers hidden and isolated parts to those of the same names.
pub(crate) fn match_hidden_parts(before: &Model, parts: &HiddenParts, model: &Model) -> HiddenParts {
    let find = |part: Selection| match_selection(before, part, model);
    HiddenParts {
        hidden: parts.hidden.iter().copied().filter_map(find).collect(),
        isolated: parts.isolated.and_then(find),
    }
}

/// Transfers pose overrides to the joints of the same names.
pub(crate) fn match_overrides(before: &Model, overrides: &PoseOverride, model: &Model) -> PoseOverride {
    let mut overrides_after = PoseOverride::new();
    for (joint, transform) in overrides.joints() {
        if let Some(Selection::Joint(joint)) = match_selection(before, Selection::Joint(*joint), model) {
            overrides_after.set(joint, *transform);
        }
    }
    for (index, value) in overrides.expressions() {
        let name = before.expressions.get(*index).map(|expression| &expression.name);
        if let Some(index) = model.expressions.iter().position(|expression| Some(&expression.name) == name) {
            overrides_after.set_expression(&model.expressions, index, *value);
        }
    }
    for (index, weight) in &overrides.direct_morph_weights(&before.expressions) {
        let owner = before.skeleton.joints().iter().position(|joint| joint.morph_weights.contains(index));
        let Some(owner) = owner.map(|owner| JointIndex(owner as u32)) else { continue };
        let Some(Selection::Joint(joint)) = match_selection(before, Selection::Joint(owner), model) else { continue };
        let target = index - before.skeleton.joint(owner).morph_weights.start;
        let weights = model.skeleton.joint(joint).morph_weights.clone();
        if target < weights.len() {
            overrides_after.set_morph_weight(weights.start + target, *weight);
        }
    }
    overrides_after
}

/// Finds the counterpart of a clip: by name, else by index if unnamed. Two single clips match, too.
pub(crate) fn match_clip(before: &Model, clip: ClipIndex, model: &Model) -> Option<ClipIndex> {
    let name = before.clips.get(clip.get())?.name.as_deref();
    let index = match name {
        Some(name) => {
            let by_name = model.clips.iter().position(|clip| clip.name.as_deref() == Some(name));
            by_name.or((before.clips.len() == 1 && model.clips.len() == 1).then_some(0))
        }
        None => Some(clip.get()).filter(|&index| index < model.clips.len()),
    };
    index.map(|index| ClipIndex(index as u32))
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
    #[test]
    fn clips_match_by_name_and_single_clips_match() {
        use rigview_core::model::Clip;
        let model = |names: &[Option<&str>]| Model {
            clips: names.iter().map(|name| Clip { name: name.map(str::to_owned), ..Clip::default() }).collect(),
            ..Model::default()
        };
        let of = |before: &[Option<&str>], clip, after: &[Option<&str>]| {
            match_clip(&model(before), ClipIndex(clip), &model(after)).map(|clip| clip.0)
        };
        let (walk, run) = (Some("walk"), Some("run"));
        assert_eq!(of(&[walk, run], 1, &[run, walk]), Some(0));
        assert_eq!(of(&[walk, run], 1, &[walk, Some("ran")]), None);
        assert_eq!((of(&[walk], 0, &[run]), of(&[None, None], 1, &[run, walk])), (Some(0), Some(1)));
        assert_eq!(of(&[None, None], 1, &[run]), None);
    }
}
