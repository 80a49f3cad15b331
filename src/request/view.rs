//! The window at start.

use super::{DebugViewRequest, LightRequest, Quality, SceneRequest};
use std::path::PathBuf;

/// Initial contents and options of the window.
#[derive(Clone, Debug)]
pub struct ViewRequest {
    /// Files to step through; with `compare`, the two to compare.
    pub files: Vec<PathBuf>,
    /// Contents and pose.
    pub scene: SceneRequest,
    /// Lighting.
    pub light: LightRequest,
    /// View mode and overlays.
    pub debug_view: DebugViewRequest,
    /// Quality while nothing moves.
    pub quality: Quality,
    /// Samples per pixel for multisampling, 1 for none.
    pub samples: u32,
    /// Draws distant instances of crowds with fewer triangles.
    pub level_of_detail: bool,
    /// Compares two files.
    pub compare: bool,
    /// Hides the panels.
    pub hide_panels: bool,
    /// Neither reads nor writes the settings file.
    pub ignore_settings: bool,
}
