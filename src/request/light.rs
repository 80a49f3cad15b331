//! Lighting of a request.

use rigview_render::scene::{Sky, ToneMapping};
use std::convert::Infallible;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Extensions of panorama files.
pub const PANORAMA_FILE_EXTENSIONS: [&str; 2] = ["hdr", "exr"];

/// Returns `true` if the file name has an extension of panoramas.
pub fn is_panorama_file(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    PANORAMA_FILE_EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// Environment, directional lights, shadow catcher and tone mapping.
#[derive(Clone, Debug, PartialEq)]
pub struct LightRequest {
    /// Without one `Neutral`, or `None` if there are `lights`.
    pub environment: Option<EnvironmentRequest>,
    /// Degrees about +Y, counter-clockwise seen from above.
    pub environment_rotation_degrees: f64,
    /// Factor of the environment's radiance.
    pub environment_intensity: f64,
    /// White directional lights: the vector towards the light, and the illuminance in lux.
    pub lights: Vec<[f64; 4]>,
    /// Uses the lights of the file. Without a value they are used if there are no `lights`.
    pub file_lights: Option<bool>,
    /// Adds a shadow catcher below the model.
    pub shadow_catcher: bool,
    /// Adds ambient occlusion, and the shadow of the strongest directional light on the models.
    pub occlusion: bool,
    /// Exposure.
    pub exposure: ExposureRequest,
    /// Without one, `Neutral`, or `None` if there are `lights`.
    pub tone_mapping: Option<ToneMapping>,
}

/// Source of the environment light.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvironmentRequest {
    /// The neutral studio.
    Neutral,
    /// A procedural sky.
    Sky(Sky),
    /// A panorama file.
    File(PathBuf),
    /// No environment.
    None,
}

/// Exposure of an image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExposureRequest {
    /// In stops.
    Stops(f64),
    /// Metered from the lights of the file.
    Auto,
}

impl ExposureRequest {
    /// Returns the exposure in stops; `metered` is the automatic one.
    pub fn stops(self, metered: f64) -> f64 {
        match self {
            Self::Stops(stops) => stops,
            Self::Auto => metered,
        }
    }
}

impl LightRequest {
    /// Returns `true` if the lights of the file are used.
    pub fn uses_file_lights(&self) -> bool {
        self.file_lights.unwrap_or(self.lights.is_empty())
    }

    /// Returns the environment, or its default.
    pub fn environment(&self) -> EnvironmentRequest {
        let default = if self.lights.is_empty() { EnvironmentRequest::Neutral } else { EnvironmentRequest::None };
        self.environment.clone().unwrap_or(default)
    }

    /// Returns the tone mapping operator, or its default.
    pub fn tone_mapping(&self) -> ToneMapping {
        let default = if self.lights.is_empty() { ToneMapping::Neutral } else { ToneMapping::None };
        self.tone_mapping.unwrap_or(default)
    }
}

impl Default for LightRequest {
    fn default() -> Self {
        Self {
            environment: None,
            environment_rotation_degrees: 0.0,
            environment_intensity: 1.0,
            lights: Vec::new(),
            file_lights: None,
            shadow_catcher: false,
            occlusion: false,
            exposure: ExposureRequest::Stops(0.0),
            tone_mapping: None,
        }
    }
}

impl FromStr for EnvironmentRequest {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "neutral" => Self::Neutral,
            "overcast" => Self::Sky(Sky::Overcast),
            "sunset" => Self::Sky(Sky::Sunset),
            "night" => Self::Sky(Sky::Night),
            "none" => Self::None,
            file => Self::File(file.into()),
        })
    }
}

impl fmt::Display for EnvironmentRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Neutral => f.write_str("neutral"),
            Self::Sky(Sky::Overcast) => f.write_str("overcast"),
            Self::Sky(Sky::Sunset) => f.write_str("sunset"),
            Self::Sky(Sky::Night) => f.write_str("night"),
            Self::File(file) => write!(f, "{}", file.display()),
            Self::None => f.write_str("none"),
        }
    }
}

impl fmt::Display for ExposureRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stops(stops) => write!(f, "{stops}"),
            Self::Auto => f.write_str("auto"),
        }
    }
}
