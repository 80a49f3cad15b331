//! State of the commands in menus and toolbar: enabled, checked.

use super::context::UiContext;
use crate::app::scene::selection::HiddenParts;
use crate::app::viewer::actions::{
    Action, CameraAction, ComparisonAction, FileAction, HistoryAction, LightAction, PlaybackAction, PoseAction,
    SelectionAction, ShadingAction, WindowAction,
};
use crate::app::viewer::state::{Document, FilePurpose, Panel, view::is_same_background};
use crate::request::Quality;

/// Returns `false` for actions that would do nothing.
pub(crate) fn is_enabled(action: &Action, ctx: &UiContext<'_>) -> bool {
    match (action, &ctx.document) {
        (Action::History(HistoryAction::Undo), _) => ctx.history.position() > 0,
        (Action::History(HistoryAction::Redo), _) => ctx.history.position() < ctx.history.labels().len(),
        (Action::Comparison(ComparisonAction::CompareBeforeReload), _) => ctx.before_reload.is_some(),
        (Action::File(FileAction::StepFile(_)), _) => ctx.files.position().is_some(),
        // A file that failed to open can be read again.
        (Action::File(FileAction::Reload), document) => document.is_some() || ctx.files.current().is_some(),
        (
            Action::File(FileAction::Choose(FilePurpose::ImportClips | FilePurpose::Compare) | FileAction::TogglePin),
            document,
        )
        | (Action::Export(_) | Action::Camera(_), document) => document.is_some(),
        (Action::Pose(_) | Action::Selection(_) | Action::Playback(_), None) => false,
        (Action::Pose(PoseAction::ClearPoseOverrides), Some(document)) => !document.scene.overrides().is_empty(),
        (Action::Selection(action), Some(document)) => match action {
            SelectionAction::Select(None) | SelectionAction::HideSelection => document.selection.is_some(),
            SelectionAction::ToggleIsolation => document.selection.or(document.hidden.isolated).is_some(),
            SelectionAction::ShowAllParts => document.hidden != HiddenParts::default(),
            SelectionAction::SelectParent => document.joint().is_some(),
            _ => true,
        },
        (Action::File(FileAction::ToggleInPlace), document) => {
            document.as_ref().is_some_and(|document| !document.scene.model().clips.is_empty())
        }
        (Action::Playback(action), Some(document)) => match action {
            PlaybackAction::SetPlayRange(None) => document.playback.play_range.is_some(),
            PlaybackAction::ZoomTimeline(None) => document.timeline_secs.is_some(),
            _ => !document.scene.model().clips.is_empty(),
        },
        _ => true,
    }
}

/// Returns `true` if the item of `action` has a check mark: an option that is on, or the current one of several.
pub(crate) fn is_checked(action: &Action, ctx: &UiContext<'_>) -> bool {
    let document = |is_checked: &dyn Fn(&Document) -> bool| ctx.document.as_ref().is_some_and(is_checked);
    let (request, settings) = (&ctx.view.request, &ctx.settings);
    let light = &request.light;
    let panels = &settings.panels;
    match action {
        Action::Playback(PlaybackAction::ToggleReverse) => document(&|document| document.playback.backwards),
        Action::Playback(PlaybackAction::SetLoopMode(mode)) => {
            document(&|document| document.playback.loop_mode == *mode)
        }
        Action::Playback(PlaybackAction::ChoosePlayRange) => document(&|document| document.playback.choosing_range),
        Action::File(FileAction::TogglePin) => ctx.pinned.is_some(),
        Action::File(FileAction::ToggleInPlace) => {
            document(&|document| document.request().joint_poses.iter().any(|pose| pose.is_in_place()))
        }
        Action::Camera(CameraAction::ToggleFollow) => document(&|document| document.camera.followed.is_some()),
        Action::Camera(CameraAction::ToggleOrthographic) => document(&|document| document.camera.orbit.orthographic),
        Action::Selection(SelectionAction::ToggleIsolation) => document(&|document| document.hidden.isolated.is_some()),
        Action::Shading(action) => match action {
            ShadingAction::ToggleRotateGizmo => ctx.gizmo.enabled,
            ShadingAction::ToggleViewMode(mode) => ctx.view.view_mode() == *mode,
            ShadingAction::ToggleOverlay(overlay) => ctx.view.has(*overlay),
            ShadingAction::ToggleSkinning(skinning) => request.debug_view.skinning == Some(*skinning),
            ShadingAction::ToggleGhosts => request.debug_view.ghosts.is_some(),
            ShadingAction::ToggleMotionPath => ctx.view.shows_motion_path,
            ShadingAction::ToggleLevelOfDetail => request.level_of_detail,
            ShadingAction::ToggleHighQuality => request.quality == Quality::High,
            ShadingAction::SetBackground(background) => is_same_background(settings.background, *background),
            ShadingAction::SetGhosts(_) | ShadingAction::SetTexelTarget(_) | ShadingAction::NextBackground => false,
        },
        Action::Light(action) => match action {
            LightAction::ToggleOcclusion => light.occlusion(),
            LightAction::ToggleShadowCatcher => light.shadow_catcher(),
            LightAction::ToggleKeyLight => ctx.view.key_light().is_some(),
            LightAction::ToggleFileLights => light.uses_file_lights(),
            LightAction::SetEnvironment(environment) => light.environment() == *environment,
            _ => false,
        },
        Action::Window(action) => match action {
            WindowAction::ShowTab(tab) => panels.sidebar && panels.tab == *tab,
            WindowAction::TogglePanel(Panel::Outliner) => panels.outliner,
            WindowAction::TogglePanel(Panel::Sidebar) => panels.sidebar,
            WindowAction::TogglePanel(Panel::Timeline) => panels.timeline,
            WindowAction::TogglePanel(Panel::Files) => panels.files,
            WindowAction::TogglePanel(Panel::DopeSheet) => panels.timeline && panels.dope_sheet,
            WindowAction::TogglePanel(Panel::Curves) => panels.timeline && panels.dope_sheet && panels.curves,
            WindowAction::SetNavigation(navigation) => settings.navigation == *navigation,
            WindowAction::SetTheme(theme) => settings.theme == *theme,
            _ => false,
        },
        _ => false,
    }
}
