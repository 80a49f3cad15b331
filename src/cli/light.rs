//! Lighting options.

use super::values::{light, non_negative, stops};
use crate::request::{LightRequest, finite};
use crate::scene::ToneMapping;
use clap::{Args, ValueEnum};

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Lighting")]
pub struct LightArgs {
    /// Environment light: `neutral` (a studio), `none`, or an .hdr or .exr panorama [default: neutral; none with --light]
    #[arg(long, visible_alias = "hdri-file", value_name = "neutral|none|FILE")]
    pub environment: Option<String>,

    /// Rotation of the environment about the vertical axis in degrees, counter-clockwise seen from above
    #[arg(long, value_name = "DEG", default_value_t = 0.0, value_parser = finite, allow_negative_numbers = true)]
    pub environment_rotation: f64,

    /// Strength of the environment light
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = non_negative, allow_negative_numbers = true)]
    pub environment_intensity: f64,

    /// White directional light: the vector from the scene to the light, and its illuminance in lux. Replaces the default
    /// lighting and the file's lights; repeatable
    #[arg(long = "light", value_name = "X,Y,Z,LUX", value_parser = light, allow_hyphen_values = true)]
    pub lights: Vec<[f64; 4]>,

    /// Show the model's soft shadow on an invisible ground plane. The strongest directional light casts it, otherwise the
    /// brightest direction of the environment
    #[arg(long)]
    pub shadow_catcher: bool,

    /// Exposure in stops; +1 doubles the brightness
    #[arg(long, value_name = "EV", default_value_t = 0.0, value_parser = stops, allow_negative_numbers = true)]
    pub exposure: f64,

    /// Tone mapping operator [default: neutral; none with --light]
    #[arg(long, value_name = "OPERATOR")]
    pub tone_mapping: Option<ToneMappingArg>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ToneMappingArg {
    /// Clip bright colors
    None,
    /// Khronos PBR Neutral: keeps surface colors
    Neutral,
    /// ACES (Hill fit): filmic contrast, common in games
    Aces,
    /// AgX, as in Blender: bright colors fade to white
    Agx,
}

impl From<&LightArgs> for LightRequest {
    fn from(args: &LightArgs) -> Self {
        Self {
            environment: args.environment.clone(),
            environment_rotation_degrees: args.environment_rotation,
            environment_intensity: args.environment_intensity,
            lights: args.lights.clone(),
            shadow_catcher: args.shadow_catcher,
            exposure_ev: args.exposure,
            tone_mapping: args.tone_mapping.map(ToneMapping::from),
        }
    }
}

impl From<ToneMappingArg> for ToneMapping {
    fn from(operator: ToneMappingArg) -> Self {
        match operator {
            ToneMappingArg::None => Self::None,
            ToneMappingArg::Neutral => Self::Neutral,
            ToneMappingArg::Aces => Self::Aces,
            ToneMappingArg::Agx => Self::Agx,
        }
    }
}

impl From<ToneMapping> for ToneMappingArg {
    fn from(operator: ToneMapping) -> Self {
        match operator {
            ToneMapping::None => Self::None,
            ToneMapping::Neutral => Self::Neutral,
            ToneMapping::Aces => Self::Aces,
            ToneMapping::Agx => Self::Agx,
        }
    }
}
