//! Shadow map of a light sample.

use super::crowd_draw::{FrameDraw, Viewport};
use super::mesh::MeshPass;
use super::shadow_map::{SIDE, texel_width};
use crate::gpu::{DepthMap, Gpu, GpuError};
use crate::render::bindings::unit;
use crate::render::error::RenderError;
use crate::render::shader::{DrawMode, ShaderCache};
use crate::scene::{Background, DebugView, Frame, LightSample, Lighting};
use std::rc::Rc;

/// Draws shadow maps of light samples.
pub(crate) struct LightSamplePass {
    meshes: MeshPass,
    depth: DepthMap,
}

impl LightSamplePass {
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        Ok(Self { meshes: MeshPass::new(gpu)?, depth: DepthMap::new(gpu, SIDE)? })
    }

    /// Draws the shadow map of `sample`.
    pub(crate) fn draw(
        &mut self,
        gpu: &Rc<Gpu>,
        shaders: &mut ShaderCache,
        input: &FrameDraw<'_>,
        sample: &LightSample,
    ) -> Result<(), RenderError> {
        let lighting = Lighting::default();
        let from_light = Frame {
            camera: sample.shadow_camera,
            lighting: &lighting,
            background: Background::Transparent,
            debug_view: DebugView { hidden_draws: input.frame.debug_view.hidden_draws, ..DebugView::default() },
            ..*input.frame
        };
        let viewport = Viewport { width: SIDE, height: SIDE, samples: 1 };
        let permitted_error = texel_width(&sample.shadow_camera) as f32;
        let shadow_input = FrameDraw { permitted_error, ..FrameDraw::new(&from_light, input.crowds, viewport) };
        let draws = self.meshes.begin(gpu, shaders, &shadow_input, DrawMode::ShadowDepth)?;
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
