//! Lighting options.

use super::values::{exposure, light, non_negative, on_or_off};
use crate::request::{EnvironmentRequest, ExposureRequest, LightRequest, finite};
use clap::{Args, ValueEnum};
use rigview_render::scene::ToneMapping;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Lighting")]
pub struct LightArgs {
    /// Environment light: `neutral` (a studio), a sky (`overcast`, `sunset` or `night`), `none`, or an .hdr or .exr panorama
    /// [default: neutral; none with --light]
    #[arg(long, visible_alias = "hdri-file", value_name = "NAME|FILE")]
    pub environment: Option<EnvironmentRequest>,

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

    /// Use the lights of the file: `on` or `off` [default: on; off with --light]
    #[arg(long, value_name = "on|off", value_parser = on_or_off)]
    pub file_lights: Option<bool>,

    /// Show the model's soft shadow on an invisible ground plane. The strongest directional light casts it, otherwise the
    /// brightest direction of the environment
    #[arg(long)]
    pub shadow_catcher: bool,

    /// Occlusion: surfaces in the image shadow the environment's light on each other, and light each other by reflection and
    /// emission; the strongest directional light casts a shadow on the models. `on` or `off` [default: on in the window, else off]
    #[arg(long, value_name = "on|off", value_parser = on_or_off)]
    pub occlusion: Option<bool>,

    /// Exposure in stops; +1 doubles the brightness. `auto` darkens the image if the lights of the file are too bright for it
    /// [default: 0; auto in the window]
    #[arg(long, value_name = "EV|auto", value_parser = exposure, allow_negative_numbers = true)]
    pub exposure: Option<ExposureRequest>,

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
    /// View transform AgX of Blender 5.0 with the look None: bright colors fade to white
    Agx,
    /// View transform Filmic of Blender 5.0 with the look None: the default of Blender 2.8 to 3.6
    Filmic,
}

impl From<&LightArgs> for LightRequest {
    fn from(args: &LightArgs) -> Self {
        Self {
            environment: args.environment.clone(),
            environment_rotation_degrees: args.environment_rotation,
            environment_intensity: args.environment_intensity,
            lights: args.lights.clone(),
            shadow_catcher: args.shadow_catcher,
            occlusion: args.occlusion.unwrap_or(false),
            file_lights: args.file_lights,
            exposure: args.exposure.unwrap_or(ExposureRequest::Stops(0.0)),
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
            ToneMappingArg::Filmic => Self::Filmic,
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
            ToneMapping::Filmic => Self::Filmic,
        }
    }
}
