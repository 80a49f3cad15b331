//! Prefiltered environment as a texture.

use crate::gpu::{Gpu, GpuError, VolumeTexture};
use crate::scene::Environment;
use std::rc::Rc;
use std::sync::Arc;

/// Texture of the most recently drawn environment.
#[derive(Default)]
pub(crate) struct EnvironmentTexture(Option<(Arc<Environment>, VolumeTexture)>);

impl EnvironmentTexture {
    /// Uploads `environment` unless it is already uploaded.
    pub(crate) fn set(&mut self, gpu: &Rc<Gpu>, environment: &Arc<Environment>) -> Result<(), GpuError> {
        if !self.0.as_ref().is_some_and(|(present, _)| Arc::ptr_eq(present, environment)) {
            let size = [environment.side(), environment.side(), Environment::LAYERS];
            self.0 = Some((Arc::clone(environment), VolumeTexture::new(gpu, size, environment.texels())?));
        }
        Ok(())
    }

    pub(crate) fn bind(&self, unit: u32) {
        if let Some((_, texture)) = &self.0 {
            texture.bind(unit);
        }
    }
}
