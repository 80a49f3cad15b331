//! The window at start.

use super::ownership::ownership;
use super::parse::one_of;
use super::render::LEVELS_OF_DETAIL;
use super::{
    DebugViewRequest, ExposureRequest, LightRequest, ModelSpec, OverlayRequest, Quality, RENDERING_DETAILS_HEADING,
    SceneRequest,
};
use clap::{ArgAction, Args};
use std::path::PathBuf;

/// Initial contents and options of the window.
#[derive(Clone, Debug, Args)]
pub struct WindowRequest {
    /// Models to open (.glb, .gltf, .vrm, .vrma, .bvh or .zip), or a folder with models; FILE:N for a crowd of N.
    ///
    /// Page Up and Page Down switch between them. Models with :N are in one scene [default: an empty window]
    #[arg(value_name = "FILE[:N]|FOLDER")]
    pub files: Vec<PathBuf>,

    /// Compare two files from the same view at the same time, with a list of changes.
    ///
    /// Split screen, side by side, blinking or difference
    #[arg(long)]
    pub compare: bool,

    /// Start without panels; Tab shows them
    #[arg(long = "no-ui")]
    pub hide_panels: bool,

    /// Do not load or save settings such as panel sizes and recent files
    #[arg(long = "no-config")]
    pub ignore_settings: bool,

    /// Also show in Problems what breaks the rules of a project, as `rigview check --profile`
    #[arg(long, value_name = "PROFILE.toml", value_hint = clap::ValueHint::FilePath)]
    pub profile: Option<PathBuf>,

    /// Contents and pose.
    #[command(flatten)]
    pub scene: SceneRequest,

    /// What the window shows of every file.
    #[command(flatten)]
    pub view: ViewRequest,
}

/// What the window shows of every file.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct ViewRequest {
    // The headings of options before these do not apply.
    /// Quality while nothing moves: `high` averages 256 draws
    #[arg(help_heading = None, long, value_name = "standard|high", default_value = "standard", hide_possible_values = true)]
    pub quality: Quality,

    /// Anti-aliasing samples per pixel; 1 for none. Limited to what the GPU supports
    #[arg(help_heading = None, long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub samples: u32,

    /// Level of detail: `auto` draws distant instances of crowds with fewer triangles, within half a pixel of the full mesh
    #[arg(help_heading = RENDERING_DETAILS_HEADING, long = "lod", value_name = "auto|off", default_value = "auto", value_parser = one_of(&LEVELS_OF_DETAIL), action = ArgAction::Set)]
    pub level_of_detail: bool,

    /// View mode and overlays.
    #[command(flatten)]
    pub debug_view: DebugViewRequest,

    /// Lighting.
    #[command(flatten)]
    pub light: LightRequest,
}

ownership!(ViewRequest { file: [], view: [quality, samples, level_of_detail, light], parts: [debug_view] });

impl Default for ViewRequest {
    fn default() -> Self {
        Self {
            quality: Quality::Standard,
            samples: 4,
            level_of_detail: true,
            debug_view: DebugViewRequest::default(),
            light: LightRequest::default(),
        }
        .with_window_defaults()
    }
}

impl ViewRequest {
    /// Sets the defaults of the window.
    #[must_use]
    pub(crate) fn with_window_defaults(mut self) -> Self {
        // A file with physical lights must not open as a white silhouette.
        self.light.exposure.get_or_insert(ExposureRequest::Auto);
        self.light.occlusion.get_or_insert(true);
        self.light.shadow_catcher.get_or_insert(true);
        self.light = self.light.with_defaults();
        // The panels show one.
        self.debug_view.overlays.retain(|overlay| *overlay != OverlayRequest::Legend);
        self
    }
}

impl WindowRequest {
    /// Moves files with a count into one scene, and sets the defaults of the window.
    #[must_use]
    pub fn with_window_defaults(mut self) -> Self {
        let mut models = self.files.clone().into_iter().map(|file| ModelSpec::from(file.into_os_string()));
        if models.clone().any(|model| model.count.is_some()) {
            models.next();
            self.files = vec![self.scene.crowd.set_models(self.files[0].clone(), models.collect())];
        }
        self.view = self.view.with_window_defaults();
        self
    }
}
