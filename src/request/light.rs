//! Lighting of a request.

use crate::scene::ToneMapping;

/// Environment, directional lights, shadow catcher and tone mapping.
#[derive(Clone, Debug, PartialEq)]
pub struct LightRequest {
    /// `neutral`, `none`, or a panorama file; without one `neutral`, or `none` if there are `lights`.
    pub environment: Option<String>,
    /// Degrees about +Y, counter-clockwise seen from above.
    pub environment_rotation_degrees: f64,
    /// Factor of the environment's radiance.
    pub environment_intensity: f64,
    /// White directional lights: the vector towards the light, and the illuminance in lux. Any replaces the file's lights.
    pub lights: Vec<[f64; 4]>,
    /// Adds a shadow catcher below the model.
    pub shadow_catcher: bool,
    /// Exposure in stops.
    pub exposure_ev: f64,
    /// Without one, `Neutral`, or `None` if there are `lights`.
    pub tone_mapping: Option<ToneMapping>,
}

impl Default for LightRequest {
    fn default() -> Self {
        Self {
            environment: None,
            environment_rotation_degrees: 0.0,
            environment_intensity: 1.0,
            lights: Vec::new(),
            shadow_catcher: false,
            exposure_ev: 0.0,
            tone_mapping: None,
        }
    }
}
