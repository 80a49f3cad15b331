//! Shadow map of a light sample.

use super::crowd_draw::FrameDraw;
use super::mesh::MeshPass;
use super::shadow_map::SIDE;
use crate::gpu::{DepthMap, DepthSampling, Gpu, GpuError};
use crate::render::bindings::unit;
use crate::render::error::RenderError;
use crate::render::shader::ShaderCache;
use crate::scene::LightSample;
use std::rc::Rc;

/// Draws shadow maps of light samples.
pub(crate) struct LightSamplePass {
    meshes: MeshPass,
    depth: DepthMap,
}

impl LightSamplePass {
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        Ok(Self { meshes: MeshPass::new(gpu)?, depth: DepthMap::new(gpu, (SIDE, SIDE), DepthSampling::Compare)? })
    }

    /// Draws the shadow map of `sample`.
    pub(crate) fn draw(
        &mut self,
        gpu: &Rc<Gpu>,
        shaders: &mut ShaderCache,
        input: &FrameDraw<'_>,
        sample: &LightSample,
    ) -> Result<(), RenderError> {
        let draws = self.meshes.begin_shadow_map(gpu, shaders, input, sample.shadow_camera)?;
        gpu.begin_pass();
        self.depth.bind_and_clear();
        self.meshes.draw(gpu, input.crowds, &draws, draws.all())?;
        self.meshes.recycle(draws);
        Ok(gpu.check("drawing a shadow map")?)
    }

    pub(crate) fn bind(&self) {
        self.depth.bind(unit::SHADOW_MAP);
    }
}
