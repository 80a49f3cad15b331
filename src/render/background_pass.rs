//! The surroundings seen behind a model.

use super::RenderError;
use super::uniforms::{BACKDROP_BINDING, BackgroundUniforms, FRAME_BINDING};
use super::variant::{tone_constants, unit};
use crate::gpu::{
    Blending, Buffer, Culling, DrawState, Gpu, GpuError, Program, ProgramSource, VertexArray, shader_source,
};
use crate::model::Topology;
use crate::scene::{Background, Environment, Frame, Lens, MAX_LIGHTS, ToneMapping};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

/// The pass that fills a scene with its surroundings; made when they are first to be seen.
pub(crate) struct BackgroundPass {
    programs: HashMap<ToneMapping, Program>,
    vertices: VertexArray,
    block: Buffer,
}

/// The vertical field of view of a camera that has none: parallel rays would all see the same.
const USUAL_FOV_Y: f64 = 0.6;

impl BackgroundPass {
    /// A pass that has compiled nothing yet.
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        Ok(Self { programs: HashMap::new(), vertices: VertexArray::new(gpu)?, block: Buffer::new(gpu)? })
    }

    /// Whether a frame shows its surroundings.
    pub(crate) fn is_wanted(frame: &Frame<'_>) -> bool {
        matches!(frame.background, Background::Environment { .. }) && frame.lighting.environment.is_some()
    }

    /// Makes ready to draw behind `frame`, in a picture of this shape.
    pub(crate) fn begin(&mut self, gpu: &Rc<Gpu>, frame: &Frame<'_>, aspect: f64) -> Result<(), RenderError> {
        let Background::Environment { blur } = frame.background else { return Ok(()) };
        let fov_y = match frame.camera.lens {
            Lens::Perspective { fov_y } => fov_y,
            Lens::Orthographic { .. } => USUAL_FOV_Y,
        };
        let half = libm::tan(0.5 * fov_y);
        let axes = frame.camera.world_from_view.linear;
        let axis = |i: usize, scale: f64, w: f32| -> [f32; 4] {
            let [x, y, z]: [f32; 3] = (axes.column(i) * scale).cast::<f32>().into();
            [x, y, z, w]
        };
        let block = BackgroundUniforms {
            right_in_world: axis(0, half * aspect, 0.0),
            up_in_world: axis(1, half, 0.0),
            ahead_in_world: axis(2, -1.0, blur.clamp(0.0, 1.0)),
        };
        self.block.upload_orphaning(bytemuck::bytes_of(&block))?;
        if let Entry::Vacant(place) = self.programs.entry(frame.lighting.tone_mapping) {
            place.insert(compile(gpu, frame.lighting.tone_mapping)?);
        }
        Ok(())
    }

    /// Fills the scene that is bound. The frame's parameters are bound already, and its environment.
    pub(crate) fn draw(&self, gpu: &Gpu, frame: &Frame<'_>) -> Result<(), RenderError> {
        let Some(program) = self.programs.get(&frame.lighting.tone_mapping) else { return Ok(()) };
        gpu.set_draw_state(DrawState { culling: Culling::Off, blending: Blending::Off, depth: false });
        program.bind();
        self.block.bind_uniform_range(BACKDROP_BINDING, 0, size_of::<BackgroundUniforms>());
        self.vertices.bind();
        gpu.draw_arrays(Topology::Triangles, 3, 1);
        Ok(gpu.check("drawing the surroundings")?)
    }
}

fn compile(gpu: &Rc<Gpu>, tone_mapping: ToneMapping) -> Result<Program, GpuError> {
    let mut constants =
        vec![("MAX_LIGHTS", MAX_LIGHTS.to_string()), ("ENVIRONMENT_LAYERS", format!("{}.0", Environment::LAYERS))];
    constants.extend(tone_constants(tone_mapping).map(|name| (name, String::from("1"))));
    let files = [
        include_str!("../../shaders/uniforms.glsl"),
        include_str!("../../shaders/brdf.glsl"),
        include_str!("../../shaders/environment.glsl"),
        include_str!("../../shaders/tone.glsl"),
        include_str!("../../shaders/background.frag"),
    ];
    Program::new(
        gpu,
        &ProgramSource {
            name: "the backdrop's shader",
            vertex: &shader_source(&[], &[include_str!("../../shaders/background.vert")]),
            fragment: Some(&shader_source(&constants, &files)),
            feedback: &[],
            blocks: &[("FrameBlock", FRAME_BINDING), ("BackdropBlock", BACKDROP_BINDING)],
            samplers: &[("environment_layers", unit::ENVIRONMENT)],
        },
    )
}
