//! Actions of the viewer as plain data.

use crate::app::viewer::state::{
    CompareMode, ExportRequest, ExportSettings, FilePurpose, KeyLight, LookAt, Navigation, Panel, Selection, Tab, Theme,
};
use crate::request::{
    BackgroundRequest, CrowdRequest, EnvironmentRequest, GhostsRequest, GroundRequest, LightRequest, OverlayRequest,
};
use rigview_check::diff::DiffTarget;
use rigview_check::flex::FlexLimits;
use rigview_core::math::Transform;
use rigview_core::model::{CameraIndex, ClipIndex, ExpressionIndex, JointIndex, SceneIndex};
use rigview_core::palette::Skinning;
use rigview_core::pose::LoopMode;
use rigview_core::retarget::{ReferenceSource, Role};
use rigview_render::scene::{ViewDirection, ViewMode};
use std::path::PathBuf;

/// An operation of the user, by domain.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    Playback(PlaybackAction),
    Camera(CameraAction),
    Selection(SelectionAction),
    File(FileAction),
    Pose(PoseAction),
    History(HistoryAction),
    Shading(ShadingAction),
    Light(LightAction),
    Comparison(ComparisonAction),
    Export(ExportAction),
    Window(WindowAction),
}

/// Lets an action of a domain stand for an [`Action`].
macro_rules! from_domains {
    ($($domain:ident $action:ident,)*) => {
        $(impl From<$action> for Action {
            fn from(action: $action) -> Self {
                Self::$domain(action)
            }
        })*
    };
}

from_domains! {
    Playback PlaybackAction, Camera CameraAction, Selection SelectionAction, File FileAction, Pose PoseAction, History HistoryAction,
    Shading ShadingAction, Light LightAction, Comparison ComparisonAction, Export ExportAction, Window WindowAction,
}

impl Action {
    /// What a chosen file is for.
    pub(crate) fn of_file(purpose: FilePurpose, file: PathBuf) -> Self {
        match purpose {
            FilePurpose::Open => Self::File(FileAction::Open(file)),
            FilePurpose::Compare => Self::Comparison(ComparisonAction::CompareWith(file)),
            FilePurpose::ImportClips => Self::File(FileAction::ImportClips(file)),
            FilePurpose::Environment => Self::Light(LightAction::SetEnvironment(EnvironmentRequest::File(file))),
            FilePurpose::FlexLimits => Self::File(FileAction::LoadFlexLimits(file)),
            FilePurpose::Profile => Self::File(FileAction::SetProfile(Some(file))),
            FilePurpose::Ground => Self::File(FileAction::SetGround(Some(GroundRequest::File(file)))),
            FilePurpose::ExportFolder => Self::Export(ExportAction::SetExportFolder(file)),
        }
    }

    /// Returns `true` if its shortcut acts while a dialog is open, which takes all others.
    pub(crate) fn is_of_dialogs(&self) -> bool {
        use WindowAction::{Cancel, FocusPanels, Quit, ToggleCommandPalette, ToggleShortcuts};
        match self {
            Self::Window(Cancel | FocusPanels | Quit | ToggleCommandPalette | ToggleShortcuts) => true,
            other => *other == Self::Export(ExportAction::ToggleExportDialog),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PlaybackAction {
    TogglePlay,
    /// Pause and step by frames.
    StepFrames(i32),
    /// Pause and step by keys of the selected joint, else of any joint.
    StepKeys(i32),
    GoToStart,
    GoToEnd,
    /// Alternate between the first and the last frame.
    ToggleLoopBlink,
    /// Go to a clip time in seconds during a drag on the timeline.
    Scrub(f64),
    EndScrub,
    /// Let the next drag on the timeline set the play range, or stop that.
    ChoosePlayRange,
    /// Start and end in seconds; `None` plays the whole clip.
    SetPlayRange(Option<[f64; 2]>),
    /// Show a part of the clip on the timeline, from start to end in seconds; `None` shows all of it.
    ZoomTimeline(Option<[f64; 2]>),
    /// Change the speed by steps of a fixed list.
    StepSpeed(i32),
    /// 1 is the original speed.
    SetSpeed(f64),
    ToggleReverse,
    SetLoopMode(LoopMode),
    NextLoopMode,
    /// Frames per second of the timeline.
    SetFrameRate(f64),
    /// Play the clip that is this many places later in the file.
    StepClip(i32),
    /// `None` is the rest pose.
    PlayClip(Option<ClipIndex>),
    /// Play all clips together.
    PlayAllClips,
    /// Blend another clip with this weight; 0 removes it.
    SetLayerWeight(ClipIndex, f32),
    /// Cross-fade to another clip within this time in seconds.
    CrossFadeTo(ClipIndex, f64),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CameraAction {
    /// Frame the selection, else everything.
    FrameSelection,
    FrameModel,
    SetViewDirection(ViewDirection),
    /// `None` is the free camera.
    UseModelCamera(Option<CameraIndex>),
    /// Restore the initial view, remove pose overrides, and play from the start.
    Reset,
    /// Orbit by radians.
    Orbit {
        right: f64,
        up: f64,
    },
    /// Pan by fractions of the viewport height.
    Pan {
        right: f64,
        up: f64,
    },
    /// Zoom in by steps.
    Zoom(f64),
    /// Zoom in by steps towards a position, in fractions of the viewport from the top left corner.
    ZoomTowards(f64, [f64; 2]),
    /// Move the center of rotation to the surface at a position, in fractions of the viewport from the top left corner.
    SetPivot([f64; 2]),
    ToggleOrthographic,
    /// Move the camera with the hips of the model, or end that.
    ToggleFollow,
    /// In millimeters, for 35 mm film.
    SetFocalLength(f64),
    AddBookmark,
    GoToBookmark(usize),
    RemoveBookmark(usize),
}

/// Selected and hidden parts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SelectionAction {
    /// Select the joint with the largest weight at a position, in fractions of the viewport from the top left corner.
    Pick([f64; 2]),
    Select(Option<Selection>),
    SelectParent,
    /// Hide a part, or show it again.
    ToggleHidden(Selection),
    HideSelection,
    /// Show only this part; `None` shows the others again.
    Isolate(Option<Selection>),
    /// Isolate the selection, or end the isolation.
    ToggleIsolation,
    /// Show hidden parts, and end the isolation.
    ShowAllParts,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FileAction {
    /// Open a file, or the models of a folder.
    Open(PathBuf),
    /// Choose a file, or the folder of exports, in a dialog.
    Choose(FilePurpose),
    /// Open the file that is this many places later in the file list.
    StepFile(i32),
    /// Show the files of the list whose names have these words.
    SetFileFilter(String),
    /// Let files that open play their clips on the open model, or end that.
    TogglePin,
    /// Play the clips without the horizontal travel of the root, or with it.
    ToggleInPlace,
    Reload,
    ShowScene(SceneIndex),
    /// `None` is the default variant of the materials.
    ShowVariant(Option<usize>),
    /// Import the clips of another file.
    ImportClips(PathBuf),
    /// Set the joint of a role in the map of the motion, else of the model, and save it beside that file.
    SetRole {
        of_motion: bool,
        role: Role,
        joint: Option<JointIndex>,
    },
    /// Set the reference pose of the motion in its map, and save it beside its file; `None` estimates it.
    SetRestPose(Option<ReferenceSource>),
    /// Put the feet on a ground; `None` leaves them as in the clip.
    SetGround(Option<GroundRequest>),
    /// Measure the range of motion test by the limits in a file.
    LoadFlexLimits(PathBuf),
    /// Check files by the rules of a project in a file, too; `None` checks them without.
    SetProfile(Option<PathBuf>),
}

/// Crowd and pose overrides.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PoseAction {
    SetCrowd(CrowdRequest),
    /// Override `parent_from_joint` of the joints that move with the first one.
    SetJointPoses(JointIndex, Vec<(JointIndex, Transform)>),
    ClearJointPose(JointIndex),
    /// Override morph weights by their indices in the model; `None` removes the overrides.
    SetMorphWeights(Vec<usize>, Option<f32>),
    /// Swap left and right in the shown pose.
    MirrorPose,
    /// Set the value of an expression by its index in the model; 0 removes it.
    SetExpression(ExpressionIndex, f32),
    ClearPoseOverrides,
    SetLookAt(Option<LookAt>),
    /// Measure the joints in the poses of the range of motion test.
    MeasureFlex,
    StopFlex,
    /// Forget what is measured by other limits.
    SetFlexLimits(FlexLimits),
    /// Pose the model as at a position of the range of motion test.
    ShowFlex(f64),
    /// Show the joint of a rank in its worst pose with its weights, from a side from which it is visible.
    ShowFlexJoint(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum HistoryAction {
    Undo,
    Redo,
    /// Restore the state after this many steps of the edit history.
    GoToEdit(usize),
}

/// Shading, overlays and background.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ShadingAction {
    /// The current mode toggles back to materials.
    ToggleViewMode(ViewMode),
    ToggleOverlay(OverlayRequest),
    /// The current method toggles back to linear skinning.
    ToggleSkinning(Skinning),
    /// Poses before and after (onion skin).
    ToggleGhosts,
    /// Of the selected joint.
    ToggleMotionPath,
    ToggleLevelOfDetail,
    ToggleHighQuality,
    SetGhosts(GhostsRequest),
    /// Show the texel density against a target in texels per meter.
    SetTexelTarget(u32),
    /// `None` is a gradient.
    SetBackground(Option<BackgroundRequest>),
    NextBackground,
    ToggleRotateGizmo,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LightAction {
    /// Change everything but the key light.
    SetLight(LightRequest),
    SetKeyLight(KeyLight),
    /// Replace everything by a set-up, by its index.
    SetUp(usize),
    /// Remove the lights of the command line after the key light.
    RemoveOtherLights,
    SetEnvironment(EnvironmentRequest),
    /// Rotate the environment by degrees, counter-clockwise seen from above.
    RotateEnvironment(f64),
    ToggleKeyLight,
    ToggleFileLights,
    ToggleShadowCatcher,
    ToggleOcclusion,
}

/// Comparison of two files.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ComparisonAction {
    CompareWith(PathBuf),
    /// Compare with the version of the open file before the last reload.
    CompareBeforeReload,
    SetCompareMode(CompareMode),
    /// Divider position as a fraction of the viewport width.
    SetSplit(f64),
    /// Select and frame an item that differs, at its time.
    ShowDifference(DiffTarget),
    CloseComparison,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ExportAction {
    ToggleExportDialog,
    SetExportSettings(ExportSettings),
    SetExportFolder(PathBuf),
    Export(ExportRequest),
    CancelExport,
    /// Show a written file in the file manager.
    OpenFolder(PathBuf),
    /// Open a page of the guide with the program that the system selects.
    OpenPage(PathBuf),
    SaveImage,
    CopyImage,
    /// Copy the command line that renders the current frame.
    CopyCommandLine,
    CopyText {
        /// The noun in the notification.
        what: &'static str,
        text: String,
    },
}

/// Panels, dialogs and the window.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum WindowAction {
    TogglePanels,
    /// Move the keyboard focus to the panels, whose buttons Tab and the arrow keys then select.
    FocusPanels,
    DismissHints,
    TogglePanel(Panel),
    ShowTab(Tab),
    SetTheme(Theme),
    /// Change the size of text and panels by tenths; 0 restores it.
    StepUiScale(i32),
    SetNavigation(Navigation),
    ToggleCommandPalette,
    ToggleShortcuts,
    DismissNotification(usize),
    ToggleFullScreen,
    /// Close the dialog or the messages, show hidden panels, leave full screen, or clear the selection.
    Cancel,
    Quit,
}
