//! Linear light to the finished picture.

use super::transmission_background::Step;
use super::uniforms::{EncodeUniforms, FRAME_BINDING};
use super::{RenderError, Target, textures};
use crate::gpu::{
    Blending, Buffer, Culling, DrawState, Framebuffer, Gpu, GpuError, Program, ProgramSource, VertexArray,
    shader_source,
};
use crate::model::Topology;
use crate::scene::Background;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// The pass over all pixels that averages samples, puts the background behind and encodes.
pub(crate) struct EncodePass {
    programs: HashMap<(Backdrop, Output, u32), Program>,
    vertices: VertexArray,
    block: Buffer,
}

/// What kind of background a program is compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Backdrop {
    Color,
    Studio,
    Transparent,
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Output {
    /// Encoded colors.
    Picture,
    /// Linear ones, premultiplied where the background is transparent.
    Linear,
}

impl EncodePass {
    /// A pass without a program so far.
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        Ok(Self { programs: HashMap::new(), vertices: VertexArray::new(gpu)?, block: Buffer::new(gpu)? })
    }

    /// Fills `rows` of the picture of `target` from its scene. The pass state is set already.
    pub(crate) fn draw(
        &mut self,
        gpu: &Rc<Gpu>,
        target: &Target,
        rows: &Range<u32>,
        background: Background,
    ) -> Result<(), RenderError> {
        target.picture.bind_rows(rows);
        self.draw_bound(gpu, target, (rows.start, 1), (background, Output::Picture))
    }

    /// Fills what shows `rows` in the picture of what lies behind, in linear light.
    pub(crate) fn draw_linear(
        &mut self,
        gpu: &Rc<Gpu>,
        (target, behind): (&Target, &Framebuffer),
        rows: &Range<u32>,
        background: Background,
    ) -> Result<(), RenderError> {
        let step = Step::of((target.width(), target.height()));
        behind.bind_rows(&step.rows(rows));
        self.draw_bound(gpu, target, (rows.start, step.pixels()), (background, Output::Linear))
    }

    /// Fills one pixel, which makes the driver do all that it does once.
    pub(crate) fn prepare(
        &mut self,
        gpu: &Rc<Gpu>,
        target: &Target,
        background: Background,
    ) -> Result<(), RenderError> {
        target.picture.bind_first_pixel();
        self.draw_bound(gpu, target, (0, 1), (background, Output::Picture))
    }

    fn draw_bound(
        &mut self,
        gpu: &Rc<Gpu>,
        target: &Target,
        (first_row, step): (u32, u32),
        (background, output): (Background, Output),
    ) -> Result<(), RenderError> {
        let (backdrop, color) = match background {
            Background::Studio => (Backdrop::Studio, [0.0; 3]),
            Background::Transparent => (Backdrop::Transparent, [0.0; 3]),
            // They are in the scene already; without any it is dark.
            Background::Environment { .. } => (Backdrop::Color, [0.0; 3]),
            // Rounded here, since drivers differ in how they round halves.
            Background::Color(c) => (Backdrop::Color, c.map(|x| (x.clamp(0.0, 1.0) * 255.0).round() / 255.0)),
        };
        let (width, height) = (target.width() as f32, target.height() as f32);
        let decode = |x: f32| textures::decode_srgb(f64::from(x)) as f32;
        let block = EncodeUniforms {
            background: [color[0], color[1], color[2], 1.0],
            background_linear: [decode(color[0]), decode(color[1]), decode(color[2]), 1.0],
            size: [width, height, 1.0 / width, 1.0 / height],
            first_row: first_row as i32,
            step: step as i32,
            padding: [0; 2],
        };
        let program = self.program(gpu, (backdrop, output), target.samples())?;
        program.bind();
        self.block.upload_orphaning(bytemuck::bytes_of(&block))?;
        self.block.bind_uniform_range(FRAME_BINDING, 0, size_of::<EncodeUniforms>());
        target.scene.color().bind(0);
        gpu.set_draw_state(DrawState { culling: Culling::Off, blending: Blending::Off, depth: false });
        self.vertices.bind();
        gpu.draw_arrays(Topology::Triangles, 3, 1);
        Ok(gpu.check("encoding the picture")?)
    }

    /// The program for one background, compiled when it is first asked for.
    fn program(
        &mut self,
        gpu: &Rc<Gpu>,
        (backdrop, output): (Backdrop, Output),
        samples: u32,
    ) -> Result<&Program, GpuError> {
        use std::collections::hash_map::Entry;
        match self.programs.entry((backdrop, output, samples)) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => Ok(entry.insert(compile(gpu, (backdrop, output), samples)?)),
        }
    }

    /// A program, to be asked about its block.
    pub(crate) fn any_program(&mut self, gpu: &Rc<Gpu>) -> Result<&Program, GpuError> {
        self.program(gpu, (Backdrop::Color, Output::Linear), 1)
    }
}

fn compile(gpu: &Rc<Gpu>, (backdrop, output): (Backdrop, Output), samples: u32) -> Result<Program, GpuError> {
    let mut constants = vec![("SAMPLES", samples.to_string())];
    match backdrop {
        Backdrop::Color => {}
        Backdrop::Studio => constants.push(("STUDIO_BACKGROUND", "1".into())),
        Backdrop::Transparent => constants.push(("TRANSPARENT_BACKGROUND", "1".into())),
    }
    if output == Output::Linear {
        constants.push(("LINEAR_OUT", "1".into()));
    }
    Program::new(
        gpu,
        &ProgramSource {
            name: "the encoding shader",
            vertex: &shader_source(&[], &[include_str!("../../shaders/screen.vert")]),
            fragment: Some(&shader_source(&constants, &[include_str!("../../shaders/resolve.frag")])),
            feedback: &[],
            blocks: &[("EncodeBlock", FRAME_BINDING)],
            samplers: &[("scene", 0)],
        },
    )
}
