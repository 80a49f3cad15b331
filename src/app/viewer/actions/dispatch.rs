//! Dispatcher: applies an action to the state and returns the effect that remains.

use super::dispatch_to_document::{frame_selection, move_camera, play, pose, select};
use super::edits;
use super::effect::Effect;
use super::navigation::better_to_open;
use super::{Action, ComparisonAction, ExportAction, FileAction, LightAction, PoseAction, ShadingAction, WindowAction};
use crate::app::AppError;
use crate::app::console::report;
use crate::app::files::rig_map_file::to_toml;
use crate::app::scene::lookup::name_or_index;
use crate::app::viewer::analysis::selection_bounds::selection_hull;
use crate::app::viewer::state::modifier_key::modifier_key;
use crate::app::viewer::state::{
    AppState, CompareMode, Dialog, ExportSettings, FlexState, Hints, NotificationKind, Reload, Selection, Tab,
    ViewState,
    view::{light_set_ups, next_background},
};
use crate::request::rig_map_file;
use crate::request::{
    EnvironmentRequest, JointPose, JointPoseRequest, Quality, SceneRequest, ViewModeRequest, is_motion_file,
    is_panorama_file,
};
use rigview_check::diff::{DiffItem, DiffTarget};
use rigview_check::flex::clear_view;
use rigview_core::math::{Aabb, SupportHull};
use rigview_core::model::Model;
use rigview_core::retarget::ReferenceSettings;
use rigview_core::util::text::file_name;
use rigview_render::scene::ViewMode;
use std::path::Path;

/// Applies `action`; the viewport has this aspect ratio. Records a step if that changes what undo restores, whichever the action is.
pub(crate) fn dispatch(state: &mut AppState, action: impl Into<Action>, aspect: f64) -> Option<Effect> {
    let (before, edit) = (edits::current_snapshot(state), action.into());
    let effect = apply(state, edit.clone(), aspect);
    let after = edits::current_snapshot(state);
    if before != after && !matches!(edit, Action::History(_)) {
        let label = edits::label(state, &edit);
        state.history.record(label, edits::is_drag(&edit), before, after);
    }
    effect
}

fn apply(state: &mut AppState, action: Action, aspect: f64) -> Option<Effect> {
    let result = match action {
        Action::Playback(action) => play(state, action, aspect),
        Action::Camera(action) => move_camera(state, action, aspect),
        Action::Selection(action) => {
            select(state, action, aspect);
            Ok(())
        }
        Action::Pose(PoseAction::MeasureFlex) => return Some(Effect::MeasureFlex),
        Action::Pose(PoseAction::SetFlexLimits(limits)) => {
            state.flex_limits = limits;
            state.document.iter_mut().for_each(|document| document.flex = FlexState::default());
            Ok(())
        }
        Action::Pose(PoseAction::ShowFlexJoint(rank)) => show_flex_joint(state, rank, aspect),
        Action::Pose(action) => pose(state, action, aspect),
        Action::Shading(action) => {
            shade(state, action);
            Ok(())
        }
        Action::Light(action) => {
            light(&mut state.view, action);
            Ok(())
        }
        Action::File(action) => return open(state, action, aspect),
        Action::History(action) => {
            state.gizmo.drag = None;
            return edits::step_history(state, &action, aspect);
        }
        Action::Comparison(action) => return compare(state, action, aspect),
        Action::Export(action) => return export(state, action),
        Action::Window(action) => return control_window(state, action),
    };
    if let Err(error) = result {
        state.notify(NotificationKind::Error, report::line_of(&error));
    }
    None
}

/// Changes the request of the open file, which is read again if the change needs that.
fn change_request(
    state: &mut AppState,
    action: &Action,
    aspect: f64,
    change: impl FnOnce(&mut SceneRequest, &Model),
) -> Option<Effect> {
    let label = edits::label(state, action);
    let document = state.document.as_mut()?;
    let mut request = document.request().clone();
    change(&mut request, document.scene.model());
    if !request.has_files_of(document.request()) {
        return Some(Effect::Reload(Box::new(request), Reload::Request { label: Some(label) }));
    }
    if let Some(file) = document.scene.missing_ground(&request.motion) {
        return Some(Effect::LoadGround { file: file.to_owned(), restores_edit: false });
    }
    if let Err(error) = document.keep_framed(aspect, |document| document.set_request(request)) {
        state.notify(NotificationKind::Error, report::line_of(&error));
    }
    None
}

fn open(state: &mut AppState, action: FileAction, aspect: f64) -> Option<Effect> {
    let whole = Action::File(action.clone());
    match action {
        FileAction::Open(file) if is_panorama_file(&file) => {
            state.view.request.light.environment = Some(EnvironmentRequest::File(file));
            if !state.settings.panels.hidden {
                state.settings.panels.show_tab(Tab::Light);
            }
        }
        FileAction::Open(file) if is_motion_file(&file) => state.pending_import = Some(file),
        FileAction::Open(file) => {
            let best = state.pending_open.take().filter(|dropped| !better_to_open(&file, dropped));
            state.pending_open = Some(best.unwrap_or(file));
        }
        FileAction::Choose(purpose) => return Some(Effect::ShowFileDialog(purpose)),
        FileAction::StepFile(steps) => match state.files.step(steps) {
            Some(file) => return Some(Effect::Load(file)),
            None => state.notify(
                NotificationKind::Info,
                "There is no other file; open a folder or pass several files to step through them",
            ),
        },
        FileAction::SetFileFilter(filter) => state.files.set_filter(filter),
        FileAction::TogglePin => {
            state.toggle_pin();
            state.shown_file().map(Path::to_owned).iter().for_each(|file| state.files.go_to_listed(file));
        }
        FileAction::Reload => {
            return match &state.document {
                Some(document) => {
                    let request = Box::new(document.request().clone());
                    Some(Effect::Reload(request, Reload::Changed { is_watched: false }))
                }
                None => state.files.current().map(|file| Effect::Load(file.to_owned())),
            };
        }
        FileAction::ShowScene(scene) => {
            return change_request(state, &whole, aspect, |request, model| {
                let names = model.scenes.iter().map(|scene| scene.name.as_deref());
                request.scene = (scene != model.default_scene).then(|| name_or_index(names, scene.get()));
            });
        }
        FileAction::ShowVariant(variant) => {
            return change_request(state, &whole, aspect, |request, model| {
                let names = model.variants.iter().map(Option::as_deref);
                request.variant = variant.map(|variant| name_or_index(names, variant));
            });
        }
        FileAction::ImportClips(file) if state.pinned.is_some() => return Some(Effect::Load(file)),
        FileAction::ImportClips(file) => {
            return change_request(state, &whole, aspect, |request, model| {
                // Plays the first of its clips.
                request.clip = Some(model.clips.len().to_string());
                request.crowd.clips.clear();
                request.motion.clip_sources.push(file);
            });
        }
        FileAction::SetRole { of_motion, role, joint } => {
            let document = state.document.as_ref()?;
            let motion = document.scene.motion()?;
            let (model, map, file) = match of_motion {
                true => (&motion.model, &motion.map, &motion.file),
                false => (document.scene.model(), document.scene.rig_map().ok()?, &document.scene.file),
            };
            let mut map = map.clone();
            map.set(&model.skeleton, [(role, joint)]);
            let text = to_toml(&map, &model.skeleton);
            let rig_maps = vec![(rig_map_file(file), Some(text))];
            let (request, label) = (Box::new(document.request().clone()), Some(edits::label(state, &whole)));
            return Some(Effect::SaveRolesAndReload { rig_maps, request, label });
        }
        FileAction::SetRestPose(rest) => {
            let document = state.document.as_ref()?;
            let motion = document.scene.motion()?;
            let mut map = motion.map.clone();
            map.set_reference(ReferenceSettings { rest, ..*map.settings() });
            let text = to_toml(&map, &motion.model.skeleton);
            let rig_maps = vec![(rig_map_file(&motion.file), Some(text))];
            let (request, label) = (Box::new(document.request().clone()), Some(edits::label(state, &whole)));
            return Some(Effect::SaveRolesAndReload { rig_maps, request, label });
        }
        FileAction::ToggleInPlace => {
            let document = state.document.as_ref()?;
            let is_on = document.request().joint_poses.iter().any(|pose| pose.is_in_place());
            let root = document.scene.travelling_joint();
            if !is_on && root.is_none() {
                state.notify(NotificationKind::Info, "No clip moves the root");
                return None;
            }
            return change_request(state, &whole, aspect, |request, model| {
                request.joint_poses.retain(|pose| !pose.is_in_place());
                let pose =
                    |root| JointPoseRequest { joint: model.skeleton.unambiguous_name(root), pose: JointPose::InPlace };
                request.joint_poses.extend(root.filter(|_| !is_on).map(pose));
            });
        }
        FileAction::SetGround(ground) => {
            return change_request(state, &whole, aspect, |request, _| request.motion.feet_on = ground);
        }
        FileAction::LoadFlexLimits(file) => return Some(Effect::LoadFlexLimits(file)),
        FileAction::SetProfile(profile) => {
            state.settings.profile = profile;
            (state.issues, state.profile) = (None, None);
            return Some(Effect::Check);
        }
    }
    None
}

fn compare(state: &mut AppState, action: ComparisonAction, aspect: f64) -> Option<Effect> {
    match action {
        ComparisonAction::CompareWith(file) => return Some(Effect::CompareWith(file)),
        ComparisonAction::CompareBeforeReload => {
            if state.before_reload.is_some() {
                return Some(Effect::CompareBeforeReload);
            }
            let is_compared = state.comparison.as_ref().is_some_and(|comparison| comparison.is_before_reload);
            if !is_compared {
                let text = "No earlier version: one is kept when the open file is reloaded";
                state.notify(NotificationKind::Info, text);
            }
        }
        ComparisonAction::SetCompareMode(mode) => match &mut state.comparison {
            Some(comparison) => {
                (comparison.mode, comparison.blink_since, comparison.places_split) = (mode, state.now, false);
            }
            None => state.notify(NotificationKind::Info, "No second file; open one with File > Compare with..."),
        },
        ComparisonAction::SetSplit(split) => {
            state.comparison.iter_mut().for_each(|comparison| comparison.set_split(split));
        }
        ComparisonAction::ShowDifference(target) => show_difference(state, &target, aspect),
        ComparisonAction::CloseComparison => return state.close_comparison().then_some(Effect::CloseComparison),
    }
    None
}

fn shade(state: &mut AppState, action: ShadingAction) {
    let view = &mut state.view;
    let request = &mut view.request;
    match action {
        ShadingAction::ToggleViewMode(mode) => {
            view.set_view_mode(if view.view_mode() == mode { ViewMode::Material } else { mode });
        }
        ShadingAction::ToggleOverlay(overlay) => view.toggle(overlay),
        ShadingAction::ToggleSkinning(skinning) => {
            request.debug_view.skinning = Some(skinning).filter(|_| request.debug_view.skinning != Some(skinning));
        }
        ShadingAction::ToggleGhosts => view.toggle_ghosts(),
        ShadingAction::ToggleMotionPath => view.shows_motion_path ^= true,
        ShadingAction::ToggleLevelOfDetail => request.level_of_detail ^= true,
        ShadingAction::ToggleHighQuality => {
            request.quality = if request.quality == Quality::High { Quality::Standard } else { Quality::High };
        }
        ShadingAction::SetGhosts(ghosts) => request.debug_view.ghosts = Some(ghosts),
        ShadingAction::SetTexelTarget(target) => {
            let mode = ViewModeRequest { texels_per_meter: Some(target), ..ViewMode::TexelDensity.into() };
            request.debug_view.view_mode = Some(mode);
        }
        ShadingAction::SetBackground(background) => state.settings.background = background,
        ShadingAction::NextBackground => state.settings.background = next_background(state.settings.background),
        ShadingAction::ToggleRotateGizmo => {
            state.gizmo.enabled ^= true;
            if state.gizmo.enabled && state.document.as_ref().is_some_and(|document| document.joint().is_none()) {
                state.notify(NotificationKind::Info, "Select a joint to show its rotate gizmo");
            }
        }
    }
}

fn light(view: &mut ViewState, action: LightAction) {
    let light = &mut view.request.light;
    match action {
        LightAction::SetLight(request) => *light = request,
        LightAction::SetKeyLight(key_light) => view.set_key_light(key_light),
        LightAction::SetUp(index) => view.set_up_light(light_set_ups()[index].1.clone()),
        LightAction::RemoveOtherLights => view.remove_other_lights(),
        LightAction::SetEnvironment(environment) => light.environment = Some(environment),
        LightAction::RotateEnvironment(degrees) => view.rotate_environment(degrees),
        LightAction::ToggleKeyLight => view.toggle_key_light(),
        LightAction::ToggleFileLights => *light.file_lights.get_or_insert_default() ^= true,
        LightAction::ToggleOcclusion => *light.occlusion.get_or_insert_default() ^= true,
        LightAction::ToggleShadowCatcher => *light.shadow_catcher.get_or_insert_default() ^= true,
    }
}

fn export(state: &mut AppState, action: ExportAction) -> Option<Effect> {
    match action {
        ExportAction::SetExportSettings(export) => state.settings.export = export,
        ExportAction::SetExportFolder(folder) => state.settings.export.folder = folder,
        ExportAction::ToggleExportDialog => {
            if let Some(document) = &state.document {
                let rate = document.playback.frames_per_sec;
                state.settings.export.fps = rate.clamp(*ExportSettings::FPS.start(), *ExportSettings::FPS.end());
            }
            return Some(Effect::ToggleDialog(Dialog::Export));
        }
        action => {
            if action == ExportAction::CancelExport {
                state.export.as_mut()?.is_cancelled = true;
            }
            return Some(Effect::Export(action));
        }
    }
    None
}

fn control_window(state: &mut AppState, action: WindowAction) -> Option<Effect> {
    match action {
        WindowAction::Quit => return Some(Effect::Quit),
        WindowAction::Cancel => cancel(state),
        WindowAction::TogglePanels => state.settings.panels.hidden ^= true,
        WindowAction::FocusPanels => {
            state.settings.panels.hidden = false;
            return Some(Effect::FocusPanels);
        }
        WindowAction::TogglePanel(panel) => state.settings.panels.toggle(panel),
        WindowAction::ShowTab(tab) => state.settings.panels.show_tab(tab),
        WindowAction::SetTheme(theme) => state.settings.theme = theme,
        WindowAction::StepUiScale(tenths) => state.settings.step_ui_scale(tenths),
        WindowAction::SetNavigation(navigation) => state.settings.navigation = navigation,
        WindowAction::DismissHints => state.settings.hints = Hints::NONE,
        WindowAction::DismissNotification(index) => state.notifications.dismiss(index),
        WindowAction::ToggleCommandPalette => return Some(Effect::ToggleDialog(Dialog::CommandPalette)),
        WindowAction::ToggleShortcuts => {
            state.settings.hints.shortcuts = false;
            return Some(Effect::ToggleDialog(Dialog::Shortcuts));
        }
        WindowAction::ToggleFullScreen => return Some(Effect::ToggleFullScreen),
    }
    None
}

fn show_flex_joint(state: &mut AppState, rank: usize, aspect: f64) -> Result<(), AppError> {
    let Some(document) = &mut state.document else { return Ok(()) };
    let FlexState::Measured(flex) = &document.flex else { return Ok(()) };
    let Some((found, position)) = flex.joints.get(rank).zip(flex.worst_position(rank)) else { return Ok(()) };
    let (joint, bounds, direction) = (found.joint, found.bounds, clear_view(document.scene.rig(), found));
    document.show_flex(position)?;
    document.select(Some(Selection::Joint(joint)));
    // With as much around it, so that the part of the body is recognized.
    let [min, max] =
        [bounds.min, bounds.max].map(|corner| 1.5 * corner - 0.5 * bounds.center() - document.scene.origin);
    document.camera.orbit.look_from(direction);
    document.camera.frame_hull(&SupportHull::from_aabb(&Aabb { min, max }), aspect);
    state.view.set_view_mode(state.view.weights_mode());
    Ok(())
}

/// Goes to the time of a difference, then selects and frames its item. One of the second document is only framed.
fn show_difference(state: &mut AppState, target: &DiffTarget, aspect: f64) {
    let Some(document) = &mut state.document else { return };
    if let Some(comparison) = &mut state.comparison {
        comparison.places_split = comparison.mode == CompareMode::Split;
    }
    if matches!(target, DiffTarget::Weights(_)) {
        state.view.set_view_mode(state.view.weights_mode());
    }
    let Some(item) = target.find(document.scene.model()) else {
        let mut place = format!("not in {}", file_name(&document.scene.file));
        let second = state.comparison.as_mut().map(|comparison| (comparison.names(&document.scene.file), comparison));
        if let Some(([_, name], second)) = second
            && let Some(second) = &mut second.document
            && let Some(item) = target.find(second.scene.model())
        {
            place = format!("only in {name}");
            let clock_secs = second.clock_secs();
            second.scene.pose_at_clock(clock_secs);
            let hull = selection_of(&item).and_then(|selection| selection_hull(&second.scene, selection));
            hull.iter().for_each(|hull| document.camera.frame_hull(hull, aspect));
        }
        return state.notify(NotificationKind::Info, format!("\"{}\" is {place}", target.name()));
    };
    if item.clip.is_some() && item.clip != document.scene.clip {
        // The clip is one of the model.
        let _ = document.play(item.clip);
    }
    if let Some(time_secs) = item.time_secs {
        document.playback.blink_secs = None;
        document.playback.pause_at(time_secs.min(document.scene.duration_secs()));
        document.playback.clock_secs = document.playback.time_secs;
    }
    let selection = selection_of(&item);
    if selection.is_some() {
        document.select(selection);
        // The frame encloses the pose at the new time.
        let clock_secs = document.clock_secs();
        document.scene.pose_at_clock(clock_secs);
        frame_selection(document, aspect);
    }
}

fn selection_of(item: &DiffItem) -> Option<Selection> {
    let joint = item.joint.map(Selection::Joint);
    joint.or(item.mesh.map(Selection::Mesh)).or(item.material.map(Selection::Material))
}

/// Stops choosing a play range, else closes the messages, else shows hidden panels, else clears the selection.
/// Never quits, so that Escape never loses work.
fn cancel(state: &mut AppState) {
    let playback = state.document.as_mut().map(|document| &mut document.playback);
    if let Some(playback) = playback.filter(|playback| playback.choosing_range) {
        playback.choosing_range = false;
    } else if !state.notifications.list.is_empty() {
        state.notifications.list.clear();
    } else if state.settings.panels.hidden {
        state.settings.panels.hidden = false;
    } else if let Some(document) = state.document.as_mut().filter(|document| document.selection.is_some()) {
        document.select(None);
    } else {
        state.notify(NotificationKind::Info, concat!("Press ", modifier_key!(), "+Q to quit"));
    }
}
