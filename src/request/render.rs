//! Images and videos to render.

use super::{DebugViewRequest, EnvironmentRequest, ImportRequest, LayoutRequest, LightRequest, SceneRequest};
use std::path::{Path, PathBuf};

/// Default blur of the environment as a background, from 0 to 1: light directions stay recognizable, details do not.
pub const DEFAULT_BACKGROUND_BLUR: f64 = 0.3;

/// One image of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct RenderRequest {
    /// The model file.
    pub file: PathBuf,
    /// Contents and pose.
    pub scene: SceneRequest,
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Camera position in world space, in meters; without one, the whole clip is framed.
    pub eye: Option<[f64; 3]>,
    /// Point that the camera looks at; without one, the center of the model.
    pub target: Option<[f64; 3]>,
    /// Vertical field of view.
    pub fov_degrees: Option<f64>,
    /// Parallel projection; the field of view determines its height at the target.
    pub orthographic: bool,
    /// A camera of the file, by name or index; replaces the other camera options.
    pub camera: Option<String>,
    /// Diameter of the aperture in meters, for depth of field in high quality; `None` for a pinhole.
    pub aperture: Option<f64>,
    /// Distance in focus in meters; without one, that of the target.
    pub focus: Option<f64>,
    /// Exposure time in seconds around the pose's time, for motion blur in high quality; `None` for an instant.
    pub shutter_secs: Option<f64>,
    /// Without one, the neutral gradient.
    pub background: Option<BackgroundRequest>,
    /// Lighting.
    pub light: LightRequest,
    /// View mode and overlays.
    pub debug_view: DebugViewRequest,
    /// One draw, or the mean of many.
    pub quality: Quality,
    /// Samples per pixel, 1 for no antialiasing. For high quality the number of draws; for standard quality of multisampling, and of
    /// several draws where it has fewer.
    pub samples: u32,
    /// Draws distant instances with fewer triangles.
    pub level_of_detail: bool,
}

/// Maximum number of samples per pixel.
pub const MAX_SAMPLES: u32 = 4096;

/// Quality of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// One draw, multisampled, or several for more samples.
    Standard,
    /// The mean of many draws, each with the shadow of one light.
    High,
}

impl Quality {
    /// Default number of samples per pixel.
    pub fn default_samples(self) -> u32 {
        match self {
            Self::Standard => 4,
            Self::High => 256,
        }
    }
}

/// Background of an image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BackgroundRequest {
    /// An sRGB color, each component from 0 to 1.
    Color([f64; 3]),
    /// Transparent.
    Transparent,
    /// The environment, with a blur from 0 to 1.
    Environment(f64),
}

impl RenderRequest {
    /// An image of `file` with default options: 1280 x 720 pixels, 4 samples.
    pub fn new(file: PathBuf) -> Self {
        Self {
            file,
            scene: SceneRequest::default(),
            size: [1280, 720],
            eye: None,
            target: None,
            fov_degrees: None,
            orthographic: false,
            camera: None,
            aperture: None,
            focus: None,
            shutter_secs: None,
            background: None,
            light: LightRequest::default(),
            debug_view: DebugViewRequest::default(),
            quality: Quality::Standard,
            samples: Quality::Standard.default_samples(),
            level_of_detail: false,
        }
    }

    /// Resolves the file names of the options against `folder`; the model file is left as it is.
    #[must_use]
    pub fn with_files_in(mut self, folder: &Path) -> Self {
        if let Some(EnvironmentRequest::File(file)) = &mut self.light.environment {
            *file = folder.join(&file);
        }
        if let Some(LayoutRequest::File(file)) = &mut self.scene.crowd.layout {
            *file = folder.join(&file);
        }
        for file in &mut self.scene.clip_sources {
            *file = folder.join(&file);
        }
        for model in &mut self.scene.crowd.other_models {
            model.file = folder.join(&model.file);
        }
        for clip in &mut self.scene.crowd.clips {
            if let Some(file) = clip.clip_source() {
                clip.clip = folder.join(file).to_string_lossy().into_owned();
            }
        }
        self
    }

    /// The files that the options name, the model file first.
    pub fn input_files(&self) -> impl Iterator<Item = &Path> {
        let layout = match &self.scene.crowd.layout {
            Some(LayoutRequest::File(file)) => Some(file.as_path()),
            _ => None,
        };
        let environment = match &self.light.environment {
            Some(EnvironmentRequest::File(file)) => Some(file.as_path()),
            _ => None,
        };
        [self.file.as_path()].into_iter().chain(environment).chain(layout).chain(self.scene.model_files())
    }

    /// Adds the permissions and limits of `import`; the request's own limits take precedence.
    #[must_use]
    pub fn with_import(mut self, import: &ImportRequest) -> Self {
        let own = &mut self.scene.import;
        own.allow_external_paths |= import.allow_external_paths;
        own.limits = [import.limits.as_slice(), &own.limits].concat();
        self
    }
}

/// A video of a clip or a turntable.
#[derive(Clone, Debug, PartialEq)]
pub struct VideoRequest {
    /// The first frame.
    pub frame: RenderRequest,
    /// Moves the camera once around the model.
    pub turntable: bool,
    /// Frames per second.
    pub fps: f64,
    /// Repetitions of the clip or its part; without a number, 1, or what fills four seconds of a turntable.
    pub loops: Option<u32>,
    /// Start and end of the part of the clip that plays, in seconds; `None` for the whole clip.
    pub range_secs: Option<[f64; 2]>,
    /// Duration without a clip, in seconds.
    pub duration_secs: f64,
}

/// A contact sheet: a grid of thumbnails with one row per clip.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactSheetRequest {
    /// Request of each thumbnail; clip and time vary.
    pub thumbnail: RenderRequest,
    /// Names or indices of clips; empty for all.
    pub clips: Vec<String>,
    /// Thumbnails per clip.
    pub frames_per_clip: u32,
}
