//! Undo and redo: captures, labels and restores the edits of the viewer.

use super::action::{
    Action, ComparisonAction, FileAction, HistoryAction, LightAction, PlaybackAction, PoseAction, SelectionAction,
    ShadingAction,
};
use super::commands::command_for;
use super::effect::Effect;
use crate::app::console::report;
use crate::app::files::rig_map_file::user_toml;
use crate::app::scene::selection::HiddenParts;
use crate::app::viewer::analysis::outline::named;
use crate::app::viewer::state::{
    AppState, Document, FileSnapshot, NotificationKind, Reload, RigMapText, UndoSnapshot, view::light_set_ups,
};
use crate::request::{BackgroundRequest, EnvironmentRequest, GroundRequest, SceneRequest, rig_map_file};
use rigview_core::model::ClipIndex;
use rigview_core::util::text::file_name;
use std::path::PathBuf;

pub(crate) fn current_snapshot(state: &AppState) -> UndoSnapshot {
    UndoSnapshot {
        view: state.view.clone(),
        background: state.settings.background,
        file: state.document.as_ref().map(|document| FileSnapshot {
            request: document.request().clone(),
            looks_at_pointer: document.looks_at_pointer,
            parts: document.hidden.requests(document.scene.model()),
            // The target of a cross-fade has no play range.
            play_range: document.playback.play_range.filter(|_| document.scene.blend().fade.is_none()),
            rig_maps: rig_maps(document),
        }),
    }
}

fn rig_maps(document: &Document) -> Vec<RigMapText> {
    let scene = &document.scene;
    let (Some(motion), Ok(map)) = (scene.motion(), scene.rig_map()) else { return Vec::new() };
    let both = [(&motion.file, &motion.map, &motion.model), (&scene.file, map, scene.model())];
    both.map(|(file, map, model)| (rig_map_file(file), user_toml(map, &model.skeleton))).into()
}

/// The notification of a step of the history, with the state before or after it.
fn labeled(verb: &str, step: Option<(&str, &UndoSnapshot)>) -> (Option<String>, Option<UndoSnapshot>) {
    match step {
        Some((label, edit)) => (Some(format!("{verb}: {label}")), Some(edit.clone())),
        None => (Some(format!("Nothing to {}", verb.to_lowercase())), None),
    }
}

/// The action that needs a ground of a file, which is read now: the edit that is restored, else the choice of the file.
pub(crate) fn action_on_ground(state: &AppState, file: PathBuf, restores_edit: bool) -> Action {
    match restores_edit {
        true => Action::History(HistoryAction::GoToEdit(state.history.position())),
        false => Action::File(FileAction::SetGround(Some(GroundRequest::File(file)))),
    }
}

/// Undoes, redoes, or goes to a step of the history.
pub(super) fn step_history(state: &mut AppState, action: &HistoryAction, aspect: f64) -> Option<Effect> {
    let (text, edit) = match *action {
        HistoryAction::Undo => labeled("Undo", state.history.undo()),
        HistoryAction::Redo => labeled("Redo", state.history.redo()),
        HistoryAction::GoToEdit(position) => (None, state.history.go_to(position).cloned()),
    };
    if let Some(text) = text {
        state.notify(NotificationKind::Info, text);
    }
    restore(state, &edit?, aspect)
}

fn restore(state: &mut AppState, edit: &UndoSnapshot, aspect: f64) -> Option<Effect> {
    state.view.clone_from(&edit.view);
    state.settings.background = edit.background;
    let (document, edit) = (state.document.as_mut()?, edit.file.as_ref()?);
    document.hidden = HiddenParts::find_known(document.scene.model(), &edit.parts);
    document.looks_at_pointer = edit.looks_at_pointer;
    let present = document.request();
    let former = rig_maps(document);
    let changed = |text: &&RigMapText| former.iter().any(|former| former.0 == text.0 && former.1 != text.1);
    let rig_maps: Vec<RigMapText> = edit.rig_maps.iter().filter(changed).cloned().collect();
    if !rig_maps.is_empty() {
        return Some(Effect::SaveRolesAndReload { rig_maps, request: Box::new(edit.request.clone()), label: None });
    }
    if !edit.request.has_files_of(present) {
        return Some(Effect::Reload(Box::new(edit.request.clone()), Reload::Request { label: None }));
    }
    if let Some(file) = document.scene.missing_ground(&edit.request.motion) {
        return Some(Effect::LoadGround { file: file.to_owned(), restores_edit: true });
    }
    let request = document.fitted(edit.request.clone());
    let SceneRequest { joint_poses, expressions, morph_weights, .. } = present.clone();
    let is_pose = SceneRequest { joint_poses, expressions, morph_weights, ..request.clone() } == *present;
    // Playback goes on if nothing else changes. A change of the pose does not move the camera, and neither does its undo.
    if request != *present
        && let Err(error) = match is_pose {
            true => document.set_request(request),
            false => document.keep_framed(aspect, |document| document.set_request(request)),
        }
    {
        state.notify(NotificationKind::Error, report::line_of(&error));
        return None;
    }
    let document = state.document.as_mut()?;
    let duration_secs = document.scene.duration_secs();
    document.playback.set_play_range(edit.play_range, duration_secs);
    None
}

/// Returns `true` if consecutive changes by `action` may belong to one drag of the pointer.
pub(super) fn is_drag(action: &Action) -> bool {
    matches!(
        action,
        Action::Pose(PoseAction::SetJointPoses(..))
            | Action::Pose(
                PoseAction::SetMorphWeights(_, Some(_)) | PoseAction::SetExpression(..) | PoseAction::ShowFlex(_)
            )
            | Action::Playback(PlaybackAction::SetLayerWeight(..))
            | Action::Shading(ShadingAction::SetGhosts(_) | ShadingAction::SetTexelTarget(_))
            | Action::Pose(PoseAction::SetCrowd(_))
            | Action::Shading(ShadingAction::SetBackground(Some(
                BackgroundRequest::Color(_) | BackgroundRequest::Environment(_)
            )))
            | Action::Light(LightAction::SetLight(_) | LightAction::SetKeyLight(_) | LightAction::RotateEnvironment(_))
    )
}

/// The label of the step that `action` causes, in the list of edits.
pub(super) fn label(state: &AppState, action: &Action) -> String {
    let document = state.document.as_ref();
    let joint = |joint| document.map(|document| document.outline.joint(joint)).unwrap_or_default();
    let clip = |index: ClipIndex| {
        let name = document.and_then(|document| document.scene.model().clips.get(index.get())?.name.as_deref());
        named(name, "clip", index.get())
    };
    let morph = |index: usize| {
        let morphs = document.map(|document| document.scene.model().morphs()).unwrap_or_default();
        morphs.into_iter().find(|morph| morph.weight_index == index).map_or(String::new(), |morph| morph.name)
    };
    match action {
        Action::Pose(PoseAction::SetJointPoses(index, _)) => format!("Pose of {}", joint(*index)),
        Action::Pose(PoseAction::ClearJointPose(index)) => format!("Clear pose of {}", joint(*index)),
        Action::Pose(PoseAction::ShowFlex(_) | PoseAction::ShowFlexJoint(_)) => "Flex".to_owned(),
        Action::Pose(PoseAction::SetMorphWeights(indices, weight)) => {
            let name = indices.first().map(|index| morph(*index)).unwrap_or_default();
            if weight.is_some() { format!("Morph weight {name}") } else { format!("Clear morph {name}") }
        }
        Action::Pose(PoseAction::SetExpression(index, _)) => {
            let expression = document.and_then(|document| document.scene.model().expressions.get(index.get()));
            format!("Expression {}", expression.map_or("", |expression| &expression.name))
        }
        Action::Playback(PlaybackAction::SetLayerWeight(index, _)) => format!("Weight of clip {}", clip(*index)),
        Action::Playback(PlaybackAction::CrossFadeTo(index, _)) => format!("Crossfade to {}", clip(*index)),
        Action::Playback(PlaybackAction::PlayClip(Some(index))) => format!("Play {}", clip(*index)),
        Action::Playback(PlaybackAction::SetPlayRange(Some(_))) => "Play range".to_owned(),
        Action::Comparison(ComparisonAction::ShowDifference(_)) => "Go to difference".to_owned(),
        Action::Selection(SelectionAction::ToggleHidden(part)) => {
            let name = document.map(|document| document.part_name(*part)).unwrap_or_default();
            format!("Visibility of {name}")
        }
        Action::Selection(SelectionAction::Isolate(_)) => "Isolate".to_owned(),
        Action::Shading(ShadingAction::SetGhosts(_)) => "Ghosts".to_owned(),
        Action::Shading(ShadingAction::SetTexelTarget(_)) => "Texel density".to_owned(),
        Action::Pose(PoseAction::SetCrowd(_)) => "Crowd".to_owned(),
        Action::Pose(PoseAction::SetLookAt(_)) => "Look at".to_owned(),
        Action::File(FileAction::SetGround(_)) => "Ground".to_owned(),
        Action::File(FileAction::SetRole { role, .. }) => format!("Role {role}"),
        Action::File(FileAction::SetRestPose(_)) => "Rest pose of the motion".to_owned(),
        Action::File(FileAction::ShowScene(_)) => "Scene".to_owned(),
        Action::File(FileAction::ShowVariant(_)) => "Variant".to_owned(),
        Action::File(FileAction::ImportClips(file)) => format!("Import clips of {}", file_name(file)),
        Action::Light(LightAction::SetLight(_)) => "Light".to_owned(),
        Action::Light(LightAction::SetKeyLight(_)) => "Key light".to_owned(),
        Action::Light(LightAction::SetUp(index)) => format!("Light: {}", light_set_ups()[*index].0),
        Action::Light(LightAction::RemoveOtherLights) => "Remove other lights".to_owned(),
        Action::Light(LightAction::RotateEnvironment(_)) => "Rotate environment".to_owned(),
        Action::Light(LightAction::SetEnvironment(EnvironmentRequest::File(file)))
        | Action::File(FileAction::Open(file)) => {
            format!("Environment {}", file_name(file))
        }
        action => match (command_for(action), action) {
            (Some(command), _) => command.name.to_owned(),
            (None, Action::Shading(ShadingAction::SetBackground(_))) => "Background".to_owned(),
            (None, _) => "Edit".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::viewer::actions::{
        CameraAction, WindowAction,
        dispatch::dispatch,
        request_tests::{KINDS, character, random_action},
        tests::state,
    };
    use crate::app::viewer::state::Selection;
    use nalgebra::{UnitQuaternion, Vector3};
    use rigview_core::math::Transform;
    use rigview_core::model::JointIndex;
    use rigview_core::pose::Pose;
    use rigview_core::util::hash::splitmix64;
    use rigview_render::scene::ViewMode;

    /// A time that no clip of the tests ends at.
    const TIME_SECS: f64 = 0.37;

    /// The pose of the first instance, which shows that edits reach the crowd.
    fn pose(state: &AppState) -> Pose {
        state.document.as_ref().unwrap().scene.first_pose(TIME_SECS).0
    }

    fn rotation_of(joint: JointIndex, angle: f64) -> PoseAction {
        let rotation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle);
        PoseAction::SetJointPoses(joint, vec![(joint, Transform { rotation, ..Transform::identity() })])
    }

    #[test]
    fn undo_and_redo_restore_every_state() {
        for seed in 0..8 {
            let (mut seed, mut state) = (seed, character());
            // The state after each step of the history.
            let mut states = vec![(current_snapshot(&state), pose(&state))];
            for _ in 0..1 + splitmix64(&mut seed) % 24 {
                if splitmix64(&mut seed).is_multiple_of(2) {
                    state.history.break_merge();
                }
                let before = current_snapshot(&state);
                let kind = splitmix64(&mut seed) % KINDS;
                dispatch(&mut state, random_action(kind, &mut seed), 1.0);
                // A cross-fade ends here, so that its pose can be compared.
                let document = state.document.as_mut().unwrap();
                (0..3).for_each(|_| document.advance(0.2));
                // A drag that continues replaces the state of its step.
                if current_snapshot(&state) != before {
                    states.truncate(state.history.position());
                    states.push((current_snapshot(&state), pose(&state)));
                }
            }
            let count = state.history.position();
            assert_eq!((states.len(), state.history.labels().len()), (count + 1, count));
            for (steps, expected) in states.iter().enumerate().rev() {
                assert_eq!(current_snapshot(&state), expected.0, "undone to {steps} of {count}");
                assert!(pose(&state) == expected.1, "pose undone to {steps} of {count}");
                dispatch(&mut state, HistoryAction::Undo, 1.0);
            }
            for (steps, expected) in states.iter().enumerate() {
                assert_eq!(current_snapshot(&state), expected.0, "redone to {steps} of {count}");
                assert!(
                    pose(&state) == expected.1,
                    "pose redone to {steps} of {count}: {:?}\n{:#?}\n{:#?}",
                    state.history.labels().collect::<Vec<_>>(),
                    states[steps - 1].0,
                    expected.0
                );
                dispatch(&mut state, HistoryAction::Redo, 1.0);
            }
            dispatch(&mut state, HistoryAction::GoToEdit(count / 2), 1.0);
            assert!(current_snapshot(&state) == states[count / 2].0);
        }
    }

    #[test]
    fn undo_and_redo_of_a_pose_keep_the_camera() {
        let mut state = state("hare.glb");
        let camera = |state: &AppState| state.document.as_ref().unwrap().camera().world_from_view;
        let before = camera(&state);
        let leaning = Transform { rotation: UnitQuaternion::from_euler_angles(1.5, 0.0, 0.0), ..Transform::identity() };
        dispatch(&mut state, PoseAction::SetJointPoses(JointIndex(1), vec![(JointIndex(1), leaning)]), 1.0);
        for step in [HistoryAction::Undo, HistoryAction::Redo] {
            dispatch(&mut state, Action::History(step), 1.0);
            assert_eq!(camera(&state), before);
        }
    }

    #[test]
    fn steps_have_labels_and_notifications() {
        let mut state = state("hare.glb");
        for action in [
            Action::Pose(rotation_of(JointIndex(1), 0.5)),
            Action::Pose(rotation_of(JointIndex(1), 0.7)),
            Action::Playback(PlaybackAction::PlayClip(Some(ClipIndex(1)))),
            Action::Shading(ShadingAction::ToggleViewMode(ViewMode::Normals)),
            Action::Camera(CameraAction::Reset),
        ] {
            dispatch(&mut state, action, 1.0);
        }
        let joint = state.document.as_ref().unwrap().outline.joint(JointIndex(1)).to_owned();
        let labels: Vec<&str> = state.history.labels().collect();
        assert_eq!(labels[0], format!("Pose of {joint}"));
        assert!(labels[1].starts_with("Play "), "{labels:?}");
        assert_eq!(labels[2..], ["Normals", "Reset view and playback"]);
        assert!(state.document.as_ref().unwrap().scene.overrides().is_empty());
        dispatch(&mut state, HistoryAction::Undo, 1.0);
        assert_eq!(state.document.as_ref().unwrap().scene.overrides().joints().len(), 1);
        assert_eq!(state.notifications.list.last().unwrap().text, "Undo: Reset view and playback");
        (0..4).for_each(|_| _ = dispatch(&mut state, HistoryAction::Undo, 1.0));
        assert_eq!(state.notifications.list.last().unwrap().text, "Nothing to undo");
    }

    #[test]
    fn play_range_is_undone_and_ends_with_the_clip() {
        let mut state = state("hare.glb");
        let range = |state: &AppState| state.document.as_ref().unwrap().playback.play_range;
        dispatch(&mut state, PlaybackAction::ChoosePlayRange, 1.0);
        assert!(state.document.as_ref().unwrap().playback.choosing_range);
        dispatch(&mut state, PlaybackAction::SetPlayRange(Some([0.1, 0.3])), 1.0);
        assert!(!state.document.as_ref().unwrap().playback.choosing_range);
        dispatch(&mut state, PlaybackAction::GoToEnd, 1.0);
        assert_eq!(state.document.as_ref().unwrap().playback.time_secs, 0.3);
        dispatch(&mut state, PlaybackAction::CrossFadeTo(ClipIndex(1), 0.3), 1.0);
        assert_eq!(range(&state), None, "a fade outlasts a short play range");
        dispatch(&mut state, HistoryAction::Undo, 1.0);
        assert_eq!(range(&state), Some([0.1, 0.3]));
        dispatch(&mut state, PlaybackAction::StepClip(1), 1.0);
        assert_eq!(range(&state), None);
        (0..2).for_each(|_| _ = dispatch(&mut state, HistoryAction::Undo, 1.0));
        assert_eq!(range(&state), None);
        dispatch(&mut state, HistoryAction::Redo, 1.0);
        assert_eq!(range(&state), Some([0.1, 0.3]));
        let labels: Vec<&str> = state.history.labels().collect();
        assert_eq!(labels, ["Play range", "Next clip"]);
    }

    #[test]
    fn escape_closes_messages_shows_panels_deselects_and_never_quits() {
        let mut state = state("hare.glb");
        state.settings.panels.hidden = true;
        dispatch(&mut state, SelectionAction::Select(Some(Selection::Joint(JointIndex(1)))), 1.0);
        state.notify(NotificationKind::Error, "broken");
        let cancel = |state: &mut AppState| {
            assert_eq!(dispatch(state, WindowAction::Cancel, 1.0), None);
            let selected = state.document.as_ref().unwrap().selection.is_some();
            (state.notifications.list.len(), state.settings.panels.hidden, selected)
        };
        assert_eq!(cancel(&mut state), (0, true, true));
        assert_eq!(cancel(&mut state), (0, false, true));
        assert_eq!(cancel(&mut state), (0, false, false));
        assert_eq!(cancel(&mut state), (1, false, false), "the message names the key that quits");
    }
}
