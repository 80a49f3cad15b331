//! What lights a model.

use super::values::{brightness, light, stops};
use crate::request::{LightRequest, finite};
use crate::scene::ToneMapping;
use clap::{Args, ValueEnum};

/// What lights a model.
#[derive(Clone, Debug, Args)]
pub struct LightArgs {
    /// Light from all around: the `neutral` studio, `none`, or a panorama in an .hdr or .exr file [default: neutral; none
    /// with --light]
    #[arg(long, value_name = "neutral|none|FILE")]
    pub environment: Option<String>,

    /// Turns the environment about the vertical, counter-clockwise as seen from above, in degrees
    #[arg(long, value_name = "DEG", default_value_t = 0.0, value_parser = finite, allow_negative_numbers = true)]
    pub environment_rotation: f64,

    /// What the environment's light is multiplied with
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = brightness, allow_negative_numbers = true)]
    pub environment_intensity: f64,

    /// A white directional light: the vector from the scene to the light, and its illuminance in lux. May be repeated;
    /// giving one replaces the default lighting, and the file's
    #[arg(long = "light", value_name = "X,Y,Z,LUX", value_parser = light, allow_hyphen_values = true)]
    pub lights: Vec<[f64; 4]>,

    /// Stands the model on level ground that shows its soft shadow, from where most light comes: the strongest directional
    /// light, from which the model shades itself too, else the brighter side of the environment
    #[arg(long)]
    pub ground: bool,

    /// Brightens by this many stops: each doubles the light
    #[arg(long, value_name = "EV", default_value_t = 0.0, value_parser = stops, allow_negative_numbers = true)]
    pub exposure: f64,

    /// What becomes of light brighter than the screen [default: neutral; none with --light]
    #[arg(long, value_name = "CURVE")]
    pub tone_mapping: Option<ToneMappingArg>,
}

/// What becomes of light brighter than the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ToneMappingArg {
    /// It is cut off
    None,
    /// Khronos PBR Neutral: colors of surfaces stay as they are
    Neutral,
    /// The film look of games
    Aces,
    /// As in Blender: bright colors fade to white
    Agx,
}

impl From<&LightArgs> for LightRequest {
    fn from(args: &LightArgs) -> Self {
        Self {
            environment: args.environment.clone(),
            environment_rotation_degrees: args.environment_rotation,
            environment_intensity: args.environment_intensity,
            lights: args.lights.clone(),
            shadow_catcher: args.ground,
            exposure_ev: args.exposure,
            tone_mapping: args.tone_mapping.map(ToneMapping::from),
        }
    }
}

impl From<ToneMappingArg> for ToneMapping {
    fn from(curve: ToneMappingArg) -> Self {
        match curve {
            ToneMappingArg::None => Self::None,
            ToneMappingArg::Neutral => Self::Neutral,
            ToneMappingArg::Aces => Self::Aces,
            ToneMappingArg::Agx => Self::Agx,
        }
    }
}

impl From<ToneMapping> for ToneMappingArg {
    fn from(curve: ToneMapping) -> Self {
        match curve {
            ToneMapping::None => Self::None,
            ToneMapping::Neutral => Self::Neutral,
            ToneMapping::Aces => Self::Aces,
            ToneMapping::Agx => Self::Agx,
        }
    }
}
