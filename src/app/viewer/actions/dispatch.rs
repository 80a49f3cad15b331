//! Dispatcher: applies an action to the state and returns the effect that remains.

use super::Action;
use super::edits;
use super::effect::Effect;
use super::navigation::better_to_open;
use crate::app::scene::selection::HiddenParts;
use crate::app::tasks::diff::line::{DiffItem, DiffTarget};
use crate::app::util::modifier_key::modifier_key;
use crate::app::viewer::analysis::picking::{PickSurfaces, pick_bone, pick_joint, pick_point};
use crate::app::viewer::analysis::selection_bounds::selection_hull;
use crate::app::viewer::state::document::{Document, ReloadState};
use crate::app::viewer::state::file_list::FileDialogPurpose;
use crate::app::viewer::state::notifications::NotificationKind;
use crate::app::viewer::state::{
    AppState, Dialog, Hints, LightSettings, Selection, Tab, ViewportOverlay, next_loop_mode,
};
use crate::request::{EnvironmentRequest, is_panorama_file};
use rigview_core::util::text::file_name;
use std::time::Instant;

/// Applies `action`, and records its edits; the viewport has this aspect ratio.
pub(crate) fn dispatch(state: &mut AppState, action: Action, aspect: f64) -> Option<Effect> {
    if matches!(action, Action::Undo | Action::Redo | Action::GoToEdit(_)) {
        return edits::travel(state, &action, aspect);
    }
    let (before, edit) = (edits::capture(state), action.clone());
    let effect = apply(state, action, aspect);
    let after = edits::capture(state);
    if before != after {
        let label = edits::label(state, &edit);
        state.history.record(label, edits::is_drag(&edit), before, after);
    }
    effect
}

/// Hides the hint of a gesture that the user has made.
fn update_hints(hints: &mut Hints, action: &Action) {
    match action {
        Action::Orbit { .. } => hints.orbit = false,
        Action::Zoom(_) | Action::ZoomTowards(..) => hints.zoom = false,
        Action::ToggleShortcuts => hints.shortcuts = false,
        Action::DismissHints => *hints = Hints::NONE,
        _ => {}
    }
}

fn apply(state: &mut AppState, action: Action, aspect: f64) -> Option<Effect> {
    update_hints(&mut state.settings.hints, &action);
    match action {
        Action::Quit => return Some(Effect::Quit),
        Action::Cancel => cancel(state),
        Action::Open(file) if is_panorama_file(&file) => {
            state.light.environment = EnvironmentRequest::File(file);
            if !state.settings.panels.hidden {
                state.settings.panels.show_tab(Tab::Light);
            }
        }
        Action::Open(file) => {
            let best = state.dropped_file.take().filter(|dropped| !better_to_open(&file, dropped));
            state.dropped_file = Some(best.unwrap_or(file));
        }
        Action::OpenFileDialog => return Some(Effect::ShowFileDialog(FileDialogPurpose::Open)),
        Action::OpenCompareDialog => return Some(Effect::ShowFileDialog(FileDialogPurpose::Compare)),
        Action::OpenEnvironmentDialog => return Some(Effect::ShowFileDialog(FileDialogPurpose::Environment)),
        Action::OpenImportClipsDialog => return Some(Effect::ShowFileDialog(FileDialogPurpose::ImportClips)),
        Action::StepFile(steps) => match state.files.step(steps) {
            Some(file) => return Some(Effect::Load(file)),
            None => state.notify(
                NotificationKind::Info,
                "Only one file is open; open a folder or pass several files to step through them",
            ),
        },
        Action::Reload => {
            return match &state.document {
                Some(document) => Some(Effect::Reload(document.reload_state())),
                None => state.files.current().map(|file| Effect::Load(file.to_owned())),
            };
        }
        Action::ShowScene(scene) => {
            let reload = state.document.as_ref()?.reload_state();
            return Some(Effect::Reload(ReloadState { scene: (None, scene.0), ..reload }));
        }
        Action::ShowVariant(variant) => {
            let reload = state.document.as_ref()?.reload_state();
            return Some(Effect::Reload(ReloadState { variant, ..reload }));
        }
        Action::ImportClips(file) => return Some(Effect::ImportClips(file)),
        Action::CompareWith(file) => return Some(Effect::CompareWith(file)),
        Action::CompareWithVersion => {
            if state.previous_version.is_some() {
                return Some(Effect::CompareWithVersion);
            }
            let is_compared = state.comparison.as_ref().is_some_and(|comparison| comparison.is_version);
            if !is_compared {
                let text = "No earlier version: one is kept when the open file is reloaded";
                state.notify(NotificationKind::Info, text);
            }
        }
        Action::SetCompareMode(mode) => match &mut state.comparison {
            Some(comparison) => comparison.set_mode(mode, Instant::now()),
            None => state.notify(NotificationKind::Info, "No second file; open one with File > Compare with..."),
        },
        Action::SetSplit(split) => state.comparison.iter_mut().for_each(|comparison| comparison.set_split(split)),
        Action::ShowDifference(target) => show_difference(state, &target, aspect),
        Action::CloseComparison => return state.close_comparison().then_some(Effect::CloseComparison),
        Action::TogglePanels => state.settings.panels.hidden = !state.settings.panels.hidden,
        Action::TogglePanel(panel) => state.settings.panels.toggle(panel),
        Action::ShowTab(tab) => state.settings.panels.show_tab(tab),
        Action::SetTheme(theme) => state.settings.theme = theme,
        Action::StepUiScale(tenths) => state.settings.step_ui_scale(tenths),
        Action::SetNavigation(navigation) => state.settings.navigation = navigation,
        Action::SetViewMode(mode) => state.view_options.set_view_mode(mode),
        Action::ToggleOverlay(overlay) => state.view_options.toggle(overlay),
        Action::ToggleLevelOfDetail => state.view_options.level_of_detail ^= true,
        Action::ToggleHighQuality => state.view_options.toggle_quality(),
        Action::SetGhosts(ghosts) => state.view_options.ghosts = ghosts,
        Action::SetBackdrop(backdrop) => state.settings.backdrop = backdrop,
        Action::NextBackdrop => state.settings.backdrop = state.settings.backdrop.next(),
        Action::SetLight(light) => state.light = light,
        Action::SetEnvironment(environment) => state.light.environment = environment,
        Action::RotateEnvironment(degrees) => state.light.rotate(degrees),
        Action::ToggleKeyLight => state.light.key_light.enabled = !state.light.key_light.enabled,
        Action::ToggleFileLights => state.light.file_lights = !state.light.file_lights,
        Action::ToggleOcclusion => state.light.occlusion = !state.light.occlusion,
        Action::ToggleShadowCatcher => state.light.shadow_catcher = !state.light.shadow_catcher,
        Action::ResetLight => state.light = LightSettings::default(),
        Action::ToggleRotateGizmo => toggle_rotate_gizmo(state),
        Action::ChoosePlayRange => choose_play_range(state),
        Action::SetExportSettings(export) => state.settings.export = export,
        Action::OpenExportFolderDialog => return Some(Effect::ShowFileDialog(FileDialogPurpose::ExportFolder)),
        Action::Export(request) => return Some(Effect::Export(request)),
        Action::CancelExport => {
            state.export.as_mut()?.is_cancelled = true;
            return Some(Effect::CancelExport);
        }
        Action::OpenFolder(file) => return Some(Effect::OpenFolder(file)),
        Action::OpenPage(page) => return Some(Effect::OpenPage(page)),
        Action::DismissNotification(index) => state.notifications.dismiss(index),
        Action::ToggleExportDialog => return Some(Effect::ToggleDialog(Dialog::Export)),
        Action::ToggleCommandPalette => return Some(Effect::ToggleDialog(Dialog::CommandPalette)),
        Action::ToggleShortcuts => return Some(Effect::ToggleDialog(Dialog::Shortcuts)),
        Action::ToggleFullScreen => return Some(Effect::ToggleFullScreen),
        Action::FocusPanels => {
            state.settings.panels.hidden = false;
            return Some(Effect::FocusPanels);
        }
        Action::CopyText { what, text } => return Some(Effect::CopyText { what, text }),
        Action::CopyCommandLine => return Some(Effect::CopyCommandLine),
        Action::CopyImage => return Some(Effect::CopyImage),
        Action::SaveImage => return Some(Effect::SaveImage),
        action => {
            needs_selection(state, &action);
            dispatch_to_model(state, &action, aspect);
        }
    }
    None
}

/// Goes to the time of a difference, then selects and frames its item. One of the second document is only framed.
fn show_difference(state: &mut AppState, target: &DiffTarget, aspect: f64) {
    let Some(document) = &mut state.document else { return };
    let Some(item) = target.find(document.scene.model()) else {
        let mut place = format!("not in {}", file_name(&document.scene.file));
        let second = state.comparison.as_mut().map(|comparison| (comparison.names(&document.scene.file), comparison));
        if let Some(([_, name], second)) = second
            && let Some(second) = &mut second.document
            && let Some(item) = target.find(second.scene.model())
        {
            place = format!("only in {name}");
            let clock_secs = second.clock_secs();
            second.scene.pose_at(clock_secs);
            let hull = selection_of(&item).and_then(|selection| selection_hull(&second.scene, selection));
            hull.iter().for_each(|hull| document.camera.frame_hull(hull, aspect));
        }
        return state.notify(NotificationKind::Info, format!("\"{}\" is {place}", target.name()));
    };
    if item.clip.is_some() && item.clip != document.scene.clip {
        document.play(item.clip);
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
        document.scene.pose_at(clock_secs);
        dispatch_to_document(document, &Action::FrameSelection, aspect);
    }
}

/// Explains commands that need a selection.
fn needs_selection(state: &mut AppState, action: &Action) {
    let Some(document) = &state.document else { return };
    let verb = match action {
        Action::HideSelection => "hide",
        Action::ToggleIsolation if document.hidden.isolated.is_none() => "isolate",
        _ => return,
    };
    if document.selection.is_none() {
        state.notify(NotificationKind::Info, format!("Select a part in the outliner to {verb} it"));
    }
}

fn selection_of(item: &DiffItem) -> Option<Selection> {
    let joint = item.joint.map(Selection::Joint);
    joint.or(item.mesh.map(Selection::Mesh)).or(item.material.map(Selection::Material))
}

fn toggle_rotate_gizmo(state: &mut AppState) {
    state.gizmo.enabled = !state.gizmo.enabled;
    if state.gizmo.enabled && state.document.as_ref().is_some_and(|document| document.joint().is_none()) {
        state.notify(NotificationKind::Info, "Select a joint to show its rotate gizmo");
    }
}

/// Shows the timeline, where the next drag sets the play range.
fn choose_play_range(state: &mut AppState) {
    match state.document.as_mut().filter(|document| document.scene.duration_secs() > 0.0) {
        Some(document) => {
            document.playback.choosing_range = !document.playback.choosing_range;
            (state.settings.panels.timeline, state.settings.panels.hidden) = (true, false);
        }
        None => state.notify(NotificationKind::Info, "Play a clip to set its play range"),
    }
}

/// Stops choosing a play range, else closes the messages, else shows hidden panels, else clears the selection.
/// Never quits, so that Escape never loses work.
fn cancel(state: &mut AppState) {
    let playback = state.document.as_mut().map(|document| &mut document.playback);
    if let Some(playback) = playback.filter(|playback| playback.choosing_range) {
        playback.choosing_range = false;
    } else if !state.notifications.list().is_empty() {
        state.notifications.clear();
    } else if state.settings.panels.hidden {
        state.settings.panels.hidden = false;
    } else if let Some(document) = state.document.as_mut().filter(|document| document.selection.is_some()) {
        document.select(None);
    } else {
        state.notify(NotificationKind::Info, concat!("Press ", modifier_key!(), "+Q to quit"));
    }
}

fn dispatch_to_model(state: &mut AppState, action: &Action, aspect: f64) {
    if let Action::SetFrameRate(rate) = *action {
        state.settings.frames_per_sec = rate;
    }
    let Some(document) = &mut state.document else { return };
    let selected = document.selection;
    let bone = match *action {
        Action::Pick(position) if state.view_options.has(ViewportOverlay::Skeleton) => {
            pick_bone(&document.scene, &document.camera(), aspect, document.clock_secs(), position)
        }
        _ => None,
    };
    match bone {
        Some(joint) => document.select(Some(Selection::Joint(joint))),
        None => dispatch_to_document(document, action, aspect),
    }
    let newly_selected = document.selection != selected && document.selection.is_some();
    if newly_selected && state.settings.panels.tab == Tab::Clips {
        state.settings.panels.tab = Tab::Properties;
    }
    if matches!(action, Action::SetCrowd(_) | Action::PlayClip(_)) {
        state.frame_stats.clear();
    }
}

fn dispatch_to_document(document: &mut Document, action: &Action, aspect: f64) {
    let duration_secs = document.scene.duration_secs();
    let time_before_secs = document.playback.time_secs;
    match *action {
        Action::TogglePlay => document.playback.toggle(duration_secs),
        Action::StepFrames(frames) => document.playback.step(frames, duration_secs),
        Action::StepKeys(steps) => document.playback.step_key(steps, document.analysis.key_times.of(document.joint())),
        Action::GoToStart | Action::GoToEnd => {
            document.playback.blink_secs = None;
            let [start, end] = document.playback.range(duration_secs);
            document.playback.pause_at(if *action == Action::GoToStart { start } else { end });
        }
        Action::ToggleLoopBlink => document.playback.toggle_loop_blink(),
        Action::Scrub(time_secs) => {
            (document.playback.scrubbing, document.playback.blink_secs) = (true, None);
            document.playback.time_secs = time_secs.clamp(0.0, duration_secs);
        }
        Action::EndScrub => document.playback.scrubbing = false,
        Action::SetPlayRange(range) => {
            // The target of a cross-fade has no play range.
            let range = range.filter(|_| document.scene.blend().fade.is_none());
            document.playback.set_play_range(range, duration_secs);
        }
        Action::ZoomTimeline(visible_secs) => document.timeline_secs = visible_secs,
        Action::StepSpeed(steps) => document.playback.change_speed(steps),
        Action::SetSpeed(speed) => document.playback.set_speed(speed),
        Action::ToggleReverse => document.playback.reverse(),
        Action::SetLoopMode(mode) => document.playback.set_loop_mode(mode),
        Action::NextLoopMode => document.playback.set_loop_mode(next_loop_mode(document.playback.loop_mode)),
        Action::SetFrameRate(rate) => document.playback.frames_per_sec = rate,
        Action::StepClip(steps) => document.step_clip(steps),
        Action::PlayClip(clip) => document.play(clip),
        Action::SetLayerWeight(clip, weight) => document.edit_blend(|blend| blend.set_weight(clip, weight)),
        Action::CrossFadeTo(to, secs) => document.cross_fade_to(to, secs),
        Action::FrameSelection => {
            let hull = document.selection.and_then(|selection| selection_hull(&document.scene, selection));
            match hull {
                Some(hull) => document.camera.frame_hull(&hull, aspect),
                None => {
                    document.camera.model_camera = None;
                    document.camera.frame(&document.scene, aspect);
                }
            }
        }
        Action::FrameModel => {
            document.camera.model_camera = None;
            document.camera.frame(&document.scene, aspect);
        }
        Action::SetViewDirection(side) => document.camera.set_direction(side),
        Action::UseModelCamera(camera) => document.camera.model_camera = camera,
        Action::Reset => {
            document.camera.reset(&document.scene, aspect);
            document.playback.restart();
            document.clear_overrides();
        }
        Action::Orbit { right, up } => {
            document.leave_model_camera(aspect);
            document.camera.orbit.rotate(right, up);
        }
        Action::Pan { right, up } => {
            document.leave_model_camera(aspect);
            document.camera.orbit.pan(right, up);
        }
        Action::Zoom(steps) => {
            document.leave_model_camera(aspect);
            document.camera.orbit.zoom(steps, document.scene.hull.bounds());
        }
        Action::ZoomTowards(steps, [right, down]) => {
            document.leave_model_camera(aspect);
            let position = [(right - 0.5) * aspect, 0.5 - down];
            document.camera.orbit.zoom_towards(steps, position, document.scene.hull.bounds());
        }
        Action::SetPivot(position) => {
            let surfaces =
                PickSurfaces { scene: &document.scene, hidden_draws: &document.hidden.draws(&document.scene) };
            if let Some(point) = pick_point(surfaces, &document.camera(), aspect, position) {
                document.leave_model_camera(aspect);
                document.camera.orbit.target = point;
            }
        }
        Action::ToggleOrthographic => {
            document.leave_model_camera(aspect);
            document.camera.orbit.orthographic ^= true;
        }
        Action::SetFocalLength(focal_length_mm) => {
            document.leave_model_camera(aspect);
            document.camera.set_focal_length_mm(focal_length_mm);
        }
        Action::AddBookmark => {
            document.leave_model_camera(aspect);
            document.camera.add_bookmark();
        }
        Action::GoToBookmark(index) => document.camera.go_to_bookmark(index),
        Action::RemoveBookmark(index) if index < document.camera.bookmarks.len() => {
            document.camera.bookmarks.remove(index);
        }
        Action::Pick(position) => {
            let surfaces =
                PickSurfaces { scene: &document.scene, hidden_draws: &document.hidden.draws(&document.scene) };
            let joint = pick_joint(surfaces, &document.camera(), aspect, position);
            document.select(joint.map(Selection::Joint));
        }
        Action::Select(selection) => document.select(selection),
        Action::SetCrowd(ref crowd) => document.set_crowd(crowd, aspect),
        Action::SetJointPose(joint, transform) => document.edit_overrides(|overrides| overrides.set(joint, transform)),
        Action::ClearJointPose(joint) => document.edit_overrides(|overrides| _ = overrides.clear(joint)),
        Action::SetMorphWeight(weight_index, weight) => {
            document.edit_overrides(|overrides| overrides.set_weight(weight_index, weight))
        }
        Action::ClearMorphWeight(weight_index) => {
            document.edit_overrides(|overrides| _ = overrides.clear_weight(weight_index))
        }
        Action::ClearPoseOverrides => document.clear_overrides(),
        Action::SelectParent => document.select_parent(),
        Action::ToggleHidden(part) => document.hidden.toggle(part),
        Action::HideSelection => {
            if let Some(part) = document.selection {
                document.hidden.toggle(part);
            }
        }
        Action::Isolate(part) => document.hidden.isolated = part,
        Action::ToggleIsolation => {
            document.hidden.isolated = document.selection.filter(|_| document.hidden.isolated.is_none());
        }
        Action::ShowAllParts => document.hidden = HiddenParts::default(),
        _ => {}
    }
    if document.playback.time_secs != time_before_secs {
        document.playback.clock_secs = document.playback.time_secs;
    }
}
