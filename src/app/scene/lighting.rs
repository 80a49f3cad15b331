//! Lighting of a scene from a request.

use crate::app::AppError;
use crate::app::files::environment_cache::EnvironmentCache;
use crate::app::scene::LoadedScene;
use crate::import::{self, ImportError, Limits};
use crate::request::LightRequest;
use crate::scene::{Environment, EnvironmentLight, Light, Lighting, ShadowCatcher, ToneMapping};
use nalgebra::Vector3;
use std::path::Path;

/// Lighting without the lights of a file.
pub(crate) struct LightSetup {
    lighting: Lighting,
    with_file_lights: bool,
    with_shadow_catcher: bool,
}

impl LightSetup {
    /// Loads the environment of `request`.
    ///
    /// Requested lights replace the default environment and tone mapping.
    pub(crate) fn open(request: &LightRequest, limits: &Limits) -> Result<Self, AppError> {
        let has_lights = !request.lights.is_empty();
        let environment = match request.environment.as_deref() {
            Some("none") => None,
            None if has_lights => None,
            None | Some("neutral") => Some(Environment::neutral()),
            Some(file) => Some(open_environment(Path::new(file), limits)?),
        };
        let default_operator = if has_lights { ToneMapping::None } else { ToneMapping::Neutral };
        let environment_light = |environment| EnvironmentLight {
            environment,
            rotation: request.environment_rotation_degrees.to_radians(),
            intensity: request.environment_intensity,
        };
        let light = |&[x, y, z, lux]: &[f64; 4]| Light::directional(Vector3::new(x, y, z), lux);
        let lighting = Lighting {
            lights: request.lights.iter().map(light).collect(),
            environment: environment.map(environment_light),
            // Depends on the model.
            shadow_catcher: None,
            exposure_ev: request.exposure_ev,
            tone_mapping: request.tone_mapping.unwrap_or(default_operator),
        };
        Ok(Self { lighting, with_file_lights: !has_lights, with_shadow_catcher: request.shadow_catcher })
    }

    pub(crate) fn set_shadow_catcher(&mut self, with_shadow_catcher: bool) {
        self.with_shadow_catcher = with_shadow_catcher;
    }

    /// Lighting without a file.
    pub(crate) fn base_lighting(&self) -> &Lighting {
        &self.lighting
    }

    /// Lighting at `time_secs`, with the file's lights and the shadow catcher.
    pub(crate) fn at(&self, scene: &LoadedScene, time_secs: f64) -> Lighting {
        let mut lighting = self.lighting.clone();
        if self.with_file_lights {
            lighting.lights = scene.lights(time_secs);
        }
        if self.with_shadow_catcher {
            lighting.shadow_catcher =
                lighting.dominant_direction().and_then(|to_sun| ShadowCatcher::beneath(scene.bounds(), to_sun));
        }
        lighting
    }
}

fn open_environment(file: &Path, limits: &Limits) -> Result<std::sync::Arc<Environment>, AppError> {
    let open = || {
        let bytes = import::read_main_file(file, limits)?;
        let compute = || import::read_panorama(&bytes, limits).map(|panorama| Environment::from_panorama(&panorama));
        EnvironmentCache::of_user().get(&bytes, compute)
    };
    let in_file = |error: ImportError| AppError::File { file: file.to_owned(), source: Box::new(error.into()) };
    open().map(std::sync::Arc::new).map_err(in_file)
}
