//! Mesh pass: draws the meshes of a frame in linear light.

use super::draw_list::{DrawCall, DrawList, DrawListInput, IndexRange, InstanceRange, set_palette_offsets};
use super::frame_uniforms::frame_uniforms;
use super::pass_input::{GpuCrowd, PassInput, Viewport};
use super::shadow_map;
use crate::gpu::{Buffer, Gpu, GpuError, Program};
use crate::render::bindings::{block, unit};
use crate::render::error::RenderError;
use crate::render::gpu_model::{GpuDraw, GpuMaterial, GpuModel};
use crate::render::palette::{PageIndices, PageLayout, PaletteBuffers};
use crate::render::shader::{DrawMode, ShaderCache};
use crate::render::sheen_albedo_lut::SheenAlbedoLut;
use crate::render::texture_slot::texture_unit;
use rigview_core::model::TextureSlot;
use rigview_core::palette::{Palette, PaletteLayout};

use crate::render::uniforms::{DrawUniforms, FrameUniforms};
use crate::scene::{Background, Camera, DebugView, Frame, Lens, Lighting, SampledLight};
use bytemuck::Zeroable;
use std::ops::Range;
use std::rc::Rc;

/// Draw calls between two calls of [`Gpu::throttle_software_renderer`].
const CALLS_PER_THROTTLE: usize = 2048;

/// Vertices, by index, between two such calls. llvmpipe queues about 90 bytes for each.
const VERTICES_PER_THROTTLE: usize = 1 << 19;

/// Prepared draw calls of a frame.
#[derive(Default)]
pub(crate) struct MeshCalls {
    list: DrawList,
    /// Bytes from one call's uniforms to the next.
    draw_stride: usize,
}

impl MeshCalls {
    pub(crate) fn all(&self) -> Range<usize> {
        0..self.list.calls.len()
    }

    pub(crate) fn opaque(&self) -> Range<usize> {
        0..self.list.opaque
    }

    pub(crate) fn after_opaque(&self) -> Range<usize> {
        self.list.opaque..self.list.calls.len()
    }

    /// Number of vertices of all draw calls.
    pub(crate) fn vertices(&self) -> u64 {
        self.list.vertices
    }

    pub(crate) fn any_transmissive(&self) -> bool {
        self.list.calls.iter().any(|call| call.transmissive)
    }
}

/// Draws meshes and owns their uniform buffers.
pub(crate) struct MeshPass {
    frame_uniforms: Buffer,
    draw_uniforms: Buffer,
    instance_lists: Buffer,
    sheen_albedo_lut: SheenAlbedoLut,
    /// Staging memory of uniforms, reused from frame to frame.
    scratch: Vec<u8>,
    /// Draws of an earlier frame, kept for their memory.
    recycled: MeshCalls,
}

/// Parameters of a shadow map. The mode selects the surfaces.
#[derive(Clone, Copy)]
pub(crate) struct ShadowMapParams<'a> {
    pub(crate) camera: Camera,
    /// Width and height in texels.
    pub(crate) side: u32,
    pub(crate) mode: DrawMode,
    /// The sampled light of the one-bounce radiance; `None` if surfaces reflect no light.
    pub(crate) reflected_light: Option<&'a SampledLight>,
}

/// A draw of the instance with one block of the palette, or of those from one block to the end of its page.
#[derive(Clone, Copy)]
pub(crate) struct InstanceParams<'a> {
    pub(crate) model: &'a GpuModel,
    pub(crate) layout: &'a PaletteLayout,
    pub(crate) palette: &'a Palette,
    pub(crate) pages: &'a PaletteBuffers,
    pub(crate) page_layout: &'a PageLayout,
    pub(crate) draw: &'a GpuDraw,
    pub(crate) block: usize,
}

impl MeshPass {
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        Ok(Self {
            frame_uniforms: Buffer::new(gpu)?,
            draw_uniforms: Buffer::new(gpu)?,
            instance_lists: Buffer::new(gpu)?,
            sheen_albedo_lut: SheenAlbedoLut::default(),
            scratch: Vec::new(),
            recycled: MeshCalls::default(),
        })
    }

    /// Builds the draw calls of a frame and uploads their uniforms. The palette is already uploaded.
    pub(crate) fn begin(
        &mut self,
        gpu: &Rc<Gpu>,
        shaders: &mut ShaderCache,
        input: &PassInput<'_>,
        mode: DrawMode,
    ) -> Result<MeshCalls, RenderError> {
        let frame = frame_uniforms(input)?;
        let mut list = std::mem::take(&mut self.recycled).list;
        list.build(DrawListInput { gpu, shaders, input, mode })?;
        if !list.instances.is_empty() {
            self.instance_lists.upload_orphaning(bytemuck::cast_slice(&list.instances))?;
        }
        let draw_stride = self.upload(gpu, &frame, list.calls.iter().map(|call| &call.uniforms))?;
        Ok(MeshCalls { list, draw_stride })
    }

    /// Builds the draw calls of a shadow map, like [`begin`](Self::begin).
    pub(crate) fn begin_shadow_map(
        &mut self,
        gpu: &Rc<Gpu>,
        shaders: &mut ShaderCache,
        input: &PassInput<'_>,
        map: ShadowMapParams<'_>,
    ) -> Result<MeshCalls, RenderError> {
        let ShadowMapParams { camera, side, mode, reflected_light } = map;
        let mut lighting = Lighting::default();
        if reflected_light.is_some() {
            lighting.lights.clone_from(&input.frame.lighting.lights);
        }
        let DebugView { hidden_draws, skinning, .. } = input.frame.debug_view;
        let from_light = Frame {
            camera,
            lighting: &lighting,
            background: Background::Transparent,
            debug_view: DebugView { hidden_draws, skinning, ..DebugView::default() },
            ..*input.frame
        };
        let viewport = Viewport { width: side, height: side, samples: 1 };
        // Shadows are not sharper than one texel.
        let nearest = if let Lens::Perspective { .. } = camera.lens { camera.near } else { 1.0 };
        let permitted_error = (nearest * shadow_map::texel_width(&camera, side)) as f32;
        let input = PassInput {
            permitted_error,
            sampled_light: reflected_light,
            ..PassInput::new(&from_light, input.crowds, viewport)
        };
        self.begin(gpu, shaders, &input, mode)
    }

    /// Takes draws back to reuse their memory.
    pub(crate) fn recycle(&mut self, draws: MeshCalls) {
        self.recycled = draws;
        // Calls keep programs alive.
        self.recycled.list.calls.clear();
    }

    pub(crate) fn bind_frame_uniforms(&self) {
        self.frame_uniforms.bind_uniform_range(block::FRAME, 0, size_of::<FrameUniforms>());
    }

    /// Issues a range of `draws` into the bound framebuffer. [`Gpu::begin_pass`] has set the state.
    pub(crate) fn draw(
        &mut self,
        gpu: &Rc<Gpu>,
        crowds: &[GpuCrowd<'_>],
        draws: &MeshCalls,
        range: Range<usize>,
    ) -> Result<(), RenderError> {
        self.bind_frame_uniforms();
        let mut last: Option<&DrawCall> = None;
        let mut bound_pages = None;
        let mut queued_vertices = 0;
        for (index, call) in draws.list.calls.iter().enumerate().take(range.end).skip(range.start) {
            let GpuCrowd { model, layout, palette, page_layout, pages, .. } = crowds[call.crowd];
            let draw = &model.draws[call.draw];
            if last.is_none_or(|last| !Rc::ptr_eq(&last.program, &call.program)) {
                call.program.bind()?;
            }
            if last.is_none_or(|last| last.state != call.state) {
                gpu.set_draw_state(call.state);
            }
            let primitive = &model.primitives[draw.primitive];
            if last.is_none_or(|last| (last.crowd, last.draw) != (call.crowd, call.draw)) {
                primitive.bind();
            }
            let last_draw = last.filter(|last| last.crowd == call.crowd).map(|last| &model.draws[last.draw]);
            match last_draw {
                None => {
                    model.materials.update(palette)?;
                    model.materials.bind(draw.material.slot);
                    bind_textures(model, &draw.material);
                }
                Some(last) => {
                    if last.material.slot != draw.material.slot {
                        model.materials.bind(draw.material.slot);
                    }
                    if last.material.textures != draw.material.textures {
                        bind_textures(model, &draw.material);
                    }
                }
            }
            if let Some(first) = call.instances.first_instance_entry {
                primitive.bind_instance_attribute(&self.instance_lists, first);
            }
            let block = call.instances.first_block;
            let drawn_pages =
                palette_pages(&InstanceParams { model, layout, palette, pages, page_layout, draw, block });
            if bound_pages.replace((call.crowd, drawn_pages)) != Some((call.crowd, drawn_pages)) {
                pages.bind(drawn_pages);
            }
            self.draw_uniforms.bind_uniform_range(block::DRAW, index * draws.draw_stride, size_of::<DrawUniforms>());
            if call.has_sheen {
                self.sheen_albedo_lut.bind(gpu, unit::SHEEN_ALBEDO_LUT)?;
            }
            let InstanceRange { level, count, indices, .. } = call.instances;
            match indices {
                Some(IndexRange { first, count: indices }) => primitive.draw_part(gpu, first..first + indices, count),
                None => primitive.draw_level(gpu, level, count),
            }
            last = Some(call);
            queued_vertices += indices.map_or(primitive.element_count(), |indices| indices.count) * count;
            if index % CALLS_PER_THROTTLE == CALLS_PER_THROTTLE - 1 || queued_vertices > VERTICES_PER_THROTTLE {
                gpu.throttle_software_renderer();
                queued_vertices = 0;
            }
        }
        Ok(gpu.debug_check("drawing meshes")?)
    }

    /// Runs the vertex shader of one draw for one instance and writes its outputs to `outputs`.
    pub(crate) fn transform_feedback(
        &mut self,
        gpu: &Rc<Gpu>,
        program: &Program,
        source: &InstanceParams<'_>,
        outputs: &Buffer,
    ) -> Result<(), RenderError> {
        let &InstanceParams { model, layout, palette, page_layout, draw, block, .. } = source;
        let mut uniforms = DrawUniforms::zeroed();
        set_palette_offsets(&mut uniforms, page_layout, layout, palette, draw, block);
        self.upload(gpu, &FrameUniforms::zeroed(), std::iter::once(&uniforms))?;
        program.bind()?;
        let primitive = &model.primitives[draw.primitive];
        primitive.bind();
        bind_textures(model, &draw.material);
        source.pages.bind(palette_pages(source));
        self.draw_uniforms.bind_uniform_range(block::DRAW, 0, size_of::<DrawUniforms>());
        gpu.transform_feedback(primitive.gpu_vertex_count, outputs);
        Ok(gpu.debug_check("reading vertices back")?)
    }

    /// Uploads uniforms and binds those of the frame. Returns the bytes from one draw's uniforms to the next.
    fn upload<'a>(
        &mut self,
        gpu: &Gpu,
        frame: &FrameUniforms,
        draws: impl Iterator<Item = &'a DrawUniforms>,
    ) -> Result<usize, RenderError> {
        let stride = upload_blocks(gpu, &mut self.scratch, &mut self.draw_uniforms, draws)?;
        self.frame_uniforms.upload_orphaning(bytemuck::bytes_of(frame))?;
        self.bind_frame_uniforms();
        Ok(stride)
    }
}

/// Uploads uniform blocks one after another. Returns the bytes from one to the next.
fn upload_blocks<'a, T: bytemuck::Pod>(
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
    for (slot, texture) in TextureSlot::ALL.iter().zip(&material.textures) {
        if let Some(texture) = texture {
            model.textures[texture.texture].bind(texture_unit(*slot), &model.samplers[texture.sampler]);
        }
    }
    if let Some(morphs) = &model.morphs {
        morphs.bind(unit::MORPH_DELTAS);
    }
}

/// Returns the pages that hold the matrices and weights of a draw for one block.
fn palette_pages(source: &InstanceParams<'_>) -> PageIndices {
    let &InstanceParams { layout, palette, page_layout, draw, block, .. } = source;
    let (matrices, weights) = page_layout.locate(layout, palette.format(), &draw.palette_draw());
    PageIndices { matrices: page_layout.page(block, matrices.part), weights: page_layout.page(block, weights.part) }
}
