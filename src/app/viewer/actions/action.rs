//! What the viewer can be asked to do, as plain data.

use crate::app::viewer::state::{
    Backdrop, CompareMode, ExportRequest, Navigation, Panel, Selection, Tab, Theme, ViewDirection, ViewportOverlay,
};
use crate::math::Transform;
use crate::model::{CameraIndex, ClipIndex, JointIndex, SceneIndex};
use crate::pose::LoopMode;
use crate::request::{CrowdRequest, GhostsRequest};
use crate::scene::ViewMode;
use std::path::PathBuf;

/// What the viewer does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    /// Play, or pause.
    TogglePlay,
    /// Pause and step by so many frames.
    StepFrames(i32),
    /// Pause and go to a key before (below 0) or after the present moment.
    StepKeys(i32),
    /// Pause and go to the start of the clip.
    GoToStart,
    /// Pause and go to the end of the clip.
    GoToEnd,
    /// Let the first and the last instant of the clip take turns, or no longer.
    ToggleLoopBlink,
    /// Hold at a moment of the clip, in seconds, while a hand is on the timeline.
    Scrub(f64),
    /// The hand has let go of the timeline: what was playing plays on.
    EndScrub,
    /// Play so many steps of a ladder of speeds faster; slower below 0.
    StepSpeed(i32),
    /// Play at so many times the recorded speed.
    SetSpeed(f64),
    /// Play the other way.
    ToggleReverse,
    /// What happens at the end of the clip.
    SetLoopMode(LoopMode),
    /// The next of the endings.
    NextLoopMode,
    /// Count so many frames in a second of the clip.
    SetFrameRate(f64),
    /// Play the clip that comes so many places later in the file.
    StepClip(i32),
    /// Play this clip; `None` for the rest pose.
    PlayClip(Option<ClipIndex>),
    /// Let another clip play beside the one on the timeline, with a weight; 0 for no longer.
    SetLayerWeight(ClipIndex, f32),
    /// Go over to another clip, in so many seconds.
    CrossFadeTo(ClipIndex, f64),
    /// Show all of the model from the present direction.
    FrameModel,
    /// Look from a side.
    SetViewDirection(ViewDirection),
    /// Look through a camera of the file; `None` for the free view.
    UseModelCamera(Option<CameraIndex>),
    /// Show a scene of the file.
    ShowScene(SceneIndex),
    /// Show a variant of the file's materials; `None` for those that it shows without one.
    ShowVariant(Option<usize>),
    /// Go back to the first view and to the start of the clip, playing.
    Reset,
    /// Orbit, by radians.
    Orbit {
        /// To the right.
        right: f64,
        /// Upwards.
        up: f64,
    },
    /// Pan, by shares of the window's height.
    Pan {
        /// To the right.
        right: f64,
        /// Upwards.
        up: f64,
    },
    /// Go nearer by so many steps; away below 0.
    Zoom(f64),
    /// Select the joint that moves what is seen at a place of the view: shares of its width from the left and of its
    /// height from the top.
    Pick([f64; 2]),
    /// Select something of the file, or nothing.
    Select(Option<Selection>),
    /// Select the parent of the selected joint.
    SelectParent,
    /// Open a file in place of the present one.
    Open(PathBuf),
    /// Ask for a file to open.
    OpenFileDialog,
    /// Open the file so many places later on the command line.
    StepFile(i32),
    /// Read the present file again.
    Reload,
    /// Show the panels, or only the model.
    TogglePanels,
    /// Show a panel, or hide it.
    TogglePanel(Panel),
    /// Show one of the panels at the right.
    ShowTab(Tab),
    /// Light or dark.
    SetTheme(Theme),
    /// Stand a crowd up.
    SetCrowd(CrowdRequest),
    /// Put a joint by hand: `parent_from_joint`.
    SetJointPose(JointIndex, Transform),
    /// Leave a joint to the clips again.
    ClearJointPose(JointIndex),
    /// Put a morph weight by hand, by its place among the model's.
    SetMorphWeight(usize, f32),
    /// Leave a morph weight to the clips again.
    ClearMorphWeight(usize),
    /// Show rings to turn the selected joint by, or no longer.
    ToggleRotateGizmo,
    /// Leave every joint and morph weight to the clips again.
    ClearPoseOverrides,
    /// Let surfaces show this, or their materials again.
    SetViewMode(ViewMode),
    /// Show something beside what surfaces show, or no longer.
    ToggleOverlay(ViewportOverlay),
    /// So many poses before and after, so far apart.
    SetGhosts(GhostsRequest),
    /// Put something behind the model.
    SetBackdrop(Backdrop),
    /// The next of the backdrops.
    NextBackdrop,
    /// Show what can be taken away: pictures, sheets, films.
    ToggleExportDialog,
    /// Make a picture, a sheet or a film beside the window.
    Export(ExportRequest),
    /// Stop what is being made.
    CancelExport,
    /// Ask for a file whose clips are to be lent to the present one.
    OpenImportClipsDialog,
    /// Let the model stand on ground that shows its shadow, or no longer.
    ToggleShadowCatcher,
    /// Let the pointer do as in this program.
    SetNavigation(Navigation),
    /// Ask for a file to compare the present one with.
    OpenCompareDialog,
    /// Compare the present file with another one.
    CompareWith(PathBuf),
    /// Let another file lend its clips to the present one.
    ImportClips(PathBuf),
    /// Put the two files that are compared together in another way.
    SetCompareMode(CompareMode),
    /// The share of the picture's width that the first of two files has.
    SetSplit(f64),
    /// Compare no longer.
    CloseComparison,
    /// Find an action by its name.
    ToggleCommandPalette,
    /// Show every key.
    ToggleShortcuts,
    /// Put a line that tells of trouble away.
    DismissNotification(usize),
    /// Put words on the clipboard; `what` they are, for the line that tells.
    CopyText {
        /// What is copied.
        what: &'static str,
        /// The words.
        text: String,
    },
    /// Put the command that makes the present picture on the clipboard.
    CopyCommandLine,
    /// Write the present picture to a file.
    SaveImage,
    /// Put the present picture on the clipboard.
    CopyImage,
    /// Fill the screen, or no longer.
    ToggleFullScreen,
    /// Close what lies over the model, or let go of what is selected; with panels hidden, leave.
    Cancel,
    /// Leave.
    Quit,
}
