//! Light settings of the viewport.

use crate::request::{DEFAULT_BACKGROUND_BLUR, EnvironmentRequest, ExposureRequest, LightRequest};
use rigview_render::scene::ToneMapping;

/// Everything that lights the model. It persists across files.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LightSettings {
    /// All of its fields are set. The key light is the first of its lights; the others are those of the command line.
    pub(crate) request: LightRequest,
    /// The key light while it is off.
    unused_key_light: Option<KeyLight>,
    /// Blur of the environment as the background, from 0 to 1.
    pub(crate) background_blur: f64,
}

/// A directional light that the user places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct KeyLight {
    /// Vector towards the light, of any length.
    pub(crate) to_light: [f64; 3],
    pub(crate) illuminance_lux: f64,
}

impl Default for KeyLight {
    fn default() -> Self {
        let mut light = Self { to_light: [0.0, 0.0, 1.0], illuminance_lux: 3.0 };
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
        Self::new(LightRequest { exposure, occlusion, ..LightRequest::default() })
    }
}

impl LightSettings {
    /// Set-ups by name: the default, a key and a fill light, and two lights from behind.
    pub(crate) fn set_ups() -> [(&'static str, Self); 3] {
        let with_lights = |lights: &[[f64; 4]], environment_intensity| {
            Self::new(LightRequest {
                lights: lights.to_vec(),
                environment: Some(EnvironmentRequest::Neutral),
                environment_intensity,
                tone_mapping: Some(ToneMapping::Neutral),
                file_lights: Some(true),
                shadow_catcher: true,
                ..Self::default().request
            })
        };
        [
            ("Neutral", Self::default()),
            ("Portfolio", with_lights(&[[-0.5, 0.64, 0.58, 1.9], [0.8, 0.3, 0.5, 0.4]], 0.45)),
            ("Rim", with_lights(&[[-0.8, 0.3, -0.5, 3.2], [0.8, 0.4, -0.45, 2.2]], 0.25)),
        ]
    }

    /// The settings of the command line.
    pub(crate) fn new(request: LightRequest) -> Self {
        let unused_key_light = request.lights.is_empty().then(KeyLight::default);
        Self { request: request.with_defaults(), unused_key_light, background_blur: DEFAULT_BACKGROUND_BLUR }
    }

    /// Returns the key light if it is on.
    pub(crate) fn key_light(&self) -> Option<KeyLight> {
        let [x, y, z, illuminance_lux] = *self.request.lights.first().filter(|_| self.unused_key_light.is_none())?;
        Some(KeyLight { to_light: [x, y, z], illuminance_lux })
    }

    /// Turns the key light on, or changes it.
    pub(crate) fn set_key_light(&mut self, light: KeyLight) {
        let [x, y, z] = light.to_light;
        let replaced = usize::from(self.unused_key_light.take().is_none());
        self.request.lights.splice(..replaced, [[x, y, z, light.illuminance_lux]]);
    }

    pub(crate) fn toggle_key_light(&mut self) {
        match self.key_light() {
            Some(light) => {
                self.unused_key_light = Some(light);
                self.request.lights.remove(0);
            }
            None => self.set_key_light(self.unused_key_light.unwrap_or_default()),
        }
    }

    /// Returns the directional lights of the command line after the key light.
    pub(crate) fn more_lights(&self) -> &[[f64; 4]] {
        &self.request.lights[usize::from(self.unused_key_light.is_none())..]
    }

    pub(crate) fn remove_more_lights(&mut self) {
        self.request.lights.truncate(usize::from(self.unused_key_light.is_none()));
    }

    /// Returns the request with this exposure, which automatic exposure has metered.
    pub(crate) fn with_exposure(&self, exposure_ev: f64) -> LightRequest {
        LightRequest { exposure: Some(ExposureRequest::Stops(exposure_ev)), ..self.request.clone() }
    }

    /// Rotates the environment.
    pub(crate) fn rotate(&mut self, degrees: f64) {
        let rotation = (self.request.environment_rotation_degrees + degrees + 180.0).rem_euclid(360.0) - 180.0;
        self.request.environment_rotation_degrees = (rotation * 10.0).round() / 10.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_render::scene::Sky;

    #[test]
    fn default_settings_need_only_the_option_of_occlusion() {
        let expected = LightRequest { occlusion: Some(true), ..LightRequest::default() };
        assert_eq!(LightSettings::default().with_exposure(0.0).without_defaults(), expected);
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
            assert_eq!(LightSettings::new(request.clone()).request.without_defaults(), request);
        }
    }

    #[test]
    fn key_light_keeps_studio_and_other_lights() {
        let mut settings = LightSettings::default();
        settings.toggle_key_light();
        let request = settings.request.clone().without_defaults();
        assert_eq!(request.environment, Some(EnvironmentRequest::Neutral));
        assert_eq!((request.tone_mapping, request.file_lights), (Some(ToneMapping::Neutral), Some(true)));
        settings.toggle_key_light();
        assert_eq!(settings, LightSettings::default());

        let lights = vec![[0.0, 1.0, 0.0, 3.0], [1.0, 0.0, 0.0, 2.0]];
        let mut settings = LightSettings::new(LightRequest { lights: lights.clone(), ..LightRequest::default() });
        settings.toggle_key_light();
        assert_eq!((settings.key_light(), settings.more_lights()), (None, &lights[1..]));
        settings.toggle_key_light();
        assert_eq!(settings.request.lights, lights);
        settings.remove_more_lights();
        assert_eq!(settings.request.lights, lights[..1]);
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
        assert_eq!(settings.request.environment_rotation_degrees, -170.0);
    }
}
