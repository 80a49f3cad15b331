//! Shader programs.

use super::{Gpu, GpuError};
use glow::HasContext;
use std::rc::Rc;

/// A linked program with its block bindings and texture units assigned.
pub(crate) struct Program {
    gpu: Rc<Gpu>,
    id: glow::Program,
}

/// Shaders and interface of a program.
pub(crate) struct ProgramSource<'a> {
    /// Name in messages.
    pub(crate) name: &'a str,
    pub(crate) vertex: &'a str,
    pub(crate) geometry: Option<&'a str>,
    /// `None` for a program that is only used for transform feedback.
    pub(crate) fragment: Option<&'a str>,
    /// Vertex shader outputs for transform feedback, interleaved.
    pub(crate) feedback: &'a [&'a str],
    /// Uniform blocks and binding points. Unused blocks are ignored.
    pub(crate) blocks: &'a [(&'a str, u32)],
    /// Samplers and texture units. Unused samplers are ignored.
    pub(crate) samplers: &'a [(&'a str, u32)],
}

impl Program {
    /// Compiles and links.
    ///
    /// # Errors
    /// With the driver's log.
    pub(crate) fn new(gpu: &Rc<Gpu>, source: &ProgramSource<'_>) -> Result<Self, GpuError> {
        let gl = gpu.functions();
        // SAFETY: the `Gpu` invariant.
        let id =
            unsafe { gl.create_program() }.map_err(|reason| GpuError::Create { object: "shader program", reason })?;
        // Deletes the program if a later step fails.
        let program = Self { gpu: Rc::clone(gpu), id };
        let vertex = Some((glow::VERTEX_SHADER, "vertex", source.vertex));
        let geometry = source.geometry.map(|text| (glow::GEOMETRY_SHADER, "geometry", text));
        let fragment = source.fragment.map(|text| (glow::FRAGMENT_SHADER, "fragment", text));
        for (kind, stage, text) in vertex.into_iter().chain(geometry).chain(fragment) {
            program.attach(kind, stage, text, source.name)?;
        }
        // SAFETY: the `Gpu` invariant; names are only looked up here.
        unsafe {
            if !source.feedback.is_empty() {
                gl.transform_feedback_varyings(id, source.feedback, glow::INTERLEAVED_ATTRIBS);
            }
            gl.link_program(id);
            if !gl.get_program_link_status(id) {
                return Err(GpuError::Link { program: source.name.into(), log: gl.get_program_info_log(id) });
            }
            for &(name, binding) in source.blocks {
                if let Some(index) = gl.get_uniform_block_index(id, name) {
                    gl.uniform_block_binding(id, index, binding);
                }
            }
            gl.use_program(Some(id));
            for &(name, unit) in source.samplers {
                if let Some(location) = gl.get_uniform_location(id, name) {
                    gl.uniform_1_i32(Some(&location), unit as i32);
                }
            }
        }
        gpu.debug_check("linking a program")?;
        Ok(program)
    }

    fn attach(&self, kind: u32, stage: &'static str, text: &str, name: &str) -> Result<(), GpuError> {
        let gl = self.gpu.functions();
        // SAFETY: the `Gpu` invariant; a deleted shader lives as long as its program.
        unsafe {
            let shader = gl.create_shader(kind).map_err(|reason| GpuError::Create { object: "shader", reason })?;
            gl.shader_source(shader, text);
            gl.compile_shader(shader);
            let result = if gl.get_shader_compile_status(shader) {
                gl.attach_shader(self.id, shader);
                Ok(())
            } else {
                Err(GpuError::Compile { program: name.into(), stage, log: gl.get_shader_info_log(shader) })
            };
            gl.delete_shader(shader);
            result
        }
    }

    pub(crate) fn bind(&self) {
        // SAFETY: the `Gpu` invariant.
        unsafe { self.gpu.functions().use_program(Some(self.id)) };
    }

    /// Returns the driver's offsets of `members` (`Block.member`) in their block; `None` for unknown members.
    pub(crate) fn offsets_in_block(&self, members: &[&str]) -> Vec<Option<usize>> {
        let gl = self.gpu.functions();
        // SAFETY: the `Gpu` invariant; the indices were returned by the driver.
        unsafe {
            let indices = gl.get_uniform_indices(self.id, members);
            indices
                .into_iter()
                .map(|index| {
                    let index = index.filter(|&index| index != glow::INVALID_INDEX)?;
                    let offset = gl.get_active_uniforms_parameter(self.id, &[index], glow::UNIFORM_OFFSET)[0];
                    usize::try_from(offset).ok()
                })
                .collect()
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the `Gpu` invariant.
        unsafe { self.gpu.functions().delete_program(self.id) };
    }
}
