//! Random sequences of actions, after which the copied command renders what the window shows.

use super::dispatch::dispatch;
use super::edits::action_on_ground;
use super::effect::Effect;
use super::tests::state;
use super::{
    Action, CameraAction, FileAction, HistoryAction, LightAction, PlaybackAction, PoseAction, SelectionAction,
    ShadingAction,
};
use crate::app::offscreen::OffscreenRenderer;
use crate::app::scene::tests::{shipped_model, shipped_scene};
use crate::app::scene::{LoadedGround, LoadedScene};
use crate::app::viewer::jobs::export_args::{file_options, render_request};
use crate::app::viewer::state::{AppState, Document, KeyLight, LookAt, Selection, Settings};
use crate::cli::{Cli, parse_shot_options, shot_option_names, shot_options};
use crate::request::{
    BackgroundRequest, CrowdRequest, GhostsRequest, GroundRequest, LayoutRequest, MotionRequest, OverlayRequest,
    SceneRequest,
};
use clap::Parser as _;
use nalgebra::{UnitQuaternion, Vector3};
use rigview_core::import::{ImageLoading, ImportOptions};
use rigview_core::math::Transform;
use rigview_core::model::{ClipIndex, JointIndex};
use rigview_core::palette::Skinning;
use rigview_core::pose::LoopMode;
use rigview_core::util::hash::splitmix64;
use rigview_render::scene::{ViewDirection, ViewMode, ground_glb};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Number of kinds of actions of [`random_action`].
pub(super) const KINDS: u64 = 63;

const SIZE: [u32; 2] = [96, 64];

/// A character with two clips, of which one is retargeted.
pub(super) fn character() -> AppState {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let motion =
        MotionRequest { clip_sources: vec![folder.join("docs/book/motion/walk.bvh")], ..MotionRequest::default() };
    let request = SceneRequest { motion, ..SceneRequest::default() };
    let scene = LoadedScene::open(&folder.join("assets/mannequin.glb"), &request, ImageLoading::Decode).unwrap();
    assert!(scene.model().clips.len() > 1);
    let mut state = state("hare.glb");
    state.document = Some(Document::new(scene, &request, 24.0, f64::from(SIZE[0]) / f64::from(SIZE[1])));
    state
}

/// An action of a kind, from 0 to [`KINDS`].
pub(super) fn random_action(kind: u64, seed: &mut u64) -> Action {
    let mut below = |count: u64| (splitmix64(seed) % count) as u32;
    let (joint, clip) = (JointIndex(below(20)), ClipIndex(below(2)));
    let part = Selection::Joint(joint);
    let amount = f64::from(below(200)) * 0.01 - 1.0;
    use PlaybackAction as Play;
    match kind {
        0 => Action::Playback(Play::TogglePlay),
        1 => Action::Playback(Play::StepFrames(below(9) as i32 - 4)),
        2 => Action::Playback(Play::StepKeys(1)),
        3 => Action::Playback(Play::GoToStart),
        4 => Action::Playback(Play::GoToEnd),
        5 => Action::Playback(Play::ToggleLoopBlink),
        6 => Action::Playback(Play::Scrub(amount + 1.0)),
        7 => Action::Playback(Play::EndScrub),
        8 => Action::Playback(Play::SetPlayRange(Some([0.1, 0.7]).filter(|_| below(3) > 0))),
        9 => Action::Playback(Play::ZoomTimeline(Some([0.1, 0.5]))),
        10 => Action::Playback(Play::StepSpeed(1)),
        11 => Action::Playback(Play::SetSpeed(0.5)),
        12 => Action::Playback(Play::ToggleReverse),
        13 => Action::Playback(Play::SetLoopMode(LoopMode::PingPong)),
        14 => Action::Playback(Play::NextLoopMode),
        15 => Action::Playback(Play::SetFrameRate(30.0)),
        16 => Action::Playback(Play::StepClip(1)),
        17 if below(4) == 0 => Action::Playback(Play::PlayAllClips),
        17 => Action::Playback(Play::PlayClip(Some(clip).filter(|_| below(3) > 0))),
        18 => Action::Playback(Play::SetLayerWeight(clip, below(5) as f32 * 0.21)),
        19 => Action::Playback(Play::CrossFadeTo(clip, 0.3)),
        20 => Action::Camera(CameraAction::FrameSelection),
        21 => Action::Camera(CameraAction::FrameModel),
        22 => Action::Camera(CameraAction::SetViewDirection(ViewDirection::Left)),
        23 => Action::Camera(CameraAction::Reset),
        24 => Action::Camera(CameraAction::Orbit { right: amount, up: 0.2 * amount }),
        25 => Action::Camera(CameraAction::Pan { right: 0.1 * amount, up: 0.1 }),
        26 => Action::Camera(CameraAction::Zoom(amount)),
        27 => Action::Camera(CameraAction::ToggleOrthographic),
        28 => Action::Camera(CameraAction::SetFocalLength(50.0 + 10.0 * amount)),
        29 => Action::Camera(CameraAction::AddBookmark),
        30 => Action::Camera(CameraAction::GoToBookmark(0)),
        31 => Action::Selection(SelectionAction::Select(Some(part))),
        32 => Action::Selection(SelectionAction::SelectParent),
        33 => Action::Selection(SelectionAction::ToggleHidden(part)),
        34 => Action::Selection(SelectionAction::HideSelection),
        35 => Action::Selection(SelectionAction::Isolate(Some(part).filter(|_| below(2) > 0))),
        36 => Action::Selection(SelectionAction::ToggleIsolation),
        37 => Action::Selection(SelectionAction::ShowAllParts),
        38 => {
            let grounds = [None, Some(GroundRequest::Slope(15.0)), Some(GroundRequest::Steps(0.1))];
            Action::File(FileAction::SetGround(grounds[below(3) as usize].clone()))
        }
        39 => {
            let layout = Some(LayoutRequest::Scatter).filter(|_| below(2) > 0);
            let clips = (0..below(3)).map(|clip| format!("{clip}:2").parse().unwrap()).collect();
            let crowd = CrowdRequest { instances: 1 + below(3), layout, clips, ..CrowdRequest::default() };
            Action::Pose(PoseAction::SetCrowd(crowd))
        }
        40 | 41 => {
            let rotation = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), amount);
            let transform =
                Transform { rotation, translation: Vector3::new(0.0, 0.1, 0.3 * amount), ..Transform::identity() };
            Action::Pose(PoseAction::SetJointPoses(joint, vec![(joint, transform)]))
        }
        42 => Action::Pose(PoseAction::ClearJointPose(joint)),
        43 => Action::Pose(PoseAction::ClearPoseOverrides),
        44 => {
            Action::Pose(PoseAction::SetLookAt([None, Some(LookAt::Camera), Some(LookAt::Pointer)][below(3) as usize]))
        }
        45 => Action::Shading(ShadingAction::ToggleViewMode(
            [ViewMode::Solid, ViewMode::Weights, ViewMode::Normals][below(3) as usize],
        )),
        46 => Action::Shading(ShadingAction::ToggleOverlay(
            [
                OverlayRequest::Wireframe,
                OverlayRequest::Skeleton,
                OverlayRequest::Grid,
                OverlayRequest::Bounds,
                OverlayRequest::RestPose,
            ][below(5) as usize],
        )),
        47 => Action::Shading(ShadingAction::ToggleLevelOfDetail),
        48 => Action::Shading(ShadingAction::SetGhosts(GhostsRequest { count: 1 + below(3), spacing_secs: 0.1 })),
        49 => Action::Shading(ShadingAction::SetBackground(Some(BackgroundRequest::Color(
            [f64::from(below(11)) * 0.1; 3],
        )))),
        50 => Action::Shading(ShadingAction::NextBackground),
        51 => Action::Light(LightAction::RotateEnvironment(30.0 * amount)),
        52 => Action::Light(LightAction::ToggleKeyLight),
        53 => Action::Light(LightAction::ToggleFileLights),
        54 => Action::Light(LightAction::ToggleShadowCatcher),
        55 => Action::Light(LightAction::ToggleOcclusion),
        56 => Action::Light(LightAction::SetUp(below(3) as usize)),
        57 => Action::Shading(ShadingAction::ToggleSkinning(
            [Skinning::Rigid, Skinning::DualQuaternion][below(2) as usize],
        )),
        58 => Action::Shading(ShadingAction::ToggleGhosts),
        59 => Action::Shading(ShadingAction::ToggleMotionPath),
        60 => {
            let mut light = KeyLight::default();
            light.set_angles([90.0 * amount, 30.0]);
            Action::Light(LightAction::SetKeyLight(light))
        }
        61 => Action::Light(LightAction::RemoveOtherLights),
        _ => Action::Playback(Play::ChoosePlayRange),
    }
}

/// Does random things, with time between them.
fn run(state: &mut AppState, seed: &mut u64, count: u64, aspect: f64) {
    for _ in 0..count {
        let kind = splitmix64(seed) % KINDS;
        let action = random_action(kind, seed);
        state.history.break_merge();
        dispatch(state, action, aspect);
        let document = state.document.as_mut().unwrap();
        document.advance(0.07);
        document.aim_heads(Some([0.3, 0.4]), aspect);
    }
}

#[test]
fn copied_command_shows_what_the_window_shows() {
    let aspect = f64::from(SIZE[0]) / f64::from(SIZE[1]);
    let mut offscreen = OffscreenRenderer::new().unwrap();
    for seed in 0..12 {
        let (mut state, mut seed_of_actions) = (character(), seed * 7919 + 1);
        run(&mut state, &mut seed_of_actions, 24, aspect);
        // As an image of the window does.
        state.document.as_mut().unwrap().place_by_fade();
        let request = render_request(&state, SIZE).unwrap();
        let options = shot_options(&request);
        let parsed =
            parse_shot_options(request.file.clone(), &options).unwrap_or_else(|error| panic!("{options:?}: {error}"));
        assert_eq!(shot_options(&parsed), options);
        let mut fresh = LoadedScene::open(&parsed.file, &parsed.scene, ImageLoading::Decode).unwrap();
        let shown = &mut state.document.as_mut().unwrap().scene;
        assert_eq!(fresh.crowd.len(), shown.crowd.len(), "{options:?}");
        assert!(*fresh.bounds() == *shown.bounds(), "{options:?}: {:?}, {:?}", fresh.bounds(), shown.bounds());
        let models = offscreen.upload(&fresh, parsed.level_of_detail).unwrap();
        let expected = offscreen.render(&mut fresh, &models, &parsed).unwrap();
        let models = offscreen.upload(shown, request.level_of_detail).unwrap();
        // The window plays by the clock.
        let image = offscreen.render(shown, &models, &request).unwrap();
        let different = image.rgba.chunks(4).zip(expected.rgba.chunks(4)).filter(|(a, b)| a != b).count();
        assert_eq!(different, 0, "seed {seed}: {options:?}");
        // Another file opens without them.
        let other = shipped_model("windmill.glb");
        LoadedScene::open(&other, &state.request_of_view(), ImageLoading::Skip).unwrap();
    }
}

/// The hare with a morph target, an expression and a material variant.
fn hare_with_all_items(folder: &Path) -> PathBuf {
    let glb = std::fs::read(shipped_model("hare.glb")).unwrap();
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let mut json: Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    let node = json["nodes"].as_array().unwrap().iter().position(|node| node["mesh"] == 0).unwrap();
    for primitive in json["meshes"][0]["primitives"].as_array_mut().unwrap() {
        primitive["targets"] = json!([{ "POSITION": primitive["attributes"]["POSITION"] }]);
    }
    json["meshes"][0]["extras"] = json!({ "targetNames": ["bulge"] });
    let happy = json!({ "morphTargetBinds": [{ "node": node, "index": 0, "weight": 1.0 }] });
    json["extensionsUsed"] = json!(["VRMC_vrm", "KHR_materials_variants"]);
    json["extensions"] = json!({
        "VRMC_vrm": { "specVersion": "1.0", "expressions": { "preset": { "happy": happy } } },
        "KHR_materials_variants": { "variants": [{ "name": "red" }] },
    });
    let mut text = serde_json::to_vec(&json).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let bytes = [&glb[..12], &(text.len() as u32).to_le_bytes(), b"JSON", &text, &glb[20 + length..]].concat();
    let size = (bytes.len() as u32).to_le_bytes();
    let file = folder.join("hare.glb");
    std::fs::write(&file, [&bytes[..8], &size, &bytes[12..]].concat()).unwrap();
    file
}

#[test]
fn every_option_passes_through_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let (assets, hare) = (Path::new(env!("CARGO_MANIFEST_DIR")), hare_with_all_items(folder.path()));
    let mannequin = assets.join("assets/mannequin.glb");
    let walk = format!("--clips-from={}", assets.join("docs/book/motion/walk.bvh").display());
    let crowd = "--instances=3";
    // Words of the window's command line, of which the copied command has the first, or the other one.
    let cases: &[(&Path, &[&str], Option<&str>)] = &[
        (&hare, &["--clip=listen"], None),
        (&hare, &["--time=0.25"], None),
        (&hare, &["--scene=0"], None),
        (&hare, &["--variant=red"], None),
        (&hare, &["--layer=listen:0.5"], None),
        (&hare, &["--pose=head=0,30,0"], None),
        (&hare, &["--expression=happy=0.5"], None),
        (&hare, &["--morph-weight=bulge=0.5"], None),
        (&hare, &["--ignore-required"], None),
        (&hare, &["--allow-external-files"], None),
        (&hare, &["--limit=elements=7777777"], None),
        (&hare, &["--converter=a {in} {out}"], None),
        (&hare, &[crowd], None),
        (&hare, &["--layout=scatter", crowd], None),
        (&hare, &["--clips=nod:2,listen", crowd], None),
        (&hare, &["--phase-spread=0.5", crowd], None),
        (&hare, &["--speed-spread=0.5", crowd], None),
        (&hare, &["--seed=7", crowd], None),
        (&hare, &["--lod=auto", crowd], None),
        (&hare, &["--environment=sunset"], None),
        (&hare, &["--environment-rotation=30"], None),
        (&hare, &["--environment-intensity=0.5"], None),
        (&hare, &["--light=0,1,0,3"], None),
        (&hare, &["--file-lights=off"], None),
        (&hare, &["--shadow-catcher"], None),
        (&hare, &["--occlusion=on"], None),
        (&hare, &["--exposure=1.5"], None),
        (&hare, &["--tone-mapping=agx"], None),
        (&hare, &["--view-mode=weights:head"], None),
        (&hare, &["--view-mode=normals"], None),
        (&hare, &["--skinning=dual-quaternion"], None),
        (&hare, &["--overlay=skeleton,axes,wireframe,bounds,grid,scale-figure,motion-source,rest-pose"], None),
        (&hare, &["--joint=head"], None),
        (&hare, &["--ghosts=2:0.2"], None),
        (&hare, &["--motion-path=head"], None),
        (&hare, &["--hide=mesh:hare_mesh"], None),
        (&hare, &["--isolate=material:fur"], None),
        // It is selected. Images do not show that.
        (&hare, &["--highlight=material:fur"], Some("--occlusion=on")),
        (&hare, &["--quality=high"], None),
        (&hare, &["--samples=8"], None),
        (&mannequin, &[&walk], None),
        (&mannequin, &["--retarget", &walk], None),
        (&mannequin, &["--feet-on=slope:20"], None),
        (&mannequin, &["--look-at=camera"], None),
        (&mannequin, &["--flex=0"], Some("--pose=")),
    ];
    let name = |word: &str| word.trim_start_matches("--").split('=').next().unwrap().to_owned();
    let of_image = ["output", "size", "eye", "target", "fov", "orthographic", "camera", "background", "anisotropy"];
    let tested: BTreeSet<String> =
        cases.iter().map(|(_, words, _)| name(words[0])).chain(of_image.map(str::to_owned)).collect();
    assert_eq!(tested, shot_option_names().into_iter().collect(), "each option has a case");
    let mut failed = Vec::new();
    for (file, words, other) in cases {
        let words = [&["rigview", file.to_str().unwrap()], *words].concat();
        let request = Cli::try_parse_from(&words).unwrap().viewer.with_window_defaults();
        let mut state = AppState::new(request.clone(), Settings::default());
        let scene = LoadedScene::open(file, &request.scene, ImageLoading::Skip).unwrap();
        let mut document = Document::new(scene, &request.scene, 24.0, f64::from(SIZE[0]) / f64::from(SIZE[1]));
        document.select_named(&request.view.debug_view);
        state.document = Some(document);
        let options = shot_options(&render_request(&state, SIZE).unwrap());
        let expected = other.unwrap_or(words[2]);
        if !options.iter().any(|option| option.starts_with(expected)) {
            failed.push(format!("{words:?}: {options:?}"));
        }
        // Defaults that differ, and what the options imply.
        let needless = "occlusion shadow-catcher lod eye target instances size clips-from joint overlay pose samples";
        let needless: Vec<String> = needless.split(' ').map(str::to_owned).chain([name(words[2])]).collect();
        let added: Vec<_> = options.iter().filter(|option| !needless.contains(&name(option))).collect();
        if !added.is_empty() {
            failed.push(format!("{words:?} adds {added:?}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn look_at_and_ground_are_undone_and_dropped_for_another_file() {
    let mut state = character();
    dispatch(&mut state, PoseAction::SetLookAt(Some(LookAt::Camera)), 1.5);
    let ground = Some(GroundRequest::Slope(20.0));
    assert_eq!(dispatch(&mut state, FileAction::SetGround(ground), 1.5), None, "without a reload");
    let options = shot_options(&render_request(&state, SIZE).unwrap());
    assert!(
        ["--look-at=camera", "--feet-on=slope:20"].iter().all(|option| options.iter().any(|other| other == option))
    );
    let dropped = file_options(state.document.as_ref().unwrap());
    assert_eq!(dropped.len(), 3, "{dropped:?}");
    assert_eq!(state.request_of_view(), SceneRequest::default());
    assert_eq!(state.document.as_ref().unwrap().scene.instance_count(), 1, "the ground is no instance");
    assert_eq!(state.history.labels().collect::<Vec<_>>(), ["Look at", "Ground"]);
    (0..2).for_each(|_| _ = dispatch(&mut state, HistoryAction::Undo, 1.5));
    assert_eq!(state.document.as_ref().unwrap().request().motion.feet_on, None);
    assert_eq!(state.document.as_ref().unwrap().request().motion.look_at, None);
}

#[test]
fn pose_of_the_range_of_motion_test_becomes_overrides() {
    let file = shipped_model("mannequin.glb");
    let request = SceneRequest { flex: Some(0), ..SceneRequest::default() };
    let mut document = Document::new(shipped_scene("mannequin.glb", &request), &request, 24.0, 1.0);
    assert!(document.request().flex.is_none() && !document.request().joint_poses.is_empty());
    document.clear_overrides().unwrap();
    assert!(document.request().joint_poses.is_empty() && document.scene.overrides().is_empty());
    let error =
        LoadedScene::open(&file, &SceneRequest { flex: Some(9999), ..request }, ImageLoading::Skip).err().unwrap();
    let message = crate::app::console::report::line_of(&error);
    assert!(
        message.contains("has no joint of rank 9999 in `rigview check --flex`; it has the ranks 0 to "),
        "{message}"
    );
}

#[test]
fn image_of_a_posed_model_frames_the_pose() {
    let bounds = |joint_poses: &[&str]| {
        let joint_poses = joint_poses.iter().map(|pose| pose.parse().unwrap()).collect();
        let request = SceneRequest { joint_poses, ..SceneRequest::default() };
        *shipped_scene("mannequin.glb", &request).bounds()
    };
    let (rest, moved) = (bounds(&[]), bounds(&["hips=0,0,0,3,1,0"]));
    assert!((moved.center().x - 3.0).abs() < 0.3 && rest.center().x < 1.5, "{rest:?}, {moved:?}");
}

#[test]
fn shadows_have_the_method_of_skinning() {
    let file = shipped_model("hare.glb");
    let mut offscreen = OffscreenRenderer::new().unwrap();
    // A twisted neck is thin with linear skinning.
    let options = ["--clip=none", "--pose=head=0,175,0", "--light=1,0.5,0,3", "--shadow-catcher", "--size=480x360"];
    let others = ["--background=transparent", "--eye=-0.5,1.6,0.02", "--target=-0.5,0,0"];
    let options: Vec<String> = options.into_iter().chain(others).map(str::to_owned).collect();
    let request = parse_shot_options(file.clone(), &options).unwrap();
    let mut scene = LoadedScene::open(&file, &request.scene, ImageLoading::Decode).unwrap();
    let models = offscreen.upload(&scene, false).unwrap();
    // The shadow map of one image must not stay for the next.
    let [linear, dual] = [Skinning::Linear, Skinning::DualQuaternion].map(|skinning| {
        let mut request = request.clone();
        request.debug_view.skinning = Some(skinning);
        offscreen.render(&mut scene, &models, &request).unwrap().rgba
    });
    // The shadow is black, with an alpha below 1.
    let is_shadow = |texel: &[u8]| texel[..3] == [0; 3] && texel[3] < 255;
    let pairs = || linear.chunks(4).zip(dual.chunks(4)).filter(|(a, b)| is_shadow(a) && is_shadow(b));
    assert!(pairs().filter(|(a, _)| a[3] > 100).count() > 300, "the shadow is in view");
    let different = pairs().filter(|(a, b)| a[3].abs_diff(b[3]) > 15).count();
    assert!(different > 300, "{different}");
}

#[test]
fn ground_has_no_shadow_catcher_below_it() {
    let file = shipped_model("mannequin.glb");
    let mut offscreen = OffscreenRenderer::new().unwrap();
    let mut image = |options: &[&str]| {
        let options: Vec<String> = ["--size=96x72"].iter().chain(options).map(|option| (*option).to_owned()).collect();
        let request = parse_shot_options(file.clone(), &options).unwrap();
        let mut scene = LoadedScene::open(&file, &request.scene, ImageLoading::Decode).unwrap();
        let models = offscreen.upload(&scene, false).unwrap();
        offscreen.render(&mut scene, &models, &request).unwrap().rgba
    };
    assert!(image(&["--shadow-catcher"]) != image(&[]));
    assert!(image(&["--feet-on=slope:20", "--shadow-catcher"]) == image(&["--feet-on=slope:20"]));
    let sun = ["--feet-on=slope:20", "--light=1,2,1,3"];
    assert!(image(&[&sun[..], &["--shadow-catcher"]].concat()) != image(&sun), "the ground receives the shadow");
}

#[test]
fn ground_of_a_file_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hill.glb");
    std::fs::write(&file, ground_glb(&GroundRequest::Slope(15.0).formula().unwrap(), 5.0, 1.0).unwrap()).unwrap();
    let motion = MotionRequest { feet_on: Some(GroundRequest::File(file.clone())), ..MotionRequest::default() };
    let request = SceneRequest { motion, ..SceneRequest::default() };
    let model = shipped_model("mannequin.glb");
    let scene = LoadedScene::open(&model, &request, ImageLoading::Decode).unwrap();
    let mut document = Document::new(scene, &request, 24.0, 1.0);
    std::fs::remove_file(&file).unwrap();
    for instances in [3, 1] {
        document.edit(|request, _| request.crowd.instances = instances).unwrap();
        assert_eq!((document.scene.crowd.len(), document.scene.drawn().count()), (instances as usize, 2));
    }
}

#[test]
fn ground_changes_between_files_and_formulas_without_a_reload() {
    let folder = tempfile::tempdir().unwrap();
    let files = [15.0, 25.0].map(|degrees| {
        let file = folder.path().join(format!("hill-{degrees}.glb"));
        std::fs::write(&file, ground_glb(&GroundRequest::Slope(degrees).formula().unwrap(), 5.0, 1.0).unwrap())
            .unwrap();
        file
    });
    let mut state = character();
    let leg_length = state.document.as_ref().unwrap().scene.leg_length().unwrap();
    // Loads what is missing, as the window does. Returns the loaded file and the height of the ground.
    let mut apply = |action: Action| {
        let (mut effect, mut read) = (dispatch(&mut state, action, 1.5), None);
        if let Some(Effect::LoadGround { file, restores_edit }) = effect {
            let (ground, scene) = (GroundRequest::File(file.clone()), SceneRequest::default());
            let ground = LoadedGround::open(&ground, leg_length, 1, &scene, &ImportOptions::default()).unwrap();
            state.document.as_mut().unwrap().scene.keep_ground(ground);
            let action = action_on_ground(&state, file.clone(), restores_edit);
            (effect, read) = (dispatch(&mut state, action, 1.5), Some(file));
        }
        assert_eq!(effect, None, "no reload");
        let document = state.document.as_ref().unwrap();
        (read, document.request().motion.feet_on.clone())
    };
    let set = |ground: Option<&GroundRequest>| Action::File(FileAction::SetGround(ground.cloned()));
    let [a, b] = files.clone().map(GroundRequest::File);
    let slope = GroundRequest::Slope(20.0);
    let [file_a, file_b] = files.map(Some);
    assert_eq!(apply(set(Some(&a))), (file_a.clone(), Some(a.clone())));
    for ground in [Some(&slope), Some(&a), None, Some(&a)] {
        assert_eq!(apply(set(ground)), (None, ground.cloned()), "the file is read once");
    }
    assert_eq!(apply(set(Some(&b))), (file_b, Some(b.clone())));
    assert_eq!(apply(set(Some(&a))), (None, Some(a.clone())), "the other file is kept");
    for ground in [Some(&b), Some(&a), None, Some(&a), Some(&slope), Some(&a), None] {
        assert_eq!(apply(Action::History(HistoryAction::Undo)), (None, ground.cloned()));
    }
}
