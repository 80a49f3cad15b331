//! Pipeline state and draw calls.

use super::{Buffer, Gpu, IndexType};
use crate::model::Topology;
use glow::HasContext;

/// Which sides of surfaces are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Culling {
    /// None.
    Off,
    /// Those whose corners run clockwise on the screen.
    Clockwise,
    /// Those whose corners run counter-clockwise on the screen.
    CounterClockwise,
}

/// What a new color does to the old one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blending {
    /// It replaces it.
    Off,
    /// It covers it: colors are premultiplied with their opacity.
    Over,
    /// It replaces it in as many of a pixel's samples as it is opaque, and is opaque there.
    Coverage,
}

/// The state that differs from draw to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DrawState {
    /// Sides left out.
    pub(crate) culling: Culling,
    /// What happens to the old color; a blended draw also leaves distances as they are.
    pub(crate) blending: Blending,
    /// Whether nearer surfaces hide it, and it hides farther ones.
    pub(crate) depth: bool,
}

impl Gpu {
    /// Sets every state that drawing here relies on, whatever was drawn with this context before.
    pub(crate) fn begin_pass(&self) {
        let gl = &self.gl;
        // SAFETY: the common ground; all of these are states of GL 3.3 core.
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

    /// Sets the state of the draws that follow.
    pub(crate) fn set_draw_state(&self, state: DrawState) {
        let gl = &self.gl;
        let set = |name, on| {
            // SAFETY: the common ground.
            unsafe { if on { gl.enable(name) } else { gl.disable(name) } }
        };
        set(glow::CULL_FACE, state.culling != Culling::Off);
        set(glow::BLEND, state.blending == Blending::Over);
        set(glow::SAMPLE_ALPHA_TO_COVERAGE, state.blending == Blending::Coverage);
        set(glow::SAMPLE_ALPHA_TO_ONE, state.blending == Blending::Coverage);
        set(glow::DEPTH_TEST, state.depth);
        // SAFETY: the common ground.
        unsafe {
            gl.cull_face(if state.culling == Culling::CounterClockwise { glow::FRONT } else { glow::BACK });
            gl.depth_mask(state.blending != Blending::Over);
        }
    }

    /// What is drawn from now on gets distances from 0 to `far` of the whole range, until [`begin_pass`](Self::begin_pass):
    /// with little of it, it is before everything else and still hides itself.
    pub(crate) fn set_depth_range(&self, far: f64) {
        // SAFETY: the common ground.
        unsafe { self.gl.depth_range(0.0, far) };
    }

    /// Draws from now on, until it is turned off, also what lies before the nearest and behind the farthest distance.
    pub(crate) fn set_depth_clamp(&self, on: bool) {
        let gl = &self.gl;
        // SAFETY: the common ground.
        unsafe {
            if on {
                gl.enable(glow::DEPTH_CLAMP);
            } else {
                gl.disable(glow::DEPTH_CLAMP);
            }
            // The farthest distance itself is what a cleared buffer holds.
            gl.depth_func(if on { glow::LEQUAL } else { glow::LESS });
        }
    }

    /// Lets go of what a pass has bound, so that others in this context neither draw with it nor change it.
    pub(crate) fn end_pass(&self, texture_units: u32) {
        let gl = &self.gl;
        // SAFETY: the common ground.
        unsafe {
            for unit in 0..texture_units {
                gl.bind_sampler(unit, None);
            }
            gl.active_texture(glow::TEXTURE0);
            gl.bind_vertex_array(None);
            gl.use_program(None);
            gl.depth_mask(true);
            gl.bind_framebuffer(glow::FRAMEBUFFER, None);
        }
    }

    /// Draws vertices in their own order; the bound vertex array holds at least `count`.
    pub(crate) fn draw_arrays(&self, topology: Topology, count: usize, instances: usize) {
        // SAFETY: the common ground, and the caller's word on the count.
        unsafe { self.gl.draw_arrays_instanced(mode(topology), 0, count as i32, instances as i32) };
    }

    /// Draws vertices as the bound vertex array's indices say; there are at least `count`, none past its vertices.
    pub(crate) fn draw_indexed(&self, topology: Topology, (count, ty): (usize, IndexType), instances: usize) {
        // SAFETY: the common ground, and the caller's word on the indices.
        unsafe { self.gl.draw_elements_instanced(mode(topology), count as i32, ty.gl(), 0, instances as i32) };
    }

    /// Runs the vertex shader alone over `count` vertices and writes its outputs to `buffer`, which has room for them.
    pub(crate) fn transform_feedback(&self, count: usize, buffer: &Buffer) {
        let gl = &self.gl;
        // SAFETY: the common ground; GL itself stops at the buffer's end.
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
