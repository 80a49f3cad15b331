//! Everything that the panels read.

use crate::app::viewer::state::comparison::ComparisonState;
use crate::app::viewer::state::document::Document;
use crate::app::viewer::state::file_list::FileList;
use crate::app::viewer::state::frame_stats::FrameStats;
use crate::app::viewer::state::history::History;
use crate::app::viewer::state::notifications::Notifications;
use crate::app::viewer::state::settings::Settings;
use crate::app::viewer::state::{AppState, ExportProgress, ViewState};
use rigview_check::Issue;
use rigview_render::scene::RotateDrag;
use std::path::Path;

/// State of the application as the panels see it during one layout.
pub(crate) struct UiContext<'a> {
    pub(crate) document: Option<&'a Document>,
    pub(crate) jobs: JobStatus<'a>,
    pub(crate) files: &'a FileList,
    /// The model is pinned: files of the list play on it.
    pub(crate) is_pinned: bool,
    /// The file of the list that is visible.
    pub(crate) shown_file: Option<&'a Path>,
    /// The second file, while two files are compared.
    pub(crate) comparison: Option<&'a ComparisonState>,
    /// The version before the last reload is kept, and not compared yet.
    pub(crate) has_before_reload: bool,
    /// Width and height of the viewport, or of each pane, in pixels.
    pub(crate) view_size: [u32; 2],
    pub(crate) settings: &'a Settings,
    pub(crate) view: &'a ViewState,
    pub(crate) frame_stats: &'a FrameStats,
    pub(crate) export: Option<&'a ExportProgress>,
    pub(crate) history: &'a History,
    pub(crate) gizmo: GizmoContext<'a>,
    /// Exposure in stops; an automatic one is resolved.
    pub(crate) exposure_ev: f64,
    pub(crate) notifications: &'a Notifications,
    /// Issues of the open file; `None` until the check has finished.
    pub(crate) issues: Option<&'a [Issue]>,
    /// The file with the rules by which files are checked, and whether it is that of the command line.
    pub(crate) profile_file: Option<(&'a Path, bool)>,
    /// Name of that profile, or the reason why it is not read.
    pub(crate) profile: Option<&'a Result<String, String>>,
    /// A file is dragged over the window.
    pub(crate) drag_hover: bool,
}

impl<'a> UiContext<'a> {
    /// The parts of a state that the panels read.
    pub(crate) fn new(state: &'a AppState, jobs: JobStatus<'a>, view_size: [u32; 2]) -> Self {
        Self {
            document: state.document.as_ref(),
            jobs,
            files: &state.files,
            is_pinned: state.pinned.is_some(),
            shown_file: state.shown_file(),
            comparison: state.comparison.as_ref(),
            has_before_reload: state.before_reload.is_some(),
            view_size,
            settings: &state.settings,
            view: &state.view,
            frame_stats: &state.frame_stats,
            export: state.export.as_ref(),
            history: &state.history,
            gizmo: GizmoContext { enabled: state.gizmo.enabled, drag: state.gizmo.ring() },
            exposure_ev: state.exposure_ev(),
            notifications: &state.notifications,
            issues: state.issues.as_deref(),
            profile_file: state.profile_file().map(|file| (file, state.command_line.profile.is_some())),
            profile: state.profile.as_ref(),
            drag_hover: state.drag_hover,
        }
    }
}

/// State of background jobs and of the window system, which is not part of the application's state.
#[derive(Clone, Copy, Default)]
pub(crate) struct JobStatus<'a> {
    /// The file that is loading.
    pub(crate) loading: Option<&'a Path>,
    /// Decoded and total images of that file.
    pub(crate) images: (usize, usize),
    /// The uploaded part of a loaded file, from 0 to 1.
    pub(crate) uploaded: Option<f64>,
    pub(crate) environment_loading: bool,
    /// The window system supports dropping files.
    pub(crate) can_drop: bool,
}

/// State of the rotate gizmo.
#[derive(Clone, Copy, Default)]
pub(crate) struct GizmoContext<'a> {
    pub(crate) enabled: bool,
    /// The drag in progress.
    pub(crate) drag: Option<&'a RotateDrag>,
}
