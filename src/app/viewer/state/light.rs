//! Light settings of the viewport.

use crate::request::{DEFAULT_BACKGROUND_BLUR, EnvironmentRequest, ExposureRequest, LightRequest};
use rigview_render::scene::ToneMapping;

/// Everything that lights the model. It persists across files.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LightSettings {
    pub(crate) environment: EnvironmentRequest,
    /// Rotation of the environment about +Y, counter-clockwise seen from above, from -180 to 180.
    pub(crate) rotation_degrees: f64,
    /// Factor of the environment's radiance.
    pub(crate) intensity: f64,
    /// Blur of the environment as the background, from 0 to 1.
    pub(crate) background_blur: f64,
    pub(crate) exposure: ExposureRequest,
    pub(crate) tone_mapping: ToneMapping,
    /// Uses the lights of the file.
    pub(crate) file_lights: bool,
    pub(crate) key_light: KeyLight,
    /// Directional lights of the command line after the first: direction and illuminance.
    pub(crate) more_lights: Vec<[f64; 4]>,
    pub(crate) shadow_catcher: bool,
    pub(crate) occlusion: bool,
}

/// A directional light that the user places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct KeyLight {
    pub(crate) enabled: bool,
    /// Vector towards the light, of any length.
    pub(crate) to_light: [f64; 3],
    pub(crate) illuminance_lux: f64,
}

impl Default for KeyLight {
    fn default() -> Self {
        let mut light = Self { enabled: false, to_light: [0.0, 0.0, 1.0], illuminance_lux: 3.0 };
        light.set_angles(Self::DEFAULT_ANGLES);
        light
    }
}

impl KeyLight {
    /// From the upper left, as the key light of the studio.
    pub(crate) const DEFAULT_ANGLES: [f64; 2] = [-40.0, 40.0];

    /// Azimuth (0 in front of the model, on +Z; 90 on +X) and elevation in degrees.
    pub(crate) fn angles(&self) -> [f64; 2] {
        let [x, y, z] = self.to_light;
        [x.atan2(z), y.atan2(x.hypot(z))].map(f64::to_degrees)
    }

    /// Rounds the vector, so that commands stay short.
    pub(crate) fn set_angles(&mut self, angles: [f64; 2]) {
        let [(azimuth_sin, azimuth_cos), (elevation_sin, elevation_cos)] =
            angles.map(|degrees| libm::sincos(degrees.to_radians()));
        self.set_direction([azimuth_sin * elevation_cos, elevation_sin, azimuth_cos * elevation_cos]);
    }

    /// Sets the unit vector towards the light, rounded.
    pub(crate) fn set_direction(&mut self, to_light: [f64; 3]) {
        // Adding 0 turns -0 into 0.
        self.to_light = to_light.map(|x| (x * 1e4).round() / 1e4 + 0.0);
    }
}

impl Default for LightSettings {
    fn default() -> Self {
        let (exposure, occlusion) = (Some(ExposureRequest::Auto), Some(true));
        Self::from_request(&LightRequest { exposure, occlusion, ..LightRequest::default() })
    }
}

impl LightSettings {
    /// The settings of the command line.
    pub(crate) fn from_request(request: &LightRequest) -> Self {
        let key_light = match request.lights.first() {
            Some(&[x, y, z, illuminance_lux]) => KeyLight { enabled: true, to_light: [x, y, z], illuminance_lux },
            None => KeyLight::default(),
        };
        Self {
            environment: request.environment(),
            rotation_degrees: request.environment_rotation_degrees,
            intensity: request.environment_intensity,
            background_blur: DEFAULT_BACKGROUND_BLUR,
            exposure: request.exposure(),
            tone_mapping: request.tone_mapping(),
            file_lights: request.uses_file_lights(),
            key_light,
            more_lights: request.lights.get(1..).unwrap_or_default().to_vec(),
            shadow_catcher: request.shadow_catcher,
            occlusion: request.occlusion(),
        }
    }

    /// The request with this exposure. Values that equal the defaults are omitted.
    pub(crate) fn to_request(&self, exposure_ev: f64) -> LightRequest {
        let [x, y, z] = self.key_light.to_light;
        let key_light = self.key_light.enabled.then_some([x, y, z, self.key_light.illuminance_lux]);
        let mut request = LightRequest {
            lights: key_light.into_iter().chain(self.more_lights.iter().copied()).collect(),
            environment_rotation_degrees: self.rotation_degrees,
            environment_intensity: self.intensity,
            shadow_catcher: self.shadow_catcher,
            occlusion: self.occlusion.then_some(true),
            exposure: Some(ExposureRequest::Stops(exposure_ev)).filter(|set| *set != ExposureRequest::Stops(0.0)),
            ..LightRequest::default()
        };
        // The defaults depend on the lights.
        request.environment = Some(self.environment.clone()).filter(|set| *set != request.environment());
        request.tone_mapping = Some(self.tone_mapping).filter(|set| *set != request.tone_mapping());
        request.file_lights = Some(self.file_lights).filter(|set| *set != request.uses_file_lights());
        request
    }

    /// Rotates the environment.
    pub(crate) fn rotate(&mut self, degrees: f64) {
        let rotation = (self.rotation_degrees + degrees + 180.0).rem_euclid(360.0) - 180.0;
        self.rotation_degrees = (rotation * 10.0).round() / 10.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_render::scene::Sky;

    #[test]
    fn default_settings_need_only_the_option_of_occlusion() {
        let expected = LightRequest { occlusion: Some(true), ..LightRequest::default() };
        assert_eq!(LightSettings::default().to_request(0.0), expected);
    }

    #[test]
    fn requests_round_trip() {
        let lights = vec![[-1.0, 2.0, 0.5, 4.0], [0.0, 1.0, 0.0, 1.0]];
        for request in [
            LightRequest { lights: lights.clone(), ..LightRequest::default() },
            LightRequest {
                lights,
                environment: Some(EnvironmentRequest::Sky(Sky::Night)),
                file_lights: Some(true),
                tone_mapping: Some(ToneMapping::Agx),
                exposure: Some(ExposureRequest::Stops(-1.5)),
                ..LightRequest::default()
            },
            LightRequest {
                environment: Some(EnvironmentRequest::File("sky.hdr".into())),
                environment_rotation_degrees: 30.0,
                environment_intensity: 0.5,
                shadow_catcher: true,
                file_lights: Some(false),
                ..LightRequest::default()
            },
        ] {
            assert_eq!(LightSettings::from_request(&request).to_request(request.exposure().stops(0.0)), request);
        }
    }

    #[test]
    fn key_light_keeps_studio_and_file_lights() {
        let mut settings = LightSettings::default();
        settings.key_light.enabled = true;
        let request = settings.to_request(0.0);
        assert_eq!(request.environment, Some(EnvironmentRequest::Neutral));
        assert_eq!((request.tone_mapping, request.file_lights), (Some(ToneMapping::Neutral), Some(true)));
    }

    #[test]
    fn key_light_angles_round_trip() {
        let mut light = KeyLight::default();
        for angles in [[-40.0, 40.0], [0.0, 0.0], [170.0, -60.0], [90.0, 89.0]] {
            light.set_angles(angles);
            let found = light.angles();
            assert!((0..2).all(|i| (found[i] - angles[i]).abs() < 0.5), "{angles:?}: {found:?}");
        }
    }

    #[test]
    fn rotation_wraps_around() {
        let mut settings = LightSettings::default();
        settings.rotate(170.0);
        settings.rotate(20.04);
        assert_eq!(settings.rotation_degrees, -170.0);
    }
}
