//! Overlay pass: ground grid, triangles and lines of a debug view.

use crate::gpu::{
    Blending, Culling, DoubleBufferedTexture, DrawState, Gpu, GpuError, Program, ProgramSource, ShaderSource,
    VertexArray,
};
use crate::render::bindings::{block, unit};
use crate::render::error::RenderError;
use crate::scene::{DebugLines, MAX_LIGHTS, Overlay};
use rigview_core::model::Topology;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

/// Geometry of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum BatchKind {
    Grid,
    Triangles,
    Lines,
}

/// One draw call.
struct Batch {
    kind: BatchKind,
    always_on_top: bool,
    vertices: usize,
}

/// Fraction of the depth range, at its near end, for geometry that is always on top.
const ON_TOP_DEPTH: f64 = 0.01;

/// Draws overlays.
pub(super) struct OverlayPass {
    programs: HashMap<BatchKind, Program>,
    /// Without attributes: the shader reads vertices from texels.
    vertices: VertexArray,
    /// Texels of each batch, reused from frame to frame.
    texels: Vec<DoubleBufferedTexture>,
    batches: Vec<Batch>,
}

impl OverlayPass {
    pub(super) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        Ok(Self { programs: HashMap::new(), vertices: VertexArray::new(gpu)?, texels: Vec::new(), batches: Vec::new() })
    }

    /// Uploads an overlay and compiles the shaders that it needs.
    pub(super) fn prepare(&mut self, gpu: &Rc<Gpu>, overlay: &Overlay) -> Result<(), RenderError> {
        self.batches.clear();
        if let Some(grid) = &overlay.grid {
            let [x, y, z] = grid.center.map(|x| x as f32);
            let texels =
                [[x, y, z, grid.radius as f32], [grid.cell_size as f32, grid.cells_per_major as f32, 0.0, 0.0]];
            self.add(gpu, Batch { kind: BatchKind::Grid, always_on_top: false, vertices: 6 }, &texels)?;
        }
        // A multiple of four texels, so that no line or triangle is split.
        let limit = gpu.limits().buffer_texels & !3;
        for (geometry, always_on_top) in [(&overlay.depth_tested, false), (&overlay.always_on_top, true)] {
            let DebugLines { triangles, lines } = geometry;
            for texels in triangles.as_flattened().chunks(limit) {
                let vertices = texels.len() / 4 * 3;
                self.add(gpu, Batch { kind: BatchKind::Triangles, always_on_top, vertices }, texels)?;
            }
            for texels in lines.as_flattened().chunks(limit) {
                let vertices = texels.len() / 4 * 6;
                self.add(gpu, Batch { kind: BatchKind::Lines, always_on_top, vertices }, texels)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, gpu: &Rc<Gpu>, batch: Batch, texels: &[[f32; 4]]) -> Result<(), RenderError> {
        if let Entry::Vacant(entry) = self.programs.entry(batch.kind) {
            entry.insert(compile(gpu, batch.kind)?);
        }
        let index = self.batches.len();
        if self.texels.len() == index {
            self.texels.push(DoubleBufferedTexture::new(gpu));
        }
        self.texels[index].write(texels)?;
        self.batches.push(batch);
        Ok(())
    }

    /// Draws the prepared overlay into the bound framebuffer. The uniforms of frame and debug view are already bound.
    pub(super) fn draw(&self, gpu: &Gpu) -> Result<(), RenderError> {
        self.vertices.bind();
        for (batch, texels) in self.batches.iter().zip(&self.texels) {
            gpu.set_depth_range(if batch.always_on_top { ON_TOP_DEPTH } else { 1.0 });
            let blending = if batch.kind == BatchKind::Triangles { Blending::Off } else { Blending::Over };
            gpu.set_draw_state(DrawState { culling: Culling::Off, blending, depth: true });
            self.programs[&batch.kind].bind()?;
            texels.bind(unit::DEBUG_VIEW_TABLE);
            gpu.draw_arrays(Topology::Triangles, batch.vertices, 1);
        }
        gpu.set_depth_range(1.0);
        Ok(gpu.debug_check("drawing an overlay")?)
    }
}

fn compile(gpu: &Rc<Gpu>, kind: BatchKind) -> Result<Program, GpuError> {
    let mut defines = vec![("MAX_LIGHTS", MAX_LIGHTS.to_string())];
    match kind {
        BatchKind::Grid => defines.push(("GRID", "1".into())),
        BatchKind::Lines => defines.push(("LINES", "1".into())),
        BatchKind::Triangles => {}
    }
    let common = [rigview_shaders::UNIFORMS_GLSL, rigview_shaders::DEBUG_VIEW_GLSL];
    let source = |file| ShaderSource::new(&defines, &[common[0], common[1], file]);
    Program::new(
        gpu,
        ProgramSource {
            name: "the overlay shader",
            vertex: source(rigview_shaders::OVERLAY_VERT),
            geometry: None,
            fragment: Some(source(rigview_shaders::OVERLAY_FRAG)),
            feedback: &[],
            blocks: &[("FrameUniforms", block::FRAME), ("DebugViewUniforms", block::DEBUG_VIEW)],
            samplers: &[("overlay_texels", unit::DEBUG_VIEW_TABLE)],
        },
    )
}
