//! Shadow map of the sun, and the shadow catcher, a plane that shows its shadow.

use super::mesh::{MeshPass, ShadowMapParams};
use super::pass_input::PassInput;
use super::shadow_map::{self, CATCHER_SIDE, GROUND_SIDE, SUN_SIDE, shadow_from_world};
use crate::gpu::{
    Attachments, Blending, Buffer, Culling, DepthBuffer, DepthMap, DrawState, Framebuffer, Gpu, GpuError, Program,
    ProgramSource, RenderTexture, ShaderSource, VertexArray,
};
use crate::render::bindings::{block, unit};
use crate::render::error::RenderError;
use crate::render::shader::{DrawMode, ShaderCache};
use crate::render::uniforms::ShadowCatcherUniforms;
use crate::scene::{Camera, ShadowCatcher, SunShadow};
use nalgebra::{Matrix4, Vector3};
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

/// Draws shadow catchers. The shadow is filtered once per pose, into a small image of the ground.
struct CatcherPass {
    /// Depth of the surfaces next to the plane, and coverage.
    map: ShadowMap<Framebuffer>,
    /// Coverage by casters at four distances, with mip levels.
    layers: Framebuffer,
    /// Shadow on the plane.
    ground: Framebuffer,
    /// What `ground` shows, with that of `map`.
    drawn: Option<SunShadow>,
    layers_program: Program,
    ground_program: Program,
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
        pass.begin(gpu, shaders, meshes, input, shadow, plane)
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
        pass.ground.color().bind(unit::MATERIAL);
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
        self.drawn = (!gpu.is_warming_up()).then_some(key);
        Ok(true)
    }
}

impl CatcherPass {
    fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        gpu.check_new_program()?;
        let map_size = (CATCHER_SIDE, CATCHER_SIDE);
        let color = RenderTexture::new_rgba16f(gpu, map_size, 1)?;
        let depth = Some(DepthBuffer::new(gpu, map_size, 1)?);
        let image = |color| Framebuffer::new(gpu, Attachments { color, depth: None });
        let program = |vertex: ShaderSource, fragment, sampler| {
            let defines = [("GROUND_SIDE", format!("{GROUND_SIDE}.0"))];
            let source = ProgramSource {
                name: "the shadow catcher shader",
                vertex,
                geometry: None,
                fragment: Some(ShaderSource::new(&defines, &[rigview_shaders::SHADOW_CATCHER_GLSL, fragment])),
                feedback: &[],
                blocks: &[("ShadowCatcherUniforms", block::SHADOW_CATCHER)],
                samplers: &[(sampler, unit::MATERIAL)],
            };
            Program::new(gpu, source)
        };
        let on_screen = || ShaderSource::new(&[], &[rigview_shaders::SCREEN_VERT]);
        let on_plane =
            ShaderSource::new(&[], &[rigview_shaders::SHADOW_CATCHER_GLSL, rigview_shaders::SHADOW_CATCHER_VERT]);
        Ok(Self {
            map: ShadowMap::new(Framebuffer::new(gpu, Attachments { color, depth })?, CATCHER_SIDE),
            layers: image(RenderTexture::new_mipmapped(gpu, map_size)?)?,
            ground: image(RenderTexture::new_mipmapped(gpu, (GROUND_SIDE, GROUND_SIDE))?)?,
            drawn: None,
            layers_program: program(on_screen(), rigview_shaders::SHADOW_LAYERS_FRAG, "casters")?,
            ground_program: program(on_screen(), rigview_shaders::GROUND_SHADOW_FRAG, "caster_layers")?,
            program: program(on_plane, rigview_shaders::SHADOW_CATCHER_FRAG, "ground_shadow")?,
            vertices: VertexArray::new(gpu)?,
            uniforms: Buffer::new(gpu)?,
        })
    }

    /// Prepares the image of the ground and the uniforms of a frame.
    fn begin(
        &mut self,
        gpu: &Rc<Gpu>,
        shaders: &mut ShaderCache,
        meshes: &mut MeshPass,
        input: &PassInput<'_>,
        shadow: &SunShadow,
        plane: &ShadowCatcher,
    ) -> Result<(), RenderError> {
        let bind_and_clear = |map: &Framebuffer| {
            map.bind();
            map.clear();
        };
        let camera = shadow.camera_beneath();
        let is_map_new = self.map.update(gpu, shaders, meshes, input, camera, bind_and_clear)?;
        let uniforms = uniforms(&input.frame.camera.projection_from_world(input.viewport.aspect()), shadow, plane);
        self.uniforms.upload_orphaning(bytemuck::bytes_of(&uniforms))?;
        if !is_map_new && self.drawn.as_ref() == Some(shadow) {
            return Ok(());
        }
        self.drawn = None;
        gpu.begin_pass();
        self.uniforms.bind_uniform_range(block::SHADOW_CATCHER, 0, size_of::<ShadowCatcherUniforms>());
        for (program, from, to) in
            [(&self.layers_program, &self.map.target, &self.layers), (&self.ground_program, &self.layers, &self.ground)]
        {
            program.bind()?;
            to.bind();
            from.color().bind(unit::MATERIAL);
            gpu.draw_full_screen_triangle(&self.vertices, Blending::Off);
            if std::ptr::eq(to, &self.layers) {
                to.color().generate_mipmaps();
            }
        }
        gpu.debug_check("drawing the shadow on the ground")?;
        self.drawn = (!gpu.is_warming_up()).then_some(*shadow);
        Ok(())
    }
}

fn uniforms(projection_from_world: &Matrix4<f64>, shadow: &SunShadow, plane: &ShadowCatcher) -> ShadowCatcherUniforms {
    let &ShadowCatcher { center, radius, strength, softness } = plane;
    let camera = shadow.camera_beneath();
    let shadow_from_world = shadow_from_world(&camera);
    // Height in the world by coordinates and depth in the map. The sun is above the horizon: the factor of depth is not 0.
    let world_from_shadow = shadow_from_world.try_inverse().unwrap_or_else(Matrix4::identity);
    let height = world_from_shadow.row(1);
    let plane_depth = Vector3::new(-height[0], -height[1], center.y - height[3]) / height[2];
    let reach = (shadow.bounds.max.y - center.y) / shadow.to_sun.y;
    ShadowCatcherUniforms {
        projection_from_world: projection_from_world.cast::<f32>().into(),
        shadow_from_world: shadow_from_world.cast::<f32>().into(),
        place: center.push(radius).cast::<f32>().into(),
        rect: shadow.rect_on(plane).map(|x| x as f32),
        plane_depth: plane_depth.push(camera.far - camera.near).cast::<f32>().into(),
        sun: [reach, reach / shadow_map::width(&camera), softness, strength].map(|x| x as f32),
    }
}
