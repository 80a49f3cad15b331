//! Draw calls of a mesh pass, in order, with shader, state and uniforms.

use super::crowd_draw::{CrowdDraw, FrameDraw};
use super::material_uniforms::{material_feature_uniforms, material_uniforms};
use super::shader_selection::{debug_view_key, material_key};
use crate::gpu::{Blending, Culling, DrawState, Gpu, Program};
use crate::palette::{Mirroring, Palette, PaletteLayout};
use crate::render::error::RenderError;
use crate::render::gpu_model::{GpuDraw, GpuModel};
use crate::render::material_features::{MaterialFeature, MaterialFeatures};
use crate::render::palette::PagePlan;
use crate::render::shader::{Alpha, DrawMode, Facing, ShaderCache};
use crate::render::uniforms::{DrawUniforms, MaterialFeatureUniforms};
use crate::scene::{DebugView, Frame, Lens};
use nalgebra::{Vector3, Vector4};
use smallvec::{SmallVec, smallvec};
use std::ops::Range;
use std::rc::Rc;

/// Maximum number of blended instances that are sorted individually; larger crowds are sorted per draw.
const MAX_SORTED_INSTANCES: usize = 4096;

/// Alpha cutoff of blended materials in the shadow map.
const SHADOW_ALPHA_CUTOFF: f32 = 0.5;

/// One draw call.
pub(super) struct DrawCall {
    /// Index of the crowd.
    pub(super) crowd: usize,
    /// Index of the draw in the crowd's model.
    pub(super) draw: usize,
    /// Instances, all in one page.
    pub(super) instances: Range<usize>,
    pub(super) state: DrawState,
    pub(super) program: Rc<Program>,
    pub(super) uniforms: DrawUniforms,
    /// Samples the transmission background.
    pub(super) transmissive: bool,
    /// Index into [`DrawList::feature_uniforms`], for materials with extensions.
    pub(super) feature_uniforms: Option<usize>,
}

/// Draw calls of a pass. Buffers are reused from frame to frame.
#[derive(Default)]
pub(super) struct DrawList {
    /// Opaque calls, then transmissive ones, then blended ones from back to front.
    pub(super) calls: Vec<DrawCall>,
    /// Number of opaque calls.
    pub(super) opaque: usize,
    pub(super) feature_uniforms: Vec<MaterialFeatureUniforms>,
    transmissive: Vec<DrawIndex>,
    sorted: Vec<SortedDraw>,
}

/// A draw of one crowd.
#[derive(Clone, Copy)]
struct DrawIndex {
    crowd: usize,
    draw: usize,
}

/// A blended draw. Draws at equal distance keep their order.
struct SortedDraw {
    distance: f64,
    order: usize,
    index: DrawIndex,
    instances: Range<usize>,
}

/// Culling and side selection of one pass over a draw.
#[derive(Clone, Copy)]
struct CullPass {
    culling: Culling,
    facing: Facing,
    /// As in [`DrawUniforms::side`].
    side: f32,
}

/// Returns `true` if the debug view hides a draw, or does not highlight it in the highlight pass.
fn is_left_out(view: &DebugView<'_>, mode: DrawMode, index: DrawIndex) -> bool {
    let is_marked = |marks: &[bool]| index.crowd == 0 && marks.get(index.draw).is_some_and(|marked| *marked);
    is_marked(view.hidden_draws) || mode == DrawMode::Highlight && !is_marked(view.highlighted_draws)
}

impl DrawList {
    /// Rebuilds the list for `input`.
    pub(super) fn build(
        &mut self,
        gpu: &Rc<Gpu>,
        shaders: &mut ShaderCache,
        input: &FrameDraw<'_>,
        mode: DrawMode,
    ) -> Result<(), RenderError> {
        let crowds = input.crowds;
        let is_blended = |draw: &GpuDraw| mode == DrawMode::Material && draw.material.alpha == Alpha::Blend;
        let blended_instances = |crowd: &CrowdDraw<'_>| {
            crowd.model.draws.iter().filter(|draw| is_blended(draw)).count() * crowd.palette.instance_count()
        };
        let sort_instances = crowds.iter().map(blended_instances).sum::<usize>() <= MAX_SORTED_INSTANCES;

        self.calls.clear();
        self.feature_uniforms.clear();
        let mut transmissive = std::mem::take(&mut self.transmissive);
        let mut sorted = std::mem::take(&mut self.sorted);
        for (crowd_index, &crowd) in crowds.iter().enumerate() {
            let CrowdDraw { model, layout, palette, .. } = crowd;
            assert_eq!(model.draws.len(), layout.draws.len(), "the frame is of another model");
            let all_instances = 0..palette.instance_count();
            for (draw_index, draw) in model.draws.iter().enumerate() {
                let left_out =
                    is_left_out(&input.frame.debug_view, mode, DrawIndex { crowd: crowd_index, draw: draw_index });
                if left_out || model.primitives[draw.primitive].vertex_count == 0 || palette.is_hidden(draw.draw.joint)
                {
                    continue;
                }
                let is_transmissive = draw.material.features.has(MaterialFeature::Transmission);
                if is_transmissive && mode == DrawMode::ShadowDepth {
                    continue;
                }
                let index = DrawIndex { crowd: crowd_index, draw: draw_index };
                let mut sort = |instances: Range<usize>| {
                    let distance = view_distance(input.frame, &crowd, draw, instances.start);
                    sorted.push(SortedDraw { distance, order: sorted.len(), index, instances });
                };
                if !is_blended(draw) && mode == DrawMode::Material && is_transmissive {
                    transmissive.push(index);
                } else if !is_blended(draw) {
                    self.add_calls(gpu, shaders, input, mode, index, all_instances.clone())?;
                } else if sort_instances {
                    all_instances.clone().for_each(|i| sort(i..i + 1));
                } else if !all_instances.is_empty() {
                    sort(all_instances.clone());
                }
            }
        }
        self.opaque = self.calls.len();
        for index in transmissive.drain(..) {
            let all_instances = 0..crowds[index.crowd].palette.instance_count();
            self.add_calls(gpu, shaders, input, mode, index, all_instances)?;
        }
        sorted.sort_unstable_by(|a, b| b.distance.total_cmp(&a.distance).then(a.order.cmp(&b.order)));
        for SortedDraw { index, instances, .. } in sorted.drain(..) {
            self.add_calls(gpu, shaders, input, mode, index, instances)?;
        }
        (self.transmissive, self.sorted) = (transmissive, sorted);
        Ok(())
    }

    /// Adds the calls of one draw for a range of instances.
    fn add_calls(
        &mut self,
        gpu: &Rc<Gpu>,
        shaders: &mut ShaderCache,
        input: &FrameDraw<'_>,
        mode: DrawMode,
        index: DrawIndex,
        instances: Range<usize>,
    ) -> Result<(), RenderError> {
        let crowd = &input.crowds[index.crowd];
        let CrowdDraw { model, layout, palette, plan, .. } = *crowd;
        let draw = &model.draws[index.draw];
        // Animated material properties are those of the first instance.
        let animated = draw.material.index.and_then(|index| palette.animated_properties().material(index));
        let factors = animated.unwrap_or(&draw.material.factors);
        let mode = if index.crowd == 0 { mode } else { mode.for_other_crowds() };
        // A palette that was never written has no mirroring information.
        let mirroring = palette.mirroring().get(draw.draw.section).copied().unwrap_or_default();
        for pass in cull_passes(model, draw, mirroring) {
            let mut features = MaterialFeatures::default();
            let (program, culling, blending) = match debug_view_key(crowd, draw, input.frame, mode) {
                None => {
                    let mut key = material_key(crowd, draw, input.frame, pass.facing);
                    let blends = mode == DrawMode::Material && draw.material.alpha == Alpha::Blend;
                    let mut blending = if blends { Blending::Over } else { Blending::Off };
                    if mode == DrawMode::ShadowDepth {
                        key = key.for_shadow_depth();
                    } else if input.viewport.samples > 1
                        && !key.features.has(MaterialFeature::Transmission)
                        && key.alpha == Alpha::Mask
                    {
                        key.alpha = Alpha::Coverage;
                        blending = Blending::Coverage;
                    }
                    features = key.features;
                    (shaders.material(gpu, &key)?, pass.culling, blending)
                }
                Some(key) => {
                    let culling = if mode.is_double_sided() { Culling::Off } else { pass.culling };
                    let blending = if mode.blends() { Blending::Over } else { Blending::Off };
                    (shaders.debug_view(gpu, &key)?, culling, blending)
                }
            };
            let feature_uniforms = features.any().then(|| {
                self.feature_uniforms.push(material_feature_uniforms(factors));
                self.feature_uniforms.len() - 1
            });
            for batch in plan.batches(instances.clone()) {
                let mut uniforms = material_uniforms(factors);
                if mode == DrawMode::ShadowDepth && draw.material.alpha == Alpha::Blend {
                    uniforms.emissive[3] = SHADOW_ALPHA_CUTOFF;
                }
                set_palette_offsets(&mut uniforms, plan, layout, palette, draw, batch.start);
                uniforms.side = pass.side;
                uniforms.handedness = if mirroring == Mirroring::Always { -1.0 } else { 1.0 };
                self.calls.push(DrawCall {
                    crowd: index.crowd,
                    draw: index.draw,
                    instances: batch,
                    state: DrawState { culling, blending, depth: true },
                    program: Rc::clone(&program),
                    uniforms,
                    transmissive: features.has(MaterialFeature::Transmission),
                    feature_uniforms,
                });
            }
        }
        Ok(())
    }
}

/// Returns the passes over a draw, in order.
fn cull_passes(model: &GpuModel, draw: &GpuDraw, mirroring: Mirroring) -> SmallVec<[CullPass; 2]> {
    if !model.primitives[draw.primitive].topology.has_triangles() {
        return smallvec![CullPass { culling: Culling::Off, facing: Facing::Ignored, side: 0.0 }];
    }
    // Culling cannot select a side if some matrices mirror and others do not.
    let (cull_backs, cull_fronts, facing) = match mirroring {
        Mirroring::Never => (Culling::Clockwise, Culling::CounterClockwise, Facing::Uniform),
        Mirroring::Always => (Culling::CounterClockwise, Culling::Clockwise, Facing::Uniform),
        Mirroring::Mixed => (Culling::Off, Culling::Off, Facing::PerVertex),
    };
    let fronts = CullPass { culling: cull_backs, facing, side: 1.0 };
    let backs = CullPass { culling: cull_fronts, facing, side: -1.0 };
    match (draw.material.factors.double_sided, draw.material.alpha) {
        (false, _) if facing == Facing::Uniform => smallvec![CullPass { facing: Facing::Ignored, ..fronts }],
        (false, _) => smallvec![fronts],
        (true, Alpha::Blend) => smallvec![backs, fronts],
        (true, _) => smallvec![CullPass { culling: Culling::Off, facing, side: 0.0 }],
    }
}

/// Returns the distance from the camera to the center of `draw`; for parallel rays its depth.
fn view_distance(frame: &Frame<'_>, crowd: &CrowdDraw<'_>, draw: &GpuDraw, instance: usize) -> f64 {
    let (layout, palette) = (crowd.layout, crowd.palette);
    let matrix = layout.sections[draw.draw.section].first_matrix as usize + draw.center.slot;
    let rows = palette.format().read(&palette.block(instance)[matrix * palette.format().texels_per_matrix()..]);
    let center = draw.center.position.push(1.0);
    let p = Vector3::from(rows.map(|row| Vector4::from(row).cast::<f64>().dot(&center)));
    match frame.camera.lens {
        Lens::Perspective { .. } => (p - frame.camera.eye_in_world()).norm(),
        Lens::Orthographic { .. } => -frame.camera.view_from_world().transform_point(p).z,
    }
}

/// Sets the texel offsets of the matrices and weights of `draw`, for the instances from `first` on.
pub(super) fn set_palette_offsets(
    uniforms: &mut DrawUniforms,
    plan: &PagePlan,
    layout: &PaletteLayout,
    palette: &Palette,
    draw: &GpuDraw,
    first: usize,
) {
    let (matrices, weights) = plan.locate(layout, palette.format(), &draw.draw);
    let first_texel = plan.index_in_page(first) * plan.stride();
    uniforms.first_entry = layout.sections[draw.draw.section].first_matrix as i32;
    uniforms.first_matrix = (first_texel + matrices.texel) as i32;
    uniforms.first_weights = (first_texel + weights.texel) as i32;
    uniforms.stride = plan.stride() as i32;
}
