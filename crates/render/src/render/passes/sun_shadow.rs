//! Shadow map, and the shadow catcher plane that shows its shadow.

use super::mesh::{MeshPass, ShadowMapParams};
use super::pass_input::PassInput;
use super::shadow_map::{self, SIDE, shadow_from_world};
use crate::gpu::{
    Attachments, Blending, Buffer, Culling, DepthBuffer, DrawState, Framebuffer, Gpu, GpuError, Program, ProgramSource,
    RenderTexture, ShaderSource, VertexArray,
};
use crate::render::bindings::{block, unit};
use crate::render::error::RenderError;
use crate::render::shader::{DrawMode, ShaderCache};
use crate::render::uniforms::SunShadowUniforms;
use crate::scene::{Camera, ShadowCatcher, SunShadow};
use rigview_core::model::Topology;
use rigview_core::palette::Skinning;
use smallvec::SmallVec;
use std::rc::Rc;

/// Draws shadow maps and shadow catchers.
pub(crate) struct SunShadowPass {
    meshes: MeshPass,
    /// Depth times coverage, and coverage, with mip levels.
    shadow_map: Framebuffer,
    /// What the shadow map shows.
    drawn: Option<ShadowMapKey>,
    program: Program,
    vertices: VertexArray,
    uniforms: Buffer,
}

/// What a shadow map shows.
#[derive(PartialEq)]
struct ShadowMapKey {
    sun: Camera,
    /// Model and revision of the palette of each crowd.
    crowds: SmallVec<[(u64, u64); 4]>,
    hidden_draws: Vec<bool>,
    skinning: Skinning,
}

impl SunShadowPass {
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        let size = (SIDE, SIDE);
        let color = RenderTexture::new_mipmapped(gpu, size)?;
        let depth = Some(DepthBuffer::new(gpu, size, 1)?);
        let fragment_files = [rigview_shaders::SHADOW_GLSL, rigview_shaders::SHADOW_CATCHER_FRAG];
        let program = Program::new(
            gpu,
            ProgramSource {
                name: "the shadow catcher shader",
                vertex: ShaderSource::new(&[], &[rigview_shaders::SHADOW_CATCHER_VERT]),
                geometry: None,
                fragment: Some(ShaderSource::new(&[], &fragment_files)),
                feedback: &[],
                blocks: &[("SunShadowUniforms", block::SUN_SHADOW)],
                samplers: &[("shadow_map", unit::SHADOW_MAP)],
            },
        )?;
        Ok(Self {
            meshes: MeshPass::new(gpu)?,
            shadow_map: Framebuffer::new(gpu, Attachments { color, depth })?,
            drawn: None,
            program,
            vertices: VertexArray::new(gpu)?,
            uniforms: Buffer::new(gpu)?,
        })
    }

    /// Prepares the shadow map and the uniforms of a frame. Reuses the shadow map if sun, poses and visible parts are
    /// unchanged. With `has_same_detail`, the levels of detail are those of the last call.
    pub(crate) fn begin(
        &mut self,
        gpu: &Rc<Gpu>,
        shaders: &mut ShaderCache,
        input: &PassInput<'_>,
        shadow: &SunShadow,
        has_same_detail: bool,
    ) -> Result<(), RenderError> {
        let casters = ShadowMapKey {
            sun: shadow.camera,
            crowds: input.crowds.iter().map(|crowd| (crowd.model.id, crowd.palette.revision())).collect(),
            hidden_draws: input.frame.debug_view.hidden_draws.to_vec(),
            skinning: input.frame.debug_view.skinning,
        };
        let has_same_detail = has_same_detail || input.crowds.iter().all(|crowd| crowd.detail.is_none());
        if !has_same_detail || self.drawn.as_ref() != Some(&casters) {
            self.drawn = None;
            self.draw_shadow_map(gpu, shaders, input, shadow.camera)?;
            self.drawn = Some(casters);
        }
        let projection_from_world = input.frame.camera.projection_from_world(input.viewport.aspect());
        // Without a plane, its uniforms are unused.
        let catcher =
            shadow.catcher.map_or([0.0; 4], |ShadowCatcher { center: c, radius, .. }| [c.x, c.y, c.z, radius]);
        let strength = shadow.catcher.map_or(0.0, |catcher| catcher.strength);
        let uniforms = SunShadowUniforms {
            projection_from_world: projection_from_world.cast::<f32>().into(),
            shadow_from_world: shadow_from_world(&shadow.camera).cast::<f32>().into(),
            catcher: catcher.map(|x| x as f32),
            sun: [shadow_map::width(&shadow.camera), shadow.camera.far - shadow.camera.near, shadow.softness, strength]
                .map(|x| x as f32),
        };
        Ok(self.uniforms.upload_orphaning(bytemuck::bytes_of(&uniforms))?)
    }

    fn draw_shadow_map(
        &mut self,
        gpu: &Rc<Gpu>,
        shaders: &mut ShaderCache,
        input: &PassInput<'_>,
        sun: Camera,
    ) -> Result<(), RenderError> {
        let map = ShadowMapParams { camera: sun, mode: DrawMode::ShadowDepth, reflected_light: None };
        let draws = self.meshes.begin_shadow_map(gpu, shaders, input, map)?;
        gpu.begin_pass();
        self.shadow_map.bind();
        self.shadow_map.clear();
        self.meshes.draw(gpu, input.crowds, &draws, draws.all())?;
        self.meshes.recycle(draws);
        self.shadow_map.color().generate_mipmaps();
        Ok(gpu.debug_check("drawing the shadow map")?)
    }

    /// Binds the shadow map and its uniforms.
    pub(crate) fn bind(&self) {
        self.uniforms.bind_uniform_range(block::SUN_SHADOW, 0, size_of::<SunShadowUniforms>());
        self.shadow_map.color().bind(unit::SHADOW_MAP);
    }

    /// Draws the shadow catcher of [`begin`](Self::begin) into the bound framebuffer. It is visible from above only.
    pub(crate) fn draw(&self, gpu: &Gpu) -> Result<(), RenderError> {
        gpu.set_draw_state(DrawState { culling: Culling::Clockwise, blending: Blending::Over, depth: true });
        self.program.bind()?;
        self.bind();
        self.vertices.bind();
        // The plane extends past the depth range, which is fitted to the models.
        gpu.set_depth_clamp(true);
        gpu.draw_arrays(Topology::TriangleStrip, 4, 1);
        gpu.set_depth_clamp(false);
        Ok(gpu.debug_check("drawing the shadow catcher")?)
    }
}
