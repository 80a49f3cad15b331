//! The meshes of a frame, in linear light.

use super::blocks::{DRAW_BINDING, DrawBlock, FRAME_BINDING, FrameBlock, MAX_LIGHTS};
use super::pages::PagePlan;
use super::palette_buffers::PaletteBuffers;
use super::studio::light_studio;
use super::upload::{GpuDraw, GpuMaterial, GpuModel};
use super::variant::{Alpha, Facing, Shading, Variant, Variants, unit};
use super::{RenderError, Target};
use crate::gpu::{Blending, Buffer, Culling, DrawState, Gpu, GpuError, Program};
use crate::model::AlphaMode;
use crate::palette::{Mirroring, Palette, PaletteLayout};
use crate::scene::{Frame, Lens, Lighting};
use bytemuck::Zeroable;
use nalgebra::{Vector3, Vector4};
use std::ops::Range;
use std::rc::Rc;

/// Instances of transparent draws that are sorted one by one; larger crowds are sorted draw by draw.
const MOST_SORTED: usize = 4096;

/// The pass that draws meshes; it owns the buffers of parameters.
pub(crate) struct MeshPass {
    frame_block: Buffer,
    draw_blocks: Buffer,
    /// Bytes of the draws' blocks, kept from frame to frame.
    scratch: Vec<u8>,
}

/// One draw call.
struct Call {
    /// Which draw.
    draw: usize,
    /// Which instances; all in one page.
    instances: Range<usize>,
    /// How.
    state: DrawState,
    program: Rc<Program>,
    block: DrawBlock,
}

/// What decides between front and back, for one pass over a draw.
#[derive(Clone, Copy)]
struct Sides {
    culling: Culling,
    facing: Facing,
    /// As in [`DrawBlock::side`].
    side: f32,
}

impl MeshPass {
    /// A pass with empty buffers.
    pub(crate) fn new(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        Ok(Self { frame_block: Buffer::new(gpu)?, draw_blocks: Buffer::new(gpu)?, scratch: Vec::new() })
    }

    /// Clears the scene of `target` and draws `frame` into it. The pass state is set and the palette uploaded already.
    pub(crate) fn draw(
        &mut self,
        gpu: &Rc<Gpu>,
        variants: &mut Variants,
        (model, frame, target): (&GpuModel, &Frame<'_>, &Target),
        (pages, plan): (&PaletteBuffers, &PagePlan),
    ) -> Result<(), RenderError> {
        let frame_block = frame_block(frame, f64::from(target.width()) / f64::from(target.height()))?;
        let calls = calls(gpu, variants, model, frame, plan)?;
        let blocks: Vec<&DrawBlock> = calls.iter().map(|call| &call.block).collect();
        let block_stride = self.upload(gpu, &frame_block, &blocks)?;

        target.scene.bind();
        target.scene.clear();
        let mut last: Option<&Call> = None;
        for (number, call) in calls.iter().enumerate() {
            let draw = &model.draws[call.draw];
            if last.is_none_or(|last| !Rc::ptr_eq(&last.program, &call.program)) {
                call.program.bind();
            }
            if last.is_none_or(|last| last.state != call.state) {
                gpu.set_draw_state(call.state);
            }
            if last.is_none_or(|last| last.draw != call.draw) {
                model.primitives[draw.primitive].bind();
                bind_textures(model, &draw.material);
            }
            bind_palette(pages, plan, (frame.layout, frame.palette), draw, call.instances.start);
            self.draw_blocks.bind_uniform_range(DRAW_BINDING, number * block_stride, size_of::<DrawBlock>());
            model.primitives[draw.primitive].draw(gpu, call.instances.len());
            last = Some(call);
        }
        Ok(gpu.check("drawing meshes")?)
    }

    /// Runs the vertex shader of one draw for one instance and leaves its outputs in `outputs`.
    pub(crate) fn feed_back(
        &mut self,
        gpu: &Rc<Gpu>,
        program: &Program,
        (model, layout, palette): (&GpuModel, &PaletteLayout, &Palette),
        (pages, plan): (&PaletteBuffers, &PagePlan),
        (draw, instance): (&GpuDraw, usize),
        outputs: &Buffer,
    ) -> Result<(), RenderError> {
        let mut block = DrawBlock::zeroed();
        place_block(&mut block, plan, (layout, palette), draw, instance);
        self.upload(gpu, &FrameBlock::zeroed(), &[&block])?;
        program.bind();
        let primitive = &model.primitives[draw.primitive];
        primitive.bind();
        bind_textures(model, &draw.material);
        bind_palette(pages, plan, (layout, palette), draw, instance);
        self.draw_blocks.bind_uniform_range(DRAW_BINDING, 0, size_of::<DrawBlock>());
        gpu.feed_back(primitive.vertex_count, outputs);
        Ok(gpu.check("reading vertices back")?)
    }

    /// Uploads parameters and binds those of the frame; returns the bytes from a draw's block to the next.
    fn upload(&mut self, gpu: &Gpu, frame: &FrameBlock, draws: &[&DrawBlock]) -> Result<usize, RenderError> {
        let stride = size_of::<DrawBlock>().next_multiple_of(gpu.limits().uniform_alignment);
        self.scratch.clear();
        for block in draws {
            self.scratch.extend_from_slice(bytemuck::bytes_of(*block));
            self.scratch.resize(self.scratch.len().next_multiple_of(stride), 0);
        }
        self.draw_blocks.stream(&self.scratch)?;
        self.frame_block.stream(bytemuck::bytes_of(frame))?;
        self.frame_block.bind_uniform_range(FRAME_BINDING, 0, size_of::<FrameBlock>());
        Ok(stride)
    }
}

fn bind_textures(model: &GpuModel, material: &GpuMaterial) {
    for (unit, texture) in (unit::MATERIAL..).zip(&material.textures) {
        if let Some(texture) = texture {
            model.pictures[texture.picture].bind(unit, &model.samplers[texture.sampler]);
        }
    }
    if let Some(morphs) = &model.morphs {
        morphs.bind(unit::MORPH_DELTAS);
    }
}

/// Shows the pages that hold the matrices and weights of `draw` for `instance`.
fn bind_palette(
    pages: &PaletteBuffers,
    plan: &PagePlan,
    (layout, palette): (&PaletteLayout, &Palette),
    draw: &GpuDraw,
    instance: usize,
) {
    let (matrices, weights) = plan.places(layout, palette.packing(), &draw.draw);
    pages.page(plan.page(instance, matrices.part)).bind(unit::PALETTE_MATRICES);
    pages.page(plan.page(instance, weights.part)).bind(unit::PALETTE_WEIGHTS);
}

/// Notes where the matrices and weights of `draw` lie for the instances from `first` on.
fn place_block(
    block: &mut DrawBlock,
    plan: &PagePlan,
    (layout, palette): (&PaletteLayout, &Palette),
    draw: &GpuDraw,
    first: usize,
) {
    let (matrices, weights) = plan.places(layout, palette.packing(), &draw.draw);
    let skipped = plan.within_page(first) * plan.stride();
    block.first_matrix = (skipped + matrices.texel) as i32;
    block.first_weights = (skipped + weights.texel) as i32;
    block.stride = plan.stride() as i32;
}

/// Camera and lights.
fn frame_block(frame: &Frame<'_>, aspect: f64) -> Result<FrameBlock, RenderError> {
    let mut block = FrameBlock::zeroed();
    let projection_from_world = frame.camera.projection_from_world(aspect);
    block.projection_from_world = projection_from_world.cast::<f32>().into();
    let (eye, w) = match frame.camera.lens {
        Lens::Perspective { .. } => (frame.camera.eye_in_world(), 1.0),
        Lens::Orthographic { .. } => (frame.camera.world_from_view.linear.column(2).into_owned(), 0.0),
    };
    block.eye_in_world = eye.push(w).cast::<f32>().into();
    match frame.lighting {
        Lighting::Studio => light_studio(&mut block),
        Lighting::Directional(lights) => {
            if lights.len() > MAX_LIGHTS {
                return Err(RenderError::TooManyLights { count: lights.len(), limit: MAX_LIGHTS });
            }
            for (i, light) in lights.iter().enumerate() {
                let to_light = light.to_light_in_world.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
                block.to_light_in_world[i] = to_light.push(0.0).cast::<f32>().into();
                block.light_colour[i] = [light.illuminance_lux as f32; 4];
            }
            block.light_count = lights.len() as i32;
        }
    }
    Ok(block)
}

/// Every draw call of a frame, in order: what is opaque, then what shines through from the farthest on.
fn calls(
    gpu: &Rc<Gpu>,
    variants: &mut Variants,
    model: &GpuModel,
    frame: &Frame<'_>,
    plan: &PagePlan,
) -> Result<Vec<Call>, RenderError> {
    assert_eq!(model.draws.len(), frame.layout.draws.len(), "a frame of another model");
    let all = 0..frame.palette.instance_count();
    let is_blended = |draw: &GpuDraw| draw.material.alpha == Alpha::Blend;
    let blended = model.draws.iter().filter(|draw| is_blended(draw)).count();
    let sort_instances = blended * all.len() <= MOST_SORTED;

    let mut calls = Vec::new();
    // Distance from the viewer, number of the draw, instances.
    let mut sorted: Vec<(f64, usize, Range<usize>)> = Vec::new();
    for (number, draw) in model.draws.iter().enumerate() {
        if model.primitives[draw.primitive].vertex_count == 0 {
            continue;
        }
        if !is_blended(draw) {
            add_calls(&mut calls, gpu, variants, (model, frame, plan), number, all.clone())?;
        } else if sort_instances {
            sorted.extend(all.clone().map(|i| (distance(frame, draw, i), number, i..i + 1)));
        } else if !all.is_empty() {
            sorted.push((distance(frame, draw, 0), number, all.clone()));
        }
    }
    // The sort is stable: what is equally far keeps the order of the file.
    sorted.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, number, instances) in sorted {
        add_calls(&mut calls, gpu, variants, (model, frame, plan), number, instances)?;
    }
    Ok(calls)
}

/// Adds the calls of one draw for some instances.
fn add_calls(
    calls: &mut Vec<Call>,
    gpu: &Rc<Gpu>,
    variants: &mut Variants,
    (model, frame, plan): (&GpuModel, &Frame<'_>, &PagePlan),
    number: usize,
    instances: Range<usize>,
) -> Result<(), RenderError> {
    let draw = &model.draws[number];
    // A palette that was never written has no instances, and says nothing of mirrors.
    let mirroring = frame.palette.mirroring().get(draw.draw.section).copied().unwrap_or_default();
    for sides in passes(model, draw, mirroring) {
        let variant = variant(model, draw, frame, sides.facing);
        let program = variants.get(gpu, &variant)?;
        let blending = if draw.material.alpha == Alpha::Blend { Blending::Over } else { Blending::Off };
        let state = DrawState { culling: sides.culling, blending, depth: true };
        for batch in plan.batches(instances.clone()) {
            let mut block = material_block(&draw.material);
            place_block(&mut block, plan, (frame.layout, frame.palette), draw, batch.start);
            block.side = sides.side;
            block.handedness = if mirroring == Mirroring::Always { -1.0 } else { 1.0 };
            calls.push(Call { draw: number, instances: batch, state, program: Rc::clone(&program), block });
        }
    }
    Ok(())
}

/// Which sides of a draw's surfaces are drawn, and in which order.
fn passes(model: &GpuModel, draw: &GpuDraw, mirroring: Mirroring) -> Vec<Sides> {
    if !model.primitives[draw.primitive].topology.has_triangles() {
        return vec![Sides { culling: Culling::Off, facing: Facing::Ignored, side: 0.0 }];
    }
    // Backs and fronts on the screen; nothing to cull by where some matrices mirror and others do not.
    let (backs, fronts, facing) = match mirroring {
        Mirroring::Never => (Culling::Clockwise, Culling::CounterClockwise, Facing::Uniform),
        Mirroring::Always => (Culling::CounterClockwise, Culling::Clockwise, Facing::Uniform),
        Mirroring::Mixed => (Culling::Off, Culling::Off, Facing::PerVertex),
    };
    let without_backs = Sides { culling: backs, facing, side: 1.0 };
    let without_fronts = Sides { culling: fronts, facing, side: -1.0 };
    match (draw.material.factors.double_sided, draw.material.alpha) {
        (false, _) if facing == Facing::Uniform => vec![Sides { facing: Facing::Ignored, ..without_backs }],
        (false, _) => vec![without_backs],
        // The far side of a glass first, then the near one.
        (true, Alpha::Blend) => vec![without_fronts, without_backs],
        (true, _) => vec![Sides { culling: Culling::Off, facing, side: 0.0 }],
    }
}

/// The shader that a draw needs.
fn variant(model: &GpuModel, draw: &GpuDraw, frame: &Frame<'_>, facing: Facing) -> Variant {
    let primitive = &model.primitives[draw.primitive];
    let material = &draw.material;
    // Without normals only surfaces have sides to be lit (glTF 2.0, section 3.7.2.1).
    let unlit = material.factors.unlit || !(primitive.normals || primitive.topology.has_triangles());
    Variant {
        influences: if draw.draw.skinned { primitive.influences } else { 0 },
        packing: frame.palette.packing(),
        morph_texels: if model.morphs.is_some() { primitive.morph_texels } else { 0 },
        normals: primitive.normals,
        tangents: false,
        colours: primitive.colours,
        tex_coord_sets: primitive.tex_coord_sets.len(),
        textures: [0, 1, 2, 3].map(|role| material.textures[role].as_ref().map(|texture| texture.set)),
        texture_transforms: material.textures.iter().flatten().any(|texture| texture.transform != Default::default()),
        alpha: material.alpha,
        shading: match frame.lighting {
            _ if unlit => Shading::Unlit,
            Lighting::Studio => Shading::Studio,
            Lighting::Directional(_) => Shading::Lights,
        },
        facing,
        feedback: false,
    }
    .simplified()
}

/// The vertex shader of a draw, to be read back.
pub(crate) fn feedback_variant(model: &GpuModel, draw: &GpuDraw, palette: &Palette) -> Variant {
    let primitive = &model.primitives[draw.primitive];
    Variant {
        influences: if draw.draw.skinned { primitive.influences } else { 0 },
        packing: palette.packing(),
        morph_texels: if model.morphs.is_some() { primitive.morph_texels } else { 0 },
        normals: primitive.normals,
        tangents: primitive.tangents,
        colours: false,
        tex_coord_sets: 0,
        textures: [None; 4],
        texture_transforms: false,
        alpha: Alpha::Opaque,
        shading: Shading::Lights,
        facing: Facing::Ignored,
        feedback: true,
    }
    .simplified()
}

/// A material's numbers.
fn material_block(material: &GpuMaterial) -> DrawBlock {
    let factors = &material.factors;
    let cutoff = match factors.alpha_mode {
        AlphaMode::Mask { cutoff } => cutoff,
        AlphaMode::Opaque | AlphaMode::Blend => 0.0,
    };
    let [r, g, b] = factors.emissive;
    let mut block = DrawBlock {
        base_colour: factors.base_colour,
        emissive: [r, g, b, cutoff],
        metallic: factors.metallic,
        roughness: factors.roughness,
        occlusion_strength: factors.occlusion_strength,
        ..DrawBlock::zeroed()
    };
    for (rows, texture) in block.texture_transform.chunks_exact_mut(2).zip(&material.textures) {
        if let Some(texture) = texture {
            // Scale, then counter-clockwise rotation as seen with V down, then offset (KHR_texture_transform).
            let t = texture.transform;
            let (sin, cos) = (libm::sinf(t.rotation), libm::cosf(t.rotation));
            rows[0] = [cos * t.scale[0], sin * t.scale[1], t.offset[0], 0.0];
            rows[1] = [-sin * t.scale[0], cos * t.scale[1], t.offset[1], 0.0];
        }
    }
    block
}

/// How far the middle of `draw` is from the viewer, for one instance.
fn distance(frame: &Frame<'_>, draw: &GpuDraw, instance: usize) -> f64 {
    let palette = frame.palette;
    let (centre, slot) = &draw.centre;
    let matrix = frame.layout.sections[draw.draw.section].first_matrix as usize + slot;
    let rows = palette.packing().read(&palette.block(instance)[matrix * palette.packing().texels_per_matrix()..]);
    let p = Vector3::from(rows.map(|row| Vector4::from(row).cast::<f64>().dot(&centre.push(1.0))));
    match frame.camera.lens {
        Lens::Perspective { .. } => (p - frame.camera.eye_in_world()).norm(),
        Lens::Orthographic { .. } => -frame.camera.view_from_world().point(p).z,
    }
}
