//! Images and videos to render.

use super::parse::{NamedValues, field_of_view, frame_rate, from_0_to_1, numbers, one_of, range};
use super::scene::rig_map_file;
use super::{
    DebugViewRequest, EnvironmentRequest, GroundRequest, ImportRequest, LayoutRequest, LightRequest,
    RENDERING_DETAILS_HEADING, SceneRequest,
};
use clap::{ArgAction, Args, ValueEnum};
use rigview_render::scene::Background;
use rigview_suite::suite::InputFile;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Default blur of the environment as a background, from 0 to 1: light directions stay recognizable, details do not.
pub const DEFAULT_BACKGROUND_BLUR: f64 = 0.3;

const CAMERA_HEADING: &str = "Camera and background";

/// Values of the option for levels of detail.
pub(super) const LEVELS_OF_DETAIL: NamedValues<bool, 2> =
    [(true, "auto", "As few triangles as an error of half a pixel permits"), (false, "off", "Full meshes")];

/// One image of a scene. The fields that are skipped as options are arguments of each command.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct RenderRequest {
    /// The model file.
    #[arg(skip)]
    pub file: PathBuf,

    /// Width and height in pixels.
    #[arg(skip)]
    pub size: [u32; 2],

    /// Quality: `high` averages many draws, for soft shadows.
    ///
    /// It has shadows of the environment and of all lights, and takes about as many times longer as there are samples
    #[arg(long, value_name = "standard|high", default_value = "standard", hide_possible_values = true)]
    pub quality: Quality,

    /// Samples per pixel, 1 for no anti-aliasing [default: 4; 256 for high quality].
    ///
    /// At most 4096. More samples than the GPU supports, for example 16, are several draws, with the pixel filter of Cycles
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SAMPLES)))]
    pub samples: Option<u32>,

    /// Contents and pose.
    #[command(flatten)]
    pub scene: SceneRequest,

    /// Camera position in meters [default: the whole clip is in view]
    #[arg(help_heading = CAMERA_HEADING, long, value_name = "X,Y,Z", value_parser = numbers::<3>,
        allow_hyphen_values = true, conflicts_with = "camera")]
    pub eye: Option<[f64; 3]>,

    /// Point that the camera looks at [default: the center of the model]
    #[arg(help_heading = CAMERA_HEADING, long, value_name = "X,Y,Z", value_parser = numbers::<3>,
        allow_hyphen_values = true, conflicts_with = "camera")]
    pub target: Option<[f64; 3]>,

    /// Vertical field of view in degrees [default: 35]
    #[arg(help_heading = CAMERA_HEADING, long = "fov", value_name = "DEG", value_parser = field_of_view,
        conflicts_with = "camera")]
    pub fov_degrees: Option<f64>,

    /// Parallel projection, with the height that --fov shows at the target
    #[arg(help_heading = CAMERA_HEADING, long, conflicts_with = "camera")]
    pub orthographic: bool,

    /// Camera of the file, by its name, that of its node, or index from 0
    #[arg(help_heading = CAMERA_HEADING, long, value_name = "NAME|INDEX")]
    pub camera: Option<String>,

    /// Without one, the neutral gradient.
    #[arg(skip)]
    pub background: Option<BackgroundRequest>,

    /// View mode and overlays.
    #[command(flatten)]
    pub debug_view: DebugViewRequest,

    /// Lighting.
    #[command(flatten)]
    pub light: LightRequest,

    /// Level of detail: `auto` draws distant instances with fewer triangles.
    ///
    /// They are within half a pixel of the full mesh. For large crowds, for example `fox.glb:10000 --lod auto`
    #[arg(help_heading = RENDERING_DETAILS_HEADING, long = "lod", value_name = "auto|off", default_value = "off",
        value_parser = one_of(&LEVELS_OF_DETAIL), action = ArgAction::Set)]
    pub level_of_detail: bool,

    /// Maximum anisotropy of texture filtering, from 1 to 16: sharper textures at flat angles.
    ///
    /// Renderers differ in it; without it, images of different renderers are comparable
    #[arg(help_heading = RENDERING_DETAILS_HEADING, long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=16))]
    pub anisotropy: u32,
}

/// Maximum number of samples per pixel.
pub const MAX_SAMPLES: u32 = 4096;

/// Quality of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Quality {
    /// One draw
    #[default]
    Standard,
    /// Many draws: shadows of all light
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BackgroundRequest {
    /// An sRGB color, each component from 0 to 1.
    Color([f64; 3]),
    /// Transparent.
    Transparent,
    /// The environment, with a blur from 0 to 1.
    Environment(f64),
}

impl From<BackgroundRequest> for Background {
    fn from(request: BackgroundRequest) -> Self {
        match request {
            BackgroundRequest::Color(color) => Self::Color(color.map(|component| component as f32)),
            BackgroundRequest::Transparent => Self::Transparent,
            BackgroundRequest::Environment(blur) => Self::Environment { blur: blur as f32 },
        }
    }
}

impl FromStr for BackgroundRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "transparent" {
            return Ok(Self::Transparent);
        }
        if text == "environment" {
            return Ok(Self::Environment(DEFAULT_BACKGROUND_BLUR));
        }
        if let Some(blur) = text.strip_prefix("environment:") {
            return from_0_to_1(blur).map(Self::Environment);
        }
        let color = numbers::<3>(text).map_err(
            |_| "expected three numbers such as 0.2,0.2,0.25, or `transparent`, or `environment`, optionally blurred as in environment:0.5",
        )?;
        if color.iter().all(|c| (0.0..=1.0).contains(c)) {
            Ok(Self::Color(color))
        } else {
            Err("expected numbers from 0 to 1".to_owned())
        }
    }
}

impl fmt::Display for BackgroundRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Color([red, green, blue]) => write!(f, "{red},{green},{blue}"),
            Self::Transparent => f.write_str("transparent"),
            Self::Environment(blur) => write!(f, "environment:{blur}"),
        }
    }
}

impl RenderRequest {
    /// An image of `file` with default options: 1280 x 720 pixels, 4 samples.
    pub fn new(file: PathBuf) -> Self {
        Self { file, size: [1280, 720], anisotropy: 1, ..Self::default() }
    }

    /// Returns the number of samples per pixel, or its default.
    pub fn samples(&self) -> u32 {
        self.samples.unwrap_or(self.quality.default_samples())
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
        let motion = &mut self.scene.motion;
        for file in &mut motion.clip_sources {
            *file = folder.join(&file);
        }
        if let Some(GroundRequest::File(file)) = &mut motion.feet_on {
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

    /// Returns all files that an image depends on, besides the buffers and images of models: those that the options name, the model
    /// first, and the maps of joints beside models.
    ///
    /// Hashes, comparisons with a revision, the confinement of untrusted suites and the protection of inputs read this list.
    pub fn input_files(&self) -> Vec<InputFile> {
        let layout = match &self.scene.crowd.layout {
            Some(LayoutRequest::File(file)) => Some(file.as_path()),
            _ => None,
        };
        let environment = match &self.light.environment {
            Some(EnvironmentRequest::File(file)) => Some(file.as_path()),
            _ => None,
        };
        let models = || [self.file.as_path()].into_iter().chain(self.scene.model_files());
        let named = models().chain(environment).chain(layout);
        let named = named.map(|file| InputFile { path: file.to_owned(), is_optional: false });
        let maps = models().map(|file| InputFile { path: rig_map_file(file), is_optional: true });
        named.chain(maps).collect()
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
#[derive(Clone, Debug, PartialEq, Args)]
pub struct VideoRequest {
    /// The first frame.
    #[arg(skip = RenderRequest::new(PathBuf::new()))]
    pub frame: RenderRequest,

    /// Orbit the camera once around the model; the video lasts complete loops of the clip
    #[arg(long, conflicts_with = "camera")]
    pub turntable: bool,

    /// Frames per second; the frame rate is adjusted slightly so that the video loops seamlessly
    #[arg(long, value_name = "N", default_value_t = 30.0, value_parser = frame_rate)]
    pub fps: f64,

    /// Number of times the clip plays [default: 1; with --turntable, as often as fills four seconds]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub loops: Option<u32>,

    /// Part of the clip to play, from START to END in seconds [default: the whole clip, or four seconds without a clip]
    #[arg(long = "range", value_name = "START,END", value_parser = range, conflicts_with_all = ["time", "layers"])]
    pub range_secs: Option<[f64; 2]>,
}

/// A contact sheet: a grid of thumbnails with one row per clip.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct ContactSheetRequest {
    /// Request of each thumbnail; clip and time vary.
    #[arg(skip = RenderRequest::new(PathBuf::new()))]
    pub thumbnail: RenderRequest,

    /// Clip to include, by name or by index from 0; repeatable [default: the rest pose and all clips]
    #[arg(long = "clip", value_name = "NAME|INDEX")]
    pub clips: Vec<String>,

    /// Show the worst joints of `rigview check --flex`, at rest and in their worst pose, instead of clips
    #[arg(long, conflicts_with = "clips")]
    pub flex: bool,

    /// Number of thumbnails per clip, evenly spaced from its start to its end
    #[arg(long = "frames", value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=60))]
    pub frames_per_clip: u32,
}
