//! The environment on the GPU, and its parameters.

use super::uniforms::FrameUniforms;
use crate::gpu::{Gpu, GpuError, VolumeTexture};
use crate::scene::{Environment, EnvironmentLight};
use std::rc::Rc;
use std::sync::Arc;

/// The environment that was drawn with last; it is uploaded once.
#[derive(Default)]
pub(crate) struct EnvironmentTexture(Option<(Arc<Environment>, VolumeTexture)>);

impl EnvironmentTexture {
    /// Uploads `environment` unless it is here already.
    pub(crate) fn set(&mut self, gpu: &Rc<Gpu>, environment: &Arc<Environment>) -> Result<(), GpuError> {
        if !self.0.as_ref().is_some_and(|(present, _)| Arc::ptr_eq(present, environment)) {
            let size = [environment.side(), environment.side(), Environment::LAYERS];
            self.0 = Some((Arc::clone(environment), VolumeTexture::new(gpu, size, environment.texels())?));
        }
        Ok(())
    }

    /// Shows it to the shaders at `unit`.
    pub(crate) fn bind(&self, unit: u32) {
        if let Some((_, texture)) = &self.0 {
            texture.bind(unit);
        }
    }
}

/// Puts the surroundings into `block`.
pub(crate) fn put_surroundings(block: &mut FrameUniforms, surroundings: &EnvironmentLight) {
    let EnvironmentLight { environment, rotation, intensity } = surroundings;
    for (out, coefficient) in block.irradiance.iter_mut().zip(environment.irradiance()) {
        let [r, g, b] = coefficient.map(|x| (x * intensity) as f32);
        *out = [r, g, b, 0.0];
    }
    let side = environment.side() as f64;
    // From -1..1 to the texels within the border.
    let scale = 0.5 * (side - 2.0) / side;
    block.environment = [libm::cos(*rotation), libm::sin(*rotation), scale, *intensity].map(|x| x as f32);
}
