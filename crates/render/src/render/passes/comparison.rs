//! Comparison pass: combines two finished images into one.

use crate::gpu::{Blending, Buffer, Gpu, GpuError, Program, ProgramSource, ShaderSource, VertexArray};
use crate::render::bindings::block;
use crate::render::error::RenderError;
use crate::render::target::Target;
use std::rc::Rc;

/// Combination of two images.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Comparison {
    /// The first image left of this x coordinate in pixels, the second image right of it.
    Split(f32),
    /// The first image at the left edge, the second image at the right edge, and a black gap between them.
    SideBySide,
    /// Gray where the images are equal, a heat map of their difference elsewhere.
    Difference,
}

/// Combines two images.
pub(crate) struct ComparePass {
    split: Program,
    side_by_side: Program,
    difference: Program,
    vertices: VertexArray,
    uniforms: Buffer,
}

/// Texture units of the two images.
const UNITS: [u32; 2] = [0, 1];

impl ComparePass {
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        Ok(Self {
            split: compile(gpu, &[])?,
            side_by_side: compile(gpu, &[("SIDE_BY_SIDE", "1".into())])?,
            difference: compile(gpu, &[("DIFFERENCE", "1".into())])?,
            vertices: VertexArray::new(gpu)?,
            uniforms: Buffer::new(gpu)?,
        })
    }

    /// Fills the image of `into` from two images of its size; for panes, of its height.
    pub(crate) fn draw(
        &mut self,
        gpu: &Gpu,
        [first, second]: [&Target; 2],
        comparison: Comparison,
        into: &Target,
    ) -> Result<(), RenderError> {
        let (program, split) = match comparison {
            Comparison::Split(split) => (&self.split, split),
            Comparison::SideBySide => (&self.side_by_side, into.width().saturating_sub(second.width()) as f32),
            Comparison::Difference => (&self.difference, 0.0),
        };
        gpu.begin_pass();
        into.image.bind();
        program.bind()?;
        self.uniforms.upload_orphaning(bytemuck::bytes_of(&[split, 0.0, 0.0, 0.0]))?;
        self.uniforms.bind_uniform_range(block::FRAME, 0, 16);
        for (unit, target) in UNITS.into_iter().zip([first, second]) {
            target.image.color().bind(unit);
        }
        gpu.draw_full_screen_triangle(&self.vertices, Blending::Off);
        gpu.end_pass();
        Ok(gpu.debug_check("comparing two images")?)
    }
}

fn compile(gpu: &Rc<Gpu>, defines: &[(&str, String)]) -> Result<Program, GpuError> {
    Program::new(
        gpu,
        ProgramSource {
            name: "the comparison shader",
            vertex: ShaderSource::new(&[], &[rigview_shaders::SCREEN_VERT]),
            geometry: None,
            fragment: Some(ShaderSource::new(defines, &[rigview_shaders::COMPARE_FRAG])),
            feedback: &[],
            blocks: &[("CompareUniforms", block::FRAME)],
            samplers: &[("first", UNITS[0]), ("second", UNITS[1])],
        },
    )
}
