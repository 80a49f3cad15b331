//! The shadow on the ground: what the sun sees, and the ground that it does not.

use super::RenderError;
use super::blocks::{GROUND_BINDING, GroundBlock};
use super::drawn::Drawn;
use super::look_program::Paint;
use super::mesh_pass::{MeshPass, Raster};
use super::variant::{Variants, unit};
use crate::gpu::{
    Attachment, Blending, Buffer, Culling, DepthBuffer, DrawState, Framebuffer, Gpu, GpuError, Program, ProgramSource,
    TargetTexture, VertexArray, shader_source,
};
use crate::model::Topology;
use crate::scene::{Background, Frame, Ground, Lens, Lighting, Look};
use std::rc::Rc;

/// Pixels along the side of what the sun sees.
const SIDE: u32 = 1024;

/// The pass that draws ground; made when the first ground is drawn.
pub(crate) struct GroundPass {
    meshes: MeshPass,
    seen_by_sun: Framebuffer,
    program: Program,
    vertices: VertexArray,
    block: Buffer,
}

impl GroundPass {
    /// Compiles the ground and makes room for what the sun sees.
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        let colour = TargetTexture::new_mipmapped(gpu, (SIDE, SIDE))?;
        let depth = Some(DepthBuffer::new(gpu, (SIDE, SIDE), 1)?);
        let program = Program::new(
            gpu,
            &ProgramSource {
                name: "the ground's shader",
                vertex: &shader_source(&[], &[include_str!("../../shaders/ground.vert")]),
                fragment: Some(&shader_source(
                    &[],
                    &[include_str!("../../shaders/sun.glsl"), include_str!("../../shaders/ground.frag")],
                )),
                feedback: &[],
                blocks: &[("GroundBlock", GROUND_BINDING)],
                samplers: &[("seen_by_sun", unit::SUN)],
            },
        )?;
        Ok(Self {
            meshes: MeshPass::new(gpu)?,
            seen_by_sun: Framebuffer::new(gpu, Attachment { colour, depth })?,
            program,
            vertices: VertexArray::new(gpu)?,
            block: Buffer::new(gpu)?,
        })
    }

    /// Draws what the sun sees of `frame`, for a viewer's picture of this shape.
    pub(crate) fn begin(
        &mut self,
        gpu: &Rc<Gpu>,
        variants: &mut Variants,
        (frame, crowds, ground): (&Frame<'_>, &[Drawn<'_>], &Ground),
        aspect: f64,
    ) -> Result<(), RenderError> {
        let lighting = Lighting::default();
        let (background, look) = (Background::Transparent, Look::default());
        let seen = Frame { camera: ground.sun, lighting: &lighting, background, look, ..*frame };
        let calls =
            self.meshes.begin(gpu, variants, (&seen, crowds, Raster { aspect: 1.0, samples: 1 }), Paint::Distances)?;
        gpu.begin_pass();
        self.seen_by_sun.bind();
        self.seen_by_sun.clear();
        self.meshes.draw_band(gpu, crowds, &calls)?;
        self.seen_by_sun.colour().make_mipmaps();
        let half_size = match ground.sun.lens {
            Lens::Orthographic { half_size: [half, _] } => half,
            Lens::Perspective { .. } => 0.0,
        };
        // From OpenGL's cube to 0 to 1.
        let halved =
            nalgebra::Matrix4::new_translation(&nalgebra::Vector3::repeat(0.5)) * nalgebra::Matrix4::new_scaling(0.5);
        let shadow_from_world = halved * ground.sun.projection_from_world(1.0);
        let [x, y, z] = ground.centre.cast::<f32>().into();
        let block = GroundBlock {
            projection_from_world: frame.camera.projection_from_world(aspect).cast::<f32>().into(),
            shadow_from_world: shadow_from_world.cast::<f32>().into(),
            centre: [x, y, z, ground.radius as f32],
            sun: [2.0 * half_size, ground.sun.far - ground.sun.near, ground.softness, ground.strength]
                .map(|x| x as f32),
        };
        self.block.stream(bytemuck::bytes_of(&block))?;
        Ok(gpu.check("drawing what the sun sees")?)
    }

    /// Shows what the sun sees to the shaders of what it shines on.
    pub(crate) fn bind(&self) {
        self.block.bind_uniform_range(GROUND_BINDING, 0, size_of::<GroundBlock>());
        self.seen_by_sun.colour().bind(unit::SUN);
    }

    /// Draws the ground into the scene that is bound: from above, and behind what stands on it.
    pub(crate) fn draw(&self, gpu: &Gpu) -> Result<(), RenderError> {
        gpu.set_draw_state(DrawState { culling: Culling::Clockwise, blending: Blending::Over, depth: true });
        self.program.bind();
        self.bind();
        self.vertices.bind();
        // It reaches farther than the model, to which the camera's distances are fitted.
        gpu.set_endless_depth(true);
        gpu.draw_arrays(Topology::TriangleStrip, 4, 1);
        gpu.set_endless_depth(false);
        Ok(gpu.check("drawing the ground")?)
    }
}
