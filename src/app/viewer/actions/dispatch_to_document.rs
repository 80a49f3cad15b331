//! Dispatcher of the actions that change the open document: playback, camera, selection and pose.

use super::{CameraAction, PlaybackAction, PoseAction, SelectionAction};
use crate::app::AppError;
use crate::app::scene::selection::HiddenParts;
use crate::app::viewer::analysis::selection_bounds::selection_hull;
use crate::app::viewer::state::{AppState, Document, FlexState, NotificationKind, Selection, Tab, next_loop_mode};
use crate::request::OverlayRequest;
use rigview_render::scene::SurfacePoint;

pub(super) fn play(state: &mut AppState, action: PlaybackAction, aspect: f64) -> Result<(), AppError> {
    if let PlaybackAction::SetFrameRate(rate) = action {
        state.settings.frames_per_sec = rate;
    }
    let duration_secs = state.document.as_ref().map_or(0.0, |document| document.scene.duration_secs());
    if action == PlaybackAction::ChoosePlayRange && duration_secs <= 0.0 {
        state.notify(NotificationKind::Info, "Play a clip to set its play range");
        return Ok(());
    }
    let Some(document) = &mut state.document else { return Ok(()) };
    let time_before_secs = document.playback.time_secs;
    match action {
        PlaybackAction::TogglePlay => document.playback.toggle(duration_secs),
        PlaybackAction::StepFrames(frames) => document.playback.step(frames, duration_secs),
        PlaybackAction::StepKeys(steps) => {
            document.playback.step_key(steps, document.analysis.key_times.of(document.joint()));
        }
        PlaybackAction::GoToStart | PlaybackAction::GoToEnd => {
            document.playback.blink_secs = None;
            let [start, end] = document.playback.range(duration_secs);
            document.playback.pause_at(if action == PlaybackAction::GoToStart { start } else { end });
        }
        PlaybackAction::ToggleLoopBlink => document.playback.toggle_loop_blink(),
        PlaybackAction::Scrub(time_secs) => {
            (document.playback.scrubbing, document.playback.blink_secs) = (true, None);
            document.playback.time_secs = time_secs.clamp(0.0, duration_secs);
        }
        PlaybackAction::EndScrub => document.playback.scrubbing = false,
        PlaybackAction::ChoosePlayRange => {
            // The next drag on the timeline sets the range.
            document.playback.choosing_range ^= true;
            (state.settings.panels.timeline, state.settings.panels.hidden) = (true, false);
        }
        PlaybackAction::SetPlayRange(range) => {
            // The target of a cross-fade has no play range.
            let range = range.filter(|_| document.scene.blend().fade.is_none());
            document.playback.set_play_range(range, duration_secs);
        }
        PlaybackAction::ZoomTimeline(visible_secs) => document.timeline_secs = visible_secs,
        PlaybackAction::StepSpeed(steps) => document.playback.change_speed(steps),
        PlaybackAction::SetSpeed(speed) => document.playback.set_speed(speed),
        PlaybackAction::ToggleReverse => document.playback.reverse(),
        PlaybackAction::SetLoopMode(mode) => document.playback.set_loop_mode(mode),
        PlaybackAction::NextLoopMode => document.playback.set_loop_mode(next_loop_mode(document.playback.loop_mode)),
        PlaybackAction::SetFrameRate(rate) => document.playback.frames_per_sec = rate,
        PlaybackAction::StepClip(steps) => document.keep_framed(aspect, |document| document.step_clip(steps))?,
        PlaybackAction::PlayClip(clip) => {
            document.keep_framed(aspect, |document| document.play(clip))?;
            state.frame_stats.clear();
        }
        PlaybackAction::PlayAllClips => {
            document.keep_framed(aspect, Document::play_all)?;
            state.frame_stats.clear();
        }
        PlaybackAction::SetLayerWeight(clip, weight) => document.set_layer_weight(clip, weight)?,
        PlaybackAction::CrossFadeTo(to, secs) => document.cross_fade_to(to, secs)?,
    }
    if document.playback.time_secs != time_before_secs {
        document.playback.clock_secs = document.playback.time_secs;
    }
    Ok(())
}

pub(super) fn move_camera(state: &mut AppState, action: CameraAction, aspect: f64) -> Result<(), AppError> {
    // The hint of a gesture hides when the user has made it.
    state.settings.hints.orbit &= !matches!(action, CameraAction::Orbit { .. });
    state.settings.hints.zoom &= !matches!(action, CameraAction::Zoom(_) | CameraAction::ZoomTowards(..));
    let Some(document) = &mut state.document else { return Ok(()) };
    // A change of the user's view leaves a camera of the file.
    if matches!(
        action,
        CameraAction::Orbit { .. }
            | CameraAction::Pan { .. }
            | CameraAction::Zoom(_)
            | CameraAction::ZoomTowards(..)
            | CameraAction::ToggleOrthographic
            | CameraAction::SetFocalLength(_)
            | CameraAction::AddBookmark
    ) {
        document.leave_model_camera(aspect);
    }
    let camera = &mut document.camera;
    match action {
        CameraAction::FrameSelection => frame_selection(document, aspect),
        CameraAction::FrameModel => {
            camera.model_camera = None;
            camera.frame(&document.scene, aspect);
        }
        CameraAction::SetViewDirection(side) => {
            camera.model_camera = None;
            // A view that shows all shows the hands and feet from each side.
            document.keep_framed(aspect, |Document { camera, scene, .. }| {
                camera.orbit.set_direction(side, scene.front_yaw())
            });
        }
        CameraAction::UseModelCamera(model_camera) => camera.model_camera = model_camera,
        CameraAction::Reset => {
            document.playback.restart();
            document.clear_overrides()?;
            document.camera.reset(&document.scene, aspect);
        }
        CameraAction::Orbit { right, up } => camera.orbit.rotate(right, up),
        CameraAction::Pan { right, up } => camera.orbit.pan(right, up),
        CameraAction::Zoom(steps) => camera.orbit.zoom(steps, document.scene.hull.bounds()),
        CameraAction::ZoomTowards(steps, [right, down]) => {
            let position = [(right - 0.5) * aspect, 0.5 - down];
            camera.orbit.zoom_towards(steps, position, document.scene.hull.bounds());
        }
        CameraAction::SetPivot(position) => {
            if let Some(point) = document.pick_surface(aspect, position) {
                document.leave_model_camera(aspect);
                document.camera.orbit.target = point.in_world;
            }
        }
        CameraAction::ToggleOrthographic => camera.orbit.orthographic ^= true,
        CameraAction::ToggleFollow => {
            if !document.toggle_follow(aspect) {
                state.notify(NotificationKind::Info, "The view cannot follow: the model has no hips");
            }
        }
        CameraAction::SetFocalLength(focal_length_mm) => camera.orbit.set_focal_length_mm(focal_length_mm),
        CameraAction::AddBookmark => camera.add_bookmark(),
        CameraAction::GoToBookmark(index) => camera.go_to_bookmark(index),
        CameraAction::RemoveBookmark(index) => {
            if index < camera.bookmarks.len() {
                camera.bookmarks.remove(index);
            }
        }
    }
    Ok(())
}

/// Frames the selection, else the model.
pub(super) fn frame_selection(document: &mut Document, aspect: f64) {
    match document.selection.and_then(|selection| selection_hull(&document.scene, selection)) {
        Some(hull) => document.camera.frame_hull(&hull, aspect),
        None => {
            document.camera.model_camera = None;
            document.camera.frame(&document.scene, aspect);
        }
    }
}

pub(super) fn select(state: &mut AppState, action: SelectionAction, aspect: f64) {
    let Some(document) = &mut state.document else { return };
    let selected = document.selection;
    match action {
        SelectionAction::Pick(position) => {
            let bone = (state.view.has(OverlayRequest::Skeleton) || document.scene.is_skeleton())
                .then(|| document.pick_bone(aspect, position));
            let surface = document.pick_surface(aspect, position);
            let joint = bone.flatten().or(surface.as_ref().map(SurfacePoint::dominant_joint));
            document.explained_vertex = surface.as_ref().map(|point| point.nearest);
            document.select(joint.map(Selection::Joint));
            document.path_vertex = surface.map(|point| document.scene.path_point(point.nearest));
        }
        SelectionAction::Select(selection) => document.select(selection),
        SelectionAction::SelectParent => document.select_parent(),
        SelectionAction::ToggleHidden(part) => hide(state, part),
        SelectionAction::HideSelection => match document.selection {
            Some(part) => hide(state, part),
            None => state.notify(NotificationKind::Info, "Select a part in the outliner to hide it"),
        },
        SelectionAction::Isolate(part) => isolate(state, part),
        SelectionAction::ToggleIsolation if document.selection.is_none() && document.hidden.isolated.is_none() => {
            state.notify(NotificationKind::Info, "Select a part in the outliner to isolate it");
        }
        SelectionAction::ToggleIsolation => {
            let part = document.selection.filter(|_| document.hidden.isolated.is_none());
            isolate(state, part);
        }
        SelectionAction::ShowAllParts => document.hidden = HiddenParts::default(),
    }
    let selection = state.document.as_ref().and_then(|document| document.selection);
    if selection != selected && selection.is_some() && state.settings.panels.tab == Tab::Clips {
        state.settings.panels.tab = Tab::Properties;
    }
}

/// Hides a part or shows it again, unless it is a joint that has no mesh.
fn hide(state: &mut AppState, part: Selection) {
    let Some(document) = &mut state.document else { return };
    if part.has_no_mesh(&document.scene) {
        let name = document.part_name(part);
        return state.notify(NotificationKind::Info, format!("{name} has no mesh of its own to hide"));
    }
    document.hidden.toggle(part);
}

/// Shows only a part, unless it is all that is shown: a joint has no mesh, only those that it deforms.
fn isolate(state: &mut AppState, part: Option<Selection>) {
    let Some(document) = &mut state.document else { return };
    if let Some(part) = part.filter(|part| part.deforms_all(&document.scene)) {
        let name = document.part_name(part);
        return state.notify(NotificationKind::Info, format!("{name} has no mesh of its own, and deforms all of them"));
    }
    document.hidden.isolated = part;
}

pub(super) fn pose(state: &mut AppState, action: PoseAction, aspect: f64) -> Result<(), AppError> {
    let Some(document) = &mut state.document else { return Ok(()) };
    match action {
        PoseAction::SetCrowd(crowd) => {
            state.frame_stats.clear();
            document.set_crowd(crowd, aspect)
        }
        PoseAction::SetJointPoses(_, joints) => document.edit_overrides(|overrides| {
            joints.into_iter().for_each(|(joint, transform)| overrides.set(joint, transform));
        }),
        PoseAction::ClearJointPose(joint) => document.edit_overrides(|overrides| _ = overrides.clear(joint)),
        PoseAction::SetMorphWeights(indices, weight) => document.edit_overrides(|overrides| {
            indices.into_iter().for_each(|index| match weight {
                Some(weight) => overrides.set_morph_weight(index, weight),
                None => _ = overrides.clear_morph_weight(index),
            });
        }),
        PoseAction::MirrorPose => {
            let (pose, _) = document.scene.first_pose(document.clock_secs());
            let map =
                document.scene.rig_map().map_err(|error| AppError::in_file(&document.scene.file, error.clone()))?;
            let mirrored = map.mirrored(&document.scene.model().skeleton, &pose);
            document.edit_overrides(|overrides| {
                mirrored.into_iter().for_each(|(joint, transform)| overrides.set(joint, transform));
            })
        }
        PoseAction::SetExpression(index, value) => {
            let mut overrides = document.scene.overrides().clone();
            overrides.set_expression(&document.scene.model().expressions, index, value);
            document.edit_overrides(|edited| *edited = overrides)
        }
        PoseAction::ClearPoseOverrides => document.clear_overrides(),
        PoseAction::ShowFlex(position) => document.keep_framed(aspect, |document| document.show_flex(position)),
        PoseAction::SetLookAt(look_at) => document.set_look_at(look_at),
        // These are not about the document only.
        PoseAction::MeasureFlex | PoseAction::SetFlexLimits(_) | PoseAction::ShowFlexJoint(_) => Ok(()),
        PoseAction::StopFlex => {
            document.flex = FlexState::default();
            Ok(())
        }
    }
}
