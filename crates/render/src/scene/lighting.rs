//! Lighting of a scene.

use super::{Environment, SunShadow, ToneMapping};
use nalgebra::Vector3;
use rigview_core::math::Affine;
use rigview_core::model::{self, LightShape};
use std::sync::Arc;

/// Maximum number of lights in a frame.
pub const MAX_LIGHTS: usize = 16;

/// Lights, environment, shadows and tone mapping.
#[derive(Clone, Debug, Default)]
pub struct Lighting {
    /// Punctual lights. A pixel's linear value is BRDF times illuminance times cosine.
    pub lights: Vec<Light>,
    /// Image-based light.
    pub environment: Option<EnvironmentLight>,
    /// Shadow in a single draw. Models in progressive images have shadows of all lights without it.
    pub sun_shadow: Option<SunShadow>,
    /// Surfaces on the screen block the environment's light, and light each other by reflection and emission. Samples with a light do not
    /// use it.
    pub ambient_occlusion: bool,
    /// Exposure in stops. Does not apply to unlit surfaces.
    pub exposure_ev: f64,
    /// Tone mapping operator.
    pub tone_mapping: ToneMapping,
}

/// A placed environment.
#[derive(Clone, Debug)]
pub struct EnvironmentLight {
    /// The prefiltered environment.
    pub environment: Arc<Environment>,
    /// Rotation about +Y in radians, counter-clockwise from above.
    pub rotation: f64,
    /// Factor of its radiance.
    pub intensity: f64,
}

/// A light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Kind and placement.
    pub kind: LightKind,
    /// Linear color times illuminance in lux (directional) or luminous intensity in candela (punctual).
    pub intensity_rgb: [f64; 3],
}

/// Kind and placement of a light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LightKind {
    /// Parallel light.
    Directional {
        /// Unit vector from the scene to the light.
        to_light_in_world: Vector3<f64>,
    },
    /// Point or spot light.
    Punctual {
        /// Position.
        position_in_world: Vector3<f64>,
        /// Distance in meters at which the light has faded; `None` for infinite.
        range: Option<f64>,
        /// Cone of a spot light; `None` for a point light.
        cone: Option<Cone>,
    },
}

/// The cone of a spot light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// Unit vector of the light's direction.
    pub axis_in_world: Vector3<f64>,
    /// Angle from the axis at which the light begins to fade, in radians.
    pub inner_angle: f64,
    /// Angle from the axis at which the light has faded, in radians.
    pub outer_angle: f64,
}

impl Lighting {
    /// Returns the default lighting: the neutral studio.
    pub fn studio() -> Self {
        Self {
            environment: Some(EnvironmentLight::new(Environment::neutral())),
            tone_mapping: ToneMapping::Neutral,
            ..Self::default()
        }
    }

    /// Returns lighting by `lights` only.
    pub fn from_lights(lights: Vec<Light>) -> Self {
        Self { lights, ..Self::default() }
    }
}

impl EnvironmentLight {
    /// Places an environment without rotation, at intensity 1.
    pub fn new(environment: Arc<Environment>) -> Self {
        Self { environment, rotation: 0.0, intensity: 1.0 }
    }
}

impl Lighting {
    /// Returns the index of the light that casts the shadow; `None` without a shadow, or if it is that of the environment.
    pub fn sun(&self) -> Option<usize> {
        let to_sun = self.sun_shadow?.to_sun;
        let is_sun = |light: &Light| match light.kind {
            LightKind::Directional { to_light_in_world } => (to_light_in_world - to_sun).norm() < 1e-9,
            LightKind::Punctual { .. } => false,
        };
        self.lights.iter().position(is_sun)
    }

    /// Returns the direction of the strongest directional light.
    pub fn strongest_direction(&self) -> Option<Vector3<f64>> {
        let directional = self.lights.iter().filter_map(|light| match light.kind {
            LightKind::Directional { to_light_in_world } => {
                Some((light.intensity_rgb.iter().sum::<f64>(), to_light_in_world))
            }
            LightKind::Punctual { .. } => None,
        });
        directional.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, to_light)| to_light)
    }
}

impl Light {
    /// Returns white directional light; `to_light_in_world` may have any length.
    pub fn directional(to_light_in_world: Vector3<f64>, illuminance_lux: f64) -> Self {
        let to_light_in_world = to_light_in_world.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
        Self { kind: LightKind::Directional { to_light_in_world }, intensity_rgb: [illuminance_lux; 3] }
    }

    /// Converts a glTF light on a joint at `world_from_joint`.
    pub fn from_gltf(light: &model::LightNode, world_from_joint: &Affine) -> Self {
        let backward = world_from_joint.linear.column(2).try_normalize(0.0).unwrap_or_else(Vector3::z);
        let position_in_world = world_from_joint.translation;
        let kind = match light.shape {
            LightShape::Directional => LightKind::Directional { to_light_in_world: backward },
            LightShape::Point { range } => LightKind::Punctual { position_in_world, range, cone: None },
            LightShape::Spot { range, inner_angle, outer_angle } => {
                let cone = Some(Cone { axis_in_world: -backward, inner_angle, outer_angle });
                LightKind::Punctual { position_in_world, range, cone }
            }
        };
        Self { kind, intensity_rgb: light.color.map(|x| x * light.intensity) }
    }
}
