//! Screen-space ambient occlusion and indirect light with a visibility bitmask (Therrien et al. 2023): the part of the
//! environment's light that the surfaces on the screen block, and the light that they reflect and emit.

use super::mesh::MeshPass;
use super::pass_input::{PassInput, Viewport};
use crate::gpu::{
    Attachments, Blending, Buffer, DepthBuffer, Framebuffer, Gpu, GpuError, Program, ProgramSource, RenderTexture,
    ShaderSource, VertexArray,
};
use crate::render::bindings::{block, unit};
use crate::render::error::RenderError;
use crate::render::shader::{DrawMode, ShaderCache};
use crate::render::uniforms::AmbientOcclusionUniforms;
use crate::scene::{Environment, Frame, Lens, Lighting, MAX_LIGHTS, ToneMapping};
use std::rc::Rc;

/// Maximum width and height of the map in texels.
const MAX_SIZE: u32 = 2048;

/// Maximum width and height of images whose map has a texel per pixel. Larger images have at most one per two by two pixels.
const MAX_FULL_SIZE: u32 = 512;

/// Largest distance between a surface and one that blocks its light, as a fraction of the image's longer side.
const REACH: f32 = 0.6;

/// Draws ambient occlusion maps.
pub(crate) struct AmbientOcclusionPass {
    meshes: MeshPass,
    /// Maps of the last frame's size.
    maps: Option<Maps>,
    /// Programs for frames without and with an environment. Compiled at their first use.
    programs: [Option<Program>; 2],
    /// Programs of the blur along both axes.
    blurs: [Program; 2],
    vertices: VertexArray,
    uniforms: Buffer,
}

struct Maps {
    /// Radiance, normals and depth of the opaque surfaces, packed.
    g_buffer: Framebuffer,
    /// Light ratio and depth, and the same after the blur along one axis. The second blur writes to the first.
    map: Framebuffer,
    half_blurred: Framebuffer,
}

impl Maps {
    fn new(gpu: &Rc<Gpu>, size: (u32, u32)) -> Result<Self, GpuError> {
        let map = || {
            let color = RenderTexture::new_rgba16f(gpu, size, 1)?;
            Framebuffer::new(gpu, Attachments { color, depth: None })
        };
        let color = RenderTexture::new_rgba32f(gpu, size)?;
        let depth = Some(DepthBuffer::new(gpu, size, 1)?);
        Ok(Self { g_buffer: Framebuffer::new(gpu, Attachments { color, depth })?, map: map()?, half_blurred: map()? })
    }
}

impl AmbientOcclusionPass {
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        gpu.check_new_program()?;
        Ok(Self {
            meshes: MeshPass::new(gpu)?,
            maps: None,
            programs: [None, None],
            blurs: [compile_blur(gpu, "ivec2(1, 0)")?, compile_blur(gpu, "ivec2(0, 1)")?],
            vertices: VertexArray::new(gpu)?,
            uniforms: Buffer::new(gpu)?,
        })
    }

    /// Draws the map of a frame. Its environment and the shadow map of its sun are bound.
    pub(crate) fn draw(
        &mut self,
        gpu: &Rc<Gpu>,
        shaders: &mut ShaderCache,
        input: &PassInput<'_>,
    ) -> Result<(), RenderError> {
        let size = map_size(input.viewport);
        if self.maps.as_ref().is_none_or(|maps| maps.map.color().size() != size) {
            // Frees the old maps before allocating new ones.
            self.maps = None;
            self.maps = Some(Maps::new(gpu, size)?);
        }
        let Some(maps) = &self.maps else { return Ok(()) };
        let lighting = Lighting { tone_mapping: ToneMapping::None, exposure_ev: 0.0, ..input.frame.lighting.clone() };
        let frame = Frame { lighting: &lighting, ..*input.frame };
        let viewport = Viewport { samples: 1, ..input.viewport };
        let PassInput { permitted_error, sun_camera, ggx, .. } = *input;
        let g_buffer_input =
            PassInput { permitted_error, sun_camera, ggx, ..PassInput::new(&frame, input.crowds, viewport) };
        let draws = self.meshes.begin(gpu, shaders, &g_buffer_input, DrawMode::GBuffer)?;
        gpu.begin_pass();
        maps.g_buffer.bind();
        maps.g_buffer.clear_to([0.0, 0.0, 0.0, 1.0]);
        self.meshes.draw(gpu, input.crowds, &draws, draws.all())?;
        self.meshes.recycle(draws);
        self.uniforms.upload_orphaning(bytemuck::bytes_of(&uniforms(&g_buffer_input, size)))?;
        self.uniforms.bind_uniform_range(block::AMBIENT_OCCLUSION, 0, size_of::<AmbientOcclusionUniforms>());
        self.meshes.bind_frame_uniforms();
        maps.map.bind();
        let has_environment = lighting.environment.is_some();
        match &mut self.programs[usize::from(has_environment)] {
            Some(program) => program.bind()?,
            none => none.insert(compile_occlusion(gpu, has_environment)?).bind()?,
        }
        maps.g_buffer.color().bind(unit::AMBIENT_OCCLUSION);
        gpu.draw_full_screen_triangle(&self.vertices, Blending::Off);
        for (blur, [from, to]) in
            self.blurs.iter_mut().zip([[&maps.map, &maps.half_blurred], [&maps.half_blurred, &maps.map]])
        {
            to.bind();
            blur.bind()?;
            from.color().bind(unit::AMBIENT_OCCLUSION);
            gpu.draw_full_screen_triangle(&self.vertices, Blending::Off);
        }
        Ok(gpu.debug_check("drawing ambient occlusion")?)
    }

    /// Binds the map.
    pub(crate) fn bind(&self) {
        if let Some(maps) = &self.maps {
            maps.map.color().bind(unit::AMBIENT_OCCLUSION);
        }
    }
}

/// Returns the size of the map for an image.
fn map_size(viewport: Viewport) -> (u32, u32) {
    let longer = viewport.width.max(viewport.height);
    let step = longer.div_ceil(MAX_SIZE).max(if longer > MAX_FULL_SIZE { 2 } else { 1 });
    (viewport.width.div_ceil(step), viewport.height.div_ceil(step))
}

fn uniforms(input: &PassInput<'_>, (width, height): (u32, u32)) -> AmbientOcclusionUniforms {
    let &PassInput { frame: Frame { camera, .. }, viewport, ggx, .. } = input;
    let projection = camera.projection_from_view(viewport.aspect());
    let (zz, zw) = (projection[(2, 2)], projection[(2, 3)]);
    // Inverse of the projection's depth: -zz d + zw over d, or over 1 without perspective.
    let (is_perspective, view_depth) = match camera.lens {
        Lens::Perspective { .. } => (1.0, [0.0, zw, 2.0, zz - 1.0]),
        Lens::Orthographic { .. } => (0.0, [-2.0, zw + 1.0, 0.0, zz]),
    };
    let [x_scale, y_scale] = [1.0 / projection[(0, 0)], 1.0 / projection[(1, 1)]];
    let unproject = [x_scale, y_scale, -camera.shift[0] * x_scale, -camera.shift[1] * y_scale];
    AmbientOcclusionUniforms {
        world_from_view: camera.world_from_view.to_matrix4().cast::<f32>().into(),
        view_depth: view_depth.map(|x| x as f32),
        unproject: unproject.map(|x| x as f32),
        size: [width as f32, height as f32, REACH * width.max(height) as f32, is_perspective],
        position: ggx.map_or([0.0; 2], |ggx| ggx.random.map(|x| x as f32)),
        padding: [0.0; 2],
    }
}

fn compile_occlusion(gpu: &Rc<Gpu>, has_environment: bool) -> Result<Program, GpuError> {
    let mut defines = vec![("MAX_LIGHTS", MAX_LIGHTS.to_string())];
    let mut files = vec![rigview_shaders::UNIFORMS_GLSL, rigview_shaders::BRDF_GLSL, rigview_shaders::G_BUFFER_GLSL];
    if has_environment {
        defines.push(("ENVIRONMENT_LAYERS", format!("{}.0", Environment::LAYERS)));
        files.push(rigview_shaders::ENVIRONMENT_GLSL);
    }
    files.push(rigview_shaders::AMBIENT_OCCLUSION_FRAG);
    compile(gpu, ShaderSource::new(&defines, &files))
}

fn compile_blur(gpu: &Rc<Gpu>, axis: &str) -> Result<Program, GpuError> {
    let defines = [("AXIS", axis.to_owned())];
    compile(gpu, ShaderSource::new(&defines, &[rigview_shaders::AMBIENT_OCCLUSION_BLUR_FRAG]))
}

fn compile(gpu: &Rc<Gpu>, fragment: ShaderSource) -> Result<Program, GpuError> {
    Program::new(
        gpu,
        ProgramSource {
            name: "the ambient occlusion shader",
            vertex: ShaderSource::new(&[], &[rigview_shaders::SCREEN_VERT]),
            geometry: None,
            fragment: Some(fragment),
            feedback: &[],
            blocks: &[("FrameUniforms", block::FRAME), ("AmbientOcclusionUniforms", block::AMBIENT_OCCLUSION)],
            samplers: &[
                ("g_buffer", unit::AMBIENT_OCCLUSION),
                ("noisy", unit::AMBIENT_OCCLUSION),
                ("environment_layers", unit::ENVIRONMENT),
            ],
        },
    )
}
