//! Prefiltered environment as textures.

use crate::gpu::{CubeTexture, Gpu, GpuError, VolumeTexture};
use crate::render::bindings::unit;
use crate::scene::Environment;
use std::rc::Rc;
use std::sync::Arc;

/// Textures of the most recently drawn environment.
#[derive(Default)]
pub(crate) struct EnvironmentTexture(Option<Uploaded>);

struct Uploaded {
    environment: Arc<Environment>,
    layers: VolumeTexture,
    cube_map: Option<CubeTexture>,
}

impl EnvironmentTexture {
    /// Uploads `environment` unless it is already uploaded.
    pub(crate) fn set(&mut self, gpu: &Rc<Gpu>, environment: &Arc<Environment>) -> Result<(), GpuError> {
        if self.0.as_ref().is_some_and(|uploaded| Arc::ptr_eq(&uploaded.environment, environment)) {
            return Ok(());
        }
        // Frees the old textures first.
        self.0 = None;
        let size = [environment.side(), environment.side(), Environment::LAYERS];
        let layers = VolumeTexture::new(gpu, size, environment.texels())?;
        let cube_map =
            environment.cube_map().map(|cube| CubeTexture::new(gpu, cube.side(), cube.texels())).transpose()?;
        self.0 = Some(Uploaded { environment: Arc::clone(environment), layers, cube_map });
        Ok(())
    }

    pub(crate) fn bind(&self) {
        if let Some(Uploaded { layers, cube_map, .. }) = &self.0 {
            layers.bind(unit::ENVIRONMENT);
            if let Some(cube_map) = cube_map {
                cube_map.bind(unit::ENVIRONMENT_CUBE_MAP);
            }
        }
    }
}
