//! The meshes of a frame, in linear light.

use super::crowd_draw::Drawn;
use super::debug_view_shader::Paint;
use super::draw_list::{Call, CallList, fill, place_block};
use super::environment::put_surroundings;
use super::gpu_model::{GpuDraw, GpuMaterial, GpuModel};
use super::lights::put_lights;
use super::material_features::{Layer, MaterialFeatureUniforms};
use super::pages::PagePlan;
use super::palette_buffers::PaletteBuffers;
use super::sheen_albedo_lut::SheenAlbedo;
use super::uniforms::{DRAW_BINDING, DrawUniforms, FRAME_BINDING, FrameUniforms, LAYERS_BINDING};
use super::variant::{ShaderCache, TextureSlot, unit};
use super::{RenderError, Target};
use crate::gpu::{Buffer, Gpu, GpuError, Program};
use crate::palette::{Palette, PaletteLayout};
use crate::scene::{Frame, Lens};
use bytemuck::Zeroable;
use std::ops::Range;
use std::rc::Rc;

/// Draws after which a processor that draws is waited for.
const DRAWS_AT_A_TIME: usize = 2048;

/// What a frame draws, and the bytes from one call's parameters to the next.
#[derive(Default)]
pub(crate) struct Calls {
    list: CallList,
    block_stride: usize,
    layers_stride: usize,
}

impl Calls {
    /// Those that can be seen through others.
    pub(crate) fn opaque(&self) -> Range<usize> {
        0..self.list.opaque
    }

    /// Those that come after.
    pub(crate) fn after_opaque(&self) -> Range<usize> {
        self.list.opaque..self.list.calls.len()
    }

    /// Whether one needs to know what lies behind it.
    pub(crate) fn any_sees_through(&self) -> bool {
        self.list.calls.iter().any(|call| call.sees_through)
    }
}

/// The shape of the picture that a frame is drawn for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Raster {
    /// Its width over its height.
    pub(crate) aspect: f64,
    /// Samples of each pixel.
    pub(crate) samples: u32,
}

impl Raster {
    /// The shape of a target's picture.
    pub(crate) fn of(target: &Target) -> Self {
        Self { aspect: f64::from(target.width()) / f64::from(target.height()), samples: target.samples() }
    }
}

/// The pass that draws meshes; it owns the buffers of parameters.
pub(crate) struct MeshPass {
    frame_block: Buffer,
    draw_blocks: Buffer,
    /// Parameters of layers, for the calls that have some, in their order.
    layers_blocks: Buffer,
    /// Fibers.
    sheen_albedo: SheenAlbedo,
    /// Bytes of the draws' blocks, kept from frame to frame.
    scratch: Vec<u8>,
    /// The calls of an earlier frame, for their memory.
    spare: Calls,
}

impl MeshPass {
    /// A pass with empty buffers.
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        Ok(Self {
            frame_block: Buffer::new(gpu)?,
            draw_blocks: Buffer::new(gpu)?,
            layers_blocks: Buffer::new(gpu)?,
            sheen_albedo: SheenAlbedo::default(),
            scratch: Vec::new(),
            spare: Calls::default(),
        })
    }

    /// Makes ready what every band of `frame` is drawn with. The palette is uploaded already.
    pub(crate) fn begin(
        &mut self,
        gpu: &Rc<Gpu>,
        variants: &mut ShaderCache,
        (frame, crowds, raster): (&Frame<'_>, &[Drawn<'_>], Raster),
        paint: Paint,
    ) -> Result<Calls, RenderError> {
        let frame_block = frame_block(frame, raster.aspect)?;
        let mut list = std::mem::take(&mut self.spare).list;
        fill(&mut list, gpu, variants, (frame, crowds), paint, raster.samples)?;
        let block_stride = self.upload(gpu, &frame_block, list.calls.iter().map(|call| &call.block))?;
        let layers_stride = stream_blocks(gpu, &mut self.scratch, &mut self.layers_blocks, list.layers.iter())?;
        Ok(Calls { list, block_stride, layers_stride })
    }

    /// Takes calls back, for their memory.
    pub(crate) fn keep(&mut self, calls: Calls) {
        self.spare = calls;
        // Programs of a model that is gone must not live on.
        self.spare.list.calls.clear();
    }

    /// Shows the frame's parameters to the shaders.
    pub(crate) fn bind_frame(&self) {
        self.frame_block.bind_uniform_range(FRAME_BINDING, 0, size_of::<FrameUniforms>());
    }

    /// Draws a band of the frame into the scene that is bound. The pass state is set already.
    pub(crate) fn draw_band(&mut self, gpu: &Rc<Gpu>, crowds: &[Drawn<'_>], calls: &Calls) -> Result<(), RenderError> {
        self.draw_calls(gpu, crowds, (calls, 0..calls.list.calls.len()))
    }

    /// Draws some calls of the frame into the scene that is bound. The pass state is set already.
    pub(crate) fn draw_calls(
        &mut self,
        gpu: &Rc<Gpu>,
        crowds: &[Drawn<'_>],
        (Calls { list, block_stride, layers_stride }, range): (&Calls, Range<usize>),
    ) -> Result<(), RenderError> {
        self.bind_frame();
        let mut last: Option<&Call> = None;
        for (number, call) in list.calls.iter().enumerate().take(range.end).skip(range.start) {
            let Drawn { model, layout, palette, plan, pages } = crowds[call.crowd];
            let draw = &model.draws[call.draw];
            if last.is_none_or(|last| !Rc::ptr_eq(&last.program, &call.program)) {
                call.program.bind();
            }
            if last.is_none_or(|last| last.state != call.state) {
                gpu.set_draw_state(call.state);
            }
            if last.is_none_or(|last| (last.crowd, last.draw) != (call.crowd, call.draw)) {
                model.primitives[draw.primitive].bind();
                bind_textures(model, &draw.material);
            }
            bind_palette((pages, &call.program), plan, (layout, palette), draw, call.instances.start);
            self.draw_blocks.bind_uniform_range(DRAW_BINDING, number * block_stride, size_of::<DrawUniforms>());
            if let Some(layers) = call.layers {
                let first = layers * layers_stride;
                self.layers_blocks.bind_uniform_range(LAYERS_BINDING, first, size_of::<MaterialFeatureUniforms>());
                if draw.material.layers.has(Layer::Sheen) {
                    self.sheen_albedo.bind(gpu, unit::SHEEN_ALBEDO)?;
                }
            }
            model.primitives[draw.primitive].draw(gpu, call.instances.len());
            last = Some(call);
            if number % DRAWS_AT_A_TIME == DRAWS_AT_A_TIME - 1 {
                gpu.throttle_software_renderer();
            }
        }
        Ok(gpu.check("drawing meshes")?)
    }

    /// Runs the vertex shader of one draw for one instance and leaves its outputs in `outputs`.
    pub(crate) fn transform_feedback(
        &mut self,
        gpu: &Rc<Gpu>,
        program: &Program,
        (model, layout, palette): (&GpuModel, &PaletteLayout, &Palette),
        (pages, plan): (&PaletteBuffers, &PagePlan),
        (draw, instance): (&GpuDraw, usize),
        outputs: &Buffer,
    ) -> Result<(), RenderError> {
        let mut block = DrawUniforms::zeroed();
        place_block(&mut block, plan, (layout, palette), draw, instance);
        self.upload(gpu, &FrameUniforms::zeroed(), std::iter::once(&block))?;
        program.bind();
        let primitive = &model.primitives[draw.primitive];
        primitive.bind();
        bind_textures(model, &draw.material);
        bind_palette((pages, program), plan, (layout, palette), draw, instance);
        self.draw_blocks.bind_uniform_range(DRAW_BINDING, 0, size_of::<DrawUniforms>());
        gpu.transform_feedback(primitive.drawn_count, outputs);
        Ok(gpu.check("reading vertices back")?)
    }

    /// Uploads parameters and binds those of the frame; returns the bytes from a draw's block to the next.
    fn upload<'a>(
        &mut self,
        gpu: &Gpu,
        frame: &FrameUniforms,
        draws: impl Iterator<Item = &'a DrawUniforms>,
    ) -> Result<usize, RenderError> {
        let stride = stream_blocks(gpu, &mut self.scratch, &mut self.draw_blocks, draws)?;
        self.frame_block.upload_orphaning(bytemuck::bytes_of(frame))?;
        self.frame_block.bind_uniform_range(FRAME_BINDING, 0, size_of::<FrameUniforms>());
        Ok(stride)
    }
}

/// Uploads blocks one after another; returns the bytes from one to the next.
fn stream_blocks<'a, T: bytemuck::Pod>(
    gpu: &Gpu,
    scratch: &mut Vec<u8>,
    buffer: &mut Buffer,
    blocks: impl Iterator<Item = &'a T>,
) -> Result<usize, GpuError> {
    let stride = size_of::<T>().next_multiple_of(gpu.limits().uniform_alignment);
    scratch.clear();
    for block in blocks {
        scratch.extend_from_slice(bytemuck::bytes_of(block));
        scratch.resize(scratch.len().next_multiple_of(stride), 0);
    }
    if !scratch.is_empty() {
        buffer.upload_orphaning(scratch)?;
    }
    Ok(stride)
}

fn bind_textures(model: &GpuModel, material: &GpuMaterial) {
    for (role, texture) in TextureSlot::ALL.iter().zip(&material.textures) {
        if let Some(texture) = texture {
            model.pictures[texture.picture].bind(role.unit(), &model.samplers[texture.sampler]);
        }
    }
    if let Some(morphs) = &model.morphs {
        morphs.bind(unit::MORPH_DELTAS);
    }
}

/// Shows the pages that hold the matrices and weights of `draw` for `instance`.
fn bind_palette(
    (pages, program): (&PaletteBuffers, &Program),
    plan: &PagePlan,
    (layout, palette): (&PaletteLayout, &Palette),
    draw: &GpuDraw,
    instance: usize,
) {
    let (matrices, weights) = plan.places(layout, palette.format(), &draw.draw);
    pages.bind(program, plan.page(instance, matrices.part), plan.page(instance, weights.part));
}

/// Camera and lights.
fn frame_block(frame: &Frame<'_>, aspect: f64) -> Result<FrameUniforms, RenderError> {
    let mut block = FrameUniforms::zeroed();
    let projection_from_world = frame.camera.projection_from_world(aspect);
    block.projection_from_world = projection_from_world.cast::<f32>().into();
    let (eye, w) = match frame.camera.lens {
        Lens::Perspective { .. } => (frame.camera.eye_in_world(), 1.0),
        Lens::Orthographic { .. } => (frame.camera.world_from_view.linear.column(2).into_owned(), 0.0),
    };
    block.eye_in_world = eye.push(w).cast::<f32>().into();
    if let Some(surroundings) = &frame.lighting.environment {
        put_surroundings(&mut block, surroundings);
    }
    block.sun = frame.lighting.sun().map_or(-1, |number| number as i32);
    block.exposure = libm::exp2(frame.lighting.exposure_ev) as f32;
    put_lights(&mut block, &frame.lighting.lights)?;
    Ok(block)
}
