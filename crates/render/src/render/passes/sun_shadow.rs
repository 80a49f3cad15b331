//! Shadow map of the sun, and the shadow catcher, a plane that shows its shadow.

use super::mesh::{MeshPass, ShadowMapParams};
use super::pass_input::PassInput;
use super::shadow_map::{self, CATCHER_SIDE, SUN_SIDE, shadow_from_world};
use crate::gpu::{
    Attachments, Blending, Buffer, Culling, DepthBuffer, DepthMap, DrawState, Framebuffer, Gpu, GpuError, Program,
    ProgramSource, RenderTexture, ShaderSource, VertexArray,
};
use crate::render::bindings::{block, unit};
use crate::render::error::RenderError;
use crate::render::shader::{DrawMode, ShaderCache};
use crate::render::uniforms::ShadowCatcherUniforms;
use crate::scene::{Camera, ShadowCatcher, SunShadow};
use rigview_core::model::Topology;
use rigview_core::palette::Skinning;
use smallvec::SmallVec;
use std::rc::Rc;

/// Draws the shadow maps of the sun, and the shadow catcher.
pub(crate) struct SunShadowPass {
    meshes: MeshPass,
    // Created at their first use.
    sun_map: Option<ShadowMap<DepthMap>>,
    catcher: Option<CatcherPass>,
}

/// A shadow map that is drawn again when it changes.
struct ShadowMap<T> {
    target: T,
    side: u32,
    /// What it shows.
    drawn: Option<ShadowMapKey>,
}

/// What a shadow map shows.
#[derive(PartialEq)]
struct ShadowMapKey {
    camera: Camera,
    /// Model and revision of the palette of each crowd.
    crowds: SmallVec<[(u64, u64); 4]>,
    hidden_draws: Vec<bool>,
    skinning: Skinning,
}

/// Draws shadow catchers.
struct CatcherPass {
    /// Depth times coverage, and coverage, with mip levels.
    map: ShadowMap<Framebuffer>,
    program: Program,
    vertices: VertexArray,
    uniforms: Buffer,
}

impl SunShadowPass {
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        Ok(Self { meshes: MeshPass::new(gpu)?, sun_map: None, catcher: None })
    }

    /// Prepares the shadow maps and the uniforms of a frame. Reuses a shadow map if camera, poses and visible parts are
    /// unchanged. With `has_same_detail`, the levels of detail are those of the last call.
    pub(crate) fn begin(
        &mut self,
        gpu: &Rc<Gpu>,
        shaders: &mut ShaderCache,
        input: &PassInput<'_>,
        shadow: &SunShadow,
        has_same_detail: bool,
    ) -> Result<(), RenderError> {
        let Self { meshes, sun_map, catcher } = self;
        if !has_same_detail && input.crowds.iter().any(|crowd| crowd.detail.is_some()) {
            sun_map.iter_mut().for_each(|map| map.drawn = None);
            catcher.iter_mut().for_each(|pass| pass.map.drawn = None);
        }
        if let Some(camera) = input.sun_camera {
            let map = match sun_map {
                Some(map) => map,
                none => none.insert(ShadowMap::new(DepthMap::new(gpu, (SUN_SIDE, SUN_SIDE))?, SUN_SIDE)),
            };
            map.update(gpu, shaders, meshes, input, camera, DepthMap::bind_and_clear)?;
        }
        let Some(plane) = &shadow.catcher else { return Ok(()) };
        let pass = match catcher {
            Some(pass) => pass,
            none => none.insert(CatcherPass::new(gpu)?),
        };
        let bind_and_clear = |map: &Framebuffer| {
            map.bind();
            map.clear();
        };
        if pass.map.update(gpu, shaders, meshes, input, shadow.camera, bind_and_clear)? {
            pass.map.target.color().generate_mipmaps();
        }
        let projection_from_world = input.frame.camera.projection_from_world(input.viewport.aspect());
        let &ShadowCatcher { center, radius, strength, softness } = plane;
        let uniforms = ShadowCatcherUniforms {
            projection_from_world: projection_from_world.cast::<f32>().into(),
            shadow_from_world: shadow_from_world(&shadow.camera).cast::<f32>().into(),
            place: center.push(radius).cast::<f32>().into(),
            rect: shadow.rect_on(plane).map(|x| x as f32),
            sun: [shadow_map::width(&shadow.camera), shadow.camera.far - shadow.camera.near, softness, strength]
                .map(|x| x as f32),
        };
        Ok(pass.uniforms.upload_orphaning(bytemuck::bytes_of(&uniforms))?)
    }

    /// Binds the shadow map of the sun.
    pub(crate) fn bind(&self) {
        if let Some(map) = &self.sun_map {
            map.target.bind(unit::SHADOW_MAP);
        }
    }

    /// Draws the shadow catcher of [`begin`](Self::begin) into the bound framebuffer. It is visible from above only. Binds a texture
    /// in place of one of a material.
    pub(crate) fn draw_catcher(&self, gpu: &Gpu) -> Result<(), RenderError> {
        let Some(pass) = &self.catcher else { return Ok(()) };
        gpu.set_draw_state(DrawState { culling: Culling::Clockwise, blending: Blending::Over, depth: true });
        pass.program.bind()?;
        pass.uniforms.bind_uniform_range(block::SHADOW_CATCHER, 0, size_of::<ShadowCatcherUniforms>());
        pass.map.target.color().bind(unit::MATERIAL);
        pass.vertices.bind();
        // The plane extends past the depth range, which is fitted to the models.
        gpu.set_depth_clamp(true);
        gpu.draw_arrays(Topology::TriangleStrip, 4, 1);
        gpu.set_depth_clamp(false);
        Ok(gpu.debug_check("drawing the shadow catcher")?)
    }
}

impl<T> ShadowMap<T> {
    fn new(target: T, side: u32) -> Self {
        Self { target, side, drawn: None }
    }

    /// Draws the map, unless it is unchanged. Returns `true` if it was drawn.
    fn update(
        &mut self,
        gpu: &Rc<Gpu>,
        shaders: &mut ShaderCache,
        meshes: &mut MeshPass,
        input: &PassInput<'_>,
        camera: Camera,
        bind_and_clear: impl Fn(&T),
    ) -> Result<bool, RenderError> {
        let key = ShadowMapKey {
            camera,
            crowds: input.crowds.iter().map(|crowd| (crowd.model.id, crowd.palette.revision())).collect(),
            hidden_draws: input.frame.debug_view.hidden_draws.to_vec(),
            skinning: input.frame.debug_view.skinning,
        };
        if self.drawn.as_ref() == Some(&key) {
            return Ok(false);
        }
        self.drawn = None;
        let map = ShadowMapParams { camera, side: self.side, mode: DrawMode::ShadowDepth, reflected_light: None };
        let draws = meshes.begin_shadow_map(gpu, shaders, input, map)?;
        gpu.begin_pass();
        bind_and_clear(&self.target);
        meshes.draw(gpu, input.crowds, &draws, draws.all())?;
        meshes.recycle(draws);
        gpu.debug_check("drawing the shadow map")?;
        self.drawn = Some(key);
        Ok(true)
    }
}

impl CatcherPass {
    fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        let color = RenderTexture::new_mipmapped(gpu, (CATCHER_SIDE, CATCHER_SIDE))?;
        let depth = Some(DepthBuffer::new(gpu, (CATCHER_SIDE, CATCHER_SIDE), 1)?);
        let program = Program::new(
            gpu,
            ProgramSource {
                name: "the shadow catcher shader",
                vertex: ShaderSource::new(&[], &[rigview_shaders::SHADOW_CATCHER_VERT]),
                geometry: None,
                fragment: Some(ShaderSource::new(&[], &[rigview_shaders::SHADOW_CATCHER_FRAG])),
                feedback: &[],
                blocks: &[("ShadowCatcherUniforms", block::SHADOW_CATCHER)],
                samplers: &[("shadow_map", unit::MATERIAL)],
            },
        )?;
        Ok(Self {
            map: ShadowMap::new(Framebuffer::new(gpu, Attachments { color, depth })?, CATCHER_SIDE),
            program,
            vertices: VertexArray::new(gpu)?,
            uniforms: Buffer::new(gpu)?,
        })
    }
}
