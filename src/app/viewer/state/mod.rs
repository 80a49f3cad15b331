//! State of the viewer: plain data without egui, winit, OpenGL or threads.

pub(crate) mod app_state;
pub(crate) mod camera;
pub(crate) mod comparison;
pub(crate) mod dialog;
pub(crate) mod document;
pub(crate) mod export;
pub(crate) mod file_list;
pub(crate) mod frame_stats;
pub(crate) mod gizmo;
pub(crate) mod hints;
pub(crate) mod history;
pub(crate) mod modifier_key;
pub(crate) mod navigation;
pub(crate) mod notifications;
pub(crate) mod playback;
pub(crate) mod settings;
pub(crate) mod view;

pub(crate) use crate::app::scene::selection::Selection;
pub(crate) use app_state::{AppState, Checked};
pub(crate) use comparison::{CompareMode, ComparisonState};
pub(crate) use dialog::Dialog;
pub(crate) use document::{Document, DocumentAnalysis, FlexState, LookAt, PlayingPart, Reload};
pub(crate) use export::{
    ExportKind, ExportProgress, ExportRequest, ExportSettings, ExportSize, MIN_SIDE, ModelContents,
};
pub(crate) use file_list::FilePurpose;
pub(crate) use frame_stats::FrameTimings;
pub(crate) use hints::Hints;
pub(crate) use history::{FileSnapshot, RigMapText, UndoSnapshot};
pub(crate) use navigation::Navigation;
pub(crate) use notifications::NotificationKind;
pub(crate) use playback::{LOOP_MODES, SPEEDS, next_loop_mode};
pub(crate) use settings::{Panel, Settings, Tab, Theme};
pub(crate) use view::{BACKGROUNDS, KeyLight, ViewState};
