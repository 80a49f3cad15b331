//! Lighting of a request.

use super::LIGHT_DETAILS_HEADING;
use super::parse::{NamedValues, finite, light, non_negative, on_or_off, one_of, with_names};
use clap::Args;
use rigview_render::scene::{Sky, ToneMapping};
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
#[derive(Clone, Debug, PartialEq, Args)]
#[command(next_help_heading = "Lighting")]
pub struct LightRequest {
    /// Environment light: neutral, overcast, sunset, night, none, or a panorama.
    ///
    /// A panorama is an .hdr or .exr file. `neutral` is a studio; `overcast`, `sunset` and `night` are skies [default: neutral; none with --light]
    #[arg(long, value_name = "NAME|FILE", hide_possible_values = true,
        value_parser = with_names(str::parse::<EnvironmentRequest>, ["neutral", "overcast", "sunset", "night", "none"]))]
    pub environment: Option<EnvironmentRequest>,

    /// Rotation of the environment about the vertical axis in degrees, counter-clockwise seen from above
    #[arg(help_heading = LIGHT_DETAILS_HEADING, long = "environment-rotation", value_name = "DEG", default_value_t = 0.0, value_parser = finite, allow_negative_numbers = true)]
    pub environment_rotation_degrees: f64,

    /// Strength of the environment light
    #[arg(help_heading = LIGHT_DETAILS_HEADING, long, value_name = "FACTOR", default_value_t = 1.0, value_parser = non_negative, allow_negative_numbers = true)]
    pub environment_intensity: f64,

    /// White directional light: the vector towards it, and its illuminance in lux; repeatable.
    ///
    /// Replaces the default lighting and the file's lights
    #[arg(long = "light", value_name = "X,Y,Z,LUX", value_parser = light, allow_hyphen_values = true)]
    pub lights: Vec<[f64; 4]>,

    /// Use the lights of the file: `on` or `off` [default: on; off with --light]
    #[arg(help_heading = LIGHT_DETAILS_HEADING, long, value_name = "on|off", value_parser = on_or_off(), hide_possible_values = true)]
    pub file_lights: Option<bool>,

    /// Show the model's soft shadow on an invisible ground plane, `on` or `off` [default: on in the window].
    ///
    /// It is that of the strongest directional light, otherwise that of a uniform sky, which is dark where the model touches the
    /// ground. The ground of --feet-on receives that of a directional light itself
    #[arg(long, value_name = "on|off", value_parser = on_or_off(), hide_possible_values = true,
        num_args = 0..=1, require_equals = true, default_missing_value = "on")]
    pub shadow_catcher: Option<bool>,

    /// Shadows of the environment's light between surfaces, `on` or `off` [default: on in the window].
    ///
    /// Surfaces in the image shadow the environment's light on each other, and light each other by reflection and
    /// emission; the strongest directional light casts a shadow on the models
    #[arg(long, value_name = "on|off", value_parser = on_or_off(), hide_possible_values = true)]
    pub occlusion: Option<bool>,

    /// Exposure in stops; +1 doubles the brightness [default: 0; auto in the window].
    ///
    /// `auto` darkens the image if the lights of the file are too bright for it
    #[arg(long, value_name = "EV|auto", hide_possible_values = true,
        value_parser = with_names(str::parse::<ExposureRequest>, ["auto"]), allow_negative_numbers = true)]
    pub exposure: Option<ExposureRequest>,

    /// Tone mapping operator [default: neutral; none with --light]
    #[arg(long, value_name = "OPERATOR", value_parser = one_of(&TONE_MAPPINGS))]
    pub tone_mapping: Option<ToneMapping>,
}

/// Names of the tone mapping operators.
pub(crate) const TONE_MAPPINGS: NamedValues<ToneMapping, 5> = [
    (ToneMapping::None, "none", "Clip bright colors"),
    (ToneMapping::Neutral, "neutral", "Khronos PBR Neutral: keeps surface colors"),
    (ToneMapping::Aces, "aces", "ACES (Hill fit): filmic contrast, common in games"),
    (ToneMapping::Agx, "agx", "View transform AgX of Blender 5.0 with the look None: bright colors fade to white"),
    (
        ToneMapping::Filmic,
        "filmic",
        "View transform Filmic of Blender 5.0 with the look None: the default of Blender 2.8 to 3.6",
    ),
];

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

    /// Returns the exposure, or its default.
    pub fn exposure(&self) -> ExposureRequest {
        self.exposure.unwrap_or(ExposureRequest::Stops(0.0))
    }

    /// Returns `true` if there is occlusion.
    pub fn occlusion(&self) -> bool {
        self.occlusion.unwrap_or(false)
    }

    /// Returns `true` if a ground plane shows the shadow of the model.
    pub fn shadow_catcher(&self) -> bool {
        self.shadow_catcher.unwrap_or(false)
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

    /// Sets all fields, so that another light changes no default.
    #[must_use]
    pub fn with_defaults(self) -> Self {
        Self {
            environment: Some(self.environment()),
            file_lights: Some(self.uses_file_lights()),
            shadow_catcher: Some(self.shadow_catcher()),
            occlusion: Some(self.occlusion()),
            exposure: Some(self.exposure()),
            tone_mapping: Some(self.tone_mapping()),
            ..self
        }
    }

    /// Unsets the fields that equal their defaults, so that the command line is short.
    #[must_use]
    pub fn without_defaults(self) -> Self {
        let defaults = Self { lights: self.lights.clone(), ..Self::default() }.with_defaults();
        Self {
            environment: self.environment.filter(|set| Some(set) != defaults.environment.as_ref()),
            file_lights: self.file_lights.filter(|set| Some(*set) != defaults.file_lights),
            shadow_catcher: self.shadow_catcher.filter(|set| Some(*set) != defaults.shadow_catcher),
            occlusion: self.occlusion.filter(|set| Some(*set) != defaults.occlusion),
            exposure: self.exposure.filter(|set| Some(*set) != defaults.exposure),
            tone_mapping: self.tone_mapping.filter(|set| Some(*set) != defaults.tone_mapping),
            ..self
        }
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
            shadow_catcher: None,
            occlusion: None,
            exposure: None,
            tone_mapping: None,
        }
    }
}

impl FromStr for EnvironmentRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "neutral" => Self::Neutral,
            "overcast" => Self::Sky(Sky::Overcast),
            "sunset" => Self::Sky(Sky::Sunset),
            "night" => Self::Sky(Sky::Night),
            "none" => Self::None,
            file if Path::new(file).extension().is_none() && !Path::new(file).exists() => {
                let names = "`neutral`, `overcast`, `sunset`, `night` or `none`";
                return Err(format!(
                    "no environment and no file of this name; expected {names}, or an .hdr or .exr file"
                ));
            }
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

impl FromStr for ExposureRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        match finite(text)? {
            stops if stops.abs() <= 32.0 => Ok(Self::Stops(stops)),
            _ => Err("expected stops from -32 to 32, or `auto`".to_owned()),
        }
    }
}

impl fmt::Display for ExposureRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Adding 0 turns -0 into 0.
            Self::Stops(stops) => write!(f, "{}", stops + 0.0),
            Self::Auto => f.write_str("auto"),
        }
    }
}
