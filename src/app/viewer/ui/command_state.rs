//! State of the commands in menus and toolbar: enabled, checked.

use super::context::UiContext;
use crate::app::scene::selection::HiddenParts;
use crate::app::viewer::actions::{
    Action, CameraAction, ComparisonAction, ExportAction, FileAction, HistoryAction, LightAction, PlaybackAction,
    PoseAction, SelectionAction, ShadingAction, WindowAction,
};
use crate::app::viewer::state::Panel;
use crate::request::Quality;

/// Returns `false` for actions that would do nothing.
pub(crate) fn is_enabled(action: &Action, ctx: &UiContext<'_>) -> bool {
    let document = ctx.document;
    match action {
        Action::History(HistoryAction::Undo) => ctx.history.position() > 0,
        Action::History(HistoryAction::Redo) => ctx.history.position() < ctx.history.labels().len(),
        Action::Pose(PoseAction::ClearPoseOverrides) => {
            document.is_some_and(|document| !document.scene.overrides().is_empty())
        }
        Action::Selection(SelectionAction::Select(None)) => {
            document.is_some_and(|document| document.selection.is_some())
        }
        Action::Selection(SelectionAction::HideSelection) => {
            document.is_some_and(|document| document.selection.is_some())
        }
        Action::Selection(SelectionAction::ToggleIsolation) => {
            document.is_some_and(|document| document.selection.or(document.hidden.isolated).is_some())
        }
        Action::Selection(SelectionAction::ShowAllParts) => {
            document.is_some_and(|document| document.hidden != HiddenParts::default())
        }
        Action::Selection(SelectionAction::SelectParent) => document.is_some_and(|document| document.joint().is_some()),
        Action::Playback(PlaybackAction::SetPlayRange(None)) => {
            document.is_some_and(|document| document.playback.play_range.is_some())
        }
        Action::Comparison(ComparisonAction::CompareBeforeReload) => ctx.has_before_reload,
        Action::Playback(PlaybackAction::ZoomTimeline(None)) => {
            document.is_some_and(|document| document.timeline_secs.is_some())
        }
        Action::File(FileAction::StepFile(_)) => ctx.files.position().is_some(),
        // A file that failed to open can be read again.
        Action::File(FileAction::Reload) => document.is_some() || ctx.files.current().is_some(),
        Action::File(FileAction::OpenImportClipsDialog)
        | Action::Comparison(ComparisonAction::OpenCompareDialog)
        | Action::Export(ExportAction::SaveImage)
        | Action::Export(ExportAction::CopyImage)
        | Action::Export(ExportAction::ToggleExportDialog)
        | Action::Export(ExportAction::CopyCommandLine)
        | Action::Camera(CameraAction::FrameModel)
        | Action::Camera(CameraAction::Reset)
        | Action::Camera(CameraAction::Zoom(_))
        | Action::Camera(CameraAction::SetViewDirection(_)) => document.is_some(),
        Action::Playback(PlaybackAction::TogglePlay)
        | Action::Playback(PlaybackAction::ToggleReverse)
        | Action::Playback(PlaybackAction::StepFrames(_))
        | Action::Playback(PlaybackAction::StepKeys(_))
        | Action::Playback(PlaybackAction::GoToStart)
        | Action::Playback(PlaybackAction::GoToEnd)
        | Action::Playback(PlaybackAction::ToggleLoopBlink)
        | Action::Playback(PlaybackAction::ChoosePlayRange)
        | Action::Playback(PlaybackAction::StepClip(_))
        | Action::Playback(PlaybackAction::PlayClip(_))
        | Action::Playback(PlaybackAction::StepSpeed(_))
        | Action::Playback(PlaybackAction::SetSpeed(_))
        | Action::Playback(PlaybackAction::SetLoopMode(_)) => {
            document.is_some_and(|document| !document.scene.model().clips.is_empty())
        }
        _ => true,
    }
}

/// Returns `true` if the item of `action` has a check mark: an option that is on, or the current one of several.
pub(crate) fn is_checked(action: &Action, ctx: &UiContext<'_>) -> bool {
    let playback = ctx.document.map(|document| &document.playback);
    let settings = ctx.settings;
    match action {
        Action::Playback(PlaybackAction::ToggleReverse) => playback.is_some_and(|playback| playback.backwards),
        Action::Playback(PlaybackAction::SetLoopMode(mode)) => {
            playback.is_some_and(|playback| playback.loop_mode == *mode)
        }
        Action::Camera(CameraAction::ToggleOrthographic) => {
            ctx.document.is_some_and(|document| document.camera.orbit.orthographic)
        }
        Action::Shading(ShadingAction::ToggleRotateGizmo) => ctx.gizmo.enabled,
        Action::Playback(PlaybackAction::ChoosePlayRange) => {
            ctx.document.is_some_and(|document| document.playback.choosing_range)
        }
        Action::Selection(SelectionAction::ToggleIsolation) => {
            ctx.document.is_some_and(|document| document.hidden.isolated.is_some())
        }
        Action::Shading(ShadingAction::SetViewMode(mode)) => ctx.view_options.view_mode == *mode,
        Action::Shading(ShadingAction::ToggleOverlay(overlay)) => ctx.view_options.has(*overlay),
        Action::Shading(ShadingAction::ToggleLevelOfDetail) => ctx.view_options.level_of_detail,
        Action::Shading(ShadingAction::ToggleHighQuality) => ctx.view_options.quality == Quality::High,
        Action::Light(LightAction::ToggleOcclusion) => ctx.light.request.occlusion(),
        Action::Light(LightAction::ToggleShadowCatcher) => ctx.light.request.shadow_catcher,
        Action::Light(LightAction::ToggleKeyLight) => ctx.light.key_light().is_some(),
        Action::Light(LightAction::ToggleFileLights) => ctx.light.request.uses_file_lights(),
        Action::Light(LightAction::SetEnvironment(environment)) => ctx.light.request.environment() == *environment,
        Action::Shading(ShadingAction::SetBackdrop(backdrop)) => settings.backdrop == *backdrop,
        Action::Window(WindowAction::ShowTab(tab)) => settings.panels.sidebar && settings.panels.tab == *tab,
        Action::Window(WindowAction::TogglePanel(Panel::Outliner)) => settings.panels.outliner,
        Action::Window(WindowAction::TogglePanel(Panel::Sidebar)) => settings.panels.sidebar,
        Action::Window(WindowAction::TogglePanel(Panel::Timeline)) => settings.panels.timeline,
        Action::Window(WindowAction::TogglePanel(Panel::DopeSheet)) => {
            settings.panels.timeline && settings.panels.dope_sheet
        }
        Action::Window(WindowAction::TogglePanel(Panel::Curves)) => {
            settings.panels.timeline && settings.panels.dope_sheet && settings.panels.curves
        }
        Action::Window(WindowAction::SetNavigation(navigation)) => settings.navigation == *navigation,
        Action::Window(WindowAction::SetTheme(theme)) => settings.theme == *theme,
        _ => false,
    }
}
