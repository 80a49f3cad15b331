//! Lighting of a scene from a request.

use crate::app::AppError;
use crate::app::files::caches::EnvironmentCache;
use crate::app::scene::LoadedScene;
use crate::request::{EnvironmentRequest, LightRequest};
use nalgebra::Vector3;
use rigview_core::import::{self, ImportError, Limits};
use rigview_render::scene::{Environment, EnvironmentLight, Light, Lighting, MAX_LIGHTS, Sky, SunShadow};
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

/// Lighting without a scene.
#[derive(Clone)]
pub(crate) struct LightSetup {
    request: LightRequest,
    environment: Option<Arc<Environment>>,
}

impl LightSetup {
    /// Loads the environment of `request`.
    pub(crate) fn open(request: &LightRequest, limits: &Limits) -> Result<Self, AppError> {
        Ok(Self::new(request.clone(), open_environment(&request.environment(), limits)?))
    }

    /// Lighting with a loaded environment, whatever `request` names.
    pub(crate) fn new(request: LightRequest, environment: Option<Arc<Environment>>) -> Self {
        Self { request, environment }
    }

    /// Lighting without the file's lights, shadows and automatic exposure.
    pub(crate) fn base_lighting(&self) -> Lighting {
        let request = &self.request;
        let environment_light = |environment: &Arc<Environment>| EnvironmentLight {
            environment: Arc::clone(environment),
            rotation: request.environment_rotation_degrees.to_radians(),
            intensity: request.environment_intensity,
        };
        let light = |&[x, y, z, lux]: &[f64; 4]| Light::directional(Vector3::new(x, y, z), lux);
        Lighting {
            lights: request.lights.iter().map(light).collect(),
            environment: self.environment.as_ref().map(environment_light),
            sun_shadow: None,
            ambient_occlusion: request.occlusion(),
            exposure_ev: request.exposure().stops(0.0),
            tone_mapping: request.tone_mapping(),
        }
    }

    /// Lighting at `time_secs`, with the file's lights and shadows.
    pub(crate) fn at(&self, scene: &LoadedScene, time_secs: f64) -> Lighting {
        let mut lighting = self.base_lighting();
        if self.request.uses_file_lights() {
            lighting.exposure_ev = self.request.exposure().stops(scene.auto_exposure_ev);
            lighting.lights.extend(scene.lights(time_secs));
            lighting.lights.truncate(MAX_LIGHTS);
        }
        let (bounds, has_shadow) = (scene.bounds(), self.request.shadow_catcher());
        // A plane below all models would cut through a slope, which receives shadows itself.
        let has_catcher = has_shadow && scene.ground.is_none();
        lighting.sun_shadow = match lighting.strongest_direction() {
            Some(to_sun) if has_catcher => SunShadow::with_catcher(bounds, to_sun),
            Some(to_sun) if has_shadow || self.request.occlusion() => SunShadow::new(bounds, to_sun),
            None if has_catcher && lighting.environment.is_some() => SunShadow::of_sky(bounds),
            _ => None,
        };
        lighting
    }
}

impl PartialEq for LightSetup {
    fn eq(&self, other: &Self) -> bool {
        let environments = [self, other].map(|setup| setup.environment.as_ref().map(Arc::as_ptr));
        self.request == other.request && environments[0] == environments[1]
    }
}

/// Loads an environment. Those that are computed are cached on disk.
pub(crate) fn open_environment(
    request: &EnvironmentRequest,
    limits: &Limits,
) -> Result<Option<Arc<Environment>>, AppError> {
    Ok(match request {
        EnvironmentRequest::None => None,
        EnvironmentRequest::Neutral => Some(Environment::neutral()),
        EnvironmentRequest::Sky(sky) => Some(Arc::new(sky_environment(*sky))),
        EnvironmentRequest::File(file) => Some(Arc::new(open_panorama(file, limits)?)),
    })
}

fn sky_environment(sky: Sky) -> Environment {
    let panorama = sky.panorama();
    // The key is the content, so that a changed sky is computed again.
    let bytes: Vec<u8> = panorama.texels.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    let compute = || Ok::<_, Infallible>(Environment::from_panorama(&panorama));
    let Ok(environment) = EnvironmentCache::of_user().get(&bytes, compute);
    environment
}

fn open_panorama(file: &Path, limits: &Limits) -> Result<Environment, AppError> {
    let open = || {
        let bytes = import::read_main_file(file, limits)?;
        let compute = || import::read_panorama(&bytes, limits).map(|panorama| Environment::from_panorama(&panorama));
        EnvironmentCache::of_user().get(&bytes, compute)
    };
    open().map_err(|error: ImportError| AppError::in_file(file, error))
}
