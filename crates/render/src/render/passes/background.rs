//! Background pass: the environment behind the models.

use crate::gpu::{Blending, Buffer, Gpu, GpuError, Program, ProgramSource, ShaderSource, VertexArray};
use crate::render::bindings::{block, unit};
use crate::render::error::RenderError;
use crate::render::shader::tone_mapping_defines;
use crate::render::uniforms::BackgroundUniforms;
use crate::scene::{Background, Environment, Frame, Lens, Lighting, MAX_LIGHTS, ToneMapping};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

/// Fills an HDR image with the environment.
pub(crate) struct BackgroundPass {
    programs: HashMap<ProgramKey, Program>,
    vertices: VertexArray,
    uniforms: Buffer,
}

/// Options that the shader is compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct ProgramKey {
    tone_mapping: ToneMapping,
    has_cube_map: bool,
}

impl ProgramKey {
    fn of(lighting: &Lighting) -> Self {
        let has_cube_map = lighting.environment.as_ref().is_some_and(|light| light.environment.cube_map().is_some());
        Self { tone_mapping: lighting.tone_mapping, has_cube_map }
    }
}

/// Vertical field of view for orthographic cameras, whose parallel rays would all show the same point.
const ORTHOGRAPHIC_FOV_Y: f64 = 0.6;

impl BackgroundPass {
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        Ok(Self { programs: HashMap::new(), vertices: VertexArray::new(gpu)?, uniforms: Buffer::new(gpu)? })
    }

    /// Returns `true` if `frame` shows its environment.
    pub(crate) fn is_visible(frame: &Frame<'_>) -> bool {
        matches!(frame.background, Background::Environment { .. }) && frame.lighting.environment.is_some()
    }

    /// Uploads uniforms and compiles the shader for `frame`, in an image of this aspect ratio.
    pub(crate) fn begin(&mut self, gpu: &Rc<Gpu>, frame: &Frame<'_>, aspect: f64) -> Result<(), RenderError> {
        let Background::Environment { blur } = frame.background else { return Ok(()) };
        let fov_y = match frame.camera.lens {
            Lens::Perspective { fov_y } => fov_y,
            Lens::Orthographic { .. } => ORTHOGRAPHIC_FOV_Y,
        };
        let half = libm::tan(0.5 * fov_y);
        let axes = frame.camera.world_from_view.linear;
        let axis = |i: usize, scale: f64| -> [f32; 4] {
            let [x, y, z]: [f32; 3] = (axes.column(i) * scale).cast::<f32>().into();
            [x, y, z, 0.0]
        };
        let [shift_x, shift_y] = frame.camera.shift;
        let forward = -axes.column(2) - axes.column(0) * (half * aspect * shift_x) - axes.column(1) * (half * shift_y);
        let [x, y, z]: [f32; 3] = forward.cast::<f32>().into();
        let uniforms = BackgroundUniforms {
            right_in_world: axis(0, half * aspect),
            up_in_world: axis(1, half),
            forward_in_world: [x, y, z, blur.clamp(0.0, 1.0)],
        };
        self.uniforms.upload_orphaning(bytemuck::bytes_of(&uniforms))?;
        if let Entry::Vacant(entry) = self.programs.entry(ProgramKey::of(frame.lighting)) {
            let program = compile(gpu, *entry.key())?;
            entry.insert(program);
        }
        Ok(())
    }

    /// Fills the bound framebuffer. The frame's uniforms and environment are already bound.
    pub(crate) fn draw(&self, gpu: &Gpu, frame: &Frame<'_>) -> Result<(), RenderError> {
        let Some(program) = self.programs.get(&ProgramKey::of(frame.lighting)) else { return Ok(()) };
        program.bind()?;
        self.uniforms.bind_uniform_range(block::BACKGROUND, 0, size_of::<BackgroundUniforms>());
        gpu.draw_full_screen_triangle(&self.vertices, Blending::Off);
        Ok(gpu.debug_check("drawing the background")?)
    }
}

fn compile(gpu: &Rc<Gpu>, key: ProgramKey) -> Result<Program, GpuError> {
    let mut defines =
        vec![("MAX_LIGHTS", MAX_LIGHTS.to_string()), ("ENVIRONMENT_LAYERS", format!("{}.0", Environment::LAYERS))];
    let cube_map = key.has_cube_map.then_some("ENVIRONMENT_CUBE_MAP");
    defines.extend(tone_mapping_defines(key.tone_mapping).chain(cube_map).map(|name| (name, String::from("1"))));
    let files = [
        rigview_shaders::UNIFORMS_GLSL,
        rigview_shaders::BRDF_GLSL,
        rigview_shaders::ENVIRONMENT_GLSL,
        rigview_shaders::TONE_GLSL,
        rigview_shaders::BACKGROUND_FRAG,
    ];
    Program::new(
        gpu,
        ProgramSource {
            name: "the background shader",
            vertex: ShaderSource::new(&[], &[rigview_shaders::BACKGROUND_VERT]),
            geometry: None,
            fragment: Some(ShaderSource::new(&defines, &files)),
            feedback: &[],
            blocks: &[("FrameUniforms", block::FRAME), ("BackgroundUniforms", block::BACKGROUND)],
            samplers: &[
                ("environment_layers", unit::ENVIRONMENT),
                ("environment_cube_map", unit::ENVIRONMENT_CUBE_MAP),
            ],
        },
    )
}
