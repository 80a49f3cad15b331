//! State of the commands in menus and toolbar: enabled, checked.

use super::context::UiContext;
use crate::app::scene::selection::HiddenParts;
use crate::app::viewer::actions::Action;
use crate::app::viewer::state::Panel;
use crate::request::Quality;

/// Returns `false` for actions that would do nothing.
pub(crate) fn is_enabled(action: &Action, ctx: &UiContext<'_>) -> bool {
    let document = ctx.document;
    match action {
        Action::Undo => ctx.history.position() > 0,
        Action::Redo => ctx.history.position() < ctx.history.labels().len(),
        Action::ClearPoseOverrides => document.is_some_and(|document| !document.scene.overrides().is_empty()),
        Action::Select(None) => document.is_some_and(|document| document.selection.is_some()),
        Action::HideSelection => document.is_some_and(|document| document.selection.is_some()),
        Action::ToggleIsolation => {
            document.is_some_and(|document| document.selection.or(document.hidden.isolated).is_some())
        }
        Action::ShowAllParts => document.is_some_and(|document| document.hidden != HiddenParts::default()),
        Action::SelectParent => document.is_some_and(|document| document.joint().is_some()),
        Action::SetPlayRange(None) => document.is_some_and(|document| document.playback.play_range.is_some()),
        Action::CompareWithVersion => ctx.has_previous_version,
        Action::ZoomTimeline(None) => document.is_some_and(|document| document.timeline_secs.is_some()),
        Action::StepFile(_) => ctx.files.position().is_some(),
        // A file that failed to open can be read again.
        Action::Reload => document.is_some() || ctx.files.current().is_some(),
        Action::OpenImportClipsDialog
        | Action::OpenCompareDialog
        | Action::SaveImage
        | Action::CopyImage
        | Action::ToggleExportDialog
        | Action::CopyCommandLine
        | Action::FrameModel
        | Action::Reset
        | Action::Zoom(_)
        | Action::SetViewDirection(_) => document.is_some(),
        Action::TogglePlay
        | Action::ToggleReverse
        | Action::StepFrames(_)
        | Action::StepKeys(_)
        | Action::GoToStart
        | Action::GoToEnd
        | Action::ToggleLoopBlink
        | Action::ChoosePlayRange
        | Action::StepClip(_)
        | Action::PlayClip(_)
        | Action::StepSpeed(_)
        | Action::SetSpeed(_)
        | Action::SetLoopMode(_) => document.is_some_and(|document| !document.scene.model().clips.is_empty()),
        _ => true,
    }
}

/// Returns `true` if the item of `action` has a check mark: an option that is on, or the current one of several.
pub(crate) fn is_checked(action: &Action, ctx: &UiContext<'_>) -> bool {
    let playback = ctx.document.map(|document| &document.playback);
    let settings = ctx.settings;
    match action {
        Action::ToggleReverse => playback.is_some_and(|playback| playback.backwards),
        Action::SetLoopMode(mode) => playback.is_some_and(|playback| playback.loop_mode == *mode),
        Action::ToggleOrthographic => ctx.document.is_some_and(|document| document.camera.orbit.orthographic),
        Action::ToggleRotateGizmo => ctx.gizmo.enabled,
        Action::ChoosePlayRange => ctx.document.is_some_and(|document| document.playback.choosing_range),
        Action::ToggleIsolation => ctx.document.is_some_and(|document| document.hidden.isolated.is_some()),
        Action::SetViewMode(mode) => ctx.view_options.view_mode == *mode,
        Action::ToggleOverlay(overlay) => ctx.view_options.has(*overlay),
        Action::ToggleLevelOfDetail => ctx.view_options.level_of_detail,
        Action::ToggleHighQuality => ctx.view_options.quality == Quality::High,
        Action::ToggleOcclusion => ctx.light.occlusion,
        Action::ToggleShadowCatcher => ctx.light.shadow_catcher,
        Action::ToggleKeyLight => ctx.light.key_light.enabled,
        Action::ToggleFileLights => ctx.light.file_lights,
        Action::SetEnvironment(environment) => ctx.light.environment == *environment,
        Action::SetBackdrop(backdrop) => settings.backdrop == *backdrop,
        Action::ShowTab(tab) => settings.panels.sidebar && settings.panels.tab == *tab,
        Action::TogglePanel(Panel::Outliner) => settings.panels.outliner,
        Action::TogglePanel(Panel::Sidebar) => settings.panels.sidebar,
        Action::TogglePanel(Panel::Timeline) => settings.panels.timeline,
        Action::TogglePanel(Panel::DopeSheet) => settings.panels.timeline && settings.panels.dope_sheet,
        Action::TogglePanel(Panel::Curves) => {
            settings.panels.timeline && settings.panels.dope_sheet && settings.panels.curves
        }
        Action::SetNavigation(navigation) => settings.navigation == *navigation,
        Action::SetTheme(theme) => settings.theme == *theme,
        _ => false,
    }
}
