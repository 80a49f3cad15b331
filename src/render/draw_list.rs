//! The draw calls of a frame: which, in which order, with which shader, state and parameters.

use super::RenderError;
use super::crowd_draw::Drawn;
use super::debug_view_shader::{DebugViewShader, Paint};
use super::gpu_model::{GpuDraw, GpuModel};
use super::material_features::{Layer, Layers, MaterialFeatureUniforms};
use super::pages::PagePlan;
use super::uniforms::DrawUniforms;
use super::variant::{Alpha, Facing, Lights, ROLES, ShaderCache, Shading, TextureSlot, Variant};
use crate::gpu::{Blending, Culling, DrawState, Gpu, Program};
use crate::model::{AlphaMode, Material};
use crate::palette::{Mirroring, Palette, PaletteLayout};
use crate::scene::{Frame, Lens, ToneMapping};
use bytemuck::Zeroable;
use nalgebra::{Vector3, Vector4};
use smallvec::{SmallVec, smallvec};
use std::ops::Range;
use std::rc::Rc;

/// Instances of transparent draws that are sorted one by one; larger crowds are sorted draw by draw.
const MOST_SORTED: usize = 4096;

/// The opacity from which on what is blended casts a shadow.
const BLENDED_CASTS: f32 = 0.5;

/// One draw call.
pub(crate) struct Call {
    /// Of which crowd.
    pub(crate) crowd: usize,
    /// Which draw of its model.
    pub(crate) draw: usize,
    /// Which instances; all in one page.
    pub(crate) instances: Range<usize>,
    /// How.
    pub(crate) state: DrawState,
    pub(crate) program: Rc<Program>,
    pub(crate) block: DrawUniforms,
    /// Whether it looks at what lies behind it.
    pub(crate) sees_through: bool,
    /// The number of its parameters of what extensions add, where something is.
    pub(crate) layers: Option<usize>,
}

/// The draw calls of a frame, in order, and memory that is kept from frame to frame.
#[derive(Default)]
pub(crate) struct CallList {
    /// What is opaque, then what refracts it, then what is blended from the farthest on.
    pub(crate) calls: Vec<Call>,
    /// How many of them are the first.
    pub(crate) opaque: usize,
    /// Parameters of what extensions add.
    pub(crate) layers: Vec<MaterialFeatureUniforms>,
    /// Crowd and draw of what refracts.
    refracting: Vec<(usize, usize)>,
    sorted: Vec<Sorted>,
}

/// What is blended: drawn from the farthest on, and what is equally far in the order of the file.
struct Sorted {
    distance: f64,
    place: usize,
    crowd: usize,
    draw: usize,
    instances: Range<usize>,
}

/// What decides between front and back, for one pass over a draw.
#[derive(Clone, Copy)]
struct Sides {
    culling: Culling,
    facing: Facing,
    /// As in [`DrawUniforms::side`].
    side: f32,
}

/// Sets `list` to every draw call of a frame.
pub(crate) fn fill(
    list: &mut CallList,
    gpu: &Rc<Gpu>,
    variants: &mut ShaderCache,
    (frame, crowds): (&Frame<'_>, &[Drawn<'_>]),
    paint: Paint,
    samples: u32,
) -> Result<(), RenderError> {
    let is_blended = |draw: &GpuDraw| paint == Paint::Material && draw.material.alpha == Alpha::Blend;
    let blended = |drawn: &Drawn<'_>| {
        drawn.model.draws.iter().filter(|draw| is_blended(draw)).count() * drawn.palette.instance_count()
    };
    let sort_instances = crowds.iter().map(blended).sum::<usize>() <= MOST_SORTED;

    let CallList { calls, layers, refracting, sorted, .. } = list;
    calls.clear();
    layers.clear();
    refracting.clear();
    sorted.clear();
    let lists = &mut (calls, layers);
    for (crowd, &drawn) in crowds.iter().enumerate() {
        let Drawn { model, layout, palette, .. } = drawn;
        assert_eq!(model.draws.len(), layout.draws.len(), "a frame of another model");
        let all = 0..palette.instance_count();
        for (number, draw) in model.draws.iter().enumerate() {
            if model.primitives[draw.primitive].vertex_count == 0 || palette.is_hidden(draw.draw.joint) {
                continue;
            }
            let transmits = draw.material.layers.has(Layer::Transmission);
            if transmits && paint == Paint::Distances {
                // Clear glass casts no shadow.
                continue;
            }
            let subject = Subject { crowd, drawn, number };
            let mut sort = |instances: Range<usize>| {
                let distance = distance(frame, drawn, draw, instances.start);
                sorted.push(Sorted { distance, place: sorted.len(), crowd, draw: number, instances });
            };
            if !is_blended(draw) && paint == Paint::Material && transmits {
                refracting.push((crowd, number));
            } else if !is_blended(draw) {
                add_calls(lists, gpu, variants, (frame, paint, samples), subject, all.clone())?;
            } else if sort_instances {
                all.clone().for_each(|i| sort(i..i + 1));
            } else if !all.is_empty() {
                sort(all.clone());
            }
        }
    }
    list.opaque = lists.0.len();
    for (crowd, number) in refracting.drain(..) {
        let subject = Subject { crowd, drawn: crowds[crowd], number };
        let all = 0..subject.drawn.palette.instance_count();
        add_calls(lists, gpu, variants, (frame, paint, samples), subject, all)?;
    }
    sorted.sort_unstable_by(|a, b| b.distance.total_cmp(&a.distance).then(a.place.cmp(&b.place)));
    for Sorted { crowd, draw: number, instances, .. } in sorted.drain(..) {
        let subject = Subject { crowd, drawn: crowds[crowd], number };
        add_calls(lists, gpu, variants, (frame, paint, samples), subject, instances)?;
    }
    Ok(())
}

/// One draw of one crowd.
#[derive(Clone, Copy)]
struct Subject<'a> {
    crowd: usize,
    drawn: Drawn<'a>,
    /// Which draw of its model.
    number: usize,
}

/// Adds the calls of one draw for some instances.
fn add_calls(
    (calls, layers): &mut (&mut Vec<Call>, &mut Vec<MaterialFeatureUniforms>),
    gpu: &Rc<Gpu>,
    variants: &mut ShaderCache,
    (frame, paint, samples): (&Frame<'_>, Paint, u32),
    Subject { crowd, drawn, number }: Subject<'_>,
    instances: Range<usize>,
) -> Result<(), RenderError> {
    let Drawn { model, layout, palette, plan, .. } = drawn;
    let draw = &model.draws[number];
    // As the clip of the first instance has it at this moment.
    let changed = draw.material.index.and_then(|index| palette.animated_properties().material(index));
    let factors = changed.unwrap_or(&draw.material.factors);
    let paint = if crowd == 0 { paint } else { paint.of_others() };
    // A palette that was never written has no instances, and says nothing of mirrors.
    let mirroring = palette.mirroring().get(draw.draw.section).copied().unwrap_or_default();
    for sides in passes(model, draw, mirroring) {
        let blends = paint == Paint::Material && draw.material.alpha == Alpha::Blend;
        let mut coverage = false;
        let mut drawn_layers = Layers::default();
        let (program, culling, blends) = match DebugViewShader::of(&drawn, draw, frame, paint) {
            None => {
                let mut variant = variant(&drawn, draw, frame, sides.facing);
                if paint == Paint::Distances {
                    variant = variant.of_distances();
                } else if samples > 1 && !variant.layers.has(Layer::Transmission) && variant.alpha == Alpha::Mask {
                    variant.alpha = Alpha::Coverage;
                    coverage = true;
                }
                drawn_layers = variant.layers;
                (variants.get(gpu, &variant)?, sides.culling, blends)
            }
            Some(look) => {
                let culling = if paint.shows_both_sides() { Culling::Off } else { sides.culling };
                (variants.looks.get(gpu, &look)?, culling, paint.blends())
            }
        };
        let sees_through = drawn_layers.has(Layer::Transmission);
        let layers = drawn_layers.any().then(|| {
            layers.push(MaterialFeatureUniforms::of(factors));
            layers.len() - 1
        });
        let blending = match (blends, coverage) {
            (true, _) => Blending::Over,
            (false, true) => Blending::Coverage,
            (false, false) => Blending::Off,
        };
        let state = DrawState { culling, blending, depth: true };
        for batch in plan.batches(instances.clone()) {
            let mut block = material_block(factors);
            if paint == Paint::Distances && draw.material.alpha == Alpha::Blend {
                block.emissive[3] = BLENDED_CASTS;
            }
            place_block(&mut block, plan, (layout, palette), draw, batch.start);
            block.side = sides.side;
            block.handedness = if mirroring == Mirroring::Always { -1.0 } else { 1.0 };
            let program = Rc::clone(&program);
            calls.push(Call { crowd, draw: number, instances: batch, state, program, block, sees_through, layers });
        }
    }
    Ok(())
}

/// Which sides of a draw's surfaces are drawn, and in which order.
fn passes(model: &GpuModel, draw: &GpuDraw, mirroring: Mirroring) -> SmallVec<[Sides; 2]> {
    if !model.primitives[draw.primitive].topology.has_triangles() {
        return smallvec![Sides { culling: Culling::Off, facing: Facing::Ignored, side: 0.0 }];
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
        (false, _) if facing == Facing::Uniform => smallvec![Sides { facing: Facing::Ignored, ..without_backs }],
        (false, _) => smallvec![without_backs],
        // The far side of a glass first, then the near one.
        (true, Alpha::Blend) => smallvec![without_fronts, without_backs],
        (true, _) => smallvec![Sides { culling: Culling::Off, facing, side: 0.0 }],
    }
}

/// The shader that a draw needs.
fn variant(
    &Drawn { model, palette, plan, pages, .. }: &Drawn<'_>,
    draw: &GpuDraw,
    frame: &Frame<'_>,
    facing: Facing,
) -> Variant {
    let primitive = &model.primitives[draw.primitive];
    let material = &draw.material;
    // Without normals only surfaces have sides to be lit (glTF 2.0, section 3.7.2.1).
    let unlit = material.factors.unlit || !(primitive.normals || primitive.topology.has_triangles());
    Variant {
        influences: if draw.draw.skinned { primitive.influences } else { 0 },
        packing: palette.format(),
        palette_source: pages.palette_source(plan),
        morph_texels: if model.morphs.is_some() { primitive.morph_texels } else { 0 },
        normals: primitive.normals,
        tangents: primitive.drawn_tangents,
        colors: primitive.colors,
        tex_coord_sets: primitive.tex_coord_sets.len(),
        textures: TextureSlot::ALL.map(|role| material.textures[role as usize].as_ref().map(|texture| texture.set)),
        texture_transforms: material.transforms,
        alpha: material.alpha,
        shading: if unlit { Shading::Unlit } else { Shading::Lit },
        lights: Lights::of(&frame.lighting.lights),
        sun_shadow: frame.lighting.sun().is_some(),
        environment: frame.lighting.environment.is_some(),
        layers: material.layers,
        tone_mapping: frame.lighting.tone_mapping,
        facing,
        rigid_skinning: frame.debug_view.rigid_skinning && draw.draw.skinned,
        distances: false,
        feedback: false,
    }
    .simplified()
}

/// The vertex shader of a draw, to be read back.
pub(crate) fn feedback_variant(model: &GpuModel, draw: &GpuDraw, palette: &Palette) -> Variant {
    let primitive = &model.primitives[draw.primitive];
    Variant {
        influences: if draw.draw.skinned { primitive.influences } else { 0 },
        packing: palette.format(),
        palette_source: Default::default(),
        morph_texels: if model.morphs.is_some() { primitive.morph_texels } else { 0 },
        normals: primitive.normals,
        tangents: primitive.tangents,
        colors: false,
        tex_coord_sets: 0,
        textures: [None; ROLES],
        texture_transforms: false,
        alpha: Alpha::Opaque,
        shading: Shading::Lit,
        lights: Lights::None,
        sun_shadow: false,
        environment: false,
        layers: Layers::default(),
        tone_mapping: ToneMapping::None,
        facing: Facing::Ignored,
        rigid_skinning: false,
        distances: false,
        feedback: true,
    }
    .simplified()
}

/// A material's numbers.
fn material_block(factors: &Material) -> DrawUniforms {
    let cutoff = match factors.alpha_mode {
        AlphaMode::Mask { cutoff } => cutoff,
        AlphaMode::Opaque | AlphaMode::Blend => 0.0,
    };
    let [r, g, b] = factors.emitted();
    let mut block = DrawUniforms {
        base_color: factors.base_color,
        emissive: [r, g, b, cutoff],
        metallic: factors.metallic,
        roughness: factors.roughness,
        occlusion_strength: factors.occlusion_strength,
        normal_scale: factors.normal_scale,
        ..DrawUniforms::zeroed()
    };
    for (rows, role) in block.texture_transform.chunks_exact_mut(2).zip(TextureSlot::ALL) {
        rows.copy_from_slice(&role.transform_rows(factors));
    }
    block
}

/// How far the middle of `draw` is from the viewer, for one instance.
fn distance(frame: &Frame<'_>, Drawn { layout, palette, .. }: Drawn<'_>, draw: &GpuDraw, instance: usize) -> f64 {
    let (center, slot) = &draw.center;
    let matrix = layout.sections[draw.draw.section].first_matrix as usize + slot;
    let rows = palette.format().read(&palette.block(instance)[matrix * palette.format().texels_per_matrix()..]);
    let p = Vector3::from(rows.map(|row| Vector4::from(row).cast::<f64>().dot(&center.push(1.0))));
    match frame.camera.lens {
        Lens::Perspective { .. } => (p - frame.camera.eye_in_world()).norm(),
        Lens::Orthographic { .. } => -frame.camera.view_from_world().point(p).z,
    }
}

/// Notes where the matrices and weights of `draw` lie for the instances from `first` on.
pub(crate) fn place_block(
    block: &mut DrawUniforms,
    plan: &PagePlan,
    (layout, palette): (&PaletteLayout, &Palette),
    draw: &GpuDraw,
    first: usize,
) {
    let (matrices, weights) = plan.places(layout, palette.format(), &draw.draw);
    let skipped = plan.within_page(first) * plan.stride();
    block.first_entry = layout.sections[draw.draw.section].first_matrix as i32;
    block.first_matrix = (skipped + matrices.texel) as i32;
    block.first_weights = (skipped + weights.texel) as i32;
    block.stride = plan.stride() as i32;
}
