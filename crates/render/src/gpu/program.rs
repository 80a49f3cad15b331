//! Shader programs.

use super::object::Object;
use super::{Gpu, GpuError, ProgramUse, ShaderSource};
use crate::disk_cache::stable_hash;
use glow::HasContext;
use std::cell::Cell;
use std::rc::Rc;

/// A program with its block bindings and texture units.
///
/// [`new`](Self::new) submits the compilation, and the first use waits for it: drivers compile several programs at a time
/// (KHR_parallel_shader_compile).
pub(crate) struct Program {
    object: Object<glow::Program>,
    /// What the first use needs.
    submitted: Cell<Option<Submitted>>,
}

/// Shaders and interface of a program.
pub(crate) struct ProgramSource<'a> {
    /// Name in messages.
    pub(crate) name: &'static str,
    pub(crate) vertex: ShaderSource,
    pub(crate) geometry: Option<ShaderSource>,
    /// `None` for a program that is only used for transform feedback.
    pub(crate) fragment: Option<ShaderSource>,
    /// Vertex shader outputs for transform feedback, interleaved.
    pub(crate) feedback: &'a [&'static str],
    /// Uniform blocks and binding points. Unused blocks are ignored.
    pub(crate) blocks: &'a [(&'static str, u32)],
    /// Samplers and texture units. Unused samplers are ignored.
    pub(crate) samplers: &'a [(&'static str, u32)],
}

/// A program whose link status is not read yet.
struct Submitted {
    name: &'static str,
    shaders: Vec<Shader>,
    blocks: Vec<(&'static str, u32)>,
    samplers: Vec<(&'static str, u32)>,
    /// Key of the binary to cache.
    key: u128,
}

struct Shader {
    /// `None` if the program is loaded from its binary.
    id: Option<glow::Shader>,
    kind: u32,
    source: ShaderSource,
}

impl Shader {
    fn stage(&self) -> &'static str {
        match self.kind {
            glow::VERTEX_SHADER => "vertex",
            glow::GEOMETRY_SHADER => "geometry",
            _ => "fragment",
        }
    }
}

impl Program {
    /// Loads the binary of the program from the cache, or submits its compilation.
    ///
    /// # Errors
    /// When the driver cannot create objects. Errors in shaders are those of the first [`bind`](Self::bind).
    pub(crate) fn new(gpu: &Rc<Gpu>, source: ProgramSource<'_>) -> Result<Self, GpuError> {
        let (create, delete) = (glow::Context::create_program, glow::Context::delete_program);
        let program = Self { object: Object::new(gpu, "shader program", create, delete)?, submitted: Cell::default() };
        let (gl, id) = (gpu.functions(), program.object.id);
        let stages = [
            (glow::VERTEX_SHADER, Some(source.vertex)),
            (glow::GEOMETRY_SHADER, source.geometry),
            (glow::FRAGMENT_SHADER, source.fragment),
        ];
        let shaders = stages.into_iter().filter_map(|(kind, source)| Some(Shader { id: None, kind, source: source? }));
        let mut submitted = Submitted {
            name: source.name,
            shaders: shaders.collect(),
            blocks: source.blocks.to_vec(),
            samplers: source.samplers.to_vec(),
            key: 0,
        };
        if let Some(folder) = &gpu.shader_dump {
            submitted.dump(folder);
        }
        // SAFETY: the `Gpu` invariant.
        unsafe {
            if !source.feedback.is_empty() {
                gl.transform_feedback_varyings(id, source.feedback, glow::INTERLEAVED_ATTRIBS);
            }
        }
        let is_cached = gpu.program_cache.get().is_some_and(|cache| {
            let texts = submitted.shaders.iter().map(|shader| (shader.kind, &shader.source.text));
            submitted.key = stable_hash(&(&gpu.renderer, &gpu.version, source.feedback, texts.collect::<Vec<_>>()));
            cache.get(submitted.key).is_some_and(|entry| program.load_binary(&entry))
        });
        if !is_cached {
            for shader in &mut submitted.shaders {
                program.compile(shader)?;
            }
            // SAFETY: the `Gpu` invariant.
            unsafe {
                if gpu.program_cache.get().is_some() {
                    gl.program_binary_retrievable_hint(id, true);
                }
                gl.link_program(id);
            }
        }
        program.submitted.set(Some(submitted));
        gpu.debug_check("submitting a program")?;
        Ok(program)
    }

    fn compile(&self, shader: &mut Shader) -> Result<(), GpuError> {
        let gl = self.object.gpu.functions();
        // SAFETY: the `Gpu` invariant; a deleted shader lives as long as its program.
        unsafe {
            let id = gl.create_shader(shader.kind).map_err(|reason| {
                self.object.gpu.failure("creating an object", GpuError::Create { object: "shader", reason })
            })?;
            gl.shader_source(id, &shader.source.text);
            gl.compile_shader(id);
            gl.attach_shader(self.object.id, id);
            gl.delete_shader(id);
            shader.id = Some(id);
        }
        Ok(())
    }

    /// Loads a cache entry: a format and a binary. Returns `false` if the driver refuses it, for example after an update.
    fn load_binary(&self, entry: &[u8]) -> bool {
        let Some((format, binary)) = entry.split_first_chunk::<4>() else { return false };
        let binary = glow::ProgramBinary { buffer: binary.to_vec(), format: u32::from_le_bytes(*format) };
        let gl = self.object.gpu.functions();
        // SAFETY: the `Gpu` invariant; the driver checks the binary.
        unsafe {
            gl.program_binary(self.object.id, &binary);
            // An unknown format is an error, too.
            let error = gl.get_error();
            error == glow::NO_ERROR && gl.get_program_link_status(self.object.id)
        }
    }

    /// Makes the program current. The first time, waits for its compilation, or fails if [`Gpu`] does not wait.
    ///
    /// # Errors
    /// With the driver's log if a shader does not compile, or the shaders do not link.
    pub(crate) fn bind(&self) -> Result<(), GpuError> {
        let is_ready = match self.object.gpu.program_use.get() {
            ProgramUse::Waits => self.object.gpu.continues_step(),
            ProgramUse::FailsWhileCompiling => self.is_complete(),
            ProgramUse::FailsIfNew => self.is_used(),
        };
        if !is_ready {
            return Err(GpuError::Compiling);
        }
        self.finish()?;
        // SAFETY: the `Gpu` invariant.
        unsafe { self.object.gpu.functions().use_program(Some(self.object.id)) };
        Ok(())
    }

    fn is_used(&self) -> bool {
        let submitted = self.submitted.take();
        let is_used = submitted.is_none();
        self.submitted.set(submitted);
        is_used
    }

    /// Returns `true` if the compilation is complete, or the driver does not report it.
    fn is_complete(&self) -> bool {
        let is_used = self.is_used();
        #[cfg(test)]
        if let (false, Some(left)) = (is_used, self.object.gpu.incomplete_queries.get().checked_sub(1)) {
            self.object.gpu.incomplete_queries.set(left);
            return false;
        }
        // SAFETY: the `Gpu` invariant; the driver has the query.
        is_used
            || !self.object.gpu.has_completion_status
            || unsafe { self.object.gpu.functions().get_program_completion_status(self.object.id) }
    }

    /// Waits for the compilation, and assigns blocks and samplers.
    fn finish(&self) -> Result<(), GpuError> {
        let Some(submitted) = self.submitted.take() else { return Ok(()) };
        let gl = self.object.gpu.functions();
        // SAFETY: the `Gpu` invariant; the shaders are attached to the program, and names are only looked up here.
        unsafe {
            if !gl.get_program_link_status(self.object.id) {
                let program = submitted.name.into();
                let is_wrong = |shader: &&Shader| shader.id.is_some_and(|id| !gl.get_shader_compile_status(id));
                let error = match submitted.shaders.iter().find(is_wrong) {
                    Some(shader) => {
                        let log = shader.id.map(|id| gl.get_shader_info_log(id)).unwrap_or_default();
                        GpuError::Compile { program, stage: shader.stage(), log: shader.source.explain(&log) }
                    }
                    None => GpuError::Link { program, log: gl.get_program_info_log(self.object.id) },
                };
                // The next use fails, too.
                self.submitted.set(Some(submitted));
                return Err(self.object.gpu.failure("compiling a program", error));
            }
            for &(name, binding) in &submitted.blocks {
                if let Some(index) = gl.get_uniform_block_index(self.object.id, name) {
                    gl.uniform_block_binding(self.object.id, index, binding);
                }
            }
            gl.use_program(Some(self.object.id));
            for &(name, unit) in &submitted.samplers {
                if let Some(location) = gl.get_uniform_location(self.object.id, name) {
                    gl.uniform_1_i32(Some(&location), unit as i32);
                }
            }
            let is_compiled = submitted.shaders.iter().any(|shader| shader.id.is_some());
            if let (true, Some(cache)) = (is_compiled, self.object.gpu.program_cache.get())
                && let Some(binary) = gl.get_program_binary(self.object.id)
            {
                cache.put(submitted.key, &[&binary.format.to_le_bytes(), &binary.buffer[..]].concat());
            }
        }
        self.object.gpu.debug_check("linking a program")
    }

    /// Returns the driver's offsets of `members` (`Block.member`) in their block; `None` for unknown members.
    ///
    /// # Errors
    /// As [`bind`](Self::bind).
    pub(crate) fn offsets_in_block(&self, members: &[&str]) -> Result<Vec<Option<usize>>, GpuError> {
        self.finish()?;
        let gl = self.object.gpu.functions();
        // SAFETY: the `Gpu` invariant; the indices were returned by the driver.
        unsafe {
            let indices = gl.get_uniform_indices(self.object.id, members).into_iter();
            let offset = |index: Option<u32>| {
                let index = index.filter(|&index| index != glow::INVALID_INDEX)?;
                let offset = gl.get_active_uniforms_parameter(self.object.id, &[index], glow::UNIFORM_OFFSET)[0];
                usize::try_from(offset).ok()
            };
            Ok(indices.map(offset).collect())
        }
    }
}

impl Submitted {
    /// Writes the shaders into `folder`, for other compilers. Ignores errors.
    fn dump(&self, folder: &std::path::Path) {
        let texts: Vec<&str> = self.shaders.iter().map(|shader| shader.source.text.as_str()).collect();
        let stem =
            format!("{}-{:016x}", self.name.trim_start_matches("the ").replace(' ', "-"), stable_hash(&texts) as u64);
        for (shader, text) in self.shaders.iter().zip(texts) {
            let _ = std::fs::write(folder.join(format!("{stem}.{}", &shader.stage()[..4])), text);
        }
    }
}
