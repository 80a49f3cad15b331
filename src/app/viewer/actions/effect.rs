//! Effects: what an action requests from jobs, user interface and window.

use crate::app::viewer::state::document::Reload;
use crate::app::viewer::state::file_list::FilePurpose;
use crate::app::viewer::state::history::RigMapText;
use crate::app::viewer::state::{Dialog, ExportRequest};
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
    Export(ExportRequest),
    CancelExport,
    /// Show a file in the file manager.
    OpenFolder(PathBuf),
    /// Open a page of the guide with the program that the system selects.
    OpenPage(PathBuf),
    CopyText {
        /// The noun in the notification.
        what: &'static str,
        text: String,
    },
    /// Copy the command line that renders the current frame.
    CopyCommandLine,
    /// Copy the current frame.
    CopyImage,
    /// Write the current frame as a PNG next to the model.
    SaveImage,
}
