//! What lights a scene.

use super::{Environment, ShadowCatcher, ToneMapping};
use crate::math::Affine;
use crate::model::{self, LightShape};
use nalgebra::Vector3;
use std::sync::Arc;

/// The most lights of a scene that are shown.
pub const MAX_LIGHTS: usize = 16;

/// What lights a scene: the sum of all this; and how it becomes a picture.
#[derive(Clone, Debug, Default)]
pub struct Lighting {
    /// Lights with a place or a direction. Alone, they make a pixel's linear value BRDF times illuminance times cosine.
    pub lights: Vec<Light>,
    /// Light from all around.
    pub environment: Option<EnvironmentLight>,
    /// Ground with the shadow of what stands on it, if it is shown.
    pub shadow_catcher: Option<ShadowCatcher>,
    /// Light is multiplied with two to the power of this. What is drawn without light is not.
    pub exposure_ev: f64,
    /// What becomes of light that is brighter than the screen.
    pub tone_mapping: ToneMapping,
}

/// An environment as it stands around a scene.
#[derive(Clone, Debug)]
pub struct EnvironmentLight {
    /// The light.
    pub environment: Arc<Environment>,
    /// How far it is turned about +Y, counter-clockwise as seen from above, in radians.
    pub rotation: f64,
    /// What its light is multiplied with.
    pub intensity: f64,
}

/// A light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Where it comes from.
    pub source: LightSource,
    /// Linear color times intensity_rgb: illuminance in lux of a surface that faces parallel light, else luminous
    /// intensity in candela.
    pub intensity_rgb: [f64; 3],
}

/// Where light comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LightSource {
    /// From very far away.
    Directional {
        /// Unit vector from the scene to the light.
        to_light_in_world: Vector3<f64>,
    },
    /// From a point.
    Punctual {
        /// The point.
        position_in_world: Vector3<f64>,
        /// The distance at which it has faded to nothing, in meters; `None` where it never quite does.
        range: Option<f64>,
        /// The cone that it shines in; `None` for all directions.
        cone: Option<Cone>,
    },
}

/// The cone of a spot light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// Unit vector along which it shines.
    pub axis_in_world: Vector3<f64>,
    /// Angle from the axis at which it begins to fade, in radians.
    pub inner: f64,
    /// Angle from the axis at which it has faded to nothing, in radians.
    pub outer: f64,
}

impl Lighting {
    /// The neutral studio, as it is when nobody asks for anything else.
    pub fn studio() -> Self {
        Self {
            environment: Some(EnvironmentLight::new(Environment::neutral())),
            tone_mapping: ToneMapping::Neutral,
            ..Self::default()
        }
    }

    /// These lights and nothing else.
    pub fn from_lights(lights: Vec<Light>) -> Self {
        Self { lights, ..Self::default() }
    }
}

impl EnvironmentLight {
    /// An environment as it is.
    pub fn new(environment: Arc<Environment>) -> Self {
        Self { environment, rotation: 0.0, intensity: 1.0 }
    }
}

impl Lighting {
    /// Which of the lights is the sun that the ground's shadow is of; `None` without ground, or where that is the shadow of
    /// the brighter side of the environment.
    pub fn sun(&self) -> Option<usize> {
        let to_sun = self.shadow_catcher?.to_sun;
        let is_sun = |light: &Light| match light.source {
            LightSource::Directional { to_light_in_world } => (to_light_in_world - to_sun).norm() < 1e-9,
            LightSource::Punctual { .. } => false,
        };
        self.lights.iter().position(is_sun)
    }

    /// The way towards what most light comes from: the strongest light from very far away, else the brighter side of the
    /// environment, taken for high enough to cast a shadow. `None` where there is neither.
    pub fn dominant_direction(&self) -> Option<Vector3<f64>> {
        let far = self.lights.iter().filter_map(|light| match light.source {
            LightSource::Directional { to_light_in_world } => {
                Some((light.intensity_rgb.iter().sum(), to_light_in_world))
            }
            LightSource::Punctual { .. } => None,
        });
        let strongest = far.max_by(|a: &(f64, _), b| a.0.total_cmp(&b.0));
        strongest.map(|(_, to_light)| to_light).or_else(|| {
            let EnvironmentLight { environment, rotation, .. } = self.environment.as_ref()?;
            // The first order of the harmonics points to the brighter side.
            let [x, y, z] = [3, 1, 2].map(|i| environment.irradiance()[i].iter().sum::<f64>());
            let (sin, cos) = (libm::sin(*rotation), libm::cos(*rotation));
            let side = Vector3::new(cos * x + sin * z, y, cos * z - sin * x).try_normalize(1e-9)?;
            Some(Vector3::new(side.x, side.y.max(0.5), side.z).normalize())
        })
    }
}

impl Light {
    /// White light from very far away, given the vector towards it.
    pub fn directional(to_light_in_world: Vector3<f64>, illuminance_lux: f64) -> Self {
        let to_light_in_world = to_light_in_world.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
        Self { source: LightSource::Directional { to_light_in_world }, intensity_rgb: [illuminance_lux; 3] }
    }

    /// A file's light on a joint that stands at `world_from_joint`.
    pub fn from_gltf(light: &model::LightNode, world_from_joint: &Affine) -> Self {
        let backward = world_from_joint.linear.column(2).try_normalize(0.0).unwrap_or_else(Vector3::z);
        let position_in_world = world_from_joint.translation;
        let source = match light.shape {
            LightShape::Directional => LightSource::Directional { to_light_in_world: backward },
            LightShape::Point { range } => LightSource::Punctual { position_in_world, range, cone: None },
            LightShape::Spot { range, inner, outer } => {
                let cone = Some(Cone { axis_in_world: -backward, inner, outer });
                LightSource::Punctual { position_in_world, range, cone }
            }
        };
        Self { source, intensity_rgb: light.color.map(|x| x * light.intensity) }
    }
}
