//! Effects: what an action requests from jobs, user interface and window.

use super::action::ExportAction;
use crate::app::viewer::state::{Dialog, FilePurpose, Reload, RigMapText};
use crate::request::SceneRequest;
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Effect {
    Quit,
    /// Open a file in place of the current one.
    Load(PathBuf),
    /// Read the open file again for a request.
    Reload(Box<SceneRequest>, Reload),
    /// Read a ground, and put the feet on it: as undo or redo restores, else as chosen.
    LoadGround {
        file: PathBuf,
        restores_edit: bool,
    },
    /// Write or remove files of roles, then read the open file again for a request. An edit has a label, undo and redo have none.
    SaveRolesAndReload {
        rig_maps: Vec<RigMapText>,
        request: Box<SceneRequest>,
        label: Option<String>,
    },
    /// Check the open file again.
    Check,
    /// Read the limits of the range of motion test from a file.
    LoadFlexLimits(PathBuf),
    /// Measure the joints in the poses of the range of motion test.
    MeasureFlex,
    CompareWith(PathBuf),
    /// Compare with the version before the last reload.
    CompareBeforeReload,
    /// Stop the jobs of the comparison, which is already gone from the state.
    CloseComparison,
    ShowFileDialog(FilePurpose),
    ToggleDialog(Dialog),
    ToggleFullScreen,
    FocusPanels,
    /// One that the state alone does not carry out.
    Export(ExportAction),
}
