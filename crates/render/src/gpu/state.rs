//! Pipeline state and draw calls.

use super::{Buffer, Gpu, IndexType, VertexArray};
use glow::HasContext;
use rigview_core::model::Topology;
use std::ops::Range;

/// Faces to cull, by winding order on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Culling {
    Off,
    Clockwise,
    CounterClockwise,
}

/// Blending of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blending {
    /// Replaces the color.
    Off,
    /// Source over, with premultiplied alpha.
    Over,
    /// Alpha to coverage.
    Coverage,
    /// Adds to the color.
    Add,
    /// Multiplies the color, and keeps the minimum of alpha.
    Multiply,
}

/// Per-draw state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DrawState {
    pub(crate) culling: Culling,
    /// Blended draws do not write depth.
    pub(crate) blending: Blending,
    /// Enables the depth test.
    pub(crate) depth: bool,
}

impl Gpu {
    /// Sets every state that passes rely on, independent of previous state.
    pub(crate) fn begin_pass(&self) {
        // Other users of the context may have bound samplers; with one whose filter uses mip levels, a texture without them is black.
        self.samplers.set(u32::MAX);
        let gl = self.functions();
        // SAFETY: the `Gpu` invariant; all of these are GL 3.3 core states.
        unsafe {
            for name in [
                glow::SCISSOR_TEST,
                glow::STENCIL_TEST,
                glow::DITHER,
                glow::FRAMEBUFFER_SRGB,
                glow::COLOR_LOGIC_OP,
                glow::POLYGON_OFFSET_FILL,
                glow::PRIMITIVE_RESTART,
                glow::PROGRAM_POINT_SIZE,
                glow::RASTERIZER_DISCARD,
                glow::SAMPLE_ALPHA_TO_COVERAGE,
                glow::SAMPLE_ALPHA_TO_ONE,
                glow::SAMPLE_COVERAGE,
                glow::SAMPLE_MASK,
                glow::DEPTH_CLAMP,
                glow::CLIP_DISTANCE0,
            ] {
                gl.disable(name);
            }
            gl.enable(glow::MULTISAMPLE);
            gl.enable(glow::TEXTURE_CUBE_MAP_SEAMLESS);
            gl.front_face(glow::CCW);
            gl.polygon_mode(glow::FRONT_AND_BACK, glow::FILL);
            gl.color_mask(true, true, true, true);
            gl.depth_mask(true);
            gl.depth_func(glow::LESS);
            gl.depth_range(0.0, 1.0);
            gl.blend_equation(glow::FUNC_ADD);
            gl.blend_func(glow::ONE, glow::ONE_MINUS_SRC_ALPHA);
            gl.line_width(1.0);
        }
    }

    pub(crate) fn set_draw_state(&self, state: DrawState) {
        let gl = self.functions();
        let set = |name, on| {
            // SAFETY: the `Gpu` invariant.
            unsafe { if on { gl.enable(name) } else { gl.disable(name) } }
        };
        set(glow::CULL_FACE, state.culling != Culling::Off);
        set(glow::BLEND, matches!(state.blending, Blending::Over | Blending::Add | Blending::Multiply));
        set(glow::SAMPLE_ALPHA_TO_COVERAGE, state.blending == Blending::Coverage);
        set(glow::SAMPLE_ALPHA_TO_ONE, state.blending == Blending::Coverage);
        set(glow::DEPTH_TEST, state.depth);
        // SAFETY: the `Gpu` invariant.
        unsafe {
            gl.cull_face(if state.culling == Culling::CounterClockwise { glow::FRONT } else { glow::BACK });
            let (source, destination, alpha_equation) = match state.blending {
                Blending::Multiply => (glow::DST_COLOR, glow::ZERO, glow::MIN),
                Blending::Add => (glow::ONE, glow::ONE, glow::FUNC_ADD),
                Blending::Off | Blending::Over | Blending::Coverage => {
                    (glow::ONE, glow::ONE_MINUS_SRC_ALPHA, glow::FUNC_ADD)
                }
            };
            gl.blend_func(source, destination);
            gl.blend_equation_separate(glow::FUNC_ADD, alpha_equation);
            gl.depth_mask(state.blending != Blending::Over);
        }
    }

    /// Maps depth to the range from 0 to `far` until [`begin_pass`](Self::begin_pass). A small range draws in front of
    /// everything else with depth testing among itself.
    pub(crate) fn set_depth_range(&self, far: f64) {
        // SAFETY: the `Gpu` invariant.
        unsafe { self.functions().depth_range(0.0, far) };
    }

    /// Enables or disables depth clamping, which disables clipping at the near and far planes.
    pub(crate) fn set_depth_clamp(&self, on: bool) {
        let gl = self.functions();
        // SAFETY: the `Gpu` invariant.
        unsafe {
            if on {
                gl.enable(glow::DEPTH_CLAMP);
            } else {
                gl.disable(glow::DEPTH_CLAMP);
            }
            // Clamped fragments have the depth of a cleared buffer.
            gl.depth_func(if on { glow::LEQUAL } else { glow::LESS });
        }
    }

    /// Binds a sampler object or none to a texture unit below 32.
    pub(super) fn bind_sampler(&self, unit: u32, sampler: Option<glow::Sampler>) {
        let (bound, bit) = (self.samplers.get(), 1 << unit);
        if sampler.is_some() || bound & bit != 0 {
            self.samplers.set(if sampler.is_some() { bound | bit } else { bound & !bit });
            // SAFETY: the `Gpu` invariant.
            unsafe { self.functions().bind_sampler(unit, sampler) };
        }
    }

    /// Unbinds the objects of a pass, so that other code in this context does not use or change them.
    pub(crate) fn end_pass(&self) {
        let gl = self.functions();
        let samplers = self.samplers.replace(0);
        // SAFETY: the `Gpu` invariant.
        unsafe {
            for unit in (0..u32::BITS).filter(|unit| samplers >> unit & 1 == 1) {
                gl.bind_sampler(unit, None);
            }
            gl.active_texture(glow::TEXTURE0);
            gl.bind_vertex_array(None);
            gl.use_program(None);
            gl.depth_mask(true);
            gl.bind_framebuffer(glow::FRAMEBUFFER, None);
        }
    }

    /// Draws a triangle that covers the viewport, without depth. `vertices` has no attributes.
    pub(crate) fn draw_full_screen_triangle(&self, vertices: &VertexArray, blending: Blending) {
        self.set_draw_state(DrawState { culling: Culling::Off, blending, depth: false });
        vertices.bind();
        self.draw_arrays(Topology::Triangles, 3, 1);
    }

    /// Draws without indices. The bound vertex array holds at least `count` vertices.
    pub(crate) fn draw_arrays(&self, topology: Topology, count: usize, instances: usize) {
        let Some((count, instances)) = self.begin_draw(count, instances) else { return };
        // SAFETY: the `Gpu` invariant; the caller ensures the count.
        unsafe { self.functions().draw_arrays_instanced(mode(topology), 0, count as i32, instances as i32) };
    }

    /// Draws with a range of the indices of the bound vertex array. They exist, and all refer to existing vertices.
    pub(crate) fn draw_indexed(&self, topology: Topology, ty: IndexType, indices: Range<usize>, instances: usize) {
        let Some((count, instances)) = self.begin_draw(indices.len(), instances) else { return };
        let (count, offset) = (count as i32, (indices.start * ty.size()) as i32);
        // SAFETY: the `Gpu` invariant; the caller ensures the indices, and buffers are smaller than 2 GiB.
        unsafe { self.functions().draw_elements_instanced(mode(topology), count, ty.gl(), offset, instances as i32) };
    }

    /// Runs the vertex shader over `count` vertices and writes its outputs to `buffer`.
    pub(crate) fn transform_feedback(&self, count: usize, buffer: &Buffer) {
        let gl = self.functions();
        // SAFETY: the `Gpu` invariant; GL stops at the end of the buffer.
        unsafe {
            gl.enable(glow::RASTERIZER_DISCARD);
            gl.bind_buffer_range(glow::TRANSFORM_FEEDBACK_BUFFER, 0, Some(buffer.id()), 0, buffer.size_bytes() as i32);
            gl.begin_transform_feedback(glow::POINTS);
            gl.draw_arrays(glow::POINTS, 0, count as i32);
            gl.end_transform_feedback();
            gl.bind_buffer_base(glow::TRANSFORM_FEEDBACK_BUFFER, 0, None);
            gl.disable(glow::RASTERIZER_DISCARD);
        }
    }
}

fn mode(topology: Topology) -> u32 {
    match topology {
        Topology::Points => glow::POINTS,
        Topology::Lines => glow::LINES,
        Topology::LineLoop => glow::LINE_LOOP,
        Topology::LineStrip => glow::LINE_STRIP,
        Topology::Triangles => glow::TRIANGLES,
        Topology::TriangleStrip => glow::TRIANGLE_STRIP,
        Topology::TriangleFan => glow::TRIANGLE_FAN,
    }
}
