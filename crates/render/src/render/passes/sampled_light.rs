//! Shadow map, reflective shadow map and translucent shadow map of the sampled light of a sample.

use super::mesh::{MeshPass, ShadowMapParams};
use super::pass_input::PassInput;
use super::shadow_map::SIDE;
use crate::gpu::{Attachments, DepthBuffer, DepthMap, Framebuffer, Gpu, GpuError, RenderTexture};
use crate::render::bindings::unit;
use crate::render::error::RenderError;
use crate::render::shader::{DrawMode, ShaderCache};
use crate::scene::{FrameSample, SampledLight, SampledLightKind};
use std::rc::Rc;

/// Width and height of the reflective shadow map in texels.
const REFLECTIVE_SHADOW_MAP_SIDE: u32 = 256;

/// Width and height of the translucent shadow map in texels.
const TRANSLUCENT_SHADOW_MAP_SIDE: u32 = 512;

/// Draws the shadow maps of a sample's light.
pub(crate) struct SampledLightPass {
    meshes: MeshPass,
    depth: DepthMap,
    /// Shadow map of the light that the reflective shadow map reflects.
    reflected_light_depth: DepthMap,
    /// Reflective shadow map: one-bounce radiance and packed albedo; zeros without a surface.
    reflective_shadow_map: Framebuffer,
    /// Translucent shadow map: transmittance of all transmissive surfaces, and depth of the nearest. Created at its first use.
    translucent_shadow_map: Option<Framebuffer>,
}

impl SampledLightPass {
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        let size = (REFLECTIVE_SHADOW_MAP_SIDE, REFLECTIVE_SHADOW_MAP_SIDE);
        let color = RenderTexture::new_rgba32f(gpu, size)?;
        let depth = Some(DepthBuffer::new(gpu, size, 1)?);
        Ok(Self {
            meshes: MeshPass::new(gpu)?,
            depth: DepthMap::new(gpu, (SIDE, SIDE))?,
            reflected_light_depth: DepthMap::new(gpu, (SIDE, SIDE))?,
            reflective_shadow_map: Framebuffer::new(gpu, Attachments { color, depth })?,
            translucent_shadow_map: None,
        })
    }

    /// Draws the maps of `sample`. Only light of the environment has a reflective shadow map.
    pub(crate) fn draw(
        &mut self,
        gpu: &Rc<Gpu>,
        shaders: &mut ShaderCache,
        input: &PassInput<'_>,
        sample: &FrameSample,
    ) -> Result<(), RenderError> {
        let Some(light) = &sample.light else { return Ok(()) };
        let reflected_light = sample.reflected_light.as_ref();
        let Self { meshes, depth, reflective_shadow_map, reflected_light_depth, translucent_shadow_map } = self;
        let mut draw = |map, clear: &dyn Fn()| {
            let draws = meshes.begin_shadow_map(gpu, shaders, input, map)?;
            gpu.begin_pass();
            clear();
            meshes.draw(gpu, input.crowds, &draws, draws.all())?;
            meshes.recycle(draws);
            Ok::<_, RenderError>(())
        };
        let map_of = |light: &SampledLight| ShadowMapParams {
            camera: light.shadow_camera,
            side: SIDE,
            mode: DrawMode::ShadowDepth,
            reflected_light: None,
        };
        draw(map_of(light), &|| depth.bind_and_clear())?;
        if let Some(reflected) = reflected_light {
            draw(map_of(reflected), &|| reflected_light_depth.bind_and_clear())?;
        }
        if let SampledLightKind::Environment { .. } = light.light {
            let clear = || {
                reflected_light_depth.bind(unit::SHADOW_MAP);
                reflective_shadow_map.bind();
                reflective_shadow_map.clear();
            };
            draw(ShadowMapParams { mode: DrawMode::ReflectiveShadowMap, reflected_light, ..map_of(light) }, &clear)?;
        }
        if input.has_translucent_shadow_map {
            if translucent_shadow_map.is_none() {
                let color =
                    RenderTexture::new_rgba32f(gpu, (TRANSLUCENT_SHADOW_MAP_SIDE, TRANSLUCENT_SHADOW_MAP_SIDE))?;
                *translucent_shadow_map = Some(Framebuffer::new(gpu, Attachments { color, depth: None })?);
            }
            let clear = || {
                for map in translucent_shadow_map.iter() {
                    map.bind();
                    map.clear_to([1.0; 4]);
                }
            };
            draw(ShadowMapParams { mode: DrawMode::TranslucentShadowMap, ..map_of(light) }, &clear)?;
        }
        Ok(gpu.debug_check("drawing a shadow map")?)
    }

    pub(crate) fn bind(&self) {
        self.depth.bind(unit::SHADOW_MAP);
        self.reflective_shadow_map.color().bind(unit::REFLECTIVE_SHADOW_MAP);
        if let Some(map) = &self.translucent_shadow_map {
            map.color().bind(unit::TRANSLUCENT_SHADOW_MAP);
        }
    }
}
