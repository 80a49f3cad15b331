//! What lights a scene.

use nalgebra::Vector3;

/// What lights a scene.
#[derive(Clone, Debug, PartialEq)]
pub enum Lighting {
    /// A neutral studio: sky and ground, a warm key light from the upper left of the model's front, and a cool rim light.
    Studio,
    /// These lights and nothing else. A pixel's linear value is BRDF times illuminance times cosine.
    Directional(Vec<DirectionalLight>),
}

/// White light from very far away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectionalLight {
    /// Unit vector from the scene to the light.
    pub to_light_in_world: Vector3<f64>,
    /// Illuminance of a surface that faces it, in lux.
    pub illuminance_lux: f64,
}
