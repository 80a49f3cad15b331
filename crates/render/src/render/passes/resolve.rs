//! Resolve pass: averages samples, composites over the background and encodes to sRGB.

use super::transmission_background::PixelStep;
use crate::gpu::{
    Blending, Buffer, Framebuffer, Gpu, GpuError, Program, ProgramSource, RenderTexture, ShaderSource, VertexArray,
};
use crate::render::bindings::block;
use crate::render::error::RenderError;
use crate::render::shader::tone_mapping_defines;
use crate::render::srgb::linear_rgba;
use crate::render::target::{Accumulation, Target};
use crate::render::uniforms::ResolveUniforms;
use crate::scene::{Background, ToneMapping};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::rc::Rc;

/// Resolves a target's HDR image.
pub(crate) struct ResolvePass {
    programs: HashMap<ResolveKey, Program>,
    vertices: VertexArray,
    uniforms: Buffer,
}

/// Key of a compiled resolve shader.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct ResolveKey {
    background: BackgroundKind,
    output: Output,
    samples: u32,
    /// Tone mapping of accumulated light.
    accumulated: Option<ToneMapping>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum BackgroundKind {
    Color,
    Studio,
    Transparent,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Output {
    /// sRGB-encoded colors with straight alpha.
    Encoded,
    /// Linear light; premultiplied if the background is transparent.
    Linear,
}

/// Parameters of one draw of the resolve pass.
struct ResolveParams<'a> {
    source: &'a RenderTexture,
    first_row: u32,
    /// HDR pixels per output pixel along each axis.
    step: u32,
    background: Background,
    output: Output,
    blending: Blending,
    /// Number of samples and tone mapping of accumulated light.
    accumulated: Option<(u32, ToneMapping)>,
}

impl ResolvePass {
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        Ok(Self { programs: HashMap::new(), vertices: VertexArray::new(gpu)?, uniforms: Buffer::new(gpu)? })
    }

    /// Fills `rows` of the image of `target` from its HDR image.
    pub(crate) fn draw(
        &mut self,
        gpu: &Rc<Gpu>,
        target: &Target,
        rows: &Range<u32>,
        background: Background,
    ) -> Result<(), RenderError> {
        target.image.bind_scissored(rows);
        self.draw_bound(gpu, target, ResolveParams { first_row: rows.start, ..ResolveParams::of(target, background) })
    }

    /// Adds `rows` of the HDR image of `target` to its accumulation.
    pub(crate) fn accumulate(
        &mut self,
        gpu: &Rc<Gpu>,
        target: &Target,
        accumulation: &Accumulation,
        rows: &Range<u32>,
    ) -> Result<(), RenderError> {
        accumulation.sum.bind_scissored(rows);
        let draw = ResolveParams {
            first_row: rows.start,
            output: Output::Linear,
            blending: Blending::Add,
            ..ResolveParams::of(target, Background::Transparent)
        };
        self.draw_bound(gpu, target, draw)
    }

    /// Fills the image of `target` from its accumulation.
    pub(crate) fn draw_accumulated(
        &mut self,
        gpu: &Rc<Gpu>,
        target: &Target,
        accumulation: &Accumulation,
        background: Background,
        tone_mapping: ToneMapping,
    ) -> Result<(), RenderError> {
        target.image.bind();
        let draw = ResolveParams {
            source: accumulation.sum.color(),
            accumulated: Some((accumulation.count, tone_mapping)),
            ..ResolveParams::of(target, background)
        };
        self.draw_bound(gpu, target, draw)
    }

    /// Fills the part of the transmission background `into` that shows `rows`, in linear light.
    pub(crate) fn draw_linear(
        &mut self,
        gpu: &Rc<Gpu>,
        target: &Target,
        into: &Framebuffer,
        rows: &Range<u32>,
        background: Background,
    ) -> Result<(), RenderError> {
        let step = PixelStep::of((target.width(), target.height()));
        into.bind_scissored(&step.rows(rows));
        let draw = ResolveParams {
            first_row: rows.start,
            step: step.pixels(),
            output: Output::Linear,
            ..ResolveParams::of(target, background)
        };
        self.draw_bound(gpu, target, draw)
    }

    /// Fills one pixel, so that the driver compiles the shader ahead of the first frame.
    pub(crate) fn prepare(
        &mut self,
        gpu: &Rc<Gpu>,
        target: &Target,
        background: Background,
    ) -> Result<(), RenderError> {
        target.image.bind_first_pixel();
        self.draw_bound(gpu, target, ResolveParams::of(target, background))
    }

    fn draw_bound(&mut self, gpu: &Rc<Gpu>, target: &Target, draw: ResolveParams<'_>) -> Result<(), RenderError> {
        let (background, color) = match draw.background {
            Background::Studio => (BackgroundKind::Studio, [0.0; 3]),
            Background::Transparent => (BackgroundKind::Transparent, [0.0; 3]),
            // The background pass has drawn the environment; without one the background is black.
            Background::Environment { .. } => (BackgroundKind::Color, [0.0; 3]),
            // Rounded to 8 bits here, because drivers round differently.
            Background::Color(c) => (BackgroundKind::Color, c.map(|x| (x.clamp(0.0, 1.0) * 255.0).round() / 255.0)),
        };
        let (width, height) = (target.width() as f32, target.height() as f32);
        let uniforms = ResolveUniforms {
            background: [color[0], color[1], color[2], 1.0],
            background_linear: linear_rgba(color, 1.0),
            size: [width, height, 1.0 / width, 1.0 / height],
            first_row: draw.first_row as i32,
            step: draw.step as i32,
            weight: draw.accumulated.map_or(1.0, |(count, _)| 1.0 / count.max(1) as f32),
            padding: 0,
        };
        let accumulated = draw.accumulated.map(|(_, tone_mapping)| tone_mapping);
        let samples = draw.source.samples();
        let program = self.program(gpu, ResolveKey { background, output: draw.output, samples, accumulated })?;
        program.bind()?;
        self.uniforms.upload_orphaning(bytemuck::bytes_of(&uniforms))?;
        self.uniforms.bind_uniform_range(block::FRAME, 0, size_of::<ResolveUniforms>());
        draw.source.bind(0);
        gpu.draw_full_screen_triangle(&self.vertices, draw.blending);
        Ok(gpu.debug_check("resolving the image")?)
    }

    fn program(&mut self, gpu: &Rc<Gpu>, key: ResolveKey) -> Result<&Program, GpuError> {
        match self.programs.entry(key) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => Ok(entry.insert(compile(gpu, key)?)),
        }
    }

    /// Returns a program that uses every uniform, for comparing block layouts with the driver's.
    pub(crate) fn any_program(&mut self, gpu: &Rc<Gpu>) -> Result<&Program, GpuError> {
        let accumulated = Some(ToneMapping::None);
        let output = Output::Linear;
        self.program(gpu, ResolveKey { background: BackgroundKind::Color, output, samples: 1, accumulated })
    }
}

impl<'a> ResolveParams<'a> {
    /// The whole image from the HDR image of `target`.
    fn of(target: &'a Target, background: Background) -> Self {
        Self {
            source: target.hdr.color(),
            first_row: 0,
            step: 1,
            background,
            output: Output::Encoded,
            blending: Blending::Off,
            accumulated: None,
        }
    }
}

fn compile(gpu: &Rc<Gpu>, key: ResolveKey) -> Result<Program, GpuError> {
    let mut defines = vec![("SAMPLES", key.samples.to_string())];
    match key.background {
        BackgroundKind::Color => {}
        BackgroundKind::Studio => defines.push(("STUDIO_BACKGROUND", "1".into())),
        BackgroundKind::Transparent => defines.push(("TRANSPARENT_BACKGROUND", "1".into())),
    }
    if key.output == Output::Linear {
        defines.push(("LINEAR_OUT", "1".into()));
    }
    let mut files = vec![rigview_shaders::RESOLVE_FRAG];
    if let Some(tone_mapping) = key.accumulated {
        defines.push(("ACCUMULATED", "1".into()));
        defines.extend(tone_mapping_defines(tone_mapping).map(|name| (name, "1".into())));
        files.insert(0, rigview_shaders::TONE_GLSL);
    }
    Program::new(
        gpu,
        ProgramSource {
            name: "the resolve shader",
            vertex: ShaderSource::new(&[], &[rigview_shaders::SCREEN_VERT]),
            geometry: None,
            fragment: Some(ShaderSource::new(&defines, &files)),
            feedback: &[],
            blocks: &[("ResolveUniforms", block::FRAME)],
            samplers: &[("hdr", 0)],
        },
    )
}
