//! Issue location: the selection that a JSON Pointer refers to.

use crate::app::viewer::actions::{Action, PlaybackAction, SelectionAction};
use crate::app::viewer::analysis::outline::named;
use crate::app::viewer::state::Selection;
use rigview_core::model::{ClipIndex, JointIndex, MaterialIndex, MeshIndex, Model, SkinIndex};

/// The label of an issue location and the action that shows it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct IssueTarget {
    pub(crate) label: String,
    pub(crate) action: Action,
}

/// Resolves a JSON Pointer; `None` for elements that no panel shows.
pub(crate) fn issue_target(model: &Model, pointer: &str) -> Option<IssueTarget> {
    let mut steps = pointer.strip_prefix('/')?.split('/');
    let (list, number) = (steps.next()?, steps.next()?.parse::<usize>().ok()?);
    let index = u32::try_from(number).ok()?;
    match list {
        "nodes" => {
            let joint = model.skeleton.joints().iter().position(|joint| joint.node == number)?;
            joint_target(model, JointIndex(joint as u32))
        }
        "meshes" => {
            select(named(model.meshes.get(number)?.name.as_deref(), "mesh", number), Selection::Mesh(MeshIndex(index)))
        }
        "skins" => {
            let skin = model.skins.get(number)?;
            let mut after_joints = steps.skip_while(|step| *step != "joints").skip(1);
            if let Some(slot) = after_joints.next().and_then(|slot| slot.parse::<usize>().ok())
                && let Some(joint) = skin.joints.get(slot)
            {
                return joint_target(model, *joint);
            }
            select(named(skin.name.as_deref(), "skin", number), Selection::Skin(SkinIndex(index)))
        }
        "materials" => select(
            named(model.materials.get(number)?.name.as_deref(), "material", number),
            Selection::Material(MaterialIndex(index)),
        ),
        "animations" => {
            let label = named(model.clips.get(number)?.name.as_deref(), "clip", number);
            Some(IssueTarget { label, action: Action::Playback(PlaybackAction::PlayClip(Some(ClipIndex(index)))) })
        }
        _ => None,
    }
}

fn joint_target(model: &Model, index: JointIndex) -> Option<IssueTarget> {
    let joint = model.skeleton.joint(index);
    select(named(joint.name.as_deref(), "node", joint.node), Selection::Joint(index))
}

fn select(label: String, selection: Selection) -> Option<IssueTarget> {
    Some(IssueTarget { label, action: Action::Selection(SelectionAction::Select(Some(selection))) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::model::{Clip, Mesh};

    #[test]
    fn json_pointers_resolve_to_elements() {
        let mesh = Mesh { name: Some("Body".to_owned()), ..Mesh::default() };
        let model = Model { meshes: vec![mesh], clips: vec![Clip::default()], ..Model::default() };
        let target = |pointer| issue_target(&model, pointer);
        let body = target("/meshes/0/primitives/0/attributes").unwrap();
        assert_eq!(
            (body.label.as_str(), body.action),
            ("Body", Action::Selection(SelectionAction::Select(Some(Selection::Mesh(MeshIndex(0))))))
        );
        assert_eq!(
            target("/animations/0/channels/3").unwrap().action,
            Action::Playback(PlaybackAction::PlayClip(Some(ClipIndex(0))))
        );
        for nowhere in ["", "/", "/meshes", "/meshes/7", "/meshes/x", "/accessors/0", "/nodes/0"] {
            assert_eq!(target(nowhere), None, "{nowhere}");
        }
    }
}
