//! The marks of an overlay: the ground grid, faces, lines.

use super::RenderError;
use super::debug_view_pass::LOOK_BINDING;
use super::uniforms::FRAME_BINDING;
use super::variant::unit;
use crate::gpu::{
    Blending, BufferTexture, Culling, DrawState, Gpu, GpuError, Program, ProgramSource, VertexArray, shader_source,
};
use crate::model::Topology;
use crate::scene::{DebugLines, MAX_LIGHTS, Overlay};
use std::collections::HashMap;
use std::rc::Rc;

/// What marks are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Grid,
    Facets,
    Strokes,
}

/// Marks of one draw call.
struct Batch {
    kind: Kind,
    /// Whether they are before everything else.
    always_on_top: bool,
    vertices: usize,
}

/// Share of the depth range for what is drawn on top.
const ON_TOP_DEPTH: f64 = 0.01;

/// The pass that draws overlays.
pub(crate) struct OverlayPass {
    programs: HashMap<Kind, Program>,
    /// Without attributes: vertices are read from texels.
    vertices: VertexArray,
    /// The texels of each batch, kept from frame to frame.
    texels: Vec<BufferTexture>,
    batches: Vec<Batch>,
}

impl OverlayPass {
    /// A pass that has compiled nothing yet.
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        Ok(Self { programs: HashMap::new(), vertices: VertexArray::new(gpu)?, texels: Vec::new(), batches: Vec::new() })
    }

    /// Uploads an overlay and compiles what it needs.
    pub(crate) fn prepare(&mut self, gpu: &Rc<Gpu>, overlay: &Overlay) -> Result<(), RenderError> {
        self.batches.clear();
        if let Some(grid) = &overlay.grid {
            let [x, y, z] = grid.center.map(|x| x as f32);
            let texels = [[x, y, z, grid.radius as f32], [grid.cell as f32, grid.major as f32, 0.0, 0.0]];
            self.add(gpu, (Kind::Grid, false), &texels, 6)?;
        }
        // Of the driver's limit a multiple of four, so that no mark is cut in two.
        let most = gpu.limits().buffer_texels & !3;
        for (marks, always_on_top) in [(&overlay.depth_tested, false), (&overlay.always_on_top, true)] {
            let DebugLines { triangles, lines } = marks;
            for texels in triangles.as_flattened().chunks(most) {
                self.add(gpu, (Kind::Facets, always_on_top), texels, texels.len() / 4 * 3)?;
            }
            for texels in lines.as_flattened().chunks(most) {
                self.add(gpu, (Kind::Strokes, always_on_top), texels, texels.len() / 4 * 6)?;
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        gpu: &Rc<Gpu>,
        (kind, always_on_top): (Kind, bool),
        texels: &[[f32; 4]],
        vertices: usize,
    ) -> Result<(), RenderError> {
        if let std::collections::hash_map::Entry::Vacant(entry) = self.programs.entry(kind) {
            entry.insert(compile(gpu, kind)?);
        }
        let number = self.batches.len();
        if self.texels.len() == number {
            self.texels.push(BufferTexture::new(gpu)?);
        }
        self.texels[number].upload_orphaning(texels)?;
        self.batches.push(Batch { kind, always_on_top, vertices });
        Ok(())
    }

    /// Draws what was prepared into the scene that is bound; the frame's and the look's parameters are bound already.
    pub(crate) fn draw(&self, gpu: &Gpu) -> Result<(), RenderError> {
        self.vertices.bind();
        for (batch, texels) in self.batches.iter().zip(&self.texels) {
            gpu.set_depth_range(if batch.always_on_top { ON_TOP_DEPTH } else { 1.0 });
            let blending = if batch.kind == Kind::Facets { Blending::Off } else { Blending::Over };
            gpu.set_draw_state(DrawState { culling: Culling::Off, blending, depth: true });
            self.programs[&batch.kind].bind();
            texels.bind(unit::LOOK_TABLE);
            gpu.draw_arrays(Topology::Triangles, batch.vertices, 1);
        }
        gpu.set_depth_range(1.0);
        Ok(gpu.check("drawing an overlay")?)
    }
}

fn compile(gpu: &Rc<Gpu>, kind: Kind) -> Result<Program, GpuError> {
    let mut constants = vec![("MAX_LIGHTS", MAX_LIGHTS.to_string())];
    match kind {
        Kind::Grid => constants.push(("GRID", "1".into())),
        Kind::Strokes => constants.push(("STROKES", "1".into())),
        Kind::Facets => {}
    }
    let (blocks, look) = (include_str!("../../shaders/uniforms.glsl"), include_str!("../../shaders/debug_view.glsl"));
    Program::new(
        gpu,
        &ProgramSource {
            name: "the overlay's shader",
            vertex: &shader_source(&constants, &[blocks, look, include_str!("../../shaders/overlay.vert")]),
            fragment: Some(&shader_source(&constants, &[blocks, look, include_str!("../../shaders/overlay.frag")])),
            feedback: &[],
            blocks: &[("FrameBlock", FRAME_BINDING), ("LookBlock", LOOK_BINDING)],
            samplers: &[("marks", unit::LOOK_TABLE)],
        },
    )
}
