//! Tests of actions on the state, without a window.

use super::dispatch::dispatch;
use super::edits::current_snapshot;
use super::effect::Effect;
use super::{
    Action, CameraAction, ComparisonAction, FileAction, HistoryAction, PlaybackAction, PoseAction, SelectionAction,
    WindowAction,
};
use crate::app::scene::LoadedScene;
use crate::app::scene::selection::HiddenParts;
use crate::app::scene::tests::shipped_scene;
use crate::app::viewer::state::{AppState, Checked, ComparisonState, Document, Hints, LookAt, Reload, Selection};
use crate::request::{MotionRequest, SceneRequest, ViewRequest, WindowRequest};
use rigview_check::diff::DiffTarget;
use rigview_core::import::ImageLoading;
use rigview_core::model::{JointIndex, MeshIndex};
use rigview_core::palette::{BlockIndex, skin_on_cpu};
use rigview_core::retarget::{ReferenceSource, Role};
use rigview_render::scene::{ViewDirection, ViewMode};
use std::path::{Path, PathBuf};

/// A shipped model.
pub(crate) fn document(file: &str) -> Document {
    let request = SceneRequest::default();
    Document::new(shipped_scene(file, &request), &request, 24.0, 1.0)
}

/// A body and a motion that is retargeted to it, with the request for both.
fn walking_body() -> ([PathBuf; 2], SceneRequest) {
    let files =
        ["body.glb", "walk.bvh"].map(|file| Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/book/motion").join(file));
    let motion = MotionRequest { clip_sources: vec![files[1].clone()], ..MotionRequest::default() };
    (files, SceneRequest { motion, ..SceneRequest::default() })
}

/// The state without a file.
pub(crate) fn empty_state() -> AppState {
    let request = WindowRequest {
        files: Vec::new(),
        scene: SceneRequest::default(),
        view: ViewRequest::default(),
        compare: false,
        hide_panels: false,
        ignore_settings: true,
        profile: None,
    };
    AppState::new(request, Default::default())
}

/// The state with a shipped model.
pub(crate) fn state(file: &str) -> AppState {
    AppState { document: Some(document(file)), ..empty_state() }
}

#[test]
fn profile_of_the_command_line_comes_first_and_a_broken_one_is_reported_once() {
    let mut state = state("hare.glb");
    let set = |profile: &str| Action::File(FileAction::SetProfile(Some(profile.into())));
    assert_eq!(dispatch(&mut state, set("mobile.toml"), 1.0), Some(Effect::Check));
    assert_eq!(state.profile_file(), Some(Path::new("mobile.toml")));
    let broken = || Checked { issues: Vec::new(), profile: Some(Err("mobile.toml: not found".to_owned())) };
    (0..2).for_each(|_| state.show_check(broken()));
    let texts: Vec<&str> = state.notifications.list.iter().map(|notification| notification.text.as_str()).collect();
    assert_eq!(texts, ["The profile is not used: mobile.toml: not found"]);
    state.command_line.profile = Some("avatar.toml".into());
    assert_eq!(state.profile_file(), Some(Path::new("avatar.toml")));
}

/// Compares with the version before the last reload, as the window does.
fn compare_before_reload(state: &mut AppState) -> bool {
    let Some(version) = state.before_reload.take() else { return false };
    state.comparison = Some(ComparisonState::with_before_reload(version));
    true
}

#[test]
fn one_version_is_kept_until_another_file_opens() {
    let mut state = state("hare.glb");
    assert_eq!(dispatch(&mut state, ComparisonAction::CompareBeforeReload, 1.0), None);
    assert!(state.notifications.list[0].text.starts_with("No earlier version"));
    assert!(!state.close_comparison() && !state.release_before_reload());

    assert!(!state.keep_before_reload(document("windmill.glb")));
    assert_eq!(dispatch(&mut state, ComparisonAction::CompareBeforeReload, 1.0), Some(Effect::CompareBeforeReload));
    assert!(compare_before_reload(&mut state) && state.before_reload.is_none());
    let compared = |state: &AppState| {
        let comparison = state.comparison.as_ref().unwrap();
        assert_eq!(comparison.names(Path::new("a.glb")), ["a.glb (now)", "windmill.glb (before)"]);
        comparison.document.as_ref().unwrap().scene.model().skeleton.len()
    };
    let joints = |file| document(file).scene.model().skeleton.len();
    assert_eq!(compared(&state), joints("windmill.glb"));

    // A reload replaces the compared version; the end of the comparison keeps it.
    assert!(state.keep_before_reload(document("hare.glb")));
    assert_eq!(compared(&state), joints("hare.glb"));
    assert_eq!(dispatch(&mut state, ComparisonAction::CloseComparison, 1.0), Some(Effect::CloseComparison));
    assert!(state.comparison.is_none() && state.before_reload.is_some());

    assert!(compare_before_reload(&mut state));
    assert!(state.release_before_reload(), "the comparison ends with the version");
    assert!(state.comparison.is_none() && state.before_reload.is_none());
}

#[test]
fn difference_selects_frames_and_seeks() {
    let mut state = state("hare.glb");
    let model = state.document.as_ref().unwrap().scene.model();
    let (clip, joint) = (model.clips[1].name.clone().unwrap(), "head".to_owned());
    let head = model.skeleton.joints().iter().position(|joint| joint.name.as_deref() == Some("head")).unwrap();
    let orbit = state.document.as_ref().unwrap().camera.orbit;
    dispatch(&mut state, ComparisonAction::ShowDifference(DiffTarget::Curve { clip, joint, time_secs: 0.25 }), 1.0);
    let document = state.document.as_ref().unwrap();
    assert_eq!(document.scene.clip.map(|clip| clip.get()), Some(1));
    assert_eq!((document.playback.playing, document.playback.time_secs), (false, 0.25));
    assert_eq!(document.joint().map(|joint| joint.get()), Some(head));
    assert!(document.camera.orbit != orbit, "the joint is framed");

    let mesh = document.scene.model().meshes[0].name.clone().unwrap();
    dispatch(&mut state, ComparisonAction::ShowDifference(DiffTarget::Mesh(mesh)), 1.0);
    assert!(matches!(state.document.as_ref().unwrap().selection, Some(Selection::Mesh(_))));
    assert!(state.notifications.list.is_empty());
    let weights = DiffTarget::Weights("head".to_owned());
    for (former, mode) in [(ViewMode::Uv, ViewMode::Weights), (ViewMode::WeightPaint, ViewMode::WeightPaint)] {
        state.view.set_view_mode(former);
        dispatch(&mut state, ComparisonAction::ShowDifference(weights.clone()), 1.0);
        assert_eq!(state.document.as_ref().unwrap().joint().map(|joint| joint.get()), Some(head));
        assert_eq!(state.view.view_mode(), mode, "the chosen colors stay");
    }
    dispatch(&mut state, ComparisonAction::ShowDifference(DiffTarget::Joint("root/fin".to_owned())), 1.0);
    assert_eq!(state.notifications.list[0].text, "\"fin\" is not in hare.glb");
}

#[test]
fn difference_of_the_second_document_is_framed() {
    let mut state = state("hare.glb");
    state.keep_before_reload(document("windmill.glb"));
    assert!(compare_before_reload(&mut state));
    let windmill = document("windmill.glb");
    let name = windmill.scene.model().skeleton.joints().last().unwrap().name.clone().unwrap();
    let orbit = state.document.as_ref().unwrap().camera.orbit;
    dispatch(&mut state, ComparisonAction::ShowDifference(DiffTarget::Joint(name.clone())), 1.0);
    assert_eq!(state.notifications.list[0].text, format!("\"{name}\" is only in windmill.glb (before)"));
    assert!(state.document.as_ref().unwrap().camera.orbit != orbit, "the joint of the second document is framed");
}

#[test]
fn hints_end_with_their_gestures() {
    let mut state = state("hare.glb");
    assert_eq!(state.settings.hints, Hints::NONE, "settings are ignored, as in tests");
    state.settings.hints = Hints::default();
    dispatch(&mut state, CameraAction::Orbit { right: 0.1, up: 0.0 }, 1.0);
    dispatch(&mut state, CameraAction::ZoomTowards(1.0, [0.5; 2]), 1.0);
    assert_eq!(state.settings.hints, Hints { orbit: false, zoom: false, shortcuts: true });
    dispatch(&mut state, WindowAction::ToggleShortcuts, 1.0);
    assert_eq!(state.settings.hints, Hints::NONE);
    state.settings.hints = Hints::default();
    dispatch(&mut state, WindowAction::DismissHints, 1.0);
    assert_eq!(state.settings.hints, Hints::NONE);
}

#[test]
fn isolation_toggles_and_needs_a_selection() {
    let mut state = state("windmill.glb");
    let isolated = |state: &AppState| state.document.as_ref().unwrap().hidden.isolated;
    dispatch(&mut state, SelectionAction::ToggleIsolation, 1.0);
    assert_eq!((isolated(&state), state.notifications.list.len()), (None, 1));
    let mesh = Selection::Mesh(MeshIndex(1));
    dispatch(&mut state, SelectionAction::Select(Some(mesh)), 1.0);
    assert_eq!(state.document.as_ref().unwrap().highlighted_part(), Some(mesh));
    dispatch(&mut state, SelectionAction::ToggleIsolation, 1.0);
    assert_eq!((isolated(&state), state.document.as_ref().unwrap().highlighted_part()), (Some(mesh), None));
    dispatch(&mut state, SelectionAction::HideSelection, 1.0);
    assert_eq!(state.document.as_ref().unwrap().hidden.hidden, [mesh]);
    dispatch(&mut state, SelectionAction::ShowAllParts, 1.0);
    assert_eq!(state.document.as_ref().unwrap().hidden, HiddenParts::default());
    assert_eq!(state.history.labels().next_back(), Some("Show all hidden parts"));
    let mut one_part = self::state("mannequin.glb");
    dispatch(&mut one_part, SelectionAction::Select(Some(Selection::Mesh(MeshIndex(0)))), 1.0);
    assert_eq!(one_part.document.unwrap().highlighted_part(), None);
}

#[test]
fn changed_role_is_written_beside_its_file_and_reloads() {
    let ([file, motion], request) = walking_body();
    let scene = LoadedScene::open(&file, &request, ImageLoading::Skip).unwrap();
    let head = scene.motion().unwrap().map.get(Role::from_name("head").unwrap()).unwrap().joint;
    let mut overlay = rigview_render::scene::Overlay::default();
    let feet = scene.rig_map().unwrap().feet(scene.model()).unwrap();
    scene.motion().unwrap().add_skeleton(&mut overlay, &feet, scene.clip.unwrap(), 0.5);
    let (bounds, body) = (overlay.bounds(), scene.bounds());
    assert!(bounds.center().x > body.center().x, "beside the model: {bounds:?}");
    assert!((bounds.extent().y / body.extent().y - 1.0).abs() < 0.3, "as large as the model: {bounds:?}");

    let mut state = state("hare.glb");
    state.document = Some(Document::new(scene, &request, 24.0, 1.0));
    for (of_motion, joint, file, line) in [(true, Some(head), &motion, "chest = "), (false, None, &file, "chest = ''")]
    {
        let role = Role::from_name("chest").unwrap();
        let effect = dispatch(&mut state, FileAction::SetRole { of_motion, role, joint }, 1.0);
        let Some(Effect::SaveRolesAndReload { rig_maps, label, .. }) = effect else { panic!("{effect:?}") };
        let [(written, Some(text))] = &rig_maps[..] else { panic!("{rig_maps:?}") };
        assert_eq!((written, label.as_deref()), (&file.with_extension("rigmap.toml"), Some("Role chest")));
        assert!(text.lines().any(|text| text.starts_with(line)), "{text}");
    }
    let rest = ReferenceSource::from_name("first-frame");
    let effect = dispatch(&mut state, FileAction::SetRestPose(rest), 1.0);
    let Some(Effect::SaveRolesAndReload { rig_maps, .. }) = effect else { panic!("{effect:?}") };
    let [(written, Some(text))] = &rig_maps[..] else { panic!("{rig_maps:?}") };
    assert_eq!(written, &motion.with_extension("rigmap.toml"));
    assert!(text.lines().any(|line| line == "rest = 'first-frame'"), "{text}");
}

#[test]
fn views_from_the_sides_show_all_until_the_user_zooms() {
    let mut state = state("mannequin.glb");
    let mut positions = Vec::new();
    let scene = &mut state.document.as_mut().unwrap().scene;
    let frame_secs = scene.duration_secs() / 24.0;
    for frame in 0..=24 {
        scene.pose_in_double_precision(frame_secs * f64::from(frame));
        for draw in &scene.layout().draws {
            positions.extend(skin_on_cpu(scene.rig(), scene.palette(), BlockIndex(0), draw).positions);
        }
    }
    // The largest distance from the center of the image, relative to that of its edge.
    let extent = |state: &AppState| {
        let projection = state.document.as_ref().unwrap().camera().projection_from_world(1.0);
        let each = positions.iter().map(|p| projection * nalgebra::Vector3::from(*p).cast::<f64>().push(1.0));
        each.map(|p| (p.x / p.w).abs().max((p.y / p.w).abs())).fold(0.0, f64::max)
    };
    for (side, name) in ViewDirection::ALL {
        dispatch(&mut state, CameraAction::SetViewDirection(side), 1.0);
        assert!((0.85..0.97).contains(&extent(&state)), "{name}: {}", extent(&state));
        dispatch(&mut state, CameraAction::Orbit { right: 0.3, up: 0.2 }, 1.0);
    }
    dispatch(&mut state, CameraAction::Zoom(6.0), 1.0);
    let distance = |state: &AppState| state.document.as_ref().unwrap().camera.orbit.distance;
    let close = distance(&state);
    dispatch(&mut state, CameraAction::SetViewDirection(ViewDirection::Front), 1.0);
    assert_eq!(distance(&state), close, "a close view stays close");
}

#[test]
fn clips_play_in_place_without_the_travel_of_the_hips() {
    let ([file, _], mut request) = walking_body();
    let mut state = state("hare.glb");
    for (is_on, travel) in [(false, 0.5..9.0), (true, 0.0..1e-4), (false, 0.5..9.0)] {
        let scene = LoadedScene::open(&file, &request, ImageLoading::Skip).unwrap();
        let hips = scene.model().skeleton.find("hips").unwrap();
        let path: Vec<_> = (0..=20).map(|i| scene.world_from_joint(hips, f64::from(i) * 0.05).translation).collect();
        let spread = |axis: usize| path.iter().map(|place| (place[axis] - path[0][axis]).abs()).fold(0.0, f64::max);
        assert!(travel.contains(&spread(0).hypot(spread(2))) && spread(1) > 1e-3, "{is_on}: {path:?}");
        let poses: Vec<String> = request.joint_poses.iter().map(ToString::to_string).collect();
        assert_eq!(poses, if is_on { vec!["hips=in-place"] } else { vec![] });
        state.document = Some(Document::new(scene, &request, 24.0, 1.0));
        let effect = dispatch(&mut state, FileAction::ToggleInPlace, 1.0);
        let Some(Effect::Reload(changed, Reload::Request { label: Some(label) })) = effect else {
            panic!("{effect:?}")
        };
        assert_eq!(label, "Play in place");
        request = *changed;
    }
}

#[test]
fn head_looks_at_the_camera() {
    let mut state = state("mannequin.glb");
    dispatch(&mut state, PoseAction::SetLookAt(Some(LookAt::Camera)), 1.0);
    let document = state.document.as_mut().unwrap();
    document.camera.orbit.yaw = 0.3;
    document.aim_heads(None, 1.0);
    let head = document.scene.rig_map().unwrap().gaze(document.scene.model()).unwrap()[1];
    let world_from_head = document.scene.world_from_joint(head.joint, document.clock_secs());
    let to_camera = document.camera().eye_in_world() - world_from_head.translation;
    assert!(world_from_head.transform_vector(head.forward).angle(&to_camera) < 1e-3);
}

#[test]
fn mirrored_pose_is_one_step_of_the_history() {
    let mut state = state("mannequin.glb");
    dispatch(&mut state, PlaybackAction::PlayClip(None), 1.0);
    let document = state.document.as_ref().unwrap();
    let joint = |name: &str| document.scene.model().skeleton.find(name).unwrap();
    let (left, right) = (joint("leftUpperArm"), joint("rightUpperArm"));
    let mut raised = document.scene.model().skeleton.joint(left).rest;
    raised.rotation = nalgebra::UnitQuaternion::from_euler_angles(0.0, 0.0, 0.6) * raised.rotation;
    dispatch(&mut state, PoseAction::SetJointPoses(left, vec![(left, raised)]), 1.0);
    let overridden = |state: &AppState| {
        let overrides = state.document.as_ref().unwrap().scene.overrides();
        overrides.joints().iter().map(|(joint, transform)| (*joint, *transform)).collect::<Vec<_>>()
    };
    let before = overridden(&state);
    dispatch(&mut state, PoseAction::MirrorPose, 1.0);
    let after = overridden(&state);
    let skeleton = &state.document.as_ref().unwrap().scene.model().skeleton;
    let angle = |joint: JointIndex| {
        let (_, transform) = after.iter().find(|(other, _)| *other == joint).unwrap();
        skeleton.joint(joint).rest.rotation.angle_to(&transform.rotation)
    };
    assert!(angle(left) < 1e-5 && (angle(right) - 0.6).abs() < 1e-5, "{} {}", angle(left), angle(right));
    dispatch(&mut state, HistoryAction::Undo, 1.0);
    assert_eq!(overridden(&state), before);
}

#[test]
fn undo_of_a_role_writes_the_former_file() {
    let ([file, _], request) = walking_body();
    let scene = LoadedScene::open(&file, &request, ImageLoading::Skip).unwrap();
    let mut state = state("hare.glb");
    state.document = Some(Document::new(scene, &request, 24.0, 1.0));
    let after = current_snapshot(&state);
    let rig_maps = &after.file.as_ref().unwrap().rig_maps;
    assert!(rig_maps.len() == 2 && rig_maps.iter().all(|(_, text)| text.is_none()), "no role is the user's");
    // As if the roles of the model had come from a file.
    let mut before = after.clone();
    let former = (file.with_extension("rigmap.toml"), Some("chest = ''\n".to_owned()));
    before.file.as_mut().unwrap().rig_maps[1] = former.clone();
    state.history.record("Role chest".to_owned(), false, before, after);
    let effect = dispatch(&mut state, HistoryAction::Undo, 1.0);
    let Some(Effect::SaveRolesAndReload { rig_maps, label, .. }) = effect else { panic!("{effect:?}") };
    assert_eq!((rig_maps, label), (vec![former], None));
}
