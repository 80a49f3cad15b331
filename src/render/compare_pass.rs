//! Two finished pictures as one, to be compared by eye.

use super::uniforms::FRAME_BINDING;
use super::{RenderError, Target};
use crate::gpu::{
    Blending, Buffer, Culling, DrawState, Gpu, GpuError, Program, ProgramSource, VertexArray, shader_source,
};
use crate::model::Topology;
use std::rc::Rc;

/// How two pictures are put together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Comparison {
    /// The first to the left of so many pixels, the second to the right.
    Split(f32),
    /// Gray where they are the same, red to white the farther apart they are.
    Difference,
}

/// The pass that puts two pictures together.
pub(super) struct ComparePass {
    split: Program,
    difference: Program,
    vertices: VertexArray,
    block: Buffer,
}

/// The texture units of the two pictures.
const UNITS: [u32; 2] = [0, 1];

impl ComparePass {
    /// A pass, compiled.
    pub(super) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        Ok(Self {
            split: compile(gpu, false)?,
            difference: compile(gpu, true)?,
            vertices: VertexArray::new(gpu)?,
            block: Buffer::new(gpu)?,
        })
    }

    /// Fills the picture of `into` from two others of its size.
    pub(super) fn draw(
        &mut self,
        gpu: &Gpu,
        [first, second]: [&Target; 2],
        how: Comparison,
        into: &Target,
    ) -> Result<(), RenderError> {
        let (program, split) = match how {
            Comparison::Split(split) => (&self.split, split),
            Comparison::Difference => (&self.difference, 0.0),
        };
        gpu.begin_pass();
        into.picture.bind();
        program.bind();
        self.block.upload_orphaning(bytemuck::bytes_of(&[split, 0.0, 0.0, 0.0]))?;
        self.block.bind_uniform_range(FRAME_BINDING, 0, 16);
        for (unit, target) in UNITS.into_iter().zip([first, second]) {
            target.picture.color().bind(unit);
        }
        gpu.set_draw_state(DrawState { culling: Culling::Off, blending: Blending::Off, depth: false });
        self.vertices.bind();
        gpu.draw_arrays(Topology::Triangles, 3, 1);
        gpu.end_pass(UNITS.len() as u32);
        Ok(gpu.check("putting two pictures together")?)
    }
}

fn compile(gpu: &Rc<Gpu>, difference: bool) -> Result<Program, GpuError> {
    let mut constants = Vec::new();
    if difference {
        constants.push(("DIFFERENCE", "1".into()));
    }
    Program::new(
        gpu,
        &ProgramSource {
            name: "the comparing shader",
            vertex: &shader_source(&[], &[include_str!("../../shaders/screen.vert")]),
            fragment: Some(&shader_source(&constants, &[include_str!("../../shaders/compare.frag")])),
            feedback: &[],
            blocks: &[("CompareBlock", FRAME_BINDING)],
            samplers: &[("first", UNITS[0]), ("second", UNITS[1])],
        },
    )
}
