//! The shadow on the ground: what the sun sees, and the ground that it does not.

use super::RenderError;
use super::crowd_draw::Drawn;
use super::debug_view_shader::Paint;
use super::mesh_pass::{MeshPass, Raster};
use super::uniforms::{GROUND_BINDING, ShadowCatcherUniforms};
use super::variant::{ShaderCache, unit};
use crate::gpu::{
    Attachment, Blending, Buffer, Culling, DepthBuffer, DrawState, Framebuffer, Gpu, GpuError, Program, ProgramSource,
    RenderTexture, VertexArray, shader_source,
};
use crate::model::Topology;
use crate::scene::{Background, DebugView, Frame, Lens, Lighting, ShadowCatcher};
use std::rc::Rc;

/// Pixels along the side of what the sun sees.
const SIDE: u32 = 1024;

/// The pass that draws ground; made when the first ground is drawn.
pub(crate) struct ShadowCatcherPass {
    meshes: MeshPass,
    seen_by_sun: Framebuffer,
    program: Program,
    vertices: VertexArray,
    block: Buffer,
}

impl ShadowCatcherPass {
    /// Compiles the ground and makes room for what the sun sees.
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        let color = RenderTexture::new_mipmapped(gpu, (SIDE, SIDE))?;
        let depth = Some(DepthBuffer::new(gpu, (SIDE, SIDE), 1)?);
        let program = Program::new(
            gpu,
            &ProgramSource {
                name: "the ground's shader",
                vertex: &shader_source(&[], &[include_str!("../../shaders/shadow_catcher.vert")]),
                fragment: Some(&shader_source(
                    &[],
                    &[include_str!("../../shaders/shadow.glsl"), include_str!("../../shaders/shadow_catcher.frag")],
                )),
                feedback: &[],
                blocks: &[("GroundBlock", GROUND_BINDING)],
                samplers: &[("seen_by_sun", unit::SUN)],
            },
        )?;
        Ok(Self {
            meshes: MeshPass::new(gpu)?,
            seen_by_sun: Framebuffer::new(gpu, Attachment { color, depth })?,
            program,
            vertices: VertexArray::new(gpu)?,
            block: Buffer::new(gpu)?,
        })
    }

    /// Draws what the sun sees of `frame`, for a viewer's picture of this shape.
    pub(crate) fn begin(
        &mut self,
        gpu: &Rc<Gpu>,
        variants: &mut ShaderCache,
        (frame, crowds, ground): (&Frame<'_>, &[Drawn<'_>], &ShadowCatcher),
        aspect: f64,
    ) -> Result<(), RenderError> {
        let lighting = Lighting::default();
        let (background, debug_view) = (Background::Transparent, DebugView::default());
        let seen = Frame { camera: ground.sun, lighting: &lighting, background, debug_view, ..*frame };
        let calls =
            self.meshes.begin(gpu, variants, (&seen, crowds, Raster { aspect: 1.0, samples: 1 }), Paint::Distances)?;
        gpu.begin_pass();
        self.seen_by_sun.bind();
        self.seen_by_sun.clear();
        self.meshes.draw_band(gpu, crowds, &calls)?;
        self.seen_by_sun.color().make_mipmaps();
        let half_size = match ground.sun.lens {
            Lens::Orthographic { half_size: [half, _] } => half,
            Lens::Perspective { .. } => 0.0,
        };
        // From OpenGL's cube to 0 to 1.
        let halved =
            nalgebra::Matrix4::new_translation(&nalgebra::Vector3::repeat(0.5)) * nalgebra::Matrix4::new_scaling(0.5);
        let shadow_from_world = halved * ground.sun.projection_from_world(1.0);
        let [x, y, z] = ground.center.cast::<f32>().into();
        let block = ShadowCatcherUniforms {
            projection_from_world: frame.camera.projection_from_world(aspect).cast::<f32>().into(),
            shadow_from_world: shadow_from_world.cast::<f32>().into(),
            center: [x, y, z, ground.radius as f32],
            sun: [2.0 * half_size, ground.sun.far - ground.sun.near, ground.softness, ground.strength]
                .map(|x| x as f32),
        };
        self.block.upload_orphaning(bytemuck::bytes_of(&block))?;
        Ok(gpu.check("drawing what the sun sees")?)
    }

    /// Shows what the sun sees to the shaders of what it shines on.
    pub(crate) fn bind(&self) {
        self.block.bind_uniform_range(GROUND_BINDING, 0, size_of::<ShadowCatcherUniforms>());
        self.seen_by_sun.color().bind(unit::SUN);
    }

    /// Draws the ground into the scene that is bound: from above, and behind what stands on it.
    pub(crate) fn draw(&self, gpu: &Gpu) -> Result<(), RenderError> {
        gpu.set_draw_state(DrawState { culling: Culling::Clockwise, blending: Blending::Over, depth: true });
        self.program.bind();
        self.bind();
        self.vertices.bind();
        // It reaches farther than the model, to which the camera's distances are fitted.
        gpu.set_depth_clamp(true);
        gpu.draw_arrays(Topology::TriangleStrip, 4, 1);
        gpu.set_depth_clamp(false);
        Ok(gpu.check("drawing the ground")?)
    }
}
