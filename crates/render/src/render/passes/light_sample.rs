//! Shadow map of a light sample, the color of the surfaces in it, and the light that transmissive surfaces transmit.

use super::crowd_draw::FrameDraw;
use super::mesh::{MeshPass, ShadowMapDraw};
use super::shadow_map::SIDE;
use crate::gpu::{Attachments, DepthBuffer, DepthMap, Framebuffer, Gpu, GpuError, RenderTexture};
use crate::render::bindings::unit;
use crate::render::error::RenderError;
use crate::render::shader::{DrawMode, ShaderCache};
use crate::scene::{FrameSample, LightSample, SampledLight};
use std::rc::Rc;

/// Width and height of the map of colors in texels.
const BLOCKER_MAP_SIDE: u32 = 256;

/// Width and height of the map of transmitted light in texels.
const TRANSMISSION_MAP_SIDE: u32 = 512;

/// Draws shadow maps of light samples.
pub(crate) struct LightSamplePass {
    meshes: MeshPass,
    depth: DepthMap,
    /// Shadow map of a light that blockers reflect.
    depth_of_reflected: DepthMap,
    /// Reflected lights, and the packed color; without a surface zeros.
    blockers: Framebuffer,
    /// Fraction of light that all transmissive surfaces transmit, and depth of the nearest. Created at its first use.
    transmission: Option<Framebuffer>,
}

impl LightSamplePass {
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        let size = (BLOCKER_MAP_SIDE, BLOCKER_MAP_SIDE);
        let color = RenderTexture::new_rgba32f(gpu, size)?;
        let depth = Some(DepthBuffer::new(gpu, size, 1)?);
        Ok(Self {
            meshes: MeshPass::new(gpu)?,
            depth: DepthMap::new(gpu, (SIDE, SIDE))?,
            depth_of_reflected: DepthMap::new(gpu, (SIDE, SIDE))?,
            blockers: Framebuffer::new(gpu, Attachments { color, depth })?,
            transmission: None,
        })
    }

    /// Draws the maps of `sample`. Samples of lights have no map of colors.
    pub(crate) fn draw(
        &mut self,
        gpu: &Rc<Gpu>,
        shaders: &mut ShaderCache,
        input: &FrameDraw<'_>,
        sample: &FrameSample,
    ) -> Result<(), RenderError> {
        let Some(light) = &sample.light else { return Ok(()) };
        let reflected_light = sample.reflected_light.as_ref();
        let Self { meshes, depth, blockers, depth_of_reflected, transmission } = self;
        let mut draw = |map, clear: &dyn Fn()| {
            let draws = meshes.begin_shadow_map(gpu, shaders, input, map)?;
            gpu.begin_pass();
            clear();
            meshes.draw(gpu, input.crowds, &draws, draws.all())?;
            meshes.recycle(draws);
            Ok::<_, RenderError>(())
        };
        let map_of = |light: &LightSample| ShadowMapDraw {
            camera: light.shadow_camera,
            mode: DrawMode::ShadowDepth,
            reflected_light: None,
        };
        draw(map_of(light), &|| depth.bind_and_clear())?;
        if let Some(reflected) = reflected_light {
            draw(map_of(reflected), &|| depth_of_reflected.bind_and_clear())?;
        }
        if let SampledLight::Environment { .. } = light.light {
            let clear = || {
                depth_of_reflected.bind(unit::SHADOW_MAP);
                blockers.bind();
                blockers.clear();
            };
            draw(ShadowMapDraw { mode: DrawMode::Blockers, reflected_light, ..map_of(light) }, &clear)?;
        }
        if input.has_transmission_map {
            if transmission.is_none() {
                let color = RenderTexture::new_rgba32f(gpu, (TRANSMISSION_MAP_SIDE, TRANSMISSION_MAP_SIDE))?;
                *transmission = Some(Framebuffer::new(gpu, Attachments { color, depth: None })?);
            }
            let clear = || {
                for map in transmission.iter() {
                    map.bind();
                    map.clear_to([1.0; 4]);
                }
            };
            draw(ShadowMapDraw { mode: DrawMode::Transmittance, ..map_of(light) }, &clear)?;
        }
        Ok(gpu.check("drawing a shadow map")?)
    }

    pub(crate) fn bind(&self) {
        self.depth.bind(unit::SHADOW_MAP);
        self.blockers.color().bind(unit::BLOCKER_MAP);
        if let Some(map) = &self.transmission {
            map.color().bind(unit::TRANSMISSION_MAP);
        }
    }
}
