//! What lights a scene.

use crate::math::Affine;
use crate::model::{self, LightShape};
use nalgebra::Vector3;

/// The most lights of a scene that are shown.
pub const MAX_LIGHTS: usize = 16;

/// What lights a scene: the sum of all this.
#[derive(Clone, Debug, PartialEq)]
pub struct Lighting {
    /// Lights with a place or a direction. Alone, they make a pixel's linear value BRDF times illuminance times cosine.
    pub lights: Vec<Light>,
    /// Light from all around.
    pub surroundings: Surroundings,
}

/// Light from all around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surroundings {
    /// None.
    Dark,
    /// A neutral studio: a bright sky, a darker ground.
    Studio,
}

/// A light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Where it comes from.
    pub source: LightSource,
    /// Linear colour times brightness: illuminance in lux of a surface that faces parallel light, else luminous
    /// intensity in candela.
    pub brightness: [f64; 3],
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
    Placed {
        /// The point.
        light_in_world: Vector3<f64>,
        /// The distance at which it has faded to nothing, in metres; `None` where it never quite does.
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
    /// The studio: its surroundings, a warm key light from the upper left of the model's front, and a cool rim light.
    pub fn studio() -> Self {
        let lamps = [([-0.55, 0.80, 0.62], [2.75, 2.58, 2.32]), ([0.62, 0.35, -0.80], [0.95, 1.08, 1.30])];
        let light = |(to_light, brightness): ([f64; 3], [f64; 3])| Light {
            source: LightSource::Directional { to_light_in_world: Vector3::from(to_light).normalize() },
            brightness,
        };
        Self { lights: lamps.map(light).to_vec(), surroundings: Surroundings::Studio }
    }

    /// These lights and nothing else.
    pub fn only(lights: Vec<Light>) -> Self {
        Self { lights, surroundings: Surroundings::Dark }
    }
}

impl Light {
    /// White light from very far away, given the vector towards it.
    pub fn directional(to_light_in_world: Vector3<f64>, illuminance_lux: f64) -> Self {
        let to_light_in_world = to_light_in_world.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
        Self { source: LightSource::Directional { to_light_in_world }, brightness: [illuminance_lux; 3] }
    }

    /// A file's light on a joint that stands at `world_from_joint`.
    pub fn of_file(light: &model::Light, world_from_joint: &Affine) -> Self {
        let backward = world_from_joint.linear.column(2).try_normalize(0.0).unwrap_or_else(Vector3::z);
        let light_in_world = world_from_joint.translation;
        let source = match light.shape {
            LightShape::Directional => LightSource::Directional { to_light_in_world: backward },
            LightShape::Point { range } => LightSource::Placed { light_in_world, range, cone: None },
            LightShape::Spot { range, inner, outer } => {
                let cone = Some(Cone { axis_in_world: -backward, inner, outer });
                LightSource::Placed { light_in_world, range, cone }
            }
        };
        Self { source, brightness: light.colour.map(|x| x * light.intensity) }
    }
}
