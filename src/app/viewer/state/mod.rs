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
pub(crate) mod navigation;
pub(crate) mod notifications;
pub(crate) mod playback;
pub(crate) mod settings;
pub(crate) mod view;

pub(crate) use crate::app::scene::selection::Selection;
pub(crate) use app_state::AppState;
pub(crate) use camera::ViewDirection;
pub(crate) use comparison::CompareMode;
pub(crate) use dialog::Dialog;
pub(crate) use export::{ExportProgress, ExportRequest, ExportSettings};
pub(crate) use file_list::FilePurpose;
pub(crate) use hints::Hints;
pub(crate) use navigation::Navigation;
pub(crate) use playback::{LOOP_MODES, next_loop_mode};
pub(crate) use settings::{Panel, Tab, Theme};
pub(crate) use view::ViewState;
