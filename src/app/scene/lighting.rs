//! What lights the scene, as the command line asks for it.

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
    /// Whether the lights of the file are shown.
    with_lights_of_file: bool,
    /// Whether the model stands on ground.
    on_ground: bool,
}

impl LightSetup {
    /// Reads what `args` name.
    ///
    /// Lights that are asked for stand alone: in the dark, without tone mapping, unless these are asked for too.
    pub(crate) fn open(args: &LightRequest, limits: &Limits) -> Result<Self, AppError> {
        let alone = !args.lights.is_empty();
        let environment = match args.environment.as_deref() {
            Some("none") => None,
            None if alone => None,
            None | Some("neutral") => Some(Environment::neutral()),
            Some(file) => Some(open_environment(Path::new(file), limits)?),
        };
        let tone_mapping = match args.tone_mapping {
            Some(ToneMapping::None) => ToneMapping::None,
            None if alone => ToneMapping::None,
            None | Some(ToneMapping::Neutral) => ToneMapping::Neutral,
            Some(ToneMapping::Aces) => ToneMapping::Aces,
            Some(ToneMapping::Agx) => ToneMapping::Agx,
        };
        let environment_light = |environment| EnvironmentLight {
            environment,
            rotation: args.environment_rotation_degrees.to_radians(),
            intensity: args.environment_intensity,
        };
        let light = |&[x, y, z, lux]: &[f64; 4]| Light::directional(Vector3::new(x, y, z), lux);
        let lighting = Lighting {
            lights: args.lights.iter().map(light).collect(),
            environment: environment.map(environment_light),
            // Where it lies is known once there is a model.
            shadow_catcher: None,
            exposure_ev: args.exposure_ev,
            tone_mapping,
        };
        Ok(Self { lighting, with_lights_of_file: !alone, on_ground: args.shadow_catcher })
    }

    /// Lets models stand on ground, or no longer.
    pub(crate) fn stand_on_ground(&mut self, on_ground: bool) {
        self.on_ground = on_ground;
    }

    /// The lighting before there is a file.
    pub(crate) fn without_file(&self) -> &Lighting {
        &self.lighting
    }

    /// The lighting of a stage at a time.
    pub(crate) fn at(&self, stage: &LoadedScene, time_secs: f64) -> Lighting {
        let mut lighting = self.lighting.clone();
        if self.with_lights_of_file {
            lighting.lights = stage.lights(time_secs);
        }
        if self.on_ground {
            lighting.shadow_catcher =
                lighting.dominant_direction().and_then(|to_sun| ShadowCatcher::beneath(stage.bounds(), to_sun));
        }
        lighting
    }
}

fn open_environment(file: &Path, limits: &Limits) -> Result<std::sync::Arc<Environment>, AppError> {
    let open = || {
        let bytes = import::read_main_file(file, limits)?;
        let make = || import::read_panorama(&bytes, limits).map(|panorama| Environment::from_panorama(&panorama));
        EnvironmentCache::of_user().get(&bytes, make)
    };
    let in_file = |error: ImportError| AppError::File { file: file.to_owned(), source: Box::new(error.into()) };
    open().map(std::sync::Arc::new).map_err(in_file)
}
